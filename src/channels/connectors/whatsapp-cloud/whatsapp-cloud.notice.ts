import { createHmac, timingSafeEqual } from 'node:crypto'
import { messageOf } from '../../../kernel/errors.ts'
import { isSameSecret } from '../../../kernel/same-secret.ts'
import type { ChannelNumber, ChannelReport, HookVerdict, RawHook } from '../../channel-connector.ts'
import { failureOf, readGraphError } from './graph-failures.ts'
import { readCall, readInboundMessage, readPreference, readStatus } from './inbound-items.ts'
import { type ContactBook, createContactBook, type ItemReader, readIdentityUpdates } from './inbound-people.ts'
import { idOf, type Json, type JsonObject, listOf, objectOf, storable, storableText, textOf } from './json-reading.ts'

/**
 * Meta's webhooks. A handshake asks for a word we agreed on; everything else is signed over its raw bytes. A batch holds
 * any number of entries, changes, messages and statuses, and is read item by item: one that makes no sense becomes a
 * report that says so, beside those that do.
 */
export function readHook(number: ChannelNumber, hook: RawHook): HookVerdict {
  if (hook.method === 'GET') return readHandshake(number, hook.query)
  if (hook.method === 'POST') return checkSignature(number, hook)
  return { kind: 'refused', status: 405, detail: `method ${hook.method}` }
}

const CHALLENGE_CHARACTERS_MAX = 1000

/** The network knows two answers: the challenge, or 403 to whatever is not the handshake we agreed on. */
function readHandshake({ credentials }: ChannelNumber, query: URLSearchParams): HookVerdict {
  const challenge = query.get('hub.challenge')
  const token = query.get('hub.verify_token')
  const expected = credentials.verify_token
  if (query.get('hub.mode') !== 'subscribe' || challenge === null || challenge.length > CHALLENGE_CHARACTERS_MAX)
    return { kind: 'refused', status: 403, detail: 'not a handshake' }
  if (token === null || expected === undefined || !isSameSecret(token, expected))
    return { kind: 'refused', status: 403, detail: 'the verify token is wrong' }
  return { kind: 'challenge', body: challenge }
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i

function checkSignature({ credentials }: ChannelNumber, { headers, body }: RawHook): HookVerdict {
  const given = SIGNATURE.exec(headers.get('x-hub-signature-256') ?? '')?.[1]
  const secret = credentials.app_secret
  if (given === undefined || secret === undefined)
    return { kind: 'refused', status: 401, detail: 'the signature is missing or malformed' }
  const expected = createHmac('sha256', secret).update(body).digest()
  if (!timingSafeEqual(expected, Buffer.from(given, 'hex')))
    return { kind: 'refused', status: 401, detail: 'the signature is wrong' }
  return { kind: 'genuine' }
}

const decoder = new TextDecoder()

export function readBatch(body: Uint8Array): ChannelReport[] {
  const batch = parse(body)
  if (batch === null) return [unreadable(null, null, 'it is not a JSON object')]
  if (!Array.isArray(batch.entry)) return [unreadable(null, cleaned(batch), 'it has no entries')]
  return batch.entry.flatMap((entry: Json) => {
    const changes = objectOf(entry)?.changes
    if (!Array.isArray(changes)) return [unreadable(null, cleaned(entry), 'an entry has no changes')]
    return changes.flatMap((change: Json) => readChange(change))
  })
}

function parse(body: Uint8Array): JsonObject | null {
  try {
    return objectOf(JSON.parse(decoder.decode(body)))
  } catch {
    return null
  }
}

const unreadable = (phoneNumberId: string | null, raw: unknown, problem: string): ChannelReport => ({
  kind: 'unreadable',
  phoneNumberId,
  raw,
  problem,
})

/** What cannot even be stored is left out; the journal has its bytes. */
function cleaned(value: Json): unknown {
  try {
    return storable(value)
  } catch {
    return null
  }
}

function readChange(value: Json): ChannelReport[] {
  const change = objectOf(value)
  const content = objectOf(change?.value)
  const field = textOf(change?.field)
  if (change === null || content === null || field === null)
    return [unreadable(null, cleaned(value), 'a change has no field or value')]
  const phoneNumberId = idOf(objectOf(content.metadata)?.phone_number_id)
  const contacts = createContactBook(listOf(cleaned(content.contacts)))
  const reports = readersOf(field).flatMap(([member, read]) =>
    listOf(content[member]).flatMap((item) => readItem(item, { phoneNumberId, contacts, read })),
  )
  if (reports.length > 0) return reports
  return [{ kind: 'other', phoneNumberId, field: storableText(field), raw: cleaned(change) }]
}

function readersOf(field: string): [member: string, read: ItemReader][] {
  if (field === 'messages')
    return [
      ['messages', readInboundMessage],
      ['statuses', readStatus],
      ['errors', readAccountProblem],
    ]
  if (field === 'calls') return [['calls', readCall]]
  if (field === 'user_preferences') return [['user_preferences', readPreference]]
  return field === 'user_id_update' ? [['user_id_update', readIdentityUpdates]] : []
}

function readItem(
  item: Json,
  { phoneNumberId, contacts, read }: { phoneNumberId: string | null; contacts: ContactBook; read: ItemReader },
): ChannelReport[] {
  try {
    const raw = storable(item)
    const object = objectOf(raw)
    if (object === null) return [unreadable(phoneNumberId, raw, 'it is not an object')]
    return read(object, contacts).map((report) => ({ ...report, phoneNumberId, raw }) as ChannelReport)
  } catch (error) {
    return [unreadable(phoneNumberId, cleaned(item), messageOf(error))]
  }
}

/** Of the account or the app as a whole. */
const readAccountProblem: ItemReader = (item) => {
  const error = readGraphError(item)
  if (error === null) throw new Error('an error without code and text')
  return [{ kind: 'account_problem', failure: failureOf(error, null, null) }]
}
