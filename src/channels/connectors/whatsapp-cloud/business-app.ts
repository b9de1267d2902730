import type { ReportedStatus } from '../../channel-connector.ts'
import { readAuthoredChange, readMessageOf } from './inbound-items.ts'
import { type ItemReader, type ItemReport, nameOf, type PersonIds, readPerson, required } from './inbound-people.ts'
import { digitsOf, idOf, type JsonObject, objectOf, objectsOf, textOf } from './json-reading.ts'

/**
 * What a number reports that is also used in the WhatsApp Business app: messages that were written there (echoes), its chat
 * history, and its address book.
 */
const sentTo = (message: JsonObject): PersonIds => ({
  phone: digitsOf(message.to),
  userId: idOf(message.to_user_id),
  parentUserId: idOf(message.to_parent_user_id),
})

export const readEcho: ItemReader = (message, contacts) => {
  const change = readAuthoredChange(message)
  if (change !== null) return [change]
  const to = readPerson(sentTo(message), contacts)
  const isNamed = to.phone !== null || to.userId !== null || idOf(message.group_id) !== null
  if (!isNamed) throw new Error('the recipient is missing')
  return [{ ...readMessageOf(message, to), isEcho: true }]
}

/** Capitals in the history. What is pending or unknown was sent as far as is known. */
const STATUSES: Record<string, ReportedStatus> = {
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  PLAYED: 'played',
  ERROR: 'failed',
}

type HistoryItem = { item: unknown; read: ItemReader }

/**
 * The messages of a history: in threads, each with one person, or outside of them where a file follows later. A message of the
 * business names its own phone as the sender.
 */
export function listHistory(value: JsonObject): HistoryItem[] {
  const business = digitsOf(objectOf(value.metadata)?.display_phone_number)
  const threads = objectsOf(value.history).flatMap((chunk) => objectsOf(chunk.threads))
  return [
    ...threads.flatMap((thread) =>
      objectsOf(thread.messages).map((item) => ({ item, read: readPast(business, thread) })),
    ),
    ...objectsOf(value.messages).map((item) => ({ item, read: readPast(business, {}) })),
  ]
}

const readPast =
  (business: string | null, thread: JsonObject): ItemReader =>
  (message, contacts) => {
    const change = readAuthoredChange(message)
    if (change !== null) return [change]
    const person = readPerson(partnerOf(message, thread, business), contacts)
    if (person.phone === null && person.userId === null) throw new Error('the other side of the chat is missing')
    const status = STATUSES[textOf(objectOf(message.history_context)?.status) ?? ''] ?? 'sent'
    return [{ ...readMessageOf(message, person), isEcho: isOfBusiness(message, business), past: { status } }]
  }

const isOfBusiness = (message: JsonObject, business: string | null): boolean =>
  message.to != null || (business !== null && digitsOf(message.from) === business)

function partnerOf(message: JsonObject, thread: JsonObject, business: string | null): PersonIds {
  const [id, context] = [idOf(thread.id), objectOf(thread.context)]
  const ofThread = {
    phone: digitsOf(id) ?? digitsOf(context?.wa_id),
    userId: idOf(thread.user_id) ?? idOf(context?.user_id) ?? (digitsOf(id) === null ? id : null),
    parentUserId: null,
  }
  if (ofThread.phone !== null || ofThread.userId !== null) return ofThread
  return isOfBusiness(message, business)
    ? sentTo(message)
    : { phone: digitsOf(message.from), userId: idOf(message.from_user_id), parentUserId: null }
}

/** One item of `state_sync`: a person was added to the address book, renamed in it or removed from it. */
export const readContactSync: ItemReader = (sync) => {
  if (textOf(sync.type) !== 'contact') return []
  const contact = required(objectOf(sync.contact), 'the contact')
  const ids = { phone: digitsOf(contact.phone_number), userId: idOf(contact.user_id), parentUserId: null }
  if (ids.phone === null && ids.userId === null) throw new Error('the contact has no phone number')
  const name = nameOf({ name: textOf(contact.full_name) || contact.first_name })
  const person = { ...ids, username: null, name: null }
  return [{ kind: 'contact', person, groupId: null, name: sync.action === 'remove' ? null : name }]
}

/** One item of `groups`, of several webhook fields: only its subject has a place here. */
export const readGroup: ItemReader = (group): ItemReport[] => {
  const subject = nameOf({ name: objectOf(group.group_subject)?.text ?? group.subject })
  const groupId = idOf(group.group_id)
  const hasFailed = group.errors != null || objectOf(group.group_subject)?.update_successful === false
  if (subject === null || groupId === null || hasFailed) return []
  const unknownPerson = { phone: null, userId: null, parentUserId: null, username: null, name: null }
  return [{ kind: 'contact', person: unknownPerson, groupId, name: subject }]
}
