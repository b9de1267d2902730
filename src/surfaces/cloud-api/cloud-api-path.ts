/**
 * What a path below a base path means in Meta's dialect. The version may be any or none, and may come twice when a base
 * address with a version meets a client that adds one; slashes may be doubled or trail. Every path below a version is
 * answered in the dialect, because no path of ours begins with one. Without a version, only paths that look like Meta's
 * are accepted, and never one of our own collections: `/chats/messages` is the chat with a contact called "messages".
 */
export type CloudApiPath =
  | { kind: 'messages' | 'media' | 'templates'; objectId: string }
  | { kind: 'object'; objectId: string }
  | { kind: 'content'; objectId: string }
  | { kind: 'unknown' }

const VERSION = /^v\d{1,3}(?:\.\d{1,3})?$/
const OBJECT_ID = /^[A-Za-z0-9_-]{1,64}$/
/** Alone on a path without version, only what can be nothing else. */
const BARE_OBJECT_ID = /^(?:\d{5,64}|med_[0-9a-z]{26})$/

const EDGES: Record<string, 'messages' | 'media' | 'templates' | 'content'> = {
  messages: 'messages',
  media: 'media',
  message_templates: 'templates',
  content: 'content',
}

/** Null when the path does not belong to the dialect. */
export function readCloudApiPath(path: string, isOwnCollection: (name: string) => boolean): CloudApiPath | null {
  const segments = path.split('/').filter((segment) => segment !== '')
  const versions = segments.findIndex((segment) => !VERSION.test(segment))
  const isVersioned = VERSION.test(segments[0] ?? '')
  const [objectId, edge, ...rest] = versions === -1 ? [] : segments.slice(versions)
  if (!isVersioned && (objectId === undefined || isOwnCollection(objectId))) return null
  const found = rest.length > 0 ? null : readObject(objectId, edge, isVersioned)
  return found ?? (isVersioned ? { kind: 'unknown' } : null)
}

function readObject(objectId: string | undefined, edge: string | undefined, isVersioned: boolean): CloudApiPath | null {
  if (objectId === undefined || !OBJECT_ID.test(objectId) || Object.hasOwn(EDGES, objectId)) return null
  if (edge === undefined) return isVersioned || BARE_OBJECT_ID.test(objectId) ? { kind: 'object', objectId } : null
  const kind = Object.hasOwn(EDGES, edge) ? EDGES[edge] : undefined
  return kind === undefined ? null : { kind, objectId }
}
