import type { ChannelPerson, ReportedPerson, ReportedTime } from '../../channel-connector.ts'
import type { ItemReader, ItemReport } from './inbound-item.ts'
import { type ContactBook, readPerson } from './inbound-person.ts'
import { digitsOf, idOf, type JsonObject, objectOf, textOf, timeOf } from './json-reading.ts'

/**
 * One person with another number or id. It is reported in two ways: by a system message in the chat, whose sender, where it
 * has one, is the person as they were; and by a webhook field of its own.
 */
const SYSTEM_TYPES = ['user_changed_number', 'user_changed_user_id']

export function isIdentityChange(message: JsonObject): boolean {
  const type = textOf(objectOf(message.system)?.type)
  return message.type === 'system' && type !== null && SYSTEM_TYPES.includes(type)
}

export function readSystemIdentity(message: JsonObject, contacts: ContactBook): ItemReport {
  const system = objectOf(message.system) as JsonObject
  const body = readBody(textOf(system.body))
  const before = {
    phone: digitsOf(message.from) ?? digitsOf(system.customer) ?? body.before.phone,
    userId: idOf(message.from_user_id) ?? idOf(system.previous_user_id) ?? body.before.userId,
  }
  const ids = {
    phone: digitsOf(system.wa_id) ?? digitsOf(system.new_wa_id) ?? body.after.phone,
    userId: idOf(system.user_id) ?? body.after.userId,
    parentUserId: idOf(system.parent_user_id),
  }
  const at = timeOf(message.timestamp)
  return identityReport({ providerId: idOf(message.id), before, after: readPerson(ids, contacts), at })
}

/** "User Sari changed from 62812… to 62813…": the only place that names both, when the sender is left out. */
function readBody(body: string | null): { before: ChannelPerson; after: ChannelPerson } {
  const match = /\bfrom (\S{5,150}) to (\S{5,150})$/.exec(body?.trim() ?? '')
  return { before: readId(match?.[1]), after: readId(match?.[2]) }
}

const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,140}$/

const readId = (text: string | undefined): ChannelPerson => ({
  phone: digitsOf(text),
  userId: text !== undefined && USER_ID.test(text) ? text : null,
})

export const readIdentityUpdates: ItemReader = (update, contacts) => {
  const userIds = objectOf(update.user_id)
  const parentIds = objectOf(update.parent_user_id)
  const phone = digitsOf(update.wa_id)
  const ids = {
    phone,
    userId: idOf(userIds?.current) ?? idOf(update.user_id),
    parentUserId: idOf(parentIds?.current) ?? idOf(update.parent_user_id),
  }
  const before = { phone, userId: idOf(userIds?.previous) ?? idOf(update.previous_user_id) }
  const at = timeOf(update.timestamp)
  return [identityReport({ providerId: null, before, after: readPerson(ids, contacts), at })]
}

type Change = { providerId: string | null; before: ChannelPerson; after: ReportedPerson; at: ReportedTime }

function identityReport(change: Change): ItemReport {
  const isNamed = ({ phone, userId }: ChannelPerson) => phone !== null || userId !== null
  if (!isNamed(change.before) || !isNamed(change.after)) throw new Error('the change does not say of whom, or to what')
  return { kind: 'identity', ...change }
}
