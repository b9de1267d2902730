import type { ChannelFailure, ReportedStatus, ReportedTime } from '../../channel-connector.ts'
import { failureOf, readGraphError, refusedHere } from './graph-failures.ts'
import { readContent } from './inbound-content.ts'
import {
  type ItemReader,
  type ItemReport,
  isIdentityChange,
  readPerson,
  readSystemIdentity,
  required,
} from './inbound-people.ts'
import { digitsOf, idOf, type Json, type JsonObject, listOf, objectOf, textOf, timeOf } from './json-reading.ts'

/** One item of `messages`: something a customer sent, deleted or changed, or what the network says about them. */
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
      context,
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

/** One item of `statuses`: how far a message of ours has come. */
const STATUSES: readonly ReportedStatus[] = ['sent', 'delivered', 'read', 'played', 'failed']

export const readStatus: ItemReader = (status, contacts) => {
  const stated = required(textOf(status.status), 'the status')
  const reached = STATUSES.find((one) => one === stated)
  if (status.recipient_type === 'group') return [{ kind: 'other', field: 'group_status' }]
  if (reached === undefined) return [{ kind: 'other', field: `status ${stated}` }]
  return [
    {
      kind: 'status',
      providerId: required(idOf(status.id), 'the id of the message'),
      clientToken: idOf(status.biz_opaque_callback_data),
      status: reached,
      at: timeOf(status.timestamp),
      recipient: readPerson(recipientIds(status), contacts),
      failure: reached === 'failed' ? readFailure(status) : null,
      facts: factsOf(status),
    },
  ]
}

const FACTS = ['pricing', 'conversation', 'errors'] as const

function factsOf(status: JsonObject): JsonObject | null {
  const named = FACTS.filter((name) => typeof status[name] === 'object' && status[name] !== null)
  return named.length === 0 ? null : Object.fromEntries(named.map((name) => [name, status[name]]))
}

/** The parent id goes by three names. */
const recipientIds = (status: JsonObject) => ({
  phone: digitsOf(status.recipient_id),
  userId: idOf(status.recipient_user_id),
  parentUserId:
    idOf(status.parent_recipient_user_id) ?? idOf(status.recipient_parent_user_id) ?? idOf(status.parent_user_id),
})

function readFailure(status: JsonObject): ChannelFailure {
  const error = readGraphError(listOf(status.errors)[0])
  return error === null
    ? refusedHere('refused', 'The network reported a failure without a reason.')
    : failureOf(error, null, null)
}

/**
 * One item of `calls`. Calls cannot be answered here; what counts is that a customer called, because that opens the
 * reply window as a message does. The beginning of a call tells it; its end, and calls of the business, tell nothing new.
 */
export const readCall: ItemReader = (call, contacts) => {
  const event = required(textOf(call.event), 'what happened to the call')
  if (event !== 'connect' || textOf(call.direction) !== 'USER_INITIATED') return [{ kind: 'other', field: 'calls' }]
  const ids = {
    phone: digitsOf(call.from),
    userId: idOf(call.from_user_id),
    parentUserId: idOf(call.from_parent_user_id),
  }
  const from = readPerson(ids, contacts)
  if (from.phone === null && from.userId === null) throw new Error('the caller is missing')
  return [{ kind: 'call', from, at: timeOf(call.timestamp) }]
}

const MARKETING = 'marketing_messages'

/**
 * One item of `user_preferences`: a customer stops marketing messages, or resumes them. Meta reports no other category yet;
 * one that it adds is not about marketing. A word that is neither of the two is not guessed at.
 */
export const readPreference: ItemReader = (preference, contacts) => {
  if (textOf(preference.category) !== MARKETING) return [{ kind: 'other', field: 'user_preferences' }]
  const value = required(textOf(preference.value), 'the preference')
  if (value !== 'stop' && value !== 'resume') return [{ kind: 'other', field: `user_preferences ${value}` }]
  const ids = {
    phone: digitsOf(preference.wa_id),
    userId: idOf(preference.user_id),
    parentUserId: idOf(preference.parent_user_id),
  }
  const person = readPerson(ids, contacts)
  if (person.phone === null && person.userId === null) throw new Error('the preference does not say whose it is')
  return [{ kind: 'preference', person, isStopped: value === 'stop', at: timeOf(preference.timestamp) }]
}
