import { checkBooks } from '../../src/cli/backup/books.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { countAnswered, type History } from './load.ts'
import type { Shop } from './shop.ts'

/**
 * Accounts for everything that was answered, sent, received and paid, by what the database says and what the world outside saw. Each
 * finding is a sentence; none means that every promise was kept. Work that is still under way is a finding, too: ask again until there
 * is none or it takes too long.
 */
export type Account = {
  violations: string[]
  counts: Record<'answered' | 'events' | 'deliveries' | 'repeated' | 'sends' | 'ambiguous' | 'rupiah', number>
}

export async function verify(database: Database, shop: Shop, history: History): Promise<Account> {
  const orgId = shop.orgId as OrgId
  const events = await database.many<EventRow>`
    select id, sequence, type, subject from events
    where org_id = ${orgId} and sequence is not null order by sequence`
  const messages = await database.many<MessageRow>`
    select m.id, m.body, m.direction, coalesce(s.status, 'queued') as status, s.provider_id, s.error->>'code' as error,
      s.unknown_since is not null as is_unknown
    from messages m left join message_states s on s.org_id = m.org_id and s.message_id = m.id
    where m.org_id = ${orgId}`
  const orders = await database.many<OrderRow>`
    select id, reference, amount_paid, amount_returned from orders where org_id = ${orgId}`
  const payments = await database.many<PaymentRow>`
    select id, order_id, provider_id, amount_paid, amount_refunded, is_manual from payments where org_id = ${orgId}`
  const refunds = await database.many<RefundRow>`
    select id, order_id, amount, status from refunds where org_id = ${orgId}`
  const counter = await database.maybeOne<{ last_sequence: number }>`
    select last_sequence from event_counters where org_id = ${orgId}`
  const sends = judgeSends(shop, messages)
  const arrived = judgeArrivals(shop, events, await listPending(database, orgId))
  return {
    violations: [
      ...history.wrong,
      ...judgeAnswers(history, { messages, orders }),
      ...judgeInbound(history, { messages, events }),
      ...judgeSequences(history, events, counter?.last_sequence ?? 0),
      ...arrived.violations,
      ...sends.violations,
      ...judgeMoney({ shop, history, orders, payments, refunds }),
    ],
    counts: {
      answered: countAnswered(history),
      events: events.length,
      deliveries: arrived.count,
      repeated: arrived.repeated,
      sends: shop.graph.accepted.length,
      ambiguous: sends.ambiguous,
      rupiah: payments.reduce((sum, { amount_paid }) => sum + amount_paid, 0),
    },
  }
}

/** Says what a finding may be waiting for: pending work by job, with the time until the next of it is due. */
export const listPendingWork = async (database: Database, shop: Shop): Promise<string[]> =>
  (
    await database.many<{ says: string }>`
      select entry.job || ' ' || entry.state || ': ' || count(*) || ', attempts up to ' || max(entry.attempt) || ', next due in '
        || round(extract(epoch from min(entry.due_at) - now())) || ' s, breaker ' || coalesce(max(lane.breaker), '-') as says
      from outbox_entries entry left join outbox_lanes lane on lane.org_id = entry.org_id and lane.id = entry.lane_id
      where entry.org_id = ${shop.orgId} group by entry.job, entry.state order by entry.job`
  ).map(({ says }) => `pending ${says}`)

/** What `doctor --deep` looks at, over all organizations. */
export const judgeBooks = async (database: Database): Promise<string[]> =>
  (await checkBooks(database)).flatMap(({ name, says, violations }) =>
    violations.map(({ subject }) => `${name} ${says}: ${subject}`),
  )

type EventRow = { id: string; sequence: number; type: string; subject: string }
type MessageRow = {
  id: string
  body: string | null
  direction: string
  status: string
  provider_id: string | null
  error: string | null
  is_unknown: boolean
}
type OrderRow = { id: string; reference: string | null; amount_paid: number; amount_returned: number }
type PaymentRow = {
  id: string
  order_id: string
  provider_id: string | null
  amount_paid: number
  amount_refunded: number
  is_manual: boolean
}
type RefundRow = { id: string; order_id: string; amount: number; status: string }

