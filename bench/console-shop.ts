import { type IdPrefix, newId, type OrgId } from '../src/kernel/ids.ts'
import { vectorOf, wordsOfContact, wordsOfText } from '../src/messaging/search/search.ts'
import type { Database, Tx } from '../src/platform/database/database.ts'
import { fillTable } from './bulk-rows.ts'

/**
 * A shop with as many orders, payments, customers and messages each, spread over a year, whose ids carry their times as
 * those of the server do. One order in twenty waits for its payment, one in 2,000 is to be reviewed.
 */
export async function fillShop(database: Database, orgId: OrgId, count: number): Promise<void> {
  const { id: numberId } = await database.one<{ id: string }>`
    select id from channel_numbers where org_id = ${orgId} limit 1`
  const { id: accountId } = await database.one<{ id: string }>`
    select id from payment_accounts where org_id = ${orgId} limit 1`
  const inBatches = (insert: (tx: Tx, batch: Batch) => Promise<unknown>) => async (tx: Tx) => {
    for (let first = 0; first < count; first += ROWS_PER_BATCH)
      await insert(tx, { orgId, numberId, accountId, count, numbers: numbersFrom(first, count) })
  }
  await fillTable(database, 'orders', inBatches(insertOrders))
  await fillTable(database, 'payments', inBatches(insertPayments))
  await fillTable(database, 'payment_ledger', inBatches(insertLedger))
  await fillTable(database, 'contacts', inBatches(insertContacts))
  await fillTable(database, 'chats', inBatches(insertChats))
  await fillTable(database, 'message_states', inBatches(insertStates))
  await fillTable(database, 'messages', inBatches(insertMessages))
}

type Batch = { orgId: OrgId; numberId: string; accountId: string; count: number; numbers: number[] }

const YEAR_MS = 365 * 86_400_000
const ROWS_PER_BATCH = 20_000
const MESSAGES_PER_CHAT = 10
const DAY_END_MS = Date.now()

const numbersFrom = (first: number, count: number) =>
  Array.from({ length: Math.min(ROWS_PER_BATCH, count - first) }, (_, offset) => first + offset)

const timeOf = (nth: number, count: number) => Math.floor(DAY_END_MS - YEAR_MS + ((nth + 1) * YEAR_MS) / count)

/** The id of the nth row: its time, the version and variant of a UUIDv7, and digits in place of the random part. */
const idOf = (prefix: IdPrefix, nth: number, count: number) =>
  `${newId(prefix, timeOf(nth, count)).slice(0, -16)}e008${String(nth).padStart(12, '0')}`

/** Customers come back: each has ten orders. */
const customerOf = (nth: number, count: number) => nth % Math.max(Math.floor(count / 10), 1)
const phoneOf = (nth: number) => `62812${10_000_000 + nth}`

function insertOrders(tx: Tx, { orgId, count, numbers }: Batch): Promise<unknown> {
  const names = numbers.map((nth) => `Pelanggan ${customerOf(nth, count)}`)
  return tx.run`
    insert into orders (org_id, id, number, status, billing_type, customer_name, customer_phone, items, subtotal, total,
      payment_status, amount_paid, amount_remaining, payment_id, review_reasons, review_since, created_at, updated_at)
    select ${orgId}, row.id, 1000000 + row.nth, case when row.nth % 20 = 0 then 'pending_payment' else 'completed' end, 'qris',
      row.name, row.phone, '[{"sku": "A", "name": "Kopi", "quantity": 1, "unit_price": 18000, "subtotal": 18000}]', 18000,
      18000, case when row.nth % 20 = 0 then 'pending' else 'paid' end, case when row.nth % 20 = 0 then 0 else 18000 end,
      case when row.nth % 20 = 0 then 18000 else 0 end, row.payment_id,
      case when row.nth % 2000 = 1 then '{late_payment}'::text[] else '{}' end,
      case when row.nth % 2000 = 1 then row.at end, row.at, row.at
    from unnest(${numbers}::bigint[], ${numbers.map((nth) => idOf('ord', nth, count))}::text[], ${names}::text[],
      ${numbers.map((nth) => `+${phoneOf(customerOf(nth, count))}`)}::text[],
      ${numbers.map((nth) => idOf('pay', nth, count))}::text[],
      ${numbers.map((nth) => new Date(timeOf(nth, count)).toISOString())}::timestamptz[])
      as row (nth, id, name, phone, payment_id, at)`
}

const insertPayments = (tx: Tx, { orgId, accountId, count, numbers }: Batch): Promise<unknown> => tx.run`
  insert into payments (org_id, id, order_id, account_id, provider, method, status, amount, amount_paid, is_manual,
    is_refundable, paid_at, created_at, updated_at)
  select ${orgId}, row.id, row.order_id, ${accountId}, 'simulator',
    case when row.nth % 3 = 0 then 'virtual_account' else 'qris' end, case when row.nth % 20 = 0 then 'pending' else 'paid' end,
    18000, case when row.nth % 20 = 0 then 0 else 18000 end, false, true, case when row.nth % 20 = 0 then null else row.at end,
    row.at, row.at
  from unnest(${numbers}::bigint[], ${numbers.map((nth) => idOf('pay', nth, count))}::text[],
    ${numbers.map((nth) => idOf('ord', nth, count))}::text[],
    ${numbers.map((nth) => new Date(timeOf(nth, count)).toISOString())}::timestamptz[]) as row (nth, id, order_id, at)`

