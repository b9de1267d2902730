import type { OrganizationProfile } from '../../accounts/organizations/organizations.ts'
import { type Logo, readLogo, type ShopDetails, shopDetailsOf } from '../../accounts/shop-details/shop-details.ts'
import type { Initiator } from '../../events/events.ts'
import { ProblemError } from '../../kernel/errors.ts'
import { isId, type OrgId } from '../../kernel/ids.ts'
import type { PayTarget } from '../../payments/attempts/attempts.ts'
import { paymentNotEndable, paymentProviderUnavailable } from '../../payments/payments.errors.ts'
import { isLive } from '../../payments/payments.states.ts'
import { getPaymentById } from '../../payments/payments.ts'
import {
  type DocumentKind,
  findIssued,
  issueDocument,
  type PrintedDocument,
  readDocument,
} from '../documents/documents.ts'
import { type Language, languageOf } from '../notices/notices.ts'
import { awaitAnswer, endOpenAttempt, listWays, openAttempt, type PayWay, planNewAttempt } from '../orders/orders.ts'
import type { OrdersContext } from '../orders-context.ts'
import { isSettled, stageOf } from '../settlement/settlement.ts'
import { findPayPage, type PayPageRow } from './pay-page.sql.ts'

/** The facts of the pay page, and what its payer can do. No customer data is read, so none can be shown. */
export type PayPageSource = {
  /** Returns null when the order does not exist. */
  read(target: PayTarget): Promise<PayPageFacts | null>
  /** Opens an attempt for the remaining amount, unless nothing is due: then the page says so. */
  pay(target: PayTarget, wanted: WantedWay): Promise<PayProblem | null>
  /** The shop with the phone number that payers can ask. */
  readShop(orgId: OrgId): Promise<PayShop>
  readLogo(orgId: OrgId): Promise<Logo | null>
  /** A receipt or an invoice of an order, or the one that a link names. Null when there is none. */
  readDocument(target: PayTarget, wanted: WantedDocument): Promise<PrintedDocument | null>
}

export type PayShop = ShopDetails & { language: Language }

export type WantedDocument = { kind: DocumentKind | null; language: Language }

/** What the form of the page sends. Without a channel, the first one of the method is meant. */
export type WantedWay = { method: string; channel: string | null; phone: string | null }

/**
 * What the payer can do something about.
 *
 *   busy   the open attempt cannot be ended right now, so no other one is opened
 *   phone  the wallet needs another phone number
 */
export const payProblems = ['busy', 'phone'] as const
export type PayProblem = (typeof payProblems)[number]

export type PayPageFacts = {
  row: PayPageRow
  profile: OrganizationProfile
  /** How the remaining amount can be paid. While an attempt is open, only the payer of an order with a choice may change it. */
  ways: readonly PayWay[]
}
export type { PayWay } from '../orders/orders.ts'
export type { PayPageRow } from './pay-page.sql.ts'

/** A page takes one statement; the organization and the payment accounts are cached. */
export const createPayPageSource = (context: OrdersContext): PayPageSource => {
  const read = async ({ orgId, id }: PayTarget): Promise<PayPageFacts | null> => {
    const wanted = isId('ord', id) ? { orderId: id } : isId('pay', id) ? { paymentId: id } : null
    const row = wanted && (await findPayPage(context.database, orgId, wanted))
    if (row === null) return null
    const isOffered = canChoose(row, context.clock.now()) || isPayableOn(row)
    const { amount_remaining: amount, choice_methods: methods } = row
    const ways = isOffered ? await listWays(context, orgId, { amount, methods }) : []
    return { row, profile: await context.profiles.read(orgId), ways }
  }
  return {
    read,
    async readShop(orgId) {
      const profile = await context.profiles.read(orgId)
      const shop = shopDetailsOf(profile)
      const phone = shop.phone ?? (await context.findShopPhone(orgId))
      return { ...shop, phone, language: languageOf(profile) }
    },
    readLogo: (orgId) => readLogo(context.database, orgId),
    async readDocument(target, { kind, language }) {
      const document = await findOrIssue(context, target, kind)
      return document && readDocument(context, document, { language, hasCustomer: kind === null })
    },
    async pay(target, { method, channel, phone }) {
      const facts = await read(target)
      const way = facts?.ways.find((one) => one.method === method && (channel === null || one.bank === channel))
      if (facts == null || way === undefined || isOpenBy(facts.row, way)) return null
      return openWay(context, facts.row, { way, phone })
    },
  }
}

/** The link of a document names it; the link of an order names the order, and the path the kind. */
async function findOrIssue(context: OrdersContext, { orgId, id }: PayTarget, kind: DocumentKind | null) {
  if (kind === null) return findIssued(context, orgId, id)
  try {
    return await issueDocument(context, orgId, { orderId: id, kind })
  } catch (error) {
    if (error instanceof ProblemError) return null
    throw error
  }
}

/** Money is due, and the payer of this order may choose how to pay it. */
export function canChoose(row: PayPageRow, nowMs: number): boolean {
  if (row.choice_expires_at === null || row.choice_expires_at.getTime() <= nowMs) return false
  return ['awaiting', 'partly_paid', 'reversed'].includes(stageOf(row)) && !isSettled(row)
}

/** A part was received, or a bank reversed the payment, and no attempt is open. */
function isPayableOn(row: PayPageRow): boolean {
  const stage = stageOf(row)
  const isDue = (stage === 'partly_paid' || stage === 'reversed') && !isSettled(row)
  return isDue && !isLive(row.payment?.status ?? 'failed')
}

/** The payer pressed the button twice. */
const isOpenBy = ({ payment }: PayPageRow, { method, bank }: PayWay): boolean =>
  payment !== null && isLive(payment.status) && payment.method === method && payment.bank === bank

const CUSTOMER: Initiator = { actor: { type: 'contact', id: null } }

/**
 * Ends the attempt that the payer saw, and no other: one that was opened meanwhile belongs to another request. Does nothing
 * when that request was first, or when a payment was received in the same moment.
 */
async function openWay(
  context: OrdersContext,
  { org_id: orgId, order_id: id, payment }: PayPageRow,
  { way, phone }: { way: PayWay; phone: string | null },
): Promise<PayProblem | null> {
  const asked = { method: way.method, bank: null, channel: way.bank, amount: null, expiresInSeconds: null, phone }
  const input = { id, ...asked, isByPayer: true }
  try {
    const planned = await planNewAttempt(context, orgId, input)
    const seen = payment === null ? null : await getPaymentById(context.database, orgId, payment.id)
    const live = seen !== null && isLive(seen.status) ? seen : null
    await endOpenAttempt(context, live, CUSTOMER)
    // Ending it may have revealed a payment.
    const plan = live === null ? planned : await planNewAttempt(context, orgId, input)
    const opened = await context.database.transaction((tx) =>
      openAttempt(context, tx, orgId, { id, plan, initiator: CUSTOMER }),
    )
    await awaitAnswer(context, opened.payment)
    return null
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return problemOf(error)
  }
}

const BUSY: readonly string[] = [paymentNotEndable.code, paymentProviderUnavailable.code]

const problemOf = ({ code, options }: ProblemError): PayProblem | null => {
  if (BUSY.includes(code)) return 'busy'
  return options.errors?.some(({ pointer }) => pointer === '#/phone') ? 'phone' : null
}