function judgeAnswers(
  history: History,
  { messages, orders }: { messages: MessageRow[]; orders: OrderRow[] },
): string[] {
  const messageIds = new Set(messages.map(({ id }) => id))
  const orderIds = new Set(orders.map(({ id }) => id))
  const texts = [...messages.map(({ body }) => body), ...orders.map(({ reference }) => reference)]
  const seen = new Set<unknown>()
  const doubles = texts.filter((text) => text !== null && history.asked.has(text) && seen.size === seen.add(text).size)
  return [
    ...history.messages.flatMap(({ id }) => (messageIds.has(id) ? [] : [`message ${id} was answered and is lost`])),
    ...history.orders.flatMap(({ id }) => (orderIds.has(id) ? [] : [`order ${id} was answered and is lost`])),
    ...doubles.map((text) => `"${text}" was asked for once and exists twice`),
  ]
}

function judgeInbound(
  history: History,
  { messages, events }: { messages: MessageRow[]; events: EventRow[] },
): string[] {
  const byWamid = Map.groupBy(
    messages.filter(({ direction }) => direction === 'inbound'),
    ({ provider_id }) => provider_id,
  )
  const received = Map.groupBy(
    events.filter(({ type }) => type === 'message.received'),
    ({ subject }) => subject,
  )
  return history.inbound
    .flatMap((wamid) => {
      const rows = byWamid.get(wamid) ?? []
      if (rows.length !== 1) return [`inbound ${wamid} was accepted and exists ${rows.length} times`]
      return []
    })
    .concat(
      [...received].flatMap(([subject, { length }]) =>
        length > 1 ? [`message.received was recorded ${length} times for ${subject}`] : [],
      ),
      received.size < history.inbound.length
        ? [`${history.inbound.length - received.size} inbound messages have no event`]
        : [],
    )
}

function judgeSequences({ sequences }: History, events: EventRow[], last: number): string[] {
  const gap = events.findIndex(({ sequence }, index) => sequence !== index + 1)
  const jump = sequences.findIndex((sequence, index) => sequence !== index + 1)
  return [
    ...(gap === -1 ? [] : [`the event at place ${gap + 1} has sequence ${events[gap]?.sequence}`]),
    ...(last === events.length ? [] : [`the counter is at ${last} with ${events.length} events`]),
    ...(jump === -1 ? [] : [`a reader of the feed saw ${sequences[jump]} after ${sequences[jump - 1]}`]),
    ...(sequences.length <= events.length ? [] : [`a reader saw ${sequences.length} of ${events.length} events`]),
  ]
}

/** By event and endpoint: where a delivery that did not succeed stands. */
const listPending = async (database: Database, orgId: OrgId): Promise<Map<string, string>> =>
  new Map(
    (
      await database.many<{ event_id: string; endpoint_id: string; says: string }>`
        select delivery.event_id, delivery.endpoint_id,
          delivery.status || ' after ' || delivery.attempts || ' attempts, breaker ' || lane.breaker
            || coalesce(' until ' || lane.blocked_until, '') || coalesce(', entry ' || entry.state, ', no entry') as says
        from webhook_deliveries delivery
        join outbox_lanes lane on lane.org_id = delivery.org_id and lane.id = delivery.endpoint_id
        left join outbox_entries entry on entry.org_id = delivery.org_id and entry.id = delivery.id
        where delivery.org_id = ${orgId} and delivery.status <> 'succeeded'`
    ).map(({ event_id, endpoint_id, says }) => [`${event_id} ${endpoint_id}`, says]),
  )

/** When the last breaker of the organization permits its next probe. */
export const readLastProbe = async (database: Database, shop: Shop): Promise<Date | null> =>
  (
    await database.one<{ at: Date | null }>`
      select max(blocked_until) as at from outbox_lanes where org_id = ${shop.orgId} and breaker <> 'closed'`
  ).at

function judgeArrivals(
  { arrivals, endpointIds, firstSequence }: Shop,
  events: EventRow[],
  pending: Map<string, string>,
): { violations: string[]; count: number; repeated: number } {
  const ids = new Set(events.map(({ id }) => id))
  const violations: string[] = []
  let [count, repeated] = [0, 0]
  for (const [endpoint, ofEndpoint] of arrivals) {
    const endpointId = endpointIds.get(endpoint) as string
    // What happens to an endpoint is reported to all others.
    const expected = events.filter(({ sequence, subject }) => sequence > firstSequence && subject !== endpointId)
    const missing = expected.filter(({ id }) => !ofEndpoint.has(id))
    for (const { id, type } of missing.slice(0, 1)) {
      const state = pending.get(`${id} ${endpointId}`) ?? 'no delivery is open'
      violations.push(`${missing.length} events did not reach "${endpoint}", the first is ${type} ${id}: ${state}`)
    }
    for (const [id, hashes] of ofEndpoint) {
      count += 1
      repeated += hashes.length - 1
      if (!ids.has(id)) violations.push(`event ${id} reached "${endpoint}" and is lost`)
      if (new Set(hashes).size > 1) violations.push(`event ${id} reached "${endpoint}" with different bytes`)
    }
  }
  return { violations, count, repeated }
}

