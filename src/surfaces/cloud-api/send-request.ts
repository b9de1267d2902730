import type { MessageContent } from '../../channels/content/content.ts'
import { isRecord } from '../../kernel/records.ts'
import { parsePhone } from '../../platform/phone/phone-numbers.ts'
import type { CloudApiRecipient } from './cloud-api-context.ts'
import { parameterMissing, requestInvalid, typeUnsupported, valueInvalid } from './cloud-api-problem.ts'
import { tidyRequest, translateContent } from './content-translation.ts'

/**
 * The body of `POST …/messages`: a message, or a note that one was read. Unknown members are ignored and numbers are taken
 * where text is meant, as the graph does. Throws the error that the caller receives.
 */
export type MessagesRequest =
  | { kind: 'read'; messageId: string; isTyping: boolean }
  | {
      kind: 'send'
      /** As given. */
      input: string
      to: CloudApiRecipient
      content: MessageContent
      replyTo: string | null
      clientReference: string | null
      identityKeyHash: string | null
    }

const CALLBACK_DATA_MAX = 512
export const KEY_HASH = /^[!-~]{0,256}$/
const MESSAGE_ID_MAX = 512
const INPUT_MAX = 200

export function readMessagesRequest(given: unknown): MessagesRequest {
  if (!isRecord(given)) throw requestInvalid('The body must be a JSON object.')
  const body = tidyRequest(given)
  checkProduct(body.messaging_product)
  // Before anything is asked of `to` and `type`, which a receipt does not have.
  if (body.status === 'read') return readReceipt(body)
  // Before `to`, which is no phone for a group.
  if ((body.recipient_type ?? 'individual') !== 'individual')
    throw typeUnsupported('recipient_type: Only "individual" is supported.')
  const { input, to } = readRecipient(body)
  return {
    kind: 'send',
    input,
    to,
    content: translateContent(body),
    replyTo: readContext(body.context),
    clientReference: readCallbackData(body.biz_opaque_callback_data),
    identityKeyHash: readKeyHash(body.recipient_identity_key_hash),
  }
}

export function checkProduct(product: unknown): void {
  if (product === undefined || product === null) throw requestInvalid('The parameter messaging_product is required.')
  if (product !== 'whatsapp') throw requestInvalid('Param messaging_product must be one of {WHATSAPP}')
}

function readReceipt({ message_id: messageId, typing_indicator: typing }: Record<string, unknown>): MessagesRequest {
  return { kind: 'read', messageId: readMessageId(messageId, 'message_id'), isTyping: isRecord(typing) }
}

function readMessageId(value: unknown, place: string): string {
  if (value === undefined || value === null) throw parameterMissing(`${place}: "message_id" is required.`)
  if (typeof value !== 'string' || value === '' || value.length > MESSAGE_ID_MAX)
    throw valueInvalid(`${place}: This must be the id of a message.`)
  return value
}

function readContext(context: unknown): string | null {
  if (context === undefined || context === null) return null
  if (!isRecord(context)) throw valueInvalid('context: This must be an object.')
  if (Object.keys(context).length === 0) return null
  return readMessageId(context.message_id, 'context.message_id')
}

function readCallbackData(data: unknown): string | null {
  if (data === undefined || data === null || data === '') return null
  const text = typeof data === 'number' ? String(data) : data
  if (typeof text !== 'string') throw valueInvalid('biz_opaque_callback_data: This must be a string.')
  if ([...text].length > CALLBACK_DATA_MAX)
    throw valueInvalid(`biz_opaque_callback_data: At most ${CALLBACK_DATA_MAX} characters.`)
  return text
}

/** Meta issues the hash and Meta alone checks it: a caller that sends one wants the message to go to no other key. */
function readKeyHash(hash: unknown): string | null {
  if (hash === undefined || hash === null || hash === '') return null
  if (typeof hash === 'string' && KEY_HASH.test(hash)) return hash
  throw valueInvalid('recipient_identity_key_hash: This must be a hash of at most 256 characters, as Meta tells it.')
}

/** A phone wins over a user id when both are given. */
function readRecipient({ to, recipient }: Record<string, unknown>): { input: string; to: CloudApiRecipient } {
  if (to !== undefined && to !== null) {
    const input = readInput(to, 'to')
    return { input, to: { phone: readPhone(input) } }
  }
  if (recipient === undefined || recipient === null) throw parameterMissing('to: "to" or "recipient" is required.')
  const input = readInput(recipient, 'recipient')
  if (!USER_ID.test(input)) throw valueInvalid('recipient: This must be a business-scoped user id such as ID.1349….')
  return { input, to: { userId: input } }
}

const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

function readInput(value: unknown, place: string): string {
  const input = typeof value === 'number' ? String(value) : value
  if (typeof input !== 'string') throw valueInvalid(`${place}: This must be a string.`)
  if (input.length > INPUT_MAX) throw valueInvalid(`${place}: At most ${INPUT_MAX} characters.`)
  return input
}

const PHONE = /^[+\d\s().\-\u2010-\u2015\u00a0]+$/
const DIGITS = /^[1-9]\d{6,14}$/

/**
 * Digits of a full international number, with or without plus, never with a country put in front: nearly every client
 * sends them so. A trunk zero in the middle is taken out where the number is known to have one.
 */
function readPhone(input: string): string {
  const digits = input.replaceAll(/\D/g, '')
  if (!PHONE.test(input) || !DIGITS.test(digits))
    throw valueInvalid('to: This must be a phone number in international format, such as +6281200000001.')
  return parsePhone(`+${digits}`, '')?.digits ?? digits
}
