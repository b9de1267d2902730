import { createHash } from 'node:crypto'
import { userIdOf } from '../../channels/connectors/simulator/simulator.ts'
import { wireMediaIdOf } from '../../channels/content/content.ts'
import type { Id } from '../../kernel/ids.ts'
import { type MessageFacts, wireIdOf } from '../../messaging/messages/messages.ts'
import { errorsOf } from './webhook-errors.ts'

/**
 * An event about a message as Meta's webhook: one entry, one change, one message or status.
 *
 *   message.received                  `messages[]`
 *   message.edited, message.deleted   `messages[]` of the type `edit` or `revoke`
 *   message.sent and further          `statuses[]`
 *   the same of the Business app      `message_echoes[]` of the field `smb_message_echoes`; its statuses as any other
 *
 * The ids in it are those that the parity route hands out and takes. What the network said and our own form has no place for comes from the facts that are
 * stored with the message.
 */
export type HookNumber = {
  phoneNumberId: string
  displayPhone: string
  accountId: string
  /** Of a network that this server plays: what such a network would bill is made up. */
  isSimulated: boolean
}

/** The message as an event shows it. Only what is read here is named. */
export type HookMessage = {
  id: Id<'msg'>
  chat_id: string
  direction: 'inbound' | 'outbound'
  type: string
  body: string | null
  media: ({ id?: string; sha256?: string; voice?: boolean; animated?: boolean } & Record<string, unknown>) | null
  interactive: ({ type: string } & Record<string, unknown>) | null
  reaction: { message_id: Id<'msg'> | null; emoji: string } | null
  unsupported: { type: string; detail?: string; provider_code?: string } | null
  reply_to: Id<'msg'> | null
  group?: { id: string; from: GroupMember } | null
  sender: { type: string }
  edited_at: string | null
  deleted_at: string | null
  referral: unknown
  forwarded: boolean
  frequently_forwarded: boolean
  referred_product: unknown
  client_reference: string | null
  error: { code: string; provider_code: string | null; detail: string } | null
  status: string
  status_history: readonly { status: string; at: string }[]
  created_at: string
} & Record<string, unknown>

type GroupMember = { name: string | null; phone: string | null; user_id: string | null; username: string | null }

type Json = Record<string, unknown>

/** `type` of the event. */
export type HookSource = { type: string; message: HookMessage; facts: MessageFacts; number: HookNumber }

export function renderHook(source: HookSource): string {
  const { number } = source
  const { field, ...content } = contentOfHook(source)
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: digitsOf(number.displayPhone), phone_number_id: number.phoneNumberId },
    ...content,
  }
  return renderEnvelope({ id: number.accountId }, { value, field })
}

/** `entry` has the id of the business account and, where Meta adds one, the time. */
export const renderEnvelope = (
  entry: { id: string; time?: number },
  change: { value: unknown; field: string },
): string => escaped(JSON.stringify({ object: 'whatsapp_business_account', entry: [{ ...entry, changes: [change] }] }))

const CHANGES = ['message.edited', 'message.deleted']

function contentOfHook(source: HookSource): Json & { field: string } {
  const { type, message } = source
  if (message.direction === 'inbound') return { ...inboundValue(source), field: 'messages' }
  const isEcho = message.sender.type === 'business_app' && (type === 'message.sent' || CHANGES.includes(type))
  return isEcho
    ? { message_echoes: [echoOf(source)], field: 'smb_message_echoes' }
    : { ...statusValue(source), field: 'messages' }
}

/**
 * Meta writes everything beyond ASCII as \uXXXX in lower case. There are verifiers that parse the body and write it again in
 * that way before they hash it; those that hash the bytes as they came take either.
 */
