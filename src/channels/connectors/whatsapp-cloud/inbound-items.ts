import type { ChannelFailure, ReportedPerson, ReportedStatus } from '../../channel-connector.ts'
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
  if (isIdentityChange(message)) return readIdentityNotice(message, contacts)
  const change = readAuthoredChange(message)
  if (change !== null) return [change]
  const from = readPerson(message.type === 'system' ? noticedIds(message) : senderIds(message), contacts)
  if (from.phone === null && from.userId === null) throw new Error('the sender is missing')
  return [readMessageOf(message, from)]
}

/** The change itself, then the notice in the chat of the person, who has the new number by then. */
const readIdentityNotice: ItemReader = (message, contacts) => {
  const identity = readSystemIdentity(message, contacts)
  return idOf(message.id) === null ? [identity] : [identity, readMessageOf(message, identity.after)]
}

/** Its author edited or deleted a message; null for a message. */
export function readAuthoredChange(message: JsonObject): ItemReport | null {
  const { type } = message
  if (type !== 'revoke' && type !== 'edit') return null
  const providerId = required(idOf(message.id), 'the id of the message')
  const originalProviderId = required(idOf(objectOf(message[type])?.original_message_id), 'the message that is meant')
  const at = timeOf(message.timestamp)
  if (type === 'revoke') return { kind: 'revoked', providerId, originalProviderId, at }
  const inner: Json = objectOf(message.edit)?.message
  const { content } = readContent(required(objectOf(inner), 'the new form of the message'))
  return { kind: 'edited', providerId, originalProviderId, content, at }
}

/** A message with the other side of its chat. */
export function readMessageOf(message: JsonObject, from: ReportedPerson): Extract<ItemReport, { kind: 'message' }> {
  const context = objectOf(message.context)
  return {
    kind: 'message',
    providerId: required(idOf(message.id), 'the id of the message'),
    from,
    groupId: idOf(message.group_id),
    at: timeOf(message.timestamp),
    ...readContent(message),
    replyToProviderId: idOf(context?.id),
    isForwarded: context?.forwarded === true || context?.frequently_forwarded === true,
    isFrequentlyForwarded: context?.frequently_forwarded === true,
    referral: message.referral ?? null,
    referredProduct: context?.referred_product ?? null,
    context,
  }
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

/** One item of `statuses`: how far a message of ours has come. */
const STATUSES: readonly ReportedStatus[] = ['sent', 'delivered', 'read', 'played', 'failed']

export const readStatus: ItemReader = (status, contacts) => {
  const stated = required(textOf(status.status), 'the status')
  const reached = STATUSES.find((one) => one === stated)
  if (status.recipient_type === 'group' || reached === undefined) return []
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
  if (event !== 'connect' || textOf(call.direction) !== 'USER_INITIATED') return []
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
  if (textOf(preference.category) !== MARKETING) return []
  const value = required(textOf(preference.value), 'the preference')
  if (value !== 'stop' && value !== 'resume') return []
  const ids = {
    phone: digitsOf(preference.wa_id),
    userId: idOf(preference.user_id),
    parentUserId: idOf(preference.parent_user_id),
  }
  const person = readPerson(ids, contacts)
  if (person.phone === null && person.userId === null) throw new Error('the preference does not say whose it is')
  return [{ kind: 'preference', person, isStopped: value === 'stop', at: timeOf(preference.timestamp) }]
}
