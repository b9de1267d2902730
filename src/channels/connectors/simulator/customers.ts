import type { ChannelNumber, ReportedStatus } from '../../channel-connector.ts'
import type { CartContent, MediaType, MessageContent } from '../../content/content.ts'
import {
  choicesOf,
  choose,
  contactItem,
  editPayload,
  filePayload,
  flowPayload,
  type InboundOrigin,
  numberChangePayload,
  payloadOf,
  quickReplies,
  reactionPayload,
  revokePayload,
  statusItem,
} from './hook-items.ts'
import { getNumber, type NumberPlace, post, timestampOf } from './hooks.ts'
import {
  type Customer,
  getReceived,
  type InboundPost,
  identityOf,
  noteActs,
  type PostOptions,
  postMessages,
  type Written,
} from './inbound-posts.ts'
import { findTemplate } from './management.ts'
import { errorWithCode, type NetworkError, networkErrors } from './network-errors.ts'
import { listRules, type RuleFor, setRule } from './rules.ts'
import { nameOf, readOutboundId, seedOf, userIdOf } from './seeded.ts'
import { FILE_BYTES_MAX, keepFile } from './sending.ts'
import { simulationImpossible } from './simulator.errors.ts'
import {
  findMessage,
  listMessages,
  listObjects,
  listPeople,
  type MessageRow,
  markMessagesRead,
  type PersonRow,
  putObject,
  type SentRow,
} from './simulator.sql.ts'
import { PREFERENCES } from './standings.ts'

/**
 * Playing the customer. Each of these makes the network post a hook about what a customer did, and is over once that hook
 * was journaled: what it comes to in the chats follows within moments, as with a real network.
 */
export type Customers = {
  customerWrites(writing: Writing): Promise<Written>
  /** Its bytes can be fetched from the network, as those of any file. */
  customerSendsMedia(file: CustomerFile): Promise<Written>
  /** The cart of a catalogue. */
  customerSendsOrder(order: Customer & { cart: CartContent }): Promise<Written>
  customerReacts(reaction: About & { emoji: string }): Promise<Written>
  /** Taps on a button, a quick reply or a row of a list: by its id, its title or its place from 1 on. Or completes a flow. */
  customerReplies(reply: About & Choosing): Promise<Written>
  /** `messageId` is the network's; `type` says whether it is a text or the caption of a file. */
  customerEdits(edit: About & { type: string; text: string }): Promise<Written>
  customerDeletes(message: About): Promise<Written>
  /** Calls the business, which opens the reply window as a message does; no one can answer here. */
  customerCalls(customer: Customer): Promise<Written>
  /** Stops or resumes marketing messages, which the network reports; blocks or unblocks the business, which it does not. */
  customerPrefers(change: Customer & Preferences): Promise<void>
  /** What they were sent and have not read, or one message of it. Answers with our ids of what was read. */
  customerReads(reading: Customer & { messageId?: string }): Promise<string[]>
  /** The same person with another number; the network reports it by a separate message. */
  customerChangesNumber(change: Customer & { to: string }): Promise<Written>
  /** The network says something about a message of ours, out of turn: any status, in any order, any error. */
  networkReports(report: NetworkReport): Promise<void>
  /** Sets how the network treats messages, of the number or for one recipient. An empty rule removes it. */
  setRule(number: NumberPlace, rule: RuleFor): Promise<void>
  listRules(number: NumberPlace): Promise<RuleFor[]>
  /** Everyone who wrote to the number, the last one first. */
  listPeople(number: NumberPlace): Promise<PersonRow[]>
  /** What the network accepted, oldest first: the first after a message, or without one the newest. */
  listSent(number: NumberPlace, filters?: SentFilters): Promise<SentRow[]>
}

export type Writing = Customer & {
  /** Several are written at once, in one hook as far as they fit. */
  content: MessageContent | readonly MessageContent[]
  /** The message it answers. */
  replyTo?: string
  origin?: InboundOrigin
}

export type CustomerFile = Customer & {
  type: MediaType
  bytes: Uint8Array
  mimeType: string
  filename?: string
  caption?: string
  isVoice?: boolean
  replyTo?: string
  origin?: InboundOrigin
}

/** Our message by our id (msg_…) or the network's (wamid.…); a message of the customer by the network's. */
export type About = Customer & { messageId: string }

/** `errorCode` is Meta's, for `failed`. */
export type NetworkReport = { number: NumberPlace; messageId: string; status: ReportedStatus; errorCode?: number }

export type Choosing = { choice: string } | { flowResponse: Record<string, unknown> }