const escaped = (json: string): string =>
  json.replaceAll(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const digitsOf = (phone: string): string => phone.replaceAll(/\D/g, '')

/** A string of Unix seconds. */
const timestampOf = (at: string): string => String(Math.floor(Date.parse(at) / 1000))

type Person = { phone: string | null; userId: string | null; username: string | null; name: string | null }

/** The other side of the chat; in a group, the member who wrote. The last of a kind is the newest. */
const personOf = ({ facts: { phone, name, identities }, number, message }: HookSource): Person => {
  const member = message.group?.from
  if (member !== undefined)
    return {
      phone: member.phone === null ? null : digitsOf(member.phone),
      userId: member.user_id,
      username: member.username,
      name: member.name,
    }
  const last = (kind: string) => identities.findLast(({ type }) => type === kind)?.value ?? null
  // Some clients take it for granted; a real network names it sooner or later.
  const playedId = number.isSimulated && phone !== null ? userIdOf(phone) : null
  return { phone, name, userId: last('user_id') ?? playedId, username: last('username') }
}

const contactOf = ({ phone, userId, username, name }: Person, parentUserId: unknown): Json => ({
  profile: { name: name ?? '', ...(username !== null && { username }) },
  ...(phone !== null && { wa_id: phone }),
  ...(userId !== null && { user_id: userId }),
  ...(typeof parentUserId === 'string' && { parent_user_id: parentUserId }),
})

function inboundValue(source: HookSource): Json {
  const { message, facts } = source
  const person = personOf(source)
  const parentUserId = facts.raw?.parent_user_id
  const item = {
    ...(message.type === 'system' ? noticedOf(source) : senderOf(person)),
    ...(typeof parentUserId === 'string' && { from_parent_user_id: parentUserId }),
    ...(message.group != null && { group_id: message.group.id }),
    ...itemOf(source, person),
  }
  // Notices of the network come without contacts.
  return { ...(message.type !== 'system' && { contacts: [contactOf(person, parentUserId)] }), messages: [item] }
}

const senderOf = ({ phone, userId }: Person): Json => ({
  ...(phone !== null && { from: phone }),
  ...(userId !== null && { from_user_id: userId }),
})

/** A notice of the network names the person as they were: who changed their number has another one by now. */
function noticedOf(source: HookSource): Json {
  const { from, from_user_id } = source.facts.raw ?? {}
  const isNamed = from !== undefined || from_user_id !== undefined
  return isNamed
    ? { ...(from !== undefined && { from }), ...(from_user_id !== undefined && { from_user_id }) }
    : senderOf(personOf(source))
}

/** What the business wrote in the Business app, or changed there. */
function echoOf(source: HookSource): Json {
  const person = personOf(source)
  return {
    from: digitsOf(source.number.displayPhone),
    ...(person.phone !== null && { to: person.phone }),
    ...(person.userId !== null && { to_user_id: person.userId }),
    ...(source.message.group != null && { group_id: source.message.group.id }),
    ...itemOf(source, person),
  }
}

/** A message, or a change of one, without who wrote it. */
function itemOf(source: HookSource, person: Person): Json {
  const { type, message, facts, number } = source
  if (CHANGES.includes(type)) return changeOf(source)
  return {
    id: wireIdOf(message.id),
    timestamp: timestampOf(message.status_history[0]?.at ?? message.created_at),
    ...contextOf(message, { facts, number, person }),
    ...referralOf(message, facts),
    ...contentOf(message, facts),
  }
}

type NotedChange = { provider_id: string; at: string }

/** Only the network knows the id of the change. */
function changeOf({ type, message, facts }: HookSource): Json {
  const original_message_id = wireIdOf(message.id)
  if (type === 'message.deleted') {
    const { provider_id, at } = (facts.raw?.deleted ?? { provider_id: '', at: message.deleted_at }) as NotedChange
    return { id: provider_id, timestamp: timestampOf(at), type: 'revoke', revoke: { original_message_id } }
  }
  // A message that was deleted since keeps the ids of its edits beside the deletion.
  const deleted = facts.raw?.deleted as { edits?: NotedChange[] } | undefined
  const edits = (facts.raw?.applied_edits ?? deleted?.edits ?? []) as NotedChange[]
  const at = message.edited_at ?? message.created_at
  const edit = {
    original_message_id,
    message: {
      ...(message.reply_to !== null && { context: { id: wireIdOf(message.reply_to) } }),
      ...contentOf(message, facts),
    },
  }
  const id = edits.find((one) => one.at === at)?.provider_id ?? ''
  return { id, timestamp: timestampOf(at), type: 'edit', edit }
}

type Surroundings = { facts: MessageFacts; number: HookNumber; person: Person }

function contextOf(message: HookMessage, { facts, number, person }: Surroundings): Json {
  const context = {
    ...quoteOf(message, { facts, number, person }),
    ...(message.forwarded && !message.frequently_forwarded && { forwarded: true }),
    ...(message.frequently_forwarded && { frequently_forwarded: true }),
    ...(message.referred_product != null && {
      referred_product: facts.raw?.referred_product ?? message.referred_product,
    }),
  }
  return Object.keys(context).length === 0 ? {} : { context }
}

/** What is not known here keeps the id that the network gave it. */
function quoteOf({ reply_to }: HookMessage, { facts, number, person }: Surroundings): Json {
  if (reply_to === null) {
    const { id, from, from_user_id } = (facts.raw?.context ?? {}) as Json
    return {
      ...(from !== undefined && { from }),
      ...(from_user_id !== undefined && { from_user_id }),
      ...(id !== undefined && { id }),
    }
  }
  const id = wireIdOf(reply_to)
  if (facts.quoted_direction !== 'inbound') return { from: digitsOf(number.displayPhone), id }
  return {
    ...(person.phone !== null && { from: person.phone }),
    ...(person.userId !== null && { from_user_id: person.userId }),
    id,
  }
}

const referralOf = ({ referral }: HookMessage, { raw }: MessageFacts): Json => {
  const given = raw?.referral ?? referral
  return given == null ? {} : { referral: given }
}

/** The type and the member named after it. */
function contentOf(message: HookMessage, facts: MessageFacts): Json {
  const { type, media, interactive, reaction } = message
  if (media !== null) return { type, [type]: fileOf(message, media) }
  switch (type) {
    case 'text':
      return { type, text: { body: message.body ?? '' } }
    case 'interactive':
      // A tap on the quick reply of a template is a separate type there.
      return interactive?.type === 'button' ? { type: 'button', button: interactive.button } : { type, interactive }
    case 'reaction':
      return { type, reaction: reactionOf(reaction, facts) }
    case 'unsupported':
      return unsupportedOf(message, facts)
    default:
      return { type, [type]: message[type] }
  }
}

function fileOf({ type, body }: HookMessage, media: NonNullable<HookMessage['media']>): Json {
  const { id, sha256, voice, animated, mime_type, filename } = media
  return {
    ...(body !== null && { caption: body }),
    ...(filename !== undefined && { filename }),
    ...(mime_type !== undefined && { mime_type }),
    ...(sha256 !== undefined && { sha256: Buffer.from(sha256, 'hex').toString('base64') }),
    ...(id !== undefined && { id: wireMediaIdOf(id) }),
    ...(type === 'audio' && { voice: voice === true }),
    ...(type === 'sticker' && { animated: animated === true }),
  }
}

/** Without an emoji a reaction was removed. */
function reactionOf(reaction: HookMessage['reaction'], { raw }: MessageFacts): Json {
  const target = reaction?.message_id ?? null
  return {
    message_id: target === null ? raw?.reacts_to : wireIdOf(target),
    ...(reaction?.emoji && { emoji: reaction.emoji }),
  }
}

/** Members that are written anew, and those that we put beside what was received. */
const FRAME = [
  ...['from', 'from_user_id', 'from_parent_user_id', 'to', 'to_user_id', 'to_parent_user_id', 'group_id'],
  ...['id', 'timestamp', 'context', 'referral', 'history_context'],
]
const BESIDE = [
  'is_forwarded',
  'is_frequently_forwarded',
  'referred_product',
  'reacts_to',
  'parent_user_id',
  'applied_edits',
  'group',
  'history',
]

/** As it was received; from what is known of it, where that is no longer there. */
function unsupportedOf({ unsupported }: HookMessage, { raw }: MessageFacts): Json {
  if (typeof raw?.type === 'string')
    return Object.fromEntries(Object.entries(raw).filter(([name]) => !FRAME.includes(name) && !BESIDE.includes(name)))
  const error = { code: 'type_unsupported', provider_code: '131051', detail: unsupported?.detail ?? '' }
  return { type: 'unsupported', unsupported: { type: unsupported?.type ?? 'unknown' }, errors: errorsOf(error) }
}

/** A voice note that was played was read; what was reported first is what happened. */
function reachedOf({ type, message }: HookSource): { status: string; at: string | undefined } {
  const { status, status_history: history } = message
  const at = (name: string) => history.find((entry) => entry.status === name)?.at
  if (type === 'message.played') return { status: 'played', at: at('played') }
  return status === 'read' && at('read') === undefined && at('played') !== undefined
    ? { status: 'played', at: at('played') }
    : { status, at: at(status) }
}

function statusValue(source: HookSource): Json {
  const { message } = source
  const person = personOf(source)
  const { status, at = message.created_at } = reachedOf(source)
  const { errors, ...billing } = factsOf(source, status)
  const item = {
    id: wireIdOf(message.id),
    status,
    timestamp: timestampOf(at),
    ...(person.phone !== null && { recipient_id: person.phone }),
    ...(person.userId !== null && { recipient_user_id: person.userId }),
    ...billing,
    ...(status === 'failed' && { errors: errors ?? errorsOf(message.error) }),
    ...(message.client_reference !== null && { biz_opaque_callback_data: message.client_reference }),
  }
  // Meta has none beside a failure; there are clients that read them all the same.
  return { contacts: [contactOf(person, null)], statuses: [item] }
}

/** What the network reported with the status. A network that is played here reports some of it after the fact. */
function factsOf(source: HookSource, status: string): Json {
  const { facts, number } = source
  const reported: Json = facts.reports?.[status] ?? {}
  if (!number.isSimulated || status === 'failed') return reported
  const madeUp = madeUpFacts(source, status)
  // The members stand in the same order whether the report is stored by now or not.
  const pricing = { ...(madeUp.pricing as Json | undefined), ...(reported.pricing as Json | undefined) }
  return { ...madeUp, ...reported, ...(Object.keys(pricing).length > 0 && { pricing }) }
}

const CONVERSATION_MS = 24 * 3600 * 1000

function madeUpFacts(source: HookSource, status: string): Json {
  const { type, created_at } = source.message
  const { phone, userId } = personOf(source)
  const category = type === 'template' ? 'utility' : 'service'
  const endMs = (Math.floor(Date.parse(created_at) / CONVERSATION_MS) + 1) * CONVERSATION_MS
  const id = createHash('sha256')
    .update(`${source.number.phoneNumberId} ${phone ?? userId} ${category} ${endMs}`)
    .digest('hex')
    .slice(0, 32)
  return {
    conversation: {
      id,
      ...(status === 'sent' && { expiration_timestamp: String(endMs / 1000) }),
      origin: { type: category },
    },
    ...(status !== 'played' && {
      pricing: {
        billable: category !== 'service',
        pricing_model: 'PMP',
        type: category === 'service' ? 'free_customer_service' : 'regular',
        category,
      },
    }),
  }
}
