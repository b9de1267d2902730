import type { FieldProblem } from '../../kernel/errors.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import type { NewEntry } from '../../platform/outbox/entries.ts'
import type { OpenPaymentAccount } from '../accounts/accounts.ts'
import type { ChargeAttempt, ChargeOutcome, PaymentCapability, PaymentMethod } from '../payment-connector.ts'
import { paymentMethodNotConfigured } from '../payments.errors.ts'
import type { PaymentsContext } from '../payments-context.ts'
import { checkCharge } from '../provider-calls/provider-calls.ts'
import { storedDetails, storedFailure } from './payment-moves.ts'
import { type PaymentLinks, payUrlOf } from './payment-view.ts'
import type { PaymentRow } from './payments.sql.ts'

export type { PayTarget, PayTokens } from './pay-token.ts'
export { bookedAttempt, endAttemptAtOnce } from './payment-ending.ts'
export {
  applyReportAlone,
  applyReportTo,
  type LockedPayment,
  lockForMove,
  movePayment,
  paymentOf,
} from './payment-moves.ts'
export { type PaymentLinks, payUrlOf, presentMovement, presentPayment } from './payment-view.ts'
export { findPayment, findPaymentByProviderId } from './payments.sql.ts'
export { pauseMsOf, retryAfter } from './provider-retry.ts'
export { chooseUniqueAmount, readUsedAmounts, receivedUniqueAmount, type UsedAmounts } from './unique-amounts.ts'

/**
 * Creates an attempt from its terms. Method, bank, amount and time are checked against the account's capabilities before
 * anything is written or called. With a local connector the attempt is payable at once; otherwise it starts as `created`, with
 * an outbox entry that calls the provider.
 */
export const CHARGE_JOB = 'payments.charge'
export const WATCH_JOB = 'payments.watch'
export const END_JOB = 'payments.end'
export const PLANNED_NOTICE_JOB = 'payments.planned_notice'

export type AttemptTerms = {
  method: PaymentMethod
  bank: string | null
  /** Null for an open amount. */
  amount: number | null
  expiresInSeconds: number | null
  /** The payer's phone number in E.164, for wallets that ask in their app. */
  phone: string | null
  /** The fields of the request that errors refer to. */
  pointers: { amount: string; bank: string; expiry: string; phone: string }
}

export type AttemptPlan = { terms: AttemptTerms; open: OpenPaymentAccount; capability: PaymentCapability }

/** Throws a refusal that names the wrong fields. */
export async function planAttempt(
  { accounts }: Pick<PaymentsContext, 'accounts'>,
  orgId: OrgId,
  terms: AttemptTerms,
): Promise<AttemptPlan> {
  const resolution = await accounts.resolve(orgId, terms)
  if (resolution.kind === 'method_not_configured')
    throw paymentMethodNotConfigured({
      says: notConfigured(terms.method, resolution.enabledMethods),
      params: { method: terms.method, enabled: resolution.enabledMethods },
    })
  if (resolution.kind === 'bank_not_available') throw refuseValues([bankProblem(terms, resolution.banks)])
  const { open, capability } = resolution
  const problem = chargeProblem(terms, capability) ?? phoneProblem(terms, capability)
  if (problem !== null) throw refuseValues([problem])
  return { terms, open, capability }
}

const SET_UP = 'in the console under Settings, or with "npx nexkit payment-account create"'

const notConfigured = (method: string, enabled: readonly string[]) =>
  enabled.length === 0
    ? `This organization has no payment account yet. Set one up ${SET_UP}.`
    : `No payment account of the organization can take "${method}". Enabled: ${enabled.join(', ')}. Choose one of these, or set up an account for it ${SET_UP}.`

/** The words follow the field of the request: `bank` for virtual accounts, `channel` for every method. */
function bankProblem({ method, bank, pointers }: AttemptTerms, banks: string[]): FieldProblem {
  const field = pointers.bank.endsWith('/bank') ? 'bank' : 'channel'
  return {
    pointer: pointers.bank,
    code: banks.length === 0 ? `${field}_not_expected` : `${field}_not_available`,
    detail:
      banks.length === 0
        ? `"${method}" is paid without choosing a ${field}. Leave "${field}" out.`
        : `The provider has no ${method.replaceAll('_', ' ')} of "${bank}". Available: ${banks.join(', ')}.`,
    params: { allowed: banks },
  }
}

/** Maps a problem to the fields of the request, where the amount may be the sum of the items. */
function chargeProblem({ amount, expiresInSeconds, pointers }: AttemptTerms, capability: PaymentCapability) {
  const problem = checkCharge(capability, { amount, expirySeconds: expiresInSeconds })
  if (problem === null) return null
  const { field, code, says: detail, params } = problem
  return { pointer: field === 'amount' ? pointers.amount : pointers.expiry, code, detail, params }
}

const INDONESIAN = '+62'

/** Wallets that ask in their app know only Indonesian numbers. */
function phoneProblem({ phone, pointers }: AttemptTerms, { needsPhone, bank }: PaymentCapability): FieldProblem | null {
  if (!needsPhone || phone?.startsWith(INDONESIAN)) return null
  const name = (bank ?? '').toUpperCase()
  const detail = `${name} asks the payer in its app, so it needs the Indonesian phone number of the ${name} account.`
  return { pointer: pointers.phone, code: 'phone_required', detail, params: { channel: bank } }
}

export type AttemptFor = {
  orgId: OrgId
  orderId: Id<'ord'>
  orderNumber: string
  merchantName: string
  customer: { name: string | null; phone: string | null }
  links: PaymentLinks
  now: Date
  /** Added to the amount of the terms. */
  uniqueAmount?: number
}

