import type { OrgId } from '../../src/kernel/ids.ts'
import type { KnownAttempt, PaymentReport } from '../../src/payments/payment-connector.ts'
import type { OrdersBench } from './orders.ts'
import { reportOf } from './scripted-payments.ts'
import { until } from './until.ts'
import type { Json } from './webhooks.ts'

/** Helpers of the cases about an order's money: what the provider reports, and the resulting order. */
export const known = (payment: Json): KnownAttempt => ({
  id: payment.id,
  providerId: `scripted_${payment.id}`,
  method: payment.method,
  bank: payment.bank,
  amount: payment.amount,
})

export const paid = (payment: Json, fields: Partial<PaymentReport> = {}) =>
  reportOf(known(payment), { state: 'paid', ...fields })

export const summary = (order: Json) => [
  order.status,
  order.payment_status,
  order.payment.status,
  order.needs_review?.reasons ?? [],
]

export const casesOf = (shop: OrdersBench) => ({
  /** With a provider far away, and a till. */
  remoteOrg: (settings: Record<string, unknown> = {}) => shop.anOrg(['xendit', 'manual'], settings),
  /** The books must be right at every read. */
  async summaryOf(orgId: OrgId, order: Json) {
    await shop.checkBooks(orgId)
    return summary(await shop.getOrder(orgId, order.id))
  },
  /** Until the provider was asked to charge the only attempt of an organization; others may have been left by earlier tests. */
  untilCharged: (orgId: OrgId) =>
    until(async () => {
      const attempt = await shop.database.maybeOne<{ id: string }>`select id from payments where org_id = ${orgId}`
      return attempt !== null && shop.remote.calls.includes(`charge ${attempt.id}`)
    }),
})
