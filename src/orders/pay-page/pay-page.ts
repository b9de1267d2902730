import type { OrganizationProfile } from '../../accounts/organizations/organizations.ts'
import type { Initiator } from '../../events/events.ts'
import { ProblemError } from '../../kernel/errors.ts'
import { isId, type OrgId } from '../../kernel/ids.ts'
import type { PayTarget } from '../../payments/attempts/attempts.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import { isLive } from '../../payments/payments.states.ts'
import { checkCharge } from '../../payments/provider-calls/provider-calls.ts'
import { openAttempt, planNewAttempt } from '../orders/orders.ts'
import type { OrdersContext } from '../orders-context.ts'
import { isSettled, stageOf } from '../settlement/settlement.ts'
import { findPayPage, type PayPageRow } from './pay-page.sql.ts'

/** The facts of the pay page. No customer data is read, so none can be shown. */
export type PayPageSource = {
  /** Returns null when the order does not exist. */
  read(target: PayTarget): Promise<PayPageFacts | null>
  /** Opens an attempt for the remaining amount, unless one is open or nothing is due: then the page says so. */
  payRemaining(target: PayTarget, method: string): Promise<void>
}

/** One way to pay the remaining amount. */
export type PayWay = { method: PaymentMethod; bank: string | null }

export type PayPageFacts = {
  row: PayPageRow
  profile: OrganizationProfile
  /** How the remaining amount can be paid. Empty while an attempt is open. */
  ways: readonly PayWay[]
}
export type { PayPageRow } from './pay-page.sql.ts'

/** A page takes one statement; the organization is cached. Payment accounts are read only when an amount remains due. */
export const createPayPageSource = (context: OrdersContext): PayPageSource => {
  const read = async ({ orgId, id }: PayTarget): Promise<PayPageFacts | null> => {
    const wanted = isId('ord', id) ? { orderId: id } : { paymentId: id }
    const row = await findPayPage(context.database, orgId, wanted)
    if (row === null) return null
    const ways = isPayableOn(row) ? await listWays(context, orgId, row.amount_remaining) : []
    return { row, profile: await context.profiles.read(orgId), ways }
  }
  return {
    read,
    async payRemaining(target, method) {
      const facts = await read(target)
      const way = facts?.ways.find((one) => one.method === method)
      if (facts == null || way === undefined) return
      await openRemaining(context, facts.row, way)
    },
  }
}

/** A part was received, or a bank reversed the payment, and no attempt is open. */
function isPayableOn(row: PayPageRow): boolean {
  const stage = stageOf(row)
  const isDue = (stage === 'partly_paid' || stage === 'reversed') && !isSettled(row)
  return isDue && !isLive(row.payment?.status ?? 'failed')
}

/** Staff collect these in person, so the page does not offer them. */
const IN_PERSON: readonly PaymentMethod[] = ['cash', 'cod', 'invoice', 'free']

async function listWays({ payments }: OrdersContext, orgId: OrgId, amount: number | null): Promise<PayWay[]> {
  const { accounts } = payments.context
  const enabled = await accounts.listEnabledMethods(orgId)
  const ways: PayWay[] = []
  for (const method of enabled.filter((one) => !IN_PERSON.includes(one))) {
    const found = await accounts.resolve(orgId, { method, bank: null })
    if (found.kind !== 'resolved') continue
    // The default bank is preferred; if the amount is outside its limits, another bank is used.
    const ofMethod = [found.capability, ...found.open.capabilities.filter((one) => one.method === method)]
    const able = ofMethod.find((one) => checkCharge(one, { amount, expirySeconds: null }) === null)
    if (able !== undefined) ways.push({ method, bank: able.bank })
  }
  return ways
}

const CUSTOMER: Initiator = { actor: { type: 'contact', id: null } }

/** Does nothing when another request opened an attempt, or a payment was received, in the same moment. */
async function openRemaining(context: OrdersContext, row: PayPageRow, { method, bank }: PayWay): Promise<void> {
  const { org_id: orgId, order_id: id } = row
  try {
    const input = { id, method, bank, amount: null, expiresInSeconds: null }
    const plan = await planNewAttempt(context, orgId, input)
    await context.database.transaction((tx) => openAttempt(context, tx, orgId, { id, plan, initiator: CUSTOMER }))
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
  }
}