export type Preferences = { marketing?: 'stop' | 'resume' | undefined; hasBlocked?: boolean | undefined }

export type SentFilters = { recipients?: string[]; after?: string; limit?: number }

const READ_AT_ONCE_MAX = 100
const LISTED_MAX = 1_000

export const createCustomers = (options: PostOptions): Customers => ({
  customerWrites: (writing) => customerWrites(options, writing),
  customerSendsMedia: (file) => customerSendsMedia(options, file),
  customerSendsOrder: ({ cart, ...customer }) =>
    writeAs(options, customer, { payloads: [payloadOf({ type: 'order', order: cart })] }),
  customerReacts: (reaction) => customerReacts(options, reaction),
  customerReplies: (reply) => customerReplies(options, reply),
  customerEdits: ({ messageId, type, text, ...customer }) =>
    writeAs(options, customer, { payloads: [editPayload(messageId, { type, text })] }),
  customerDeletes: ({ messageId, ...customer }) => writeAs(options, customer, { payloads: [revokePayload(messageId)] }),
  customerCalls: (customer) => customerCalls(options, customer),
  customerPrefers: (change) => customerPrefers(options, change),
  customerReads: (reading) => customerReads(options, reading),
  customerChangesNumber: (change) => customerChangesNumber(options, change),
  networkReports: (report) => networkReports(options, report),
  async setRule(place, rule) {
    await setRule(options, await getNumber(options.sender(), place), rule)
  },
  listRules: async (place) => listRules(options, await getNumber(options.sender(), place)),
  async listPeople(place) {
    const { orgId, id: numberId } = await getNumber(options.sender(), place)
    return listPeople(options.database, orgId, { numberId, limit: LISTED_MAX })
  },
  async listSent(place, { recipients = null, after = null, limit = LISTED_MAX } = {}) {
    const { orgId, id: numberId } = await getNumber(options.sender(), place)
    return listMessages(options.database, orgId, { numberId, recipients, after, limit })
  },
})

async function writeAs(
  options: PostOptions,
  customer: Customer,
  post: Omit<InboundPost, 'number' | 'customer'>,
): Promise<Written> {
  return postMessages(options, { ...post, customer, number: await getNumber(options.sender(), customer.number) })
}

/** The network's id of what is answered, as part of the frame. */
async function answering(options: PostOptions, customer: Customer, replyTo: string | undefined) {
  if (replyTo === undefined) return {}
  const number = await getNumber(options.sender(), customer.number)
  return { repliesTo: (await getReceived(options, number, { customer, messageId: replyTo })).providerId }
}

async function customerWrites(options: PostOptions, writing: Writing): Promise<Written> {
  const { content, replyTo, origin = {}, ...customer } = writing
  const frame = { ...origin, ...(await answering(options, customer, replyTo)) }
  return writeAs(options, customer, { payloads: [content].flat().map(payloadOf), frame })
}

async function customerSendsMedia(options: PostOptions, sent: CustomerFile): Promise<Written> {
  const { type, bytes, mimeType, filename = null, caption = null, isVoice = false, ...rest } = sent
  const { replyTo, origin = {}, ...customer } = rest
  if (bytes.byteLength > FILE_BYTES_MAX) throw simulationImpossible({ says: networkErrors.fileTooLarge.details })
  const number = await getNumber(options.sender(), customer.number)
  const id = await keepFile(options, number, { bytes, mimeType, filename })
  const payload = filePayload({ type, id, mimeType, bytes, filename, caption, isVoice })
  const frame = { ...origin, ...(await answering(options, customer, replyTo)) }
  return writeAs(options, customer, { payloads: [payload], frame })
}

async function customerReacts(
  options: PostOptions,
  { emoji, messageId, ...customer }: About & { emoji: string },
): Promise<Written> {
  const number = await getNumber(options.sender(), customer.number)
  const { providerId } = await getReceived(options, number, { customer, messageId })
  return writeAs(options, customer, { payloads: [reactionPayload(providerId, emoji)] })
}

async function customerReplies(options: PostOptions, reply: About & Choosing): Promise<Written> {
  const { messageId, ...customer } = reply
  const number = await getNumber(options.sender(), customer.number)
  const { providerId, content } = await getReceived(options, number, { customer, messageId })
  const payload =
    'flowResponse' in reply
      ? flowPayload(reply.flowResponse)
      : choose(await offeredBy(options, number, content), reply.choice)
  return writeAs(options, customer, { payloads: [payload], frame: { repliesTo: providerId } })
}

