import type { LedgerRow } from '../ledger/ledger.ts'
import type { MovementView, PaymentView } from '../payments.schemas.ts'
import type { PayTokens } from './pay-token.ts'
import type { PaymentRow } from './payments.sql.ts'

/** Shows payments and refunds as the API does. Addresses are derived each time, so no token is stored. */
export type PaymentLinks = { publicUrl: string; tokens: PayTokens }

export function presentPayment(links: PaymentLinks, row: PaymentRow): PaymentView {
  const { details } = row
  return {
    object: 'payment',
    id: row.id,
    order_id: row.order_id,
    method: row.method,
    bank: row.method === 'virtual_account' ? row.bank : null,
    channel: row.bank,
    provider: row.provider,
    status: row.status,
    amount: row.amount,
    unique_amount: row.unique_amount,
    amount_paid: row.amount_paid,
    amount_refunded: row.amount_refunded,
    amount_reversed: row.amount_reversed,
    currency: 'IDR',
    expires_at: row.expires_at?.toISOString() ?? null,
    paid_at: row.paid_at?.toISOString() ?? null,
    qris: presentQris(links, row),
    virtual_account: details?.virtual_account ?? null,
    bill: details?.bill ?? null,
    account_page: details?.account_page ?? null,
    ewallet: details?.ewallet ?? null,
    retail: details?.retail ?? null,
    card: details?.card ?? null,
    instructions: details?.instructions ?? null,
    pay_url: payUrlOf(links, row),
    error: row.error,
    proofs: row.proofs,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

const pageOf = ({ publicUrl, tokens }: PaymentLinks, target: Parameters<PayTokens['create']>[0]) =>
  `${publicUrl}/pay/${tokens.create(target)}`

/** The link names the order, so that a link in a chat still works after the customer chose another method. */
export const payUrlOf = (links: PaymentLinks, row: Pick<PaymentRow, 'org_id' | 'order_id'>): string =>
  pageOf(links, { orgId: row.org_id, id: row.order_id })

/** Uses our own image when there is a QR string, otherwise the provider's image. */
function presentQris(links: PaymentLinks, row: PaymentRow): PaymentView['qris'] {
  const { qr_string: text = null, qr_image_url: theirs = null } = row.details ?? {}
  if (text === null) return theirs === null ? null : { string: null, image_url: theirs }
  return { string: text, image_url: `${pageOf(links, { orgId: row.org_id, id: row.id })}/qr.png` }
}

export const presentMovement = (row: LedgerRow): MovementView => ({
  payment_id: row.payment_id,
  kind: row.kind,
  amount: row.amount,
  source: row.source,
  actor: { type: row.actor_type, id: row.actor_id },
  note: row.note,
  occurred_at: row.occurred_at.toISOString(),
  recorded_at: row.recorded_at.toISOString(),
})
