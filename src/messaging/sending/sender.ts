import type { MessageContent } from '../../channels/content/message-content.ts'
import type { TemplateDirectory } from '../../channels/templates/template-directory.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { CompanionOf } from '../../platform/database/companions.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { createGroupCommit, type GroupCommit } from '../../platform/database/group-commit.ts'
import { rehearse } from '../../platform/database/rehearsal.ts'
import { breaksSchema, refuseValues } from '../../platform/http/pipeline/field-refusals.ts'
import type { IdempotencyClaim } from '../../platform/http/pipeline/idempotency.ts'
import { impossiblePhone, phoneVariants } from '../../platform/phone/phone-numbers.ts'
import type { HomeCountry } from '../contacts/home-country.ts'
import { findReference, findReferredChats, findReferredContact, type Reference } from '../contacts/recipients.ts'
import type { MessageRow, SenderType } from '../messages/messages.sql.ts'
import { chatNotFound, numberNotConnected } from '../messaging.errors.ts'
import type { NumberDirectory, NumberEntry } from '../number-directory.ts'
import { checkFiles } from './message-files.ts'
import { checkTemplate } from './message-templates.ts'
import type { Outbound } from './outbound.ts'
import { type Sending, writeOutbound, writeOutboundIn } from './send-batch.ts'
import type { AcceptedMessage, SendSource } from './send-source.ts'

/**
 * Turns a request to send into an accepted message: resolves the recipient and the number, refuses what cannot be sent, and
 * passes the message to the group commit, whose answer means that it is durable.
 */
export type NewOutboundMessage = {
  orgId: OrgId
  /** The recipient as the caller writes it, or one that is known already. */
  to: { text: string } | { phone: string } | { chatId: string }
  /** An id, a phone_number_id or a phone; null for the default number, or the number of the chat. */
  from: string | null
  content: MessageContent
  outsideWindow?: MessageContent
  identityKeyHash?: string | null
  replyTo?: Id<'msg'> | null
  sendAt?: Date | null
  clientReference?: string | null
  metadata?: Record<string, string>
  orderId?: string | null
  sender: { type: SenderType; id: string | null }
  requestId?: Id<'req'> | null
  claim?: IdempotencyClaim | null
  companion?: CompanionOf | undefined
  location?: string | null
}

export type SenderOptions = {
  database: Database
  clock: Clock
  directory: NumberDirectory
  templates: TemplateDirectory
  homeCountry: HomeCountry
  source: Pick<SendSource, 'keep'>
  wake: (orgIds: readonly string[]) => void
  sending: Sending
}

export type Sender = {
  send(message: NewOutboundMessage): Promise<MessageRow>
  /** Throws what `send` would refuse it with now. Nothing is sent or stored. */
  rehearse(message: NewOutboundMessage): Promise<void>
  /** Queues a message in the transaction of the caller, as its last step: it takes the counter of events. */
  queue(tx: Tx, message: NewOutboundMessage): Promise<MessageRow>
  drain(): Promise<void>
  stats: GroupCommit<Outbound, AcceptedMessage>['stats']
}

const YEAR_MS = 366 * 24 * 3600 * 1000

export function createSender(options: SenderOptions): Sender {
  const { database, source, wake, sending } = options
  const group = createGroupCommit<Outbound, AcceptedMessage>({
    name: 'messages',
    // Messages to one customer are accepted in the order they came, also when batches overlap.
    keyOf: ({ orgId, numberId, to }) => `${orgId} ${numberId} ${to.value}`,
    async write(items) {
      const outcomes = await writeOutbound((work, how) => database.transaction(work, how), items, sending)
      const accepted = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
      for (const message of accepted) source.keep(message)
      sending.handOver.start(accepted.flatMap(({ entry }) => entry ?? []))
      const waiting = accepted.filter(({ entry }) => entry === null).map(({ row }) => row.org_id)
      if (waiting.length > 0) wake([...new Set(waiting)])
      return outcomes
    },
  })
  return {
    send: async (message) => (await group.submit(await prepare(options, database, message))).row,
    async rehearse(message) {
      const item = await prepare(options, database, message)
      await rehearse(database, (tx) => writeOne(tx, item))
    },
    async queue(tx, message) {
      const item = await prepare(options, tx, message)
      const written = await writeOne(tx, item)
      tx.afterCommit(() => {
        source.keep(written)
        wake([item.orgId])
      })
      return written.row
    },
    drain: group.drain,
    stats: group.stats,
  }
}

async function writeOne(tx: Tx, item: Outbound): Promise<AcceptedMessage> {
  const [outcome] = await writeOutboundIn(tx, [item])
  if (outcome?.ok !== true) throw outcome?.error ?? new Error('a message was written without an outcome')
  return outcome.value
}

