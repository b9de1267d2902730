import { createHmac, timingSafeEqual } from 'node:crypto'
import { messageOf } from '../../../kernel/errors.ts'
import { isSameSecret } from '../../../kernel/same-secret.ts'
import type { ChannelNumber, ChannelReport, HookVerdict, RawHook, ReportedTime } from '../../channel-connector.ts'
import { listHistory, readContactSync, readEcho, readGroup } from './business-app.ts'
import { failureOf, readGraphError } from './graph-failures.ts'
import { readCall, readInboundMessage, readPreference, readStatus } from './inbound-items.ts'
import { type ContactBook, createContactBook, type ItemReader, readIdentityUpdates } from './inbound-people.ts'
import {
  digitsOf,
  idOf,
  type Json,
  type JsonObject,
  listOf,
  objectOf,
  objectsOf,
  storable,
  storableText,
  textOf,
  timeOf,
} from './json-reading.ts'
import { readNews } from './network-news.ts'

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
  return batch.entry.flatMap((entry: Json, entryIndex: number) => {
    const changes = objectOf(entry)?.changes
    if (!Array.isArray(changes)) return [unreadable(null, cleaned(entry), 'an entry has no changes')]
    const at = timeOf(objectOf(entry)?.time)
    return changes.flatMap((change: Json, index: number) =>
      readChange(change, { entry: entryIndex, change: index, at }),
    )
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

type Place = { entry: number; change: number; at: ReportedTime }

/** Fields whose items are handed on one by one; a change of any other field is one report beside what is read from it. */
const ITEM_BY_ITEM = ['messages', 'smb_message_echoes']

function readChange(given: Json, { at, ...place }: Place): ChannelReport[] {
  const change = objectOf(given)
  const value = objectOf(change?.value)
  const field = textOf(change?.field)
  if (change === null || value === null || field === null)
    return [unreadable(null, cleaned(given), 'a change has no field or value')]
  const phoneNumberId = idOf(objectOf(value.metadata)?.phone_number_id)
  const contacts = createContactBook(listOf(cleaned(value.contacts)))
  const isItemByItem = ITEM_BY_ITEM.includes(field)
  const reports = listItems(field, value).flatMap(({ member, item, read }) => {
    const found = readItem(item, { phoneNumberId, contacts, read })
    const isWhole = found.length > 0 && member !== 'errors'
    return isWhole || !isItemByItem
      ? found
      : [...found, otherReport(field, { ...frameOf(value), [member]: [item] }, { at })]
  })
  return isItemByItem && reports.length > 0 ? reports : [...reports, otherReport(field, value, { at, place })]
}

const frameOf = ({ messaging_product, metadata, contacts }: JsonObject): JsonObject => ({
  ...{ messaging_product, metadata },
  ...(contacts !== undefined && { contacts }),
})

/** What has no place in a chat, as it came. */
function otherReport(
  field: string,
  value: JsonObject,
  { at, place = null }: { at: ReportedTime; place?: { entry: number; change: number } | null },
): ChannelReport {
  const raw = cleaned({ field, value })
  const read = objectOf(objectOf(raw)?.value)
  return {
    kind: 'other',
    phoneNumberId: idOf(objectOf(value.metadata)?.phone_number_id),
    displayPhone: digitsOf(value.display_phone_number) ?? digitsOf(value.phone_number),
    ...{ field: storableText(field), raw, at, place },
    news: read === null ? null : readNews(field, read),
  }
}

type Item = { member: string; item: Json; read: ItemReader }

function listItems(field: string, value: JsonObject): Item[] {
  const items = readersOf(field).flatMap(([member, read]) =>
    listOf(value[member]).map((item) => ({ member, item, read })),
  )
  if (field !== 'history') return items
  const errors = objectsOf(value.history).flatMap((chunk) => listOf(chunk.errors))
  const past = listHistory(value).map((one) => ({ ...one, member: 'history' }))
  return [...past, ...errors.map((item) => ({ member: 'errors', item, read: readAccountProblem }))]
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
  if (field === 'smb_message_echoes') return [['message_echoes', readEcho]]
  if (field === 'smb_app_state_sync') return [['state_sync', readContactSync]]
  if (field.startsWith('group_')) return [['groups', readGroup]]
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