/** What can be tapped in a message; the quick replies of a template are known from its definition. */
async function offeredBy(options: PostOptions, number: ChannelNumber, content: MessageContent | null) {
  if (content?.type !== 'template') return choicesOf(content)
  const template = await findTemplate(options, number, content.template)
  return quickReplies(content.template, template?.components ?? [])
}

async function customerCalls(options: PostOptions, customer: Customer): Promise<Written> {
  const number = await getNumber(options.sender(), customer.number)
  const { person, providerIds } = await noteActs(options, number, { customer, count: 1 })
  const [id] = providerIds
  const call = {
    ...{ id, to: number.displayPhone.replace('+', ''), timestamp: timestampOf(options.clock.now()) },
    ...(person.phone !== null && { from: person.phone }),
    ...{ from_user_id: person.user_id, direction: 'USER_INITIATED' },
  }
  const calls = [
    { ...call, event: 'connect' },
    { ...call, event: 'terminate', status: 'FAILED' },
  ]
  for (const one of calls)
    await post(options.sender(), number, { contacts: [contactItem(person)], calls: [one] }, 'calls')
  return { provider_ids: providerIds, person }
}

async function customerPrefers(options: PostOptions, change: Customer & Preferences): Promise<void> {
  const { marketing, hasBlocked, ...customer } = change
  const number = await getNumber(options.sender(), customer.number)
  const { phone, userId } = identityOf(customer)
  const place = { orgId: number.orgId, numberId: number.id, kind: PREFERENCES }
  const before = (await listObjects(options.database, place)).find(({ id }) => id === userId)
  const value = {
    ...before?.value,
    ...(marketing !== undefined && { marketing }),
    ...(hasBlocked !== undefined && { has_blocked: hasBlocked }),
  }
  const now = options.clock.now()
  await putObject(options.database, place, { id: userId, value, now: new Date(now) })
  if (marketing === undefined) return
  const preference = {
    ...(phone !== null && { wa_id: phone }),
    ...{ user_id: userId, category: 'marketing_messages', value: marketing, timestamp: timestampOf(now) },
    detail: `User requested to ${marketing} marketing messages`,
  }
  await post(options.sender(), number, { user_preferences: [preference] }, 'user_preferences')
}

async function customerReads(
  options: PostOptions,
  { messageId, ...customer }: Customer & { messageId?: string },
): Promise<string[]> {
  const number = await getNumber(options.sender(), customer.number)
  const read = await markMessagesRead(options.database, number.orgId, {
    numberId: number.id,
    recipients: identityOf(customer).addresses,
    messageId: messageId === undefined ? null : ourIdOf(messageId),
    limit: READ_AT_ONCE_MAX,
    now: new Date(options.clock.now()),
  })
  await postStatuses(options, number, read, { status: 'read' })
  return read.map((row) => row.message_id).sort()
}

const ourIdOf = (messageId: string): string => readOutboundId(messageId)?.messageId ?? messageId

async function customerChangesNumber(
  options: PostOptions,
  { to, ...customer }: Customer & { to: string },
): Promise<Written> {
  const number = await getNumber(options.sender(), customer.number)
  const [before, after] = [identityOf(customer), identityOf({ from: to })]
  const person = {
    phone: before.phone,
    user_id: before.userId,
    name: customer.name ?? nameOf(seedOf(number), before.id),
    username: customer.username ?? null,
  }
  const payload = numberChangePayload(person, { phone: after.id, userId: userIdOf(after.id) })
  return postMessages(options, { number, customer, payloads: [payload], frame: { isContactLeftOut: true } })
}

async function networkReports(options: PostOptions, report: NetworkReport): Promise<void> {
  const number = await getNumber(options.sender(), report.number)
  const messageId = ourIdOf(report.messageId)
  const row = await findMessage(options.database, number.orgId, { numberId: number.id, messageId })
  if (row === null) throw simulationImpossible({ says: `The network never received the message ${messageId}.` })
  const error = errorWithCode(report.errorCode ?? networkErrors.undeliverable.code)
  await postStatuses(options, number, [row], {
    status: report.status,
    ...(report.status === 'failed' && { error }),
  })
}

async function postStatuses(
  { sender, clock }: PostOptions,
  number: ChannelNumber,
  rows: readonly MessageRow[],
  reported: { status: ReportedStatus; error?: NetworkError },
): Promise<void> {
  if (rows.length === 0) return
  const status = { ...reported, atMs: clock.now(), form: 'message' as const }
  const statuses = rows.map((row) =>
    statusItem(seedOf(number), { recipient: row.recipient, messageId: row.message_id, copy: row.copies }, status),
  )
  await post(sender(), number, { statuses })
}