export type DraftedAttempt = { row: PaymentRow; entries: NewEntry[] }

/** Makes no outbound call, so it may run in a transaction. */
export function draftAttempt({ terms, open, capability }: AttemptPlan, target: AttemptFor): DraftedAttempt {
  const { now, uniqueAmount = 0 } = target
  const seconds = terms.expiresInSeconds ?? capability.expirySecondsDefault
  const row: PaymentRow = {
    org_id: target.orgId,
    id: newId('pay', now.getTime()),
    order_id: target.orderId,
    account_id: open.account.id,
    provider: open.provider,
    method: terms.method,
    bank: capability.bank,
    status: 'created',
    amount: terms.amount === null ? null : terms.amount + uniqueAmount,
    unique_amount: uniqueAmount,
    amount_paid: 0,
    amount_refunded: 0,
    amount_reversed: 0,
    is_manual: capability.isManual,
    is_refundable: capability.isRefundable,
    provider_id: null,
    details: null,
    error: null,
    proofs: [],
    // Cash, on delivery and on account never expire, unless the request sets an expiry.
    expires_at: seconds > 0 ? new Date(now.getTime() + seconds * 1000) : null,
    paid_at: null,
    created_at: now,
    updated_at: now,
  }
  const customer = payerOf(target, terms)
  const attempt = chargeOf(row, { ...target, customer, returnUrl: payUrlOf(target.links, row) }, 1)
  const outcome = open.connector.chargeLocally?.(open.account, attempt) ?? null
  const charged = outcome === null ? row : chargedRow(row, outcome)
  const planned = charged.status === 'pending' ? plannedEntries(open, attempt, now) : []
  return { row: charged, entries: [...entriesOf(charged, { ...target, customer }), ...planned] }
}

/** The payer of an attempt may use another phone number than the customer of the order. */
const payerOf = ({ customer }: AttemptFor, { phone }: AttemptTerms): AttemptFor['customer'] => ({
  name: customer.name,
  phone: phone ?? customer.phone,
})

/** The notifications that the simulator plans, as if a provider sent them at that time. */
export const plannedEntries = (
  { connector, account }: OpenPaymentAccount,
  attempt: ChargeAttempt,
  now: Date,
): NewEntry[] =>
  (connector.plannedNotices?.(account, attempt, now) ?? []).map(({ dueAt, notice }, index) => ({
    id: `${attempt.id}:notice:${index}`,
    laneId: account.id,
    orgId: account.orgId,
    job: PLANNED_NOTICE_JOB,
    dueAt,
    payload: {
      method: notice.method,
      headers: Object.fromEntries(notice.headers),
      body: Buffer.from(notice.body).toString('base64'),
    },
  }))

export const chargeOf = (
  row: PaymentRow,
  target: Pick<AttemptFor, 'orderNumber' | 'merchantName' | 'customer'> & Pick<ChargeAttempt, 'returnUrl'>,
  attemptNumber: number,
): ChargeAttempt => ({
  id: row.id,
  orderId: row.order_id,
  orderNumber: target.orderNumber,
  method: row.method,
  bank: row.bank,
  amount: row.amount,
  expiresAt: row.expires_at,
  merchantName: target.merchantName,
  customer: target.customer,
  description: `Order ${target.orderNumber}`,
  returnUrl: target.returnUrl,
  attemptNumber,
})

/** An attempt with an unknown outcome stays `created`, and the outbox continues with it. */
function chargedRow(row: PaymentRow, outcome: ChargeOutcome): PaymentRow {
  if (outcome.kind === 'payable') {
    const { details } = outcome
    const expires = details.expiresAt ?? row.expires_at
    return {
      ...row,
      status: 'pending',
      provider_id: details.providerId,
      details: storedDetails(details),
      expires_at: expires,
    }
  }
  if (outcome.kind === 'unknown' || outcome.failure.class === 'unavailable') return row
  return { ...row, status: 'failed', error: storedFailure(outcome.failure) }
}

/** The entry carries the order facts that a charge needs, because payments cannot read orders. */
function entriesOf(row: PaymentRow, { orderNumber, merchantName, customer }: AttemptFor): NewEntry[] {
  const payload = { payment: row.id, order: row.order_id }
  const entry = { laneId: row.account_id, orgId: row.org_id }
  const charge = { ...entry, id: row.id, job: CHARGE_JOB, payload: { ...payload, orderNumber, merchantName, customer } }
  return [...(row.status === 'created' ? [charge] : []), ...watchEntry(row)]
}

const watchEntry = (row: PaymentRow): NewEntry[] =>
  row.expires_at === null
    ? []
    : [
        {
          id: `${row.id}:watch`,
          laneId: row.account_id,
          orgId: row.org_id,
          job: WATCH_JOB,
          dueAt: row.expires_at,
          payload: { payment: row.id, order: row.order_id },
        },
      ]

/** Ends an attempt at the provider, so that it can no longer be paid. */
export const endEntry = (row: PaymentRow): NewEntry => ({
  id: `${row.id}:end`,
  laneId: row.account_id,
  orgId: row.org_id,
  job: END_JOB,
  payload: { payment: row.id, order: row.order_id },
})

/** Ends an attempt that failed here but can still be paid at the provider. */
export const abandonEntry = (row: PaymentRow): NewEntry => {
  const entry = endEntry(row)
  return { ...entry, payload: { ...(entry.payload as object), isAbandoned: true } }
}
