import type { ReportedTime } from '../../channel-connector.ts'
import { readContent } from './inbound-content.ts'
import { isIdentityChange, readSystemIdentity } from './inbound-identity.ts'
import { type ItemReader, type ItemReport, required } from './inbound-item.ts'
import { readPerson } from './inbound-person.ts'
import { digitsOf, idOf, type Json, type JsonObject, objectOf, timeOf } from './json-reading.ts'

/** One item of `messages`: something a customer sent, took back or changed, or what the network says about them. */
export const readInboundMessage: ItemReader = (message, contacts) => {
  // Groups have no place in a chat of two; the journal keeps them.
  if (message.group_id != null) return [{ kind: 'other', field: 'group_message' }]
  if (isIdentityChange(message)) return [readSystemIdentity(message, contacts)]
  const providerId = required(idOf(message.id), 'the id of the message')
  const at = timeOf(message.timestamp)
  if (message.type === 'revoke')
    return [{ kind: 'revoked', providerId, originalProviderId: originalOf(message, 'revoke'), at }]
  if (message.type === 'edit') return [readEdit(message, { providerId, at })]
  const from = readPerson(message.type === 'system' ? noticedIds(message) : senderIds(message), contacts)
  if (from.phone === null && from.userId === null) throw new Error('the sender is missing')
  const context = objectOf(message.context)
  return [
    {
      kind: 'message',
      providerId,
      from,
      at,
      ...readContent(message),
      replyToProviderId: idOf(context?.id),
      isForwarded: context?.forwarded === true || context?.frequently_forwarded === true,
      isFrequentlyForwarded: context?.frequently_forwarded === true,
      referral: message.referral ?? null,
      referredProduct: context?.referred_product ?? null,
    },
  ]
}

const senderIds = (message: JsonObject) => ({
  phone: digitsOf(message.from),
  userId: idOf(message.from_user_id),
  parentUserId: idOf(message.from_parent_user_id),
})

/** Notices of the network name whom they are about inside, and outside only mostly. */
const noticedIds = (message: JsonObject) => {
  const [{ phone, userId, parentUserId }, system] = [senderIds(message), objectOf(message.system)]
  return {
    phone: phone ?? digitsOf(system?.customer) ?? digitsOf(system?.wa_id),
    userId: userId ?? idOf(system?.user_id),
    parentUserId: parentUserId ?? idOf(system?.parent_user_id),
  }
}

const originalOf = (message: JsonObject, type: string): string =>
  required(idOf(objectOf(message[type])?.original_message_id), 'the message that is meant')

function readEdit(message: JsonObject, { providerId, at }: { providerId: string; at: ReportedTime }): ItemReport {
  const inner: Json = objectOf(message.edit)?.message
  const { content } = readContent(required(objectOf(inner), 'the new form of the message'))
  return { kind: 'edited', providerId, originalProviderId: originalOf(message, 'edit'), content, at }
}
