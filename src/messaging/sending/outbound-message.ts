import type { MessageContent } from '../../channels/content/content.ts'
import { mediaNotFound } from '../../channels/media/media.errors.ts'
import { checkReferredFiles } from '../../channels/media/media.ts'
import type { NumberDirectory, NumberEntry } from '../../channels/numbers/numbers.ts'
import type { TemplateDirectory } from '../../channels/templates/templates.ts'
import type { EventActor } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { seededId } from '../../kernel/seeded-ids.ts'
import type { CompanionOf } from '../../platform/database/companions.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { IdempotencyClaim } from '../../platform/http/pipeline/idempotency.ts'
import { breaksSchema, refuseValues } from '../../platform/http/pipeline/validation.ts'
import { impossiblePhone, phoneVariants } from '../../platform/phone/phone-numbers.ts'
import { findReferredChats } from '../chats/chats.ts'
import {
  type ContactRow,
  findContactById,
  findReference,
  findReferredContact,
  type HomeCountry,
  isGroup,
  type Reference,
} from '../contacts/contacts.ts'
import { findByProviderId, messageIdOf } from '../messages/messages.ts'
import { chatNotFound, messageNotFound, numberNotConnected } from '../messaging.errors.ts'
import { checkTemplate } from './template-check.ts'

/**
 * A request to send. Before it is accepted, its recipient and its number are found, and what cannot be sent is refused.
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
  /** By our id, or by the one that the network knows it by. */
  replyTo?: string | null
  sendAt?: Date | null
  clientReference?: string | null
  metadata?: Record<string, string>
  orderId?: string | null
  sender: EventActor
  requestId?: Id<'req'> | null
  claim?: IdempotencyClaim | null
  companion?: CompanionOf | undefined
  location?: string | null
}

/** A message that is to be accepted, with everything that was found out about it before the transaction. */
export type Outbound = {
  id: Id<'msg'>
  orgId: OrgId
  /** All of the organization's, for what chats show. */
  numbers: readonly NumberEntry[]
  numberId: Id<'num'>
  to: { kind: 'phone' | 'user_id' | 'contact'; value: string }
  content: MessageContent
  /** A template that people can stop. */
  isMarketing: boolean
  /** Sent instead when the reply window is closed. */
  outsideWindow: MessageContent | null
  /** Send only to a customer whose identity key is still this one. */
  identityKeyHash: string | null
  replyTo: Id<'msg'> | null
  sendAt: Date | null
  clientReference: string | null
  metadata: Record<string, string>
  orderId: string | null
  sender: EventActor
  requestId: Id<'req'> | null
  claim: IdempotencyClaim | null
  companion: CompanionOf | null
  /** The path under which the API shows messages, for the answer that is stored with the claim. */
  location: string | null
  nowMs: number
}

/** What is asked about a message before the transaction that accepts it. */
export type OutboundContext = {
  clock: Clock
  directory: NumberDirectory
  templates: TemplateDirectory
  homeCountry: HomeCountry
}

const YEAR_MS = 366 * 24 * 3600 * 1000