async function prepare(options: SenderOptions, queries: Queries, message: NewOutboundMessage): Promise<Outbound> {
  const nowMs = options.clock.now()
  const { orgId, content } = message
  const sendAt = message.sendAt ?? null
  if (sendAt !== null) checkSendAt(sendAt, nowMs)
  await checkFiles(queries, orgId, content)
  if (message.outsideWindow !== undefined) await checkFiles(queries, orgId, message.outsideWindow)
  const { to, numberId, numbers } = await findPlace(options, queries, message)
  const owner = { ...(numbers.find(({ id }) => id === numberId) as NumberEntry), orgId }
  const isScheduled = sendAt !== null
  const isMarketing =
    content.type === 'template' &&
    checkTemplate(options.templates, owner, { template: content.template, isScheduled }).isMarketing
  return {
    id: newId('msg', nowMs),
    orgId,
    numbers,
    numberId,
    to,
    content,
    isMarketing,
    outsideWindow: message.outsideWindow ?? null,
    identityKeyHash: message.identityKeyHash ?? null,
    replyTo: message.replyTo ?? null,
    sendAt,
    clientReference: message.clientReference ?? null,
    metadata: message.metadata ?? {},
    orderId: message.orderId ?? null,
    sender: message.sender,
    requestId: message.requestId ?? null,
    claim: message.claim ?? null,
    companion: message.companion ?? null,
    location: message.location ?? null,
    nowMs,
  }
}

function checkSendAt(sendAt: Date, nowMs: number): void {
  const isPast = sendAt.getTime() <= nowMs
  if (!isPast && sendAt.getTime() <= nowMs + YEAR_MS) return
  const detail = isPast
    ? 'This moment has passed. Leave it out to send the message now.'
    : 'This is more than a year ahead. Choose an earlier moment.'
  throw refuseValues([{ pointer: '#/send_at', code: isPast ? 'in_the_past' : 'too_far_ahead', detail }])
}

/** A number has no chat with itself: networks refuse it, and only after the message was accepted here. */
function checkRecipient({ displayPhone }: NumberEntry, phone: string): void {
  if (!phoneVariants(displayPhone.replaceAll(/\D/g, '')).includes(phone)) return
  throw refuseValues([
    {
      pointer: '#/to',
      code: 'recipient_is_sender',
      detail: 'This is the number the message would be sent from. Give the phone number of a customer.',
    },
  ])
}

type Place = Pick<Outbound, 'to' | 'numberId' | 'numbers'>

async function findPlace(options: SenderOptions, queries: Queries, message: NewOutboundMessage): Promise<Place> {
  const { directory, homeCountry } = options
  const { orgId, from } = message
  const reference = await referenceOf(queries, message, await homeCountry(orgId))
  if (reference.kind === 'chat') return placeOfChat(options, queries, message, reference)
  const number = await connectedNumber(directory, orgId, from)
  const numbers = await directory.list(orgId)
  if (reference.kind === 'phone') checkRecipient(number, reference.value)
  if (reference.kind === 'phone' || reference.kind === 'user_id')
    return { to: { ...reference }, numberId: number.id, numbers }
  const contactId = await findReferredContact(queries, orgId, reference)
  if (contactId === null) throw chatNotFound({ params: { to: reference.value } })
  return { to: { kind: 'contact', value: contactId }, numberId: number.id, numbers }
}

/** The number of the chat, unless another was named. */
async function placeOfChat(
  { directory }: SenderOptions,
  queries: Queries,
  { orgId, from }: NewOutboundMessage,
  reference: Extract<Reference, { kind: 'chat' }>,
): Promise<Place> {
  const [chat] = await findReferredChats(queries, orgId, reference)
  if (chat === undefined) throw chatNotFound({ params: { to: reference.value } })
  const number = await connectedNumber(directory, orgId, from ?? chat.number_id)
  if (chat.contact.phone !== null) checkRecipient(number, chat.contact.phone)
  const numbers = await directory.list(orgId)
  return { to: { kind: 'contact', value: chat.contact.id }, numberId: number.id, numbers }
}

async function referenceOf(
  queries: Queries,
  { orgId, to }: NewOutboundMessage,
  defaultCountry: string,
): Promise<Reference> {
  if ('chatId' in to) return { kind: 'chat', value: to.chatId as Id<'chat'> }
  if ('phone' in to) return { kind: 'phone', value: to.phone.replaceAll(/\D/g, '') }
  const reference = await findReference(queries, orgId, to.text, defaultCountry)
  if (reference !== null) return reference
  throw breaksSchema([impossiblePhone('#/to')])
}

const NO_NUMBER =
  'This organization has no business number yet. Connect one in the console under Settings, or with "npx nexkit number create".'

async function connectedNumber(
  directory: NumberDirectory,
  orgId: OrgId,
  reference: string | null,
): Promise<NumberEntry> {
  const number = await directory.find(orgId, reference)
  if (number !== null && number.state !== 'disconnected') return number
  const isFirst = (await directory.list(orgId)).length === 0
  throw numberNotConnected({ ...(isFirst && { says: NO_NUMBER }), params: { from: reference } })
}
