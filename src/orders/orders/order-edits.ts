import { isDeepStrictEqual } from 'node:util'
import { type Initiator, recordEvents } from '../../events/events.ts'
import { ProblemError } from '../../kernel/errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { type AttemptPlan, planAttempt } from '../../payments/attempts/attempts.ts'
import { isLive } from '../../payments/payments.states.ts'
import { refundsOf } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import { type CompanionOf, writeCompanions } from '../../platform/database/companions.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import { orderChanged, orderNotEditable, orderReferenceTaken } from '../orders.errors.ts'
import { orderEvents } from '../orders.events.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { isGivenUp } from '../settlement/orders.states.ts'
import { booksOf, settle } from '../settlement/settlement.ts'
import { getLockedOrder } from './locked-order.ts'
import { refuseTooMany } from './mark-paid.ts'
import { attemptEvents, awaitAnswer, endOpenAttempt, insertAttempt } from './order-attempts.ts'
import { changeOrder } from './order-changes.ts'
import { enqueueDue } from './order-due.ts'
import { mergeDelivery, readDueDate, readPhone } from './order-input.ts'
import { assertPiecesLeft, fillItems } from './order-products.ts'
import type { OrderChangesInput } from './order-requests.schemas.ts'
import { presentOrder } from './order-view.ts'
import type { OrderView } from './orders.schemas.ts'
import { listTakenReferences, lockCounter, type OrderDetails, type OrderRow, saveDetails } from './orders.sql.ts'
import { computeTotals, type Totals } from './totals.ts'

/**
 * Edits an order. What the customer pays can be changed while nothing was received; the rest at any time.
 *
 *   lock, If-Match, check everything that can be refused ─▶ nothing to replace: written in the same transaction
 *                         └▶ end the open attempt at its provider ─▶ lock: unchanged since? ─▶ write, open the new attempt
 *
 * The provider is called between two transactions. A payment that arrives meanwhile is recorded, and the edit is refused;
 * one that arrives on the old attempt later is decided by the settlement table. Of two edits that replace the same attempt
 * the first is written, and the second is refused.
 */
export type OrderEdit = {
  id: string
  changes: OrderChangesInput
  initiator: Initiator
  companion: CompanionOf | undefined
  /** Locks the order and compares `If-Match`. */
  assertMatch: (tx: Tx) => Promise<void>
}

type PlannedEdit = {
  details: OrderDetails
  /** The plan of the attempt that replaces the current one; null when the payment stays as it is. */
  plan: AttemptPlan | null
}

/** The caller reads the edited order afterwards. */
export async function editOrder(context: OrdersContext, orgId: OrgId, edit: OrderEdit): Promise<void> {
  const { database } = context
  const first = await database.transaction(async (tx) => {
    await edit.assertMatch(tx)
    const locked = await getLockedOrder(context, tx, orgId, edit.id)
    const planned = await planEdit(context, tx, locked, edit.changes)
    if (planned.plan === null) await writeEdit(context, tx, locked, { ...edit, ...planned })
    return { before: locked.row, payments: locked.payments, planned }
  })
  if (first.planned.plan === null) return
  const live = first.payments.find(({ status }) => isLive(status)) ?? null
  await endOpenAttempt(context, live, edit.initiator)
  const opened = await database.transaction(async (tx) => {
    const locked = await getLockedOrder(context, tx, orgId, edit.id)
    assertUnchanged(first, locked)
    return writeEdit(context, tx, locked, { ...edit, ...linkedAgain(first, locked.row) })
  })
  if (opened !== null) await awaitAnswer(context, opened)
}

/** Throws the refusal that `editOrder` would throw now. Nothing is stored. */
export const rehearseEdit = async (
  context: OrdersContext,
  orgId: OrgId,
  { id, changes }: Pick<OrderEdit, 'id' | 'changes'>,
): Promise<void> => {
  await context.database.transaction(async (tx) => {
    const locked = await getLockedOrder(context, tx, orgId, id)
    const { details } = await planEdit(context, tx, locked, changes)
    await assertReferenceFree(tx, locked.row, details.reference)
  })
}

/** The first notice to a customer links the order to their chat, also while the provider is called. */
function linkedAgain({ before, planned }: { before: OrderRow; planned: PlannedEdit }, row: OrderRow): PlannedEdit {
  const { details } = planned
  if (details.customer_phone !== before.customer_phone) return planned
  return { ...planned, details: { ...details, contact_id: row.contact_id, chat_id: row.chat_id } }
}

/** The order must be as it was planned for. Ending the attempt changed its payments, and may have revealed a payment. */
function assertUnchanged(first: { before: OrderRow; payments: readonly PaymentRow[] }, { row, payments }: LockedOrder) {
  assertPriceEditable(row)
  const { contact_id, chat_id } = row
  const isSame = isDeepStrictEqual(detailsOf(row), detailsOf({ ...first.before, contact_id, chat_id }))
  const isReplaced = payments.length !== first.payments.length || payments.some(({ status }) => isLive(status))
  if (!isSame || isReplaced || row.status !== first.before.status) throw orderChanged()
}