export async function prepare(
  options: OutboundContext,
  queries: Queries,
  message: NewOutboundMessage,
): Promise<Outbound> {
  const nowMs = options.clock.now()
  const { orgId, content } = message
  const sendAt = message.sendAt ?? null
  if (sendAt !== null) checkSendAt(sendAt, nowMs)
  await checkFiles(queries, orgId, content)
  if (message.outsideWindow !== undefined) await checkFiles(queries, orgId, message.outsideWindow)
  const { to, number, numbers } = await findPlace(options, queries, message)
  const owner = { ...number, orgId }
  const isScheduled = sendAt !== null
  if (content.type === 'template') await options.templates.prepare(owner)
  const isMarketing =
    content.type === 'template' &&
    checkTemplate(options.templates, owner, { template: content.template, isScheduled }).isMarketing
  const named = (reference: string) => findQuotedId(queries, orgId, number.id, reference)
  const reactsTo = content.type === 'reaction' ? content.reaction.message_id : null
  return {
    // A contact's id differs from one emulator to the next.
    id: seededId(newId('msg', nowMs), 'to', number.phoneNumberId, to.kind === 'contact' ? '' : to.value),
    orgId,
    numbers,
    numberId: number.id,
    to,
    content:
      content.type === 'reaction' && reactsTo !== null
        ? { ...content, reaction: { ...content.reaction, message_id: await named(reactsTo) } }
        : content,
    isMarketing,
    outsideWindow: message.outsideWindow ?? null,
    identityKeyHash: message.identityKeyHash ?? null,
    replyTo: message.replyTo == null ? null : await named(message.replyTo),
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

/** Our own ids, and wamids that contain one, cost no query. Whether the message is of the same chat is checked at acceptance. */
async function findQuotedId(
  queries: Queries,
  orgId: OrgId,
  numberId: Id<'num'>,
  reference: string,
): Promise<Id<'msg'>> {
  const id = messageIdOf(reference) ?? (await findByProviderId(queries, orgId, { numberId, providerId: reference }))?.id
  if (id === undefined) throw messageNotFound({ params: { id: reference } })
  return id
}

function checkSendAt(sendAt: Date, nowMs: number): void {
  const isPast = sendAt.getTime() <= nowMs
  if (!isPast && sendAt.getTime() <= nowMs + YEAR_MS) return
  const detail = isPast
    ? 'This time has passed. Leave it out to send the message now.'
    : 'This is more than a year ahead. Choose an earlier time.'
  throw refuseValues([{ pointer: '#/send_at', code: isPast ? 'in_the_past' : 'too_far_ahead', detail }])
}

/** A number has no chat with itself: networks refuse it, and only after the message was accepted here. */
function checkRecipient({ displayPhone }: NumberEntry, phone: string): void {
  if (!phoneVariants(displayPhone.replaceAll(/\D/g, '')).includes(phone)) return
  throw refuseValues([
    {
      pointer: '#/to',
      code: 'recipient_is_sender',
      detail: 'This is the number that the message is sent from. Use the phone number of a customer.',
    },
  ])
}

/** Groups are only read here. */
function refuseGroup(contact: Pick<ContactRow, 'identities'>): void {
  if (!isGroup(contact)) return
  const detail = 'This chat is a group. Messages to groups cannot be sent yet; write to one of its members.'
  throw refuseValues([{ pointer: '#/to', code: 'recipient_is_group', detail }])
}

type Place = Pick<Outbound, 'to' | 'numbers'> & { number: NumberEntry }

async function findPlace(options: OutboundContext, queries: Queries, message: NewOutboundMessage): Promise<Place> {
  const { directory, homeCountry } = options
  const { orgId, from } = message
  const reference = await referenceOf(queries, message, await homeCountry(orgId))
  if (reference.kind === 'chat') return placeOfChat(options, queries, message, reference)
  const number = await connectedNumber(directory, orgId, from)
  const numbers = await directory.list(orgId)
  if (reference.kind === 'phone') checkRecipient(number, reference.value)
  if (reference.kind === 'phone' || reference.kind === 'user_id') return { to: { ...reference }, number, numbers }
  const contactId = await findReferredContact(queries, orgId, reference)
  const contact = contactId === null ? null : await findContactById(queries, orgId, contactId)
  if (contactId === null || contact === null) throw chatNotFound({ params: { to: reference.value } })
  refuseGroup(contact)
  return { to: { kind: 'contact', value: contactId }, number, numbers }
}

/** The number of the chat, unless another was named. */
async function placeOfChat(
  { directory }: OutboundContext,
  queries: Queries,
  { orgId, from }: NewOutboundMessage,
  reference: Extract<Reference, { kind: 'chat' }>,
): Promise<Place> {
  const [chat] = await findReferredChats(queries, orgId, reference)
  if (chat === undefined) throw chatNotFound({ params: { to: reference.value } })
  const number = await connectedNumber(directory, orgId, from ?? chat.number_id)
  refuseGroup(chat.contact)
  if (chat.contact.phone !== null) checkRecipient(number, chat.contact.phone)
  const numbers = await directory.list(orgId)
  return { to: { kind: 'contact', value: chat.contact.id }, number, numbers }
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

/** Throws the error for the caller when a file of the message does not exist, or does not suit its place. */
async function checkFiles(queries: Queries, orgId: OrgId, content: MessageContent): Promise<void> {
  const { refusals } = await checkReferredFiles(queries, orgId, content)
  const unknown = refusals.find((refusal) => refusal.kind === 'unknown')
  if (unknown !== undefined) throw mediaNotFound({ params: { id: unknown.file.id } })
  const errors = refusals.flatMap((refusal) => {
    if (refusal.kind !== 'unsuited') return []
    const { path, code, detail, params } = refusal.problem
    return [{ pointer: `#/${path.join('/')}`, code, detail, ...(params !== undefined && { params }) }]
  })
  if (errors.length > 0) throw refuseValues(errors)
}
