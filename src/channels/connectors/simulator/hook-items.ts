import { createHash } from 'node:crypto'
import type { MediaType, MessageContent, TemplateContent } from '../../content/content.ts'
import { type GraphItem, timestampOf } from './hooks.ts'
import { graphErrorOf, networkErrors } from './network-errors.ts'
import { outboundIdOf, type Seed, userIdOf } from './seeded.ts'
import { simulationImpossible } from './simulator.errors.ts'
import type { PersonRow } from './simulator.sql.ts'
import type { Form, Reported } from './status-scripts.ts'
import { behaviourOf } from './test-numbers.ts'

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

/** The catalog of every simulator number. */
export const CATALOG_ID = '100000000000001'

/** An advertisement as Meta reports it. The same headline is the same advertisement, so that the same steps have the same result. */
export function simulatedAd(headline: string): Record<string, unknown> {
  const hash = createHash('sha256').update(headline).digest()
  return {
    source_type: 'ad',
    source_id: `1202${hash.readUIntBE(0, 6)}`,
    source_url: 'https://fb.me/simulated',
    headline,
    body: headline,
    media_type: 'image',
    ctwa_clid: `SIM${hash.toString('base64url')}`,
  }
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
      throw simulationImpossible({
        says: `A simulated customer cannot send a message of type ${content.type} this way.`,
      })
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

const CAPTIONED = ['image', 'video', 'document']

export function editPayload(providerId: string, { type, text }: { type: string; text: string }): GraphItem {
  if (type !== 'text' && !CAPTIONED.includes(type))
    throw simulationImpossible({ says: `A message of type ${type} cannot be edited; a text or a caption can.` })
  // The file stays as it is, so it is not fetched by this id.
  const message = { type, [type]: type === 'text' ? { body: text } : { id: providerId, caption: text } }
  return { type: 'edit', edit: { original_message_id: providerId, message } }
}

export const revokePayload = (providerId: string): GraphItem => ({
  type: 'revoke',
  revoke: { original_message_id: providerId },
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

/** What a customer can tap on in a message they were sent: buttons, quick replies of a template, or the rows of a list. */
export type Choice = { id: string; title: string; description?: string }

export type Offer = { kind: 'button_reply' | 'list_reply' | 'button'; choices: Choice[] }

type Replying = { reply?: Choice }
type Section = { rows?: Choice[] }

export function choicesOf(content: MessageContent | null): Offer {
  const action = content?.type === 'interactive' ? (content.interactive.action ?? {}) : {}
  const buttons = listOf<Replying>(action.buttons).flatMap(({ reply }) => (reply === undefined ? [] : [reply]))
  if (buttons.length > 0) return { kind: 'button_reply', choices: buttons }
  return { kind: 'list_reply', choices: listOf<Section>(action.sections).flatMap(({ rows }) => listOf<Choice>(rows)) }
}

type TemplateButton = { type?: string; text?: string }

/** The payload of a quick reply is in the message that used the template; without one it is the text of the button. */
export function quickReplies(sent: TemplateContent, components: readonly Record<string, unknown>[]): Offer {
  const buttons = components.flatMap((component) => listOf<TemplateButton>(component.buttons))
  const choices = buttons.flatMap(({ type, text = '' }, index): Choice[] =>
    type === 'QUICK_REPLY' ? [{ id: payloadAt(sent, index) ?? text, title: text }] : [],
  )
  return { kind: 'button', choices }
}

function payloadAt({ components = [] }: TemplateContent, index: number): string | null {
  const button = components.find(
    (one) => one.type.toLowerCase() === 'button' && String(one.index ?? '') === String(index),
  )
  const payload = button?.parameters?.[0]?.payload
  return typeof payload === 'string' ? payload : null
}

const listOf = <Item>(value: unknown): Item[] => (Array.isArray(value) ? value : [])

/** By id, by title, or by its place from 1 on. */
export function choose({ kind, choices }: Offer, wanted: string): GraphItem {
  const title = wanted.trim().toLowerCase()
  const chosen =
    choices.find(({ id }) => id === wanted) ??
    choices.find((choice) => choice.title.toLowerCase() === title) ??
    (/^\d{1,2}$/.test(title) ? choices[Number(title) - 1] : undefined)
  if (chosen === undefined)
    throw simulationImpossible({
      says:
        choices.length === 0
          ? 'This message offers nothing to choose from.'
          : `"${wanted}" was not offered. Choose one of: ${choices.map(({ id }) => `"${id}"`).join(', ')}.`,
    })
  return replyPayload(kind, chosen)
}

export function replyPayload(kind: Offer['kind'], { id, title, description }: Choice): GraphItem {
  if (kind === 'button') return { type: 'button', button: { payload: id, text: title } }
  const more = description !== undefined && kind === 'list_reply' ? { description } : {}
  return { type: 'interactive', interactive: { type: kind, [kind]: { id, title, ...more } } }
}

/** A completed flow. */
export const flowPayload = (response: Record<string, unknown>): GraphItem => ({
  type: 'interactive',
  interactive: {
    type: 'nfm_reply',
    nfm_reply: { name: 'flow', body: 'Sent', response_json: JSON.stringify(response) },
  },
})

/** How far a message of ours has come, as one item of `statuses`. */
export type SentMessage = { recipient: string; messageId: string; copy: number }

const IS_PHONE = /^\d+$/

export function statusItem(
  seed: Seed,
  { recipient, messageId, copy }: SentMessage,
  { status, atMs, error, form }: Pick<Reported, 'status' | 'error'> & { atMs: number; form: Form },
): GraphItem {
  return {
    id: outboundIdOf(seed, messageId, copy),
    status,
    timestamp: timestampOf(atMs),
    ...recipientOf(recipient),
    biz_opaque_callback_data: messageId,
    ...((status === 'sent' || status === 'delivered') && { pricing: pricingOf(form) }),
    ...(error !== undefined && { errors: [graphErrorOf(error)] }),
  }
}

/** A customer known by a user id alone stays so. */
function recipientOf(recipient: string): GraphItem {
  if (!IS_PHONE.test(recipient)) return { recipient_user_id: recipient }
  const { isPhoneHidden, reportedPhone } = behaviourOf({ phone: recipient, userId: null })
  return isPhoneHidden ? { recipient_user_id: userIdOf(recipient) } : { recipient_id: reportedPhone ?? recipient }
}

const pricingOf = (form: Form) =>
  form === 'template'
    ? { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
    : { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'service' }
