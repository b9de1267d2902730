import {
  type MessageContent,
  type MessageOrigin,
  readReferral,
  readReferredProduct,
} from '../../channels/content/content.ts'
import { contentReply } from '../../channels/content/message-content-reply.schemas.ts'
import { readConversation, readPricing } from './message-billing.ts'
import type { MessageView } from './messages.schemas.ts'
import type { MessageRow, NotedChange } from './messages.sql.ts'

const PREVIEW_CHARACTERS = 160

export const presentMessage = (row: MessageRow): MessageView => ({
  object: 'message',
  id: row.id,
  chat_id: row.chat_id,
  number_id: row.number_id,
  direction: row.direction,
  ...contentReply({ ...row.content, type: row.type, body: row.body } as Parameters<typeof contentReply>[0]),
  reply_to: row.reply_to,
  ...originOf(row),
  group: groupOf(row),
  provider_id: row.provider_id,
  client_reference: row.client_reference,
  order_id: row.order_id,
  sender: { type: row.sender_type, id: row.sender_id },
  status: row.status,
  error: row.error,
  warnings: warningsOf(row),
  status_history: row.status_history,
  pricing: readPricing(row.reports),
  conversation: readConversation(row.reports),
  ...changesOf(row),
  send_at: row.send_at?.toISOString() ?? null,
  metadata: row.metadata,
  created_at: row.created_at.toISOString(),
})

/** The origin of nearly all messages, and of all outbound ones: it needs no reading of `raw`. */
const NO_ORIGIN: MessageOrigin = {
  referral: null,
  forwarded: false,
  frequently_forwarded: false,
  referred_product: null,
}

const originOf = ({ raw }: Pick<MessageRow, 'raw'>): MessageOrigin =>
  raw === null
    ? NO_ORIGIN
    : {
        referral: readReferral(raw.referral),
        forwarded: raw.is_forwarded === true,
        frequently_forwarded: raw.is_frequently_forwarded === true,
        referred_product: readReferredProduct(raw.referred_product),
      }

/** The edits that were applied, oldest first. */
export const editsOf = ({ raw }: Pick<MessageRow, 'raw'>): NotedChange[] =>
  (raw?.applied_edits as NotedChange[] | undefined) ?? []

/** When its author last edited it, and when they deleted it. */
function changesOf(row: MessageRow): Pick<MessageView, 'edited_at' | 'deleted_at'> {
  if (row.raw === null) return { edited_at: null, deleted_at: null }
  const deleted = row.raw.deleted as NotedChange | undefined
  return { edited_at: editsOf(row).at(-1)?.at || null, deleted_at: deleted?.at ?? null }
}

const groupOf = ({ raw }: Pick<MessageRow, 'raw'>): MessageView['group'] =>
  (raw?.group as MessageView['group'] | undefined) ?? null

/** The text that represents a message: in its body, its preview and the search. */
export function bodyOf(content: MessageContent): string | null {
  const given = 'body' in content ? content.body : undefined
  if (given !== undefined) return given
  switch (content.type) {
    case 'interactive':
      return content.interactive.body?.text ?? null
    case 'reaction':
      return content.reaction.emoji === '' ? null : content.reaction.emoji
    case 'location':
      return content.location.name ?? content.location.address ?? null
    case 'contacts':
      return content.contacts.map((card) => card.name?.formatted_name ?? '').join(', ') || null
    case 'order':
      return content.order.text ?? null
    default:
      return null
  }
}

/** The members of a content beside its type and body. */
export function membersOf(content: MessageContent): Record<string, unknown> {
  const { type: _type, body: _body, ...members } = content as MessageContent & { body?: string }
  return members
}

/**
 * Kept beside the members of the content and never shown: the only identity key of the customer that the message may go
 * to.
 */
const IDENTITY_KEY_HASH = 'identity_key_hash'

/** Kept there too: why a real number would have refused the message. */
const WARNINGS = 'warnings'

export type MessageWarning = 'reply_window_closed'

const WARNING_DETAILS: Record<MessageWarning, string> = {
  reply_window_closed:
    'A real number would have refused this message: the customer has not written within 24 hours, so it needs a template.',
}

export const storedContent = (
  content: MessageContent,
  { identityKeyHash, warnings }: { identityKeyHash: string | null; warnings: readonly MessageWarning[] },
): Record<string, unknown> => ({
  ...membersOf(content),
  ...(identityKeyHash !== null && { [IDENTITY_KEY_HASH]: identityKeyHash }),
  ...(warnings.length > 0 && { [WARNINGS]: warnings }),
})

const warningsOf = ({ content }: Pick<MessageRow, 'content'>): MessageView['warnings'] =>
  ((content[WARNINGS] ?? []) as MessageWarning[]).map((code) => ({ code, detail: WARNING_DETAILS[code] }))

export const identityKeyHashOf = ({ content }: Pick<MessageRow, 'content'>): string | null =>
  (content[IDENTITY_KEY_HASH] as string | undefined) ?? null

export function contentOfRow({ type, body, content }: Pick<MessageRow, 'type' | 'body' | 'content'>): MessageContent {
  const { [IDENTITY_KEY_HASH]: _, [WARNINGS]: __, ...members } = content
  return { ...members, type, ...(body !== null && { body }) } as MessageContent
}

/** Returns one line. The kind of a message without text is its preview. */
export function previewOf({ type, body }: { type: string; body: string | null }): string {
  const line = (body ?? '')
    .slice(0, 4 * PREVIEW_CHARACTERS)
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (line === '') return `[${type}]`
  if (line.length <= PREVIEW_CHARACTERS) return line
  const characters = [...line]
  return characters.length > PREVIEW_CHARACTERS ? `${characters.slice(0, PREVIEW_CHARACTERS - 1).join('')}…` : line
}
