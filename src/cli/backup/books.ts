import { EPOCH_SEQUENCES } from '../../events/events.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { Storage } from '../../platform/storage/storage.ts'

/**
 * Whether the rows account for each other: what one table says must be in another. Each rule returns the rows that break it, in all
 * organizations, from one snapshot, so it holds while the server works.
 */
type Violation = { org_id: string; subject: string }

type Rule = {
  name: string
  /** What is true when there is no violation, and what is wrong when there is one. */
  holds: string
  fails: string
  find(tx: Tx): Promise<Violation[]>
}

export type BookVerdict = { name: string; says: string; violations: Violation[] }

const VIOLATIONS_MAX = 100

/** The oldest day is dropped whole, and ids of neighbours may be an hour apart: what is left of that hour may have gaps. */
const EDGE = '1 hour'

const rules: Rule[] = [
  {
    name: 'event sequences',
    holds: 'have no gaps',
    fails: 'have gaps or end before the counter',
    find: (tx) => tx.many<Violation>`
      with kept as (
        select org_id, min(sequence) as first, min(created_at) as since from events where sequence is not null
        group by org_id),
      epochs as (
        select events.org_id, sequence / ${EPOCH_SEQUENCES}::bigint as epoch, min(sequence) as first, max(sequence) as last,
          count(*) as count
        from events join kept on kept.org_id = events.org_id
        where sequence is not null
          and (kept.first = 1 or sequence > (
            select max(edge.sequence) from events edge
            where edge.org_id = kept.org_id and edge.created_at < kept.since + ${EDGE}::interval))
        group by 1, 2)
      select epochs.org_id, 'sequences ' || first || ' to ' || last as subject from epochs
      where count <> last - first + 1
      union all
      select newest.org_id, 'sequence ' || newest.last + 1 from (
        select org_id, max(last) as last from epochs group by org_id) newest
      join event_counters counter on counter.org_id = newest.org_id
      where counter.last_sequence <> newest.last and counter.last_sequence % ${EPOCH_SEQUENCES}::bigint <> 0
      limit ${VIOLATIONS_MAX}`,
  },
  {
    name: 'payments',
    holds: 'have the sums of their ledger lines',
    fails: 'differ from the sums of their ledger lines',
    find: (tx) => tx.many<Violation>`
      select payment.org_id, payment.id as subject from payments payment
      left join lateral (
        select coalesce(sum(amount) filter (where kind = 'capture'), 0) as paid,
          coalesce(-sum(amount) filter (where kind = 'refund'), 0) as refunded,
          coalesce(-sum(amount) filter (where kind = 'reversal'), 0) as reversed
        from payment_ledger line where line.org_id = payment.org_id and line.payment_id = payment.id) ledger on true
      where (payment.amount_paid, payment.amount_refunded, payment.amount_reversed)
        is distinct from (ledger.paid, ledger.refunded, ledger.reversed)
      limit ${VIOLATIONS_MAX}`,
  },
  {
    name: 'orders',
    holds: 'have the sums of their payments',
    fails: 'differ from the sums of their payments',
    find: (tx) => tx.many<Violation>`
      select orders.org_id, orders.id as subject from orders
      left join lateral (
        select coalesce(sum(amount_paid), 0) as paid, coalesce(sum(amount_refunded + amount_reversed), 0) as returned
        from payments payment where payment.org_id = orders.org_id and payment.order_id = orders.id) books on true
      where (orders.amount_paid, orders.amount_returned) is distinct from (books.paid, books.returned)
      limit ${VIOLATIONS_MAX}`,
  },
  {
    name: 'order numbers',
    holds: 'are below their counter',
    fails: 'are above their counter, so that the next order gets a number a second time',
    find: (tx) => tx.many<Violation>`
      select orders.org_id, 'number ' || max(orders.number) as subject from orders
      left join order_counters counter on counter.org_id = orders.org_id
      group by orders.org_id, counter.last_number
      having max(orders.number) > coalesce(counter.last_number, 0) limit ${VIOLATIONS_MAX}`,
  },
  {
    name: 'pending deliveries',
    holds: 'all have their work in the outbox',
    fails: 'have no work in the outbox, so they are never sent',
    find: (tx) => tx.many<Violation>`
      select delivery.org_id, delivery.id as subject from webhook_deliveries delivery
      where delivery.status = 'pending' and not ${isQueued(tx, tx.part`delivery.org_id`, tx.part`delivery.id`)}
      limit ${VIOLATIONS_MAX}`,
  },
  {
    name: 'queued messages',
    holds: 'all have their work in the outbox',
    fails: 'have no work in the outbox, so they are never sent',
    find: (tx) => tx.many<Violation>`
      select message.org_id, message.id as subject from messages message
      where message.direction = 'outbound' and not exists (
          select from message_states state where state.org_id = message.org_id and state.message_id = message.id)
        and not ${isQueued(tx, tx.part`message.org_id`, tx.part`message.id`)}
      limit ${VIOLATIONS_MAX}`,
  },
  {
    name: 'outbox',
    holds: 'has a lane for every entry',
    fails: 'has entries without a lane, which never run',
    find: (tx) => tx.many<Violation>`
      select entry.org_id, entry.id as subject
      from (select org_id, id, lane_id from outbox_entries union all select org_id, id, lane_id from outbox_later) entry
      where not exists (
        select from outbox_lanes lane where lane.org_id = entry.org_id and lane.id = entry.lane_id)
      limit ${VIOLATIONS_MAX}`,
  },
]

const isQueued = (tx: Tx, orgId: unknown, id: unknown) => tx.part`(
  exists (select from outbox_entries entry where entry.org_id = ${orgId} and entry.id = ${id})
  or exists (select from outbox_later entry where entry.org_id = ${orgId} and entry.id = ${id}))`

/** Every rule, from one snapshot. */
export const checkBooks = (database: Database): Promise<BookVerdict[]> =>
  database.transaction(
    async (tx) => {
      await tx.script('set local statement_timeout = 0')
      const verdicts: BookVerdict[] = []
      for (const { name, holds, fails, find } of rules) {
        const violations = await find(tx)
        verdicts.push({ name, says: violations.length === 0 ? holds : fails, violations })
      }
      return verdicts
    },
    { isolation: 'repeatable read', readOnly: true },
  )

/** The keys of files that rows name and the storage does not have. */
export async function findMissingFiles(database: Database, storage: Storage): Promise<string[]> {
  const rows = await database.many<{ storage_key: string }>`
    select storage_key from media where storage_key is not null order by org_id, id`
  const missing: string[] = []
  for (const { storage_key: key } of rows) {
    const stream = await storage.stream(key)
    if (stream === null) missing.push(key)
    else await stream.cancel()
  }
  return missing
}
