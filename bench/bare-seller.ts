import type postgres from 'postgres'
import { newId } from '../src/kernel/ids.ts'
import { serveBarely } from './bare-batches.ts'

/**
 * The least a server on this runtime can do to take an order durably: no key, no checks, no log, no real code to scan. The
 * same rows as ours, narrower: an order with a number, an attempt, two events and the time at which it ends, in five tables
 * with eight indexes between them.
 */
export const BARE_ORDER_TABLES = `
  create table bare_counters (
    org_id text collate "C" primary key, last_number bigint not null, last_sequence bigint not null);
  insert into bare_counters values ('org_bench', 0, 0);
  create table bare_orders (
    org_id text collate "C", id text collate "C", number bigint not null, status text not null, items jsonb not null,
    total bigint not null, created_at timestamptz not null, updated_at timestamptz not null,
    primary key (org_id, id), unique (org_id, number));
  create index bare_orders_by_status on bare_orders (org_id, status, id);
  create table bare_payments (
    org_id text collate "C", id text collate "C", order_id text collate "C" not null, status text not null,
    amount bigint not null, qr_string text not null, expires_at timestamptz not null, primary key (org_id, id));
  create index bare_payments_by_order on bare_payments (org_id, order_id, id);
  create table bare_events (
    org_id text collate "C", sequence bigint, id text collate "C" not null, body text not null,
    created_at timestamptz not null, primary key (org_id, sequence));
  create table bare_entries (id text collate "C" primary key, lane_id text not null, due_at timestamptz not null);`

const QR_STRING = 'x'.repeat(180)
/** With what stands in them anyway, the events become as long as ours: 2,000 and 1,300 characters. */
const [REST_OF_ORDER, REST_OF_PAYMENT] = ['x'.repeat(1_300), 'x'.repeat(900)]
const EVENTS_EACH = 2

type Item = { quantity: number; unit_price: number }
type Order = { id: string; paymentId: string; items: string; total: number; events: string[] }

function readOrder(content: unknown): { item: Order; answer: object } {
  const { items } = content as { items: Item[] }
  const [id, paymentId] = [newId('ord'), newId('pay')]
  const total = items.reduce((sum, { quantity, unit_price }) => sum + quantity * unit_price, 0)
  const payment = { id: paymentId, status: 'pending', amount: total, qr_string: QR_STRING }
  const answer = { object: 'order', id, status: 'pending_payment', items, total, payment }
  const events = [
    JSON.stringify({ type: 'order.created', data: answer, REST_OF_ORDER }),
    JSON.stringify({ type: 'payment.pending', data: payment, REST_OF_PAYMENT }),
  ]
  return { item: { id, paymentId, items: JSON.stringify(items), total, events }, answer }
}

function writeOrders(sql: postgres.Sql, batch: readonly Order[]): Promise<unknown> {
  const ids = batch.map(({ id }) => id)
  const paymentIds = batch.map(({ paymentId }) => paymentId)
  const totals = batch.map(({ total }) => total)
  const events = batch.flatMap((order) => order.events)
  return sql`
    with counter as (
      update bare_counters
      set last_number = last_number + ${batch.length}, last_sequence = last_sequence + ${batch.length * EVENTS_EACH}
      where org_id = 'org_bench'
      returning last_number - ${batch.length} as numbers_before,
        last_sequence - ${batch.length * EVENTS_EACH} as events_before),
    recorded as (
      insert into bare_events (org_id, sequence, id, body, created_at)
      select 'org_bench', events_before + nth, 'evt_' || events_before + nth, body, now()
      from counter, unnest(${events}::text[]) with ordinality as event (body, nth)),
    asked as (
      insert into bare_payments (org_id, id, order_id, status, amount, qr_string, expires_at)
      select 'org_bench', id, order_id, 'pending', amount, ${QR_STRING}, now() + interval '15 minutes'
      from unnest(${paymentIds}::text[], ${ids}::text[], ${totals}::bigint[]) as payment (id, order_id, amount)),
    pending as (
      insert into bare_entries (id, lane_id, due_at)
      select id, 'pac_bench', now() + interval '15 minutes' from unnest(${paymentIds}::text[]) as entry (id))
    insert into bare_orders (org_id, id, number, status, items, total, created_at, updated_at)
    select 'org_bench', id, numbers_before + nth, 'pending_payment', items::jsonb, total, now(), now()
    from counter, unnest(${ids}::text[], ${batch.map(({ items }) => items)}::text[], ${totals}::bigint[])
      with ordinality as placed (id, items, total, nth)`
}

if (import.meta.main) serveBarely({ read: readOrder, write: writeOrders })