const detailsOf = (row: OrderRow): OrderDetails => ({
  customer_name: row.customer_name,
  customer_phone: row.customer_phone,
  contact_id: row.contact_id,
  chat_id: row.chat_id,
  items: row.items,
  subtotal: row.subtotal,
  discount: row.discount,
  shipping: row.shipping,
  tax: row.tax,
  tax_included: row.tax_included,
  total: row.total,
  notify: row.notify,
  reference: row.reference,
  note: row.note,
  metadata: row.metadata,
  delivery: row.delivery,
  due_at: row.due_at,
})

async function planEdit(
  context: OrdersContext,
  tx: Tx,
  { row, payments }: LockedOrder,
  changes: OrderChangesInput,
): Promise<PlannedEdit> {
  const totals = await totalsOf(tx, row, changes)
  // Pieces are taken when the edit is written. What is short already must not end the open attempt.
  if (totals.items !== row.items) await assertPiecesLeft(tx, { ...row, ...totals })
  const customer = await customerOf(context, row, changes)
  const { notify = row.notify, reference = row.reference, note = row.note, metadata = row.metadata } = changes
  const delivery = mergeDelivery(row.delivery, changes.delivery)
  const due_at = changes.due_at === undefined ? row.due_at : readDueDate(context.clock, changes.due_at)
  const details = { ...detailsOf(row), ...totals, ...customer, notify, reference, note, metadata, delivery, due_at }
  const isPriced = details.total !== row.total
  const current = payments.at(-1) ?? null
  // A code that another person received must not stay payable.
  const isReaddressed = details.customer_phone !== row.customer_phone && payments.some(({ status }) => isLive(status))
  if (current === null || !(isPriced || isReaddressed)) return { details, plan: null }
  if (details.total === 0) throw refuseValues([NOTHING_TO_PAY])
  refuseTooMany(payments)
  return {
    details,
    plan: await planReplacement(context, current, { amount: details.total, phone: details.customer_phone }),
  }
}

const NOTHING_TO_PAY = {
  pointer: '#/items',
  code: 'total_is_zero',
  detail: 'The total would be 0, but the order has a payment. Cancel it, and create a free order.',
}

