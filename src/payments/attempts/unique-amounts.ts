import type { OrgId } from '../../kernel/ids.ts'
import { MONEY_MAX } from '../../kernel/money.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { PaymentCapability } from '../payment-connector.ts'
import { listTransferAmounts, lockAccounts, type PaymentRow } from './payments.sql.ts'

/**
 * The unique amount of a manual bank transfer: 1 to 999 rupiah on top, so that no two open transfers to one account ask for the
 * same amount and the line of the statement identifies the order. The account's row is locked, so that two transactions never
 * choose the same amount. The order's number decides where the search starts, so that amounts of ended transfers return late.
 */
export type UsedAmounts = Map<string, Set<number>>

/** The members of an AttemptPlan that decide. */
type Plan = {
  terms: { amount: number | null }
  open: { account: { id: string } }
  capability: Pick<PaymentCapability, 'uniqueAmountMax'>
}

const maxOf = ({ capability: { uniqueAmountMax = 0 }, terms: { amount } }: Plan): number =>
  amount === null || amount + uniqueAmountMax > MONEY_MAX ? 0 : uniqueAmountMax

/** Locks the accounts of plans that need a unique amount, and reads the amounts of their open transfers. */
export async function readUsedAmounts(tx: Tx, orgId: OrgId, plans: readonly Plan[]): Promise<UsedAmounts> {
  const accounts = [...new Set(plans.filter((plan) => maxOf(plan) > 0).map(({ open }) => open.account.id))].toSorted()
  const used: UsedAmounts = new Map(accounts.map((id) => [id, new Set()]))
  if (accounts.length === 0) return used
  await lockAccounts(tx, orgId, accounts)
  for (const { account_id, amount } of await listTransferAmounts(tx, orgId, accounts)) used.get(account_id)?.add(amount)
  return used
}

/** Returns 0 for a plan without a unique amount, and when every amount is in use. Takes the amount. */
export function chooseUniqueAmount(used: UsedAmounts, plan: Plan, orderNumber: number): number {
  const { amount } = plan.terms
  const max = maxOf(plan)
  const taken = used.get(plan.open.account.id)
  if (amount === null || taken === undefined) return 0
  for (let step = 0; step < max; step += 1) {
    const extra = ((orderNumber + step) % max) + 1
    if (taken.has(amount + extra)) continue
    taken.add(amount + extra)
    return extra
  }
  return 0
}

type Paid = Pick<PaymentRow, 'amount' | 'amount_paid' | 'unique_amount'>

/** How much of its unique amount an attempt received. */
const receivedOf = ({ amount, amount_paid, unique_amount }: Paid): number =>
  amount === null ? 0 : Math.min(unique_amount, Math.max(0, amount_paid - (amount - unique_amount)))

type LastReceipt = {
  received: number
  /** What the order lacked before it. */
  remaining: number
  /** Of the attempt that received it. */
  unique_amount: number
}

/** An attempt asks for no more than the order lacks, and its unique amount, when money came by other ways meanwhile. */
const aboveRemaining = ({ received, remaining, unique_amount }: LastReceipt): number =>
  remaining <= 0 ? 0 : Math.min(unique_amount, Math.max(0, received - remaining))

/**
 * The part of what was received above the prices that the unique amounts of the attempts explain. It is never a surplus. `known` is
 * what earlier receipts explained.
 */
export function receivedUniqueAmount(
  payments: readonly Paid[],
  { priced, known, last }: { priced: number; known: number; last: LastReceipt },
): number {
  const paid = payments.reduce((sum, { amount_paid }) => sum + amount_paid, 0)
  const explained = payments.reduce((sum, payment) => sum + receivedOf(payment), 0)
  return Math.min(Math.max(explained, known + aboveRemaining(last)), Math.max(0, paid - priced))
}
