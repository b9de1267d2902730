import { type Initiator, type NewEvent, recordEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import {
  chooseUniqueAmount,
  draftAttempt,
  presentPayment,
  readUsedAmounts,
  type UsedAmounts,
} from '../../payments/attempts/attempts.ts'
import { paymentEvents } from '../../payments/payments.events.ts'
import { isLive } from '../../payments/payments.states.ts'
import { insertAttempts } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import { type CompanionOf, writeCompanions } from '../../platform/database/companions.ts'
import type { Tx } from '../../platform/database/database.ts'
import { createGroupCommit, type GroupCommit, type Outcome } from '../../platform/database/group-commit.ts'
import { commitSpanOf } from '../../platform/database/group-commit-batch.ts'
import { type IdempotencyClaim, IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
import { renderValue } from '../../platform/http/pipeline/reply-shape.ts'
import { enqueueAhead, type NewEntry } from '../../platform/outbox/entries.ts'
import { within } from '../../platform/telemetry/spans.ts'
import { lockShelf, recordSoldOut, type Shelf, saveShelf, takePieces } from '../../products/products.ts'
import { orderReferenceTaken } from '../orders.errors.ts'
import { orderEvents } from '../orders.events.ts'
import type { OrdersContext } from '../orders-context.ts'
import { paymentStatusOf } from '../settlement/settlement.ts'
import { EXPIRE_JOB } from './locked-order.ts'
import { answering } from './order-answers.ts'
import { enqueueDue } from './order-due.ts'
import type { OrderDraft } from './order-input.ts'
import { presentOrder } from './order-view.ts'
import { Order, type OrderView } from './orders.schemas.ts'
import {
  type ClaimRow,
  insertClaims,
  insertOrders,
  listTakenReferences,
  listUsedClaims,
  lockCounter,
  type OrderRow,
  saveCounter,
} from './orders.sql.ts'

/**
 * Writes the new orders of many requests of one organization in one transaction of two rounds:
 *
 *   1. lock the counter of the organization and read which references and idempotency keys are used. No other transaction
 *      creates orders of the organization until the commit, so a free reference stays free.
 *   2. number the accepted orders, draft their attempts (a local connector answers at once), and write orders, attempts,
 *      outbox entries, stored answers and, last, events, because all other work of the organization waits for their counter.
 *
 * A refused order takes no number, so only unpaid checkouts leave gaps.
 */
export type OrderItem = {
  orgId: OrgId
  draft: OrderDraft
  claim: IdempotencyClaim | null
  /** The path of the list, for the location in the stored answer. */
  path: string
  initiator: Initiator
  companion: CompanionOf | null
}

export type WrittenOrder = { order: OrderRow; payment: PaymentRow | null; view: OrderView }

const ORDER_CREATED = 201

export const createOrderWriter = (context: OrdersContext): GroupCommit<OrderItem, WrittenOrder> =>
  createGroupCommit({
    name: 'orders',
    // One batch per organization runs at a time, and the next one grows meanwhile. Two alternatives were no faster: a second
    // batch that waits for the counter in the database (its smaller batches took 10 % more processor time on both sides), and
    // predicting the numbers to prepare the next batch while this one is written.
    groupOf: (item) => item.orgId,
    batchesInFlightMax: 1,
    write: (items) => writeOrders(context, items),
  })

/** Starts with the reads, because locking the counters does not change their results. */
function writeOrders(context: OrdersContext, items: OrderItem[]): Promise<Outcome<WrittenOrder>[]> {
  return context.database.transaction((tx) => writeBatch(context, tx, items), { opensWithReads: true })
}

async function writeBatch(
  context: OrdersContext,
  tx: Tx,
  items: readonly OrderItem[],
): Promise<Outcome<WrittenOrder>[]> {
  const { orgId } = firstOf(items)
  const { numbers, refusals, shelf, used } = await takePlaces(tx, orgId, items)
  const written = items.map((item, index) => {
    const refusal = refusals[index] ?? null
    return refusal === null ? numberOrder(context, { numbers, used }, item) : refusal
  })
  const accepted = written.filter((one): one is Numbered => !(one instanceof Error))
  if (accepted.length > 0) await insertAll(context, tx, orgId, { written: accepted, numbers, shelf })
  return written.map((one) => (one instanceof Error ? { ok: false, error: one } : { ok: true, value: one }))
}

type Numbers = { last: number }

async function takePlaces(tx: Tx, orgId: OrgId, items: readonly OrderItem[]) {
  const wanted = items.flatMap(({ draft: { row } }) => row.reference ?? [])
  const claims = items.flatMap(({ claim }) => claim ?? [])
  const [last, taken, claimed, shelf, used] = await Promise.all([
    lockCounter(tx, orgId),
    wanted.length === 0 ? [] : listTakenReferences(tx, orgId, wanted),
    claims.length === 0 ? [] : listUsedClaims(tx, orgId, claims),
    lockShelf(
      tx,
      orgId,
      items.flatMap(({ draft }) => draft.wanted.map(({ productId }) => productId)),
    ),
    readUsedAmounts(
      tx,
      orgId,
      items.flatMap(({ draft }) => draft.plan ?? []),
    ),
  ])
  const references = new Map<string, string>(taken.map((row) => [row.reference, row.id]))
  const keys = new Set(claimed.map((row) => `${row.operation} ${row.key}`))
  const numbers: Numbers = { last }
  return { numbers, shelf, used, refusals: items.map((item) => refusalOf(item, { references, keys, shelf })) }
}

type Taken = { references: Map<string, string>; keys: Set<string>; shelf: Shelf }

/** Of two equal references or keys in one batch, or two orders for the last piece, the first is accepted and the second is refused. */
function refusalOf(item: OrderItem, { references, keys, shelf }: Taken): Error | null {
  const { claim, draft } = item
  const key = claim === null ? null : `${claim.operation} ${claim.key}`
  if (key !== null && keys.has(key)) return new IdempotencyRaceLost()
  const { id, reference } = draft.row
  const holder = reference === null ? undefined : references.get(reference)
  if (holder !== undefined) return orderReferenceTaken({ params: { order_id: holder, reference } })
  const shortage = takePieces(shelf, id, draft.wanted)
  if (shortage !== null) return shortage
  if (reference !== null) references.set(reference, id)
  if (key !== null) keys.add(key)
  return null
}

type Numbered = WrittenOrder & { item: OrderItem; entries: NewEntry[] }

function numberOrder(
  context: OrdersContext,
  { numbers, used }: { numbers: Numbers; used: UsedAmounts },
  item: OrderItem,
): Numbered {
  const { orgId, draft } = item
  numbers.last += 1
  const number = numbers.last
  const { row, plan, merchantName } = draft
  const attempt =
    plan === null
      ? null
      : draftAttempt(plan, {
          orgId,
          orderId: row.id,
          orderNumber: String(number),
          merchantName,
          customer: { name: row.customer_name, phone: row.customer_phone },
          links: context.payments.context,
          now: row.created_at,
          uniqueAmount: chooseUniqueAmount(used, plan, number),
        })
  const payment = attempt?.row ?? null
  const hasLiveAttempt = payment !== null && isLive(payment.status)
  const books = { total: row.total, paid: 0, refunded: 0, reversed: 0, standing: 0, left: row.total, hasLiveAttempt }
  const order = { ...row, number, payment_id: payment?.id ?? null, payment_status: paymentStatusOf(books) }
  const view = presentOrder(context.payments.context, order, { payment, refunds: [] })
  const traceparent = commitSpanOf(item)?.traceparent
  const entries = [...(attempt?.entries ?? []), ...choiceEntries(draft)]
  const traced = traceparent === undefined ? entries : entries.map((entry) => ({ ...entry, traceparent }))
  return { item, order, payment, view, entries: traced }
}

/** The end of the time to choose, in the lane of one of the accounts. */
const choiceEntries = ({ row, choiceAccountId: laneId }: OrderDraft): NewEntry[] =>
  laneId === null || row.choice_expires_at === null
    ? []
    : [
        {
          id: `${row.id}:expire`,
          laneId,
          orgId: row.org_id,
          job: EXPIRE_JOB,
          dueAt: row.choice_expires_at,
          payload: { order: row.id },
        },
      ]

async function insertAll(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { written, numbers, shelf }: { written: readonly Numbered[]; numbers: Numbers; shelf: Shelf },
): Promise<void> {
  const payments = written.flatMap(({ payment }) => payment ?? [])
  const entries = written.flatMap((one) => one.entries)
  const claims = written.flatMap(claimRow)
  const shown = written.filter(({ order }) => !order.is_checkout)
  await Promise.all(
    shown.map(({ item, order }) => within(commitSpanOf(item), () => context.onOrderMoved(tx, order, null))),
  )
  await recordEvents(tx, orgId, shown.flatMap(eventsOf(context)), context.clock.now())
  await recordSoldOut(tx, orgId, shelf, context.clock.now())
  const companions = written.flatMap(({ item, order }) => item.companion?.(order.id) ?? [])
  if (companions.length > 0) await writeCompanions(tx, companions)
  await enqueueDue(
    tx,
    written.map(({ order }) => order),
  )
  const isDue = entries.some(({ dueAt }) => dueAt === undefined)
  if (isDue) tx.afterCommit(() => context.payments.context.wake([orgId]))
  await tx.finish(() =>
    Promise.all([
      saveCounter(tx, orgId, numbers.last),
      insertOrders(
        tx,
        orgId,
        written.map(({ order }) => order),
      ),
      insertAttempts(tx, orgId, payments),
      ...saveShelf(tx, orgId, shelf, context.clock.now()),
      enqueueAhead(tx, entries, new Date(context.clock.now())),
      ...(claims.length === 0 ? [] : [insertClaims(tx, orgId, claims, ORDER_CREATED)]),
    ]),
  )
}

const claimRow = ({ item, order, payment, view }: Numbered): ClaimRow[] =>
  item.claim === null
    ? []
    : [
        {
          claim: payment?.status === 'created' ? answering(item.claim) : item.claim,
          body: renderValue(Order, view),
          location: `${item.path}/${order.id}`,
        },
      ]

const eventsOf =
  (context: OrdersContext) =>
  ({ item, order, payment, view }: Numbered): NewEvent[] => {
    const { initiator } = item
    const about = { subject: order.id, data: view, ...initiator }
    const events: NewEvent[] = [{ type: orderEvents.created, ...about }]
    if (order.payment_status === 'paid') events.push({ type: orderEvents.paid, ...about })
    const name = payment?.status
    if (payment === null || (name !== 'pending' && name !== 'failed')) return events
    const data = view.payment ?? presentPayment(context.payments.context, payment)
    return [...events, { type: paymentEvents[name], subject: payment.id, data, ...initiator }]
  }
