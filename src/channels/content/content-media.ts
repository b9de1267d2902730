import { type Id, isId } from '../../kernel/ids.ts'
import { isRecord } from '../../kernel/records.ts'
import { publishedId, storedId } from '../../kernel/seeded-ids.ts'
import type { ContentProblem } from './content-checks.ts'
import { isMediaType, type MediaType, type MessageContent } from './message-content.ts'

/**
 * Files inside of interactive messages and templates: in a header, in a parameter, on a card. A network knows a file by an
 * separate id, so each of ours has to be uploaded and replaced before such a message is sent. The file of a picture
 * message is not among them: it has its own place in the contract of channels.
 */

/** A file of ours that a message names, and where it does: from the root of the content. */
export type ReferredFile = { type: MediaType; id: string; path: ContentProblem['path'] }

const holderOf = (content: MessageContent): unknown =>
  content.type === 'interactive' ? content.interactive : content.type === 'template' ? content.template : null

/** All of them in the order of the content, with their places; the file of a picture message too. */
export function listReferredFiles(content: MessageContent): ReferredFile[] {
  if ('media' in content)
    return content.media.id === undefined ? [] : [{ type: content.type, id: content.media.id, path: ['media'] }]
  const found: ReferredFile[] = []
  visit(holderOf(content), [content.type], (file) => found.push(file))
  return found
}

function visit(node: unknown, path: ContentProblem['path'], see: (file: ReferredFile) => void): void {
  if (Array.isArray(node)) for (const [index, item] of node.entries()) visit(item, [...path, index], see)
  if (!isRecord(node)) return
  for (const [name, member] of Object.entries(node)) {
    const at = [...path, name]
    if (isMediaType(name) && isRecord(member) && typeof member.id === 'string')
      see({ type: name, id: member.id, path: at })
    visit(member, at, see)
  }
}

/** With each file of ours under the one id that is stored, however it was named. What is no id of ours stays as it came. */
export function withOwnFileIds(content: MessageContent): MessageContent {
  const ids = new Map(listReferredFiles(content).map(({ id }) => [id, mediaIdOf(id) ?? id]))
  if (!('media' in content)) return replaceNestedFiles(content, ids)
  const { id } = content.media
  return id === undefined ? content : { ...content, media: { ...content.media, id: ids.get(id) ?? id } }
}

/** With the ids of the network in the place of ours. */
export function replaceNestedFiles(content: MessageContent, ids: ReadonlyMap<string, string>): MessageContent {
  if (content.type === 'interactive') return { ...content, interactive: replaced(content.interactive, ids) }
  return content.type === 'template' ? { ...content, template: replaced(content.template, ids) } : content
}

function replaced<Node>(node: Node, ids: ReadonlyMap<string, string>): Node {
  if (Array.isArray(node)) return node.map((item) => replaced(item, ids)) as Node
  if (!isRecord(node)) return node
  const members = Object.entries(node).map(([name, member]) => {
    const after = replaced(member, ids)
    if (!isMediaType(name) || !isRecord(after) || typeof after.id !== 'string') return [name, after]
    return [name, { ...after, id: ids.get(after.id) ?? after.id }]
  })
  return Object.fromEntries(members) as Node
}

/**
 * A file has two ids that say the same: `med_…`, and digits only, which is what some clients of Meta's API take for a media
 * id and nothing else. The two are distinguished without a table, and callers may use either.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_CHARACTERS = 26
/** More than the ids of numbers and accounts have. */
const MEDIA_DIGITS = /^[1-9]\d{29,38}$/

export function wireMediaIdOf(mediaId: string): string {
  let value = 0n
  for (const character of publishedId(mediaId as Id<'med'>).slice('med_'.length))
    value = value * 32n + BigInt(ALPHABET.indexOf(character))
  return value.toString()
}

/** Our file behind an id that was given by us, in either form. Null when it is neither. */
export function mediaIdOf(given: string): Id<'med'> | null {
  if (isId('med', given)) return given
  if (!MEDIA_DIGITS.test(given)) return null
  let rest = BigInt(given)
  let text = ''
  for (let index = 0; index < ID_CHARACTERS; index++) {
    text = ALPHABET[Number(rest % 32n)] + text
    rest /= 32n
  }
  const mediaId = `med_${text}`
  return rest === 0n && isId('med', mediaId) ? storedId(mediaId) : null
}
