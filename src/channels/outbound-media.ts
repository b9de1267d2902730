import { ProblemError } from '../kernel/errors.ts'
import { isId } from '../kernel/ids.ts'
import type { ChannelFailure, UploadOutcome } from './channel-connector.ts'
import { type MediaContext, uploadToProvider } from './media.ts'
import { MEDIA_TYPES, type MediaType, type MessageContent } from './message-content.ts'
import type { OpenedNumber } from './opened-numbers.ts'

/**
 * Files of ours in a message that is about to leave: each is handed to the network first, and the network's id takes the
 * place of ours. They stand in `media`, in the header of an interactive message, and in the parameters of a template.
 */
export type PreparedContent =
  | { kind: 'ready'; content: MessageContent; providerMediaId: string | null }
  | { kind: 'refused'; failure: ChannelFailure }

type Opened = Pick<OpenedNumber, 'number' | 'connector'>

export async function prepareMedia(
  context: MediaContext,
  opened: Opened,
  content: MessageContent,
  signal: AbortSignal,
): Promise<PreparedContent> {
  const wanted = mediaIn(content)
  const providerIds = new Map<string, string>()
  for (const [mediaId, type] of wanted) {
    const outcome = await uploadSafely(context, opened, { mediaId, type }, signal)
    if (outcome.kind === 'refused') return outcome
    providerIds.set(mediaId, outcome.providerMediaId)
  }
  const own = 'media' in content ? (content.media.id ?? null) : null
  if (wanted.size === 0 || own !== null)
    return { kind: 'ready', content, providerMediaId: own === null ? null : (providerIds.get(own) ?? null) }
  return { kind: 'ready', content: replaceIds(content, providerIds) as MessageContent, providerMediaId: null }
}

/** A file that is gone is the message's failure, not ours; one that has not come yet is worth waiting for. */
async function uploadSafely(
  context: MediaContext,
  opened: Opened,
  file: { mediaId: string; type: MediaType },
  signal: AbortSignal,
): Promise<UploadOutcome> {
  try {
    return await uploadToProvider(context, opened, file, signal)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const isWaiting = error.code === 'media_not_ready'
    return {
      kind: 'refused',
      failure: {
        class: isWaiting ? 'retry' : 'permanent',
        scope: 'recipient',
        code: error.code,
        providerCode: null,
        detail: error.message,
        retryAfterMs: null,
      },
    }
  }
}

/** Our files by id, each with the kind it is sent as. */
export function mediaIn(content: MessageContent): Map<string, MediaType> {
  if ('media' in content) return new Map(content.media.id === undefined ? [] : [[content.media.id, content.type]])
  const found = new Map<string, MediaType>()
  if (content.type === 'interactive' || content.type === 'template')
    collect(content.type === 'interactive' ? content.interactive : content.template, found)
  return found
}

const isMediaType = (name: string): name is MediaType => (MEDIA_TYPES as readonly string[]).includes(name)

const ownId = (value: unknown): string | null => {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return typeof id === 'string' && isId('med', id) ? id : null
}

function collect(value: unknown, found: Map<string, MediaType>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const id = isMediaType(name) ? ownId(member) : null
    if (id !== null) found.set(id, name as MediaType)
    else collect(member, found)
  }
}

function replaceIds(value: unknown, providerIds: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceIds(item, providerIds))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const id = isMediaType(name) ? ownId(member) : null
      return [name, id === null ? replaceIds(member, providerIds) : { ...member, id: providerIds.get(id) ?? id }]
    }),
  )
}