const OUTCOME_UNKNOWN = 'outcome_unknown'

function judgeSends({ graph }: Shop, messages: MessageRow[]): { violations: string[]; ambiguous: number } {
  const copies = Map.groupBy(graph.accepted, ({ body }) => String(body.biz_opaque_callback_data))
  const outbound = messages.filter(({ direction }) => direction === 'outbound')
  const known = new Set(outbound.map(({ id }) => id))
  const isAmbiguous = ({ is_unknown, error }: MessageRow) => is_unknown || error === OUTCOME_UNKNOWN
  const violations = [...copies].flatMap(([id, { length }]) => [
    ...(length > 1 ? [`message ${id} was sent ${length} times`] : []),
    ...(known.has(id) ? [] : [`message ${id} was sent and is lost`]),
  ])
  for (const message of outbound) {
    const isSent = copies.has(message.id)
    if (message.status === 'queued' && !isAmbiguous(message)) violations.push(`message ${message.id} is not sent yet`)
    if (message.status === 'queued' && isSent) violations.push(`message ${message.id} was sent and is still queued`)
    if (message.status === 'failed' && isSent)
      violations.push(`message ${message.id} failed (${message.error}) and was sent`)
    if (message.status === 'failed' && !isAmbiguous(message))
      violations.push(`message ${message.id} failed: ${message.error}`)
    if (['sent', 'delivered'].includes(message.status) && !isSent)
      violations.push(`message ${message.id} is ${message.status} and was never sent`)
  }
  return { violations, ambiguous: outbound.filter(isAmbiguous).length }
}

type Money = {
  shop: Shop
  history: History
  orders: OrderRow[]
  payments: PaymentRow[]
  refunds: RefundRow[]
}

function judgeMoney({ shop, history, orders, payments, refunds }: Money): string[] {
  const byId = new Map(orders.map((order) => [order.id, order]))
  const byProviderId = new Map(payments.map((payment) => [payment.provider_id, payment]))
  const backOf = Map.groupBy(shop.xendit.listRefunds(), ({ payment_request_id }) => payment_request_id)
  const atProvider = shop.xendit.listRequests().flatMap((request) => {
    const id = String(request.payment_request_id)
    const paid = request.status === 'SUCCEEDED' ? Number(request.request_amount) : 0
    const back = backOf.get(id) ?? []
    const refunded = back.reduce((sum, row) => sum + (row.status === 'SUCCEEDED' ? Number(row.amount) : 0), 0)
    const booked = byProviderId.get(id)
    return [
      ...(paid === (booked?.amount_paid ?? 0)
        ? []
        : [`${id} was paid ${paid} and booked ${booked?.amount_paid ?? 'nowhere'}`]),
      ...(refunded === (booked?.amount_refunded ?? 0)
        ? []
        : [`${id} was refunded ${refunded} and booked ${booked?.amount_refunded ?? 'nowhere'}`]),
    ]
  })
  const marked = history.marked.flatMap(({ orderId, amount }) =>
    byId.get(orderId)?.amount_paid === amount
      ? []
      : [`${amount} was marked as paid for ${orderId}, which has ${byId.get(orderId)?.amount_paid}`],
  )
  const cash = payments.filter(({ is_manual, amount_paid }) => is_manual && amount_paid > 0)
  const unasked = cash.filter(({ order_id }) => !history.markAsked.has(order_id))
  const asked = Map.groupBy(refunds, ({ order_id }) => order_id)
  const refunded = history.refunds.flatMap(({ orderId, amount }) => {
    const rows = asked.get(orderId) ?? []
    return rows.length === 1 && rows[0]?.amount === amount && rows[0].status === 'succeeded'
      ? []
      : [`a refund of ${amount} for ${orderId} was accepted and is ${JSON.stringify(rows)}`]
  })
  const doubled = [...asked].flatMap(([orderId, { length }]) =>
    length > 1 ? [`${orderId} was refunded ${length} times`] : [],
  )
  return [
    ...atProvider,
    ...marked,
    ...unasked.map(({ id }) => `payment ${id} was never received`),
    ...refunded,
    ...doubled,
  ]
}