/** The total after an edit; undefined when the edit leaves it as it is, or is refused. */
export async function editedTotal(
  queries: Queries,
  row: OrderRow,
  changes: OrderChangesInput,
): Promise<number | null | undefined> {
  try {
    const { total } = await totalsOf(queries, row, changes)
    return total === row.total ? undefined : total
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

const PRICED = ['items', 'amount', 'discount', 'shipping', 'tax'] as const

/** The totals of the edited order; what is left out keeps its amount. New items of products that name a tax bring it. */
async function totalsOf(queries: Queries, row: OrderRow, changes: OrderChangesInput): Promise<Totals> {
  const { subtotal, discount, shipping, tax, tax_included, total, items } = row
  const kept = { items, subtotal, discount, shipping, tax, tax_included, total }
  if (PRICED.every((name) => changes[name] === undefined)) return kept
  const filled = await fillItems(queries, row.org_id, changes.items)
  if (filled.refusal !== null) throw filled.refusal
  const isTaxed = filled.items?.some((item) => item.tax != null) ?? false
  const result = computeTotals({
    items: filled.items ?? items,
    ...amountOf(row, changes),
    ...ifGiven('discount', changes.discount ?? (discount || undefined)),
    ...ifGiven('shipping', changes.shipping ?? (shipping || undefined)),
    ...ifGiven('tax', changes.tax ?? (isTaxed ? undefined : tax || undefined)),
  })
  if (!result.ok) throw refuseValues([result.problem])
  const totals = changes.items === undefined ? { ...result.totals, items, tax_included } : result.totals
  if (isDeepStrictEqual(totals, { ...kept, total: total === null ? null : total - row.unique_amount })) return kept
  assertPriceEditable(row)
  if (row.billing_type === 'free' && totals.total !== 0)
    throw refuseValues([{ pointer: '#/items', code: 'total_not_zero', detail: 'The total of a free order must be 0.' }])
  return totals
}

const ifGiven = <Value>(name: string, value: Value | undefined) => (value === undefined ? {} : { [name]: value })

/** Without items the subtotal stays, so that a change of the shipping changes the total. */
function amountOf(row: OrderRow, { amount, items, discount, shipping, tax }: OrderChangesInput): { amount?: number } {
  if (amount !== undefined) return { amount }
  const hasItems = (items ?? row.items).length > 0
  if (hasItems || row.subtotal === null || items !== undefined) return {}
  const amountFrom = (given: unknown, kept: number) => (typeof given === 'number' ? given : kept)
  const parts = [amountFrom(shipping, row.shipping), amountFrom(tax, row.tax), -amountFrom(discount, row.discount)]
  return {
    amount: Math.max(
      0,
      parts.reduce((sum, part) => sum + part, row.subtotal),
    ),
  }
}

/** Money that was received was asked for the goods and prices as they were. */
function assertPriceEditable({ status, payment_status, amount_paid }: OrderRow): void {
  const isOver = isGivenUp(status) || status === 'completed'
  if (isOver || amount_paid > 0) throw orderNotEditable({ params: { status, payment_status } })
}

type Customer = Pick<OrderRow, 'customer_name' | 'customer_phone' | 'contact_id' | 'chat_id'>

/** With another phone the order belongs to another contact; it is linked to their chat as a new order is. */
async function customerOf(
  context: OrdersContext,
  row: OrderRow,
  { customer }: OrderChangesInput,
): Promise<Partial<Customer>> {
  if (customer === undefined) return {}
  const profile = await context.profiles.read(row.org_id)
  const name = customer.name === undefined ? row.customer_name : customer.name || null
  if (customer.phone === undefined) return { customer_name: name }
  const phone = readPhone(customer.phone, profile)
  if (phone === row.customer_phone) return { customer_name: name }
  return { customer_name: name, customer_phone: phone, contact_id: null, chat_id: null }
}

/** The same method, bank and time to pay as before. */
function planReplacement(
  context: OrdersContext,
  current: PaymentRow,
  { amount, phone }: { amount: number | null; phone: string | null },
): Promise<AttemptPlan> {
  const { method, bank, expires_at: expiresAt, created_at: createdAt } = current
  const seconds = expiresAt === null ? null : Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000)
  return planAttempt(context.payments.context, current.org_id, {
    method,
    bank,
    amount,
    expiresInSeconds: seconds,
    phone,
    pointers: { amount: '#/items', bank: '#/items', expiry: '#/items', phone: '#/customer/phone' },
  })
}

/** Returns the new attempt, if there is one. An edit that changes nothing records no event. */
async function writeEdit(
  context: OrdersContext,
  tx: Tx,
  locked: LockedOrder,
  { details, plan, initiator, companion }: PlannedEdit & Pick<OrderEdit, 'initiator' | 'companion'>,
): Promise<PaymentRow | null> {
  const before = locked.row
  if (companion !== undefined) await writeCompanions(tx, [companion(before.id)])
  if (plan === null && isDeepStrictEqual(details, detailsOf(before))) return null
  await assertReferenceFree(tx, before, details.reference)
  const shownBefore = await shown(context, tx, locked)
  await saveDetails(tx, before.org_id, { id: before.id, ...details })
  locked.row = { ...before, ...details }
  const payment = plan === null ? null : await insertAttempt(context, tx, locked, plan)
  const isDueMoved = details.due_at?.getTime() !== before.due_at?.getTime()
  if (isDueMoved) await enqueueDue(tx, [locked.row])
  const { events } = await changeOrder(context, tx, locked, {
    ...(payment !== null && { payment_id: payment.id }),
    ...settle(booksOf(locked), before.accepted_at !== null),
    ...(isDueMoved && { overdue_at: null }),
    initiator,
    before,
  })
  const data = await shown(context, tx, locked)
  const updated = { type: orderEvents.updated, subject: before.id, data, previous: difference(shownBefore, data) }
  const ofPayment = payment === null ? [] : attemptEvents(context, payment, initiator)
  const all = [...ofPayment, { ...updated, ...initiator }, ...events]
  await recordEvents(tx, before.org_id, all, context.clock.now())
  return payment
}

/** The counter's lock keeps a new order from taking the reference meanwhile. */
async function assertReferenceFree(tx: Tx, row: OrderRow, reference: string | null): Promise<void> {
  if (reference === null || reference === row.reference) return
  await lockCounter(tx, row.org_id)
  const [taken] = await listTakenReferences(tx, row.org_id, [reference])
  if (taken !== undefined) throw orderReferenceTaken({ params: { order_id: taken.id, reference } })
}

async function shown(context: OrdersContext, tx: Tx, locked: LockedOrder): Promise<OrderView> {
  const payment = locked.payments.find(({ id }) => id === locked.row.payment_id) ?? null
  return presentOrder(context.payments.context, locked.row, { payment, refunds: await refundsOf(tx, locked) })
}

/** Separate events report the payment. */
const UNCOMPARED: readonly (keyof OrderView)[] = ['payment', 'refunds', 'updated_at']

function difference(before: OrderView, after: OrderView): Record<string, unknown> {
  const names = (Object.keys(before) as (keyof OrderView)[]).filter((name) => !UNCOMPARED.includes(name))
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, before[name]]))
}