function insertLedger(tx: Tx, { orgId, count, numbers }: Batch): Promise<unknown> {
  const paid = numbers.filter((nth) => nth % 20 !== 0)
  return tx.run`
    insert into payment_ledger (org_id, payment_id, kind, key, order_id, amount, reported_amount, source, actor_type,
      occurred_at, recorded_at, method)
    select ${orgId}, row.id, 'capture', 'capture', row.order_id, 18000, 18000, 'notice', 'system', row.at, row.at,
      case when row.nth % 3 = 0 then 'virtual_account' else 'qris' end
    from unnest(${paid}::bigint[], ${paid.map((nth) => idOf('pay', nth, count))}::text[],
      ${paid.map((nth) => idOf('ord', nth, count))}::text[],
      ${paid.map((nth) => new Date(timeOf(nth, count)).toISOString())}::timestamptz[]) as row (nth, id, order_id, at)`
}

function insertContacts(tx: Tx, { orgId, count, numbers }: Batch): Promise<unknown> {
  const words = numbers.map((nth) =>
    vectorOf(wordsOfContact(orgId, { names: [`Pelanggan ${nth}`], phones: [phoneOf(nth)] })),
  )
  return tx.run`
    insert into contacts (org_id, id, name, phone, identities, words, created_at, updated_at)
    select ${orgId}, row.id, 'Pelanggan ' || row.nth, row.phone,
      jsonb_build_array(jsonb_build_object('type', 'phone', 'value', '+' || row.phone)), row.words::tsvector, row.at, row.at
    from unnest(${numbers}::bigint[], ${numbers.map((nth) => idOf('con', nth, count))}::text[],
      ${numbers.map(phoneOf)}::text[], ${words}::text[],
      ${numbers.map((nth) => new Date(timeOf(nth, count)).toISOString())}::timestamptz[]) as row (nth, id, phone, words, at)`
}

const chatOf = (nth: number, count: number) =>
  idOf('chat', nth - (nth % MESSAGES_PER_CHAT) + MESSAGES_PER_CHAT - 1, count)

/** One chat for every ten customers, whose last message is the last of ten. */
function insertChats(tx: Tx, { orgId, numberId, count, numbers }: Batch): Promise<unknown> {
  const last = numbers.filter((nth) => nth % MESSAGES_PER_CHAT === MESSAGES_PER_CHAT - 1)
  return tx.run`
    insert into chats (org_id, id, number_id, contact_id, unread_count, last_message_id, last_activity_at, last_inbound_at,
      created_at)
    select ${orgId}, row.id, ${numberId}, row.contact_id, row.nth % 3, row.message_id, row.at, row.at, row.at
    from unnest(${last}::bigint[], ${last.map((nth) => chatOf(nth, count))}::text[],
      ${last.map((nth) => idOf('con', nth, count))}::text[], ${last.map((nth) => idOf('msg', nth, count))}::text[],
      ${last.map((nth) => new Date(timeOf(nth, count)).toISOString())}::timestamptz[])
      as row (nth, id, contact_id, message_id, at)`
}

const insertStates = (tx: Tx, { orgId, numberId, count, numbers }: Batch): Promise<unknown> => tx.run`
  insert into message_states (org_id, message_id, number_id, status, status_history)
  select ${orgId}, row.id, ${numberId}, 'received', '[]'::jsonb
  from unnest(${numbers.map((nth) => idOf('msg', nth, count))}::text[]) as row (id)`

/** Every message says "kopi"; twenty of all ask for something that no other does. */
function insertMessages(tx: Tx, { orgId, numberId, count, numbers }: Batch): Promise<unknown> {
  const bodyOf = (nth: number) =>
    nth % Math.ceil(count / 20) === 1 ? 'Apakah ada cendol durian?' : `Saya mau kopi susu ${nth % 100}`
  return tx.run`
    insert into messages (org_id, id, chat_id, number_id, direction, type, body, words, sender_type, happened_at, created_at)
    select ${orgId}, row.id, row.chat_id, ${numberId}, 'inbound', 'text', row.body, row.words::tsvector, 'contact', row.at, row.at
    from unnest(${numbers.map((nth) => idOf('msg', nth, count))}::text[],
      ${numbers.map((nth) => chatOf(nth, count))}::text[], ${numbers.map(bodyOf)}::text[],
      ${numbers.map((nth) => vectorOf(wordsOfText(orgId, bodyOf(nth))))}::text[],
      ${numbers.map((nth) => new Date(timeOf(nth, count)).toISOString())}::timestamptz[])
      as row (id, chat_id, body, words, at)`
}
