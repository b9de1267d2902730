import { createHash } from 'node:crypto'
import type { MediaType, MessageContent } from '../../content/message-content.ts'
import { type GraphItem, timestampOf } from './graph-hook.ts'
import { graphErrorOf, networkErrors } from './network-errors.ts'
import { simulationImpossible } from './simulator.errors.ts'
import type { PersonRow } from './simulator.sql.ts'

/** What customers send, as items of a hook. */
export type Person = Pick<PersonRow, 'phone' | 'user_id' | 'username' | 'name'>

export const contactItem = ({ phone, user_id, username, name }: Person): GraphItem => ({
  profile: { name, ...(username !== null && { username }) },
  ...(phone !== null && { wa_id: phone }),
  user_id,
})

export type InboundFrame = {
  providerId: string
  atMs: number
  /** The message it answers, by the network's id. */
  repliesTo?: string | null
} & InboundOrigin

/** How it came to be. */
export type InboundOrigin = {
  isForwarded?: boolean
  isFrequentlyForwarded?: boolean
  /** The advertisement they came from. */
  referral?: Record<string, unknown>
  /** The product of the catalogue that they ask about. */
  referredProduct?: Record<string, unknown>
}

export const messageItem = ({ phone, user_id }: Person, frame: InboundFrame, payload: GraphItem): GraphItem => ({
  ...(phone !== null && { from: phone }),
  from_user_id: user_id,
  id: frame.providerId,
  timestamp: timestampOf(frame.atMs),
  ...contextOf(frame),
  ...(frame.referral !== undefined && { referral: frame.referral }),
  ...payload,
})

function contextOf({ repliesTo = null, isForwarded, isFrequentlyForwarded, referredProduct }: InboundFrame): GraphItem {
  const context = {
    ...(repliesTo !== null && { id: repliesTo }),
    ...(isForwarded && repliesTo === null && { forwarded: true }),
    ...(isFrequentlyForwarded && repliesTo === null && { frequently_forwarded: true }),
    ...(referredProduct !== undefined && { referred_product: referredProduct }),
  }
  return Object.keys(context).length === 0 ? {} : { context }
}

/** The type and the member named after it. Files and reactions name things that are not in the content. */
export function payloadOf(content: MessageContent): GraphItem {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: { body: content.body } }
    case 'location':
      return { type: 'location', location: content.location }
    case 'contacts':
      return { type: 'contacts', contacts: content.contacts }
    case 'interactive':
      return { type: 'interactive', interactive: content.interactive }
    case 'order':
      return { type: 'order', order: { text: content.body ?? '', ...content.order } }
    case 'unsupported': {
      const errors = [graphErrorOf(networkErrors.typeUnsupported)]
      return { type: 'unsupported', unsupported: { type: content.unsupported.type }, errors }
    }
    default:
      throw simulationImpossible({ says: `A customer cannot write a message of type ${content.type} like this.` })
  }
}

export type SentFile = {
  type: MediaType
  id: string
  mimeType: string
  bytes: Uint8Array
  filename: string | null
  caption: string | null
  isVoice: boolean
}

export const filePayload = ({ type, id, mimeType, bytes, filename, caption, isVoice }: SentFile): GraphItem => ({
  type,
  [type]: {
    id,
    mime_type: mimeType,
    sha256: createHash('sha256').update(bytes).digest('base64'),
    ...(caption !== null && { caption }),
    ...(filename !== null && type === 'document' && { filename }),
    ...(type === 'audio' && { voice: isVoice }),
    ...(type === 'sticker' && { animated: false }),
  },
})

export const reactionPayload = (providerId: string, emoji: string): GraphItem => ({
  type: 'reaction',
  reaction: { message_id: providerId, emoji },
})

/** The sender is the person as they were. */
export const numberChangePayload = (before: Person, after: { phone: string; userId: string }): GraphItem => ({
  type: 'system',
  system: {
    type: 'user_changed_number',
    body: `User ${before.name} changed from ${before.phone ?? before.user_id} to ${after.phone}`,
    wa_id: after.phone,
    user_id: after.userId,
  },
})
