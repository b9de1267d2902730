import type { Initiator } from '../../events/events.ts'
import { ProblemError } from '../../kernel/errors.ts'
import { type Id, isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { PayTarget } from '../../payments/attempts/attempts.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import { momentOf } from '../../platform/http/schemas.ts'
import type { NewOrderInput } from '../orders/order-requests.schemas.ts'
import { createOrder, type OrdersParts, rehearseOrder } from '../orders/orders.ts'
import { orderReferenceTaken, paymentLinkNotFound } from '../orders.errors.ts'
import type { OrdersContext } from '../orders-context.ts'
import type { LinkChangeInput, NewLinkInput, PaymentLinkView } from './payment-links.schemas.ts'
import {
  findLink,
  insertLink,
  type LinkUse,
  listLinkOrders,
  listLinks,
  listLinkUses,
  lockLink,
  type PaymentLinkRow,
  saveLink,
} from './payment-links.sql.ts'

/**
 * Payment links. A payer who goes on from the page of the link opens a checkout (checkouts.ts) with `billingType` `choice`, which
 * becomes an order when it is paid, and expires when it is not paid within an hour.
 *
 * All payers of a single-use link share one: its reference names the link, and references are unique, so two payers who come at
 * once get the same. When it ended unpaid, the next payer gets another one.
 */
const CHOICE_SECONDS = 3600

const NO_USE = { paid_count: 0, amount_received: 0 }

function statusOf(row: PaymentLinkRow, { paid_count: paid }: Omit<LinkUse, 'payment_link_id'>, nowMs: number) {
  if (row.single_use && paid > 0) return 'paid'
  if (!row.active) return 'inactive'
  return row.expires_at !== null && row.expires_at.getTime() <= nowMs ? 'expired' : 'active'
}

export async function presentLinks(
  context: OrdersContext,
  queries: Queries,
  rows: readonly PaymentLinkRow[],
): Promise<PaymentLinkView[]> {
  const [first] = rows
  if (first === undefined) return []
  const ids = rows.map(({ id }) => id)
  const uses = new Map((await listLinkUses(queries, first.org_id, ids)).map((use) => [use.payment_link_id, use]))
  return rows.map((row) => presentRow(context, row, uses.get(row.id) ?? NO_USE))
}

async function presentLink(context: OrdersContext, queries: Queries, row: PaymentLinkRow): Promise<PaymentLinkView> {
  const [use] = await listLinkUses(queries, row.org_id, [row.id])
  return presentRow(context, row, use ?? NO_USE)
}

function presentRow(
  { payments, clock }: OrdersContext,
  row: PaymentLinkRow,
  use: Omit<LinkUse, 'payment_link_id'>,
): PaymentLinkView {
  const { tokens, publicUrl } = payments.context
  return {
    object: 'payment_link',
    id: row.id,
    url: `${publicUrl}/pay/${tokens.create({ orgId: row.org_id, id: row.id })}`,
    status: statusOf(row, use, clock.now()),
    title: row.title,
    description: row.description,
    amount: row.amount,
    amount_min: row.amount_min,
    amount_max: row.amount_max,
    currency: 'IDR',
    single_use: row.single_use,
    methods: row.methods,
    active: row.active,
    expires_at: row.expires_at?.toISOString() ?? null,
    paid_count: use.paid_count,
    amount_received: use.amount_received,
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export const listLinkRows = (
  context: OrdersContext,
  orgId: OrgId,
  filter: Parameters<typeof listLinks>[2],
): Promise<PaymentLinkRow[]> => listLinks(context.database, orgId, filter)

export async function getLink(context: OrdersContext, queries: Queries, orgId: OrgId, id: string) {
  const row = await findLink(queries, orgId, id)
  if (row === null) throw paymentLinkNotFound({ params: { id } })
  return presentLink(context, queries, row)
}

function readExpiry({ clock }: OrdersContext, text: string | null | undefined): Date | null {
  if (text == null) return null
  const at = momentOf(text)
  if (at.getTime() > clock.now()) return at
  throw refuseValues([{ pointer: '#/expires_at', code: 'in_the_past', detail: 'The expiry must be in the future.' }])
}

/** Refuses amounts that contradict each other, and those that no method takes. */
export async function checkNewLink(parts: OrdersParts, orgId: OrgId, input: NewLinkInput): Promise<void> {
  const { amount, amount_min: min, amount_max: max, methods } = input
  if (amount !== undefined && (min !== undefined || max !== undefined)) {
    const pointer = min === undefined ? '#/amount_max' : '#/amount_min'
    const detail = 'A link with an amount has no limits. Leave them out, or leave "amount" out.'
    throw refuseValues([{ pointer, code: 'not_allowed', detail }])
  }
  if (min !== undefined && max !== undefined && min > max) {
    const detail = 'The lowest amount is above the highest.'
    throw refuseValues([{ pointer: '#/amount_min', code: 'amount_too_high', detail, params: { max } }])
  }
  const tried = amount ?? max ?? min
  const payment = methods === undefined ? {} : { payment: { methods } }
  try {
    await rehearseOrder(parts, orgId, { billingType: 'choice', amount: tried ?? TRIED_AMOUNT, ...payment })
  } catch (error) {
    throw error instanceof ProblemError ? pointedAt(error, amount === undefined ? '#/amount_max' : '#/amount') : error
  }
}

/** An open amount without limits is tried with one that every method takes. */
const TRIED_AMOUNT = 50_000

/** The refusal of an order points at the members of an order. */
function pointedAt(error: ProblemError, pointer: string): ProblemError {
  const errors = error.options.errors?.map((one) => {
    if (one.pointer === '#/amount') return { ...one, pointer }
    return { ...one, ...(one.pointer && { pointer: one.pointer.replace('#/payment/', '#/') }) }
  })
  return errors === undefined ? error : refuseValues(errors)
}

export async function createLink(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  input: NewLinkInput,
): Promise<PaymentLinkView> {
  const nowMs = context.clock.now()
  const now = new Date(nowMs)
  const row: PaymentLinkRow = {
    org_id: orgId,
    id: newId('plk', nowMs),
    title: input.title,
    description: input.description || null,
    amount: input.amount ?? null,
    amount_min: input.amount_min ?? null,
    amount_max: input.amount_max ?? null,
    single_use: input.single_use ?? false,
    methods: input.methods ?? null,
    expires_at: readExpiry(context, input.expires_at),
    active: true,
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  }
  await insertLink(tx, row)
  return presentLink(context, tx, row)
}

export const holdLink = (tx: Tx, orgId: OrgId, id: string) => lockLink(tx, orgId, id)

export async function changeLink(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { id, input }: { id: string; input: LinkChangeInput },
): Promise<PaymentLinkView> {
  const before = await lockLink(tx, orgId, id)
  if (before === null) throw paymentLinkNotFound({ params: { id } })
  const { expires_at: expiry, ...given } = input
  const row: PaymentLinkRow = {
    ...before,
    title: given.title ?? before.title,
    description: given.description === undefined ? before.description : given.description || null,
    active: given.active ?? before.active,
    metadata: given.metadata ?? before.metadata,
    expires_at: expiry === undefined ? before.expires_at : readExpiry(context, expiry),
    updated_at: new Date(context.clock.now()),
  }
  await saveLink(tx, row)
  return presentLink(context, tx, row)
}

/** What the page of a link needs, and what its payer can do. */
export type LinkPageSource = {
  read(target: PayTarget): Promise<PaymentLinkView | null>
  /** Returns the order to pay, or what the payer can correct. */
  open(target: PayTarget, payer: LinkPayer): Promise<LinkOutcome>
}

export type LinkPayer = { amount: number | null; name: string | null; phone: string | null }
export const linkProblems = ['amount', 'phone', 'closed'] as const
export type LinkProblem = (typeof linkProblems)[number]
export type LinkOutcome = { orderId: Id<'ord'> } | { problem: LinkProblem }

export const createLinkPageSource = (parts: OrdersParts): LinkPageSource => {
  const { context } = parts
  const read = async ({ orgId, id }: PayTarget) => {
    const row = isId('plk', id) ? await findLink(context.database, orgId, id) : null
    return row && presentLink(context, context.database, row)
  }
  return {
    read,
    async open(target, payer) {
      const link = await read(target)
      if (link === null) return { problem: 'closed' }
      const current = link.single_use ? await findCurrent(context, target) : null
      if (current?.openId != null) return { orderId: current.openId }
      if (link.status !== 'active') return { problem: 'closed' }
      const amount = link.amount ?? payer.amount
      const isOutside = amount === null || amount < (link.amount_min ?? 1) || amount > (link.amount_max ?? amount)
      return isOutside
        ? { problem: 'amount' }
        : openOrder(parts, target, { link, payer, amount, place: current?.place ?? null })
    },
  }
}

const ENDED = ['cancelled', 'expired']

/** The order that all payers of a single-use link share, and the place of the next one in its references. */
async function findCurrent({ database }: OrdersContext, { orgId, id }: PayTarget) {
  const orders = await listLinkOrders(database, orgId, id)
  return { openId: orders.find(({ status }) => !ENDED.includes(status))?.id ?? null, place: orders.length + 1 }
}

const PAYER: Initiator = { actor: { type: 'contact', id: null } }

type Opening = { link: PaymentLinkView; payer: LinkPayer; amount: number; place: number | null }

/** Sends no messages about the order: the phone number is whatever a visitor typed. */
async function openOrder(
  parts: OrdersParts,
  { orgId, id }: PayTarget,
  { link, payer, amount, place }: Opening,
): Promise<LinkOutcome> {
  if (!isId('plk', id)) return { problem: 'closed' }
  const leftMs = link.expires_at === null ? null : Date.parse(link.expires_at) - parts.context.clock.now()
  const seconds = leftMs === null ? CHOICE_SECONDS : Math.max(1, Math.min(CHOICE_SECONDS, Math.ceil(leftMs / 1000)))
  const input: NewOrderInput = {
    billingType: 'choice',
    payment: { expires_in_seconds: seconds, ...(link.methods !== null && { methods: link.methods }) },
    items: [{ name: link.title, quantity: 1, unit_price: amount }],
    customer: { name: payer.name, phone: payer.phone },
    notify: false,
    metadata: link.metadata,
    ...(place !== null && { reference: `${link.id}/${place}` }),
  }
  try {
    const initiator = PAYER
    const order = await createOrder(parts, orgId, {
      input,
      claim: null,
      path: '/orders',
      initiator,
      paymentLinkId: id,
    })
    return isId('ord', order.id) ? { orderId: order.id } : { problem: 'closed' }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const holder = error.code === orderReferenceTaken.code ? error.options.params?.order_id : null
    if (typeof holder === 'string' && isId('ord', holder)) return { orderId: holder }
    return { problem: problemOf(error) }
  }
}

function problemOf({ options }: ProblemError): LinkProblem {
  const pointers = options.errors?.map(({ pointer }) => pointer) ?? []
  if (pointers.includes('#/customer/phone')) return 'phone'
  return pointers.some((pointer) => pointer === '#/items' || pointer === '#/amount') ? 'amount' : 'closed'
}
