import { z } from 'zod'
import { Actor, whenAbsent } from '../events/events.ts'
import { MONEY_MAX } from '../kernel/money.ts'
import { idSchema, textSchema, timeSchema } from '../platform/http/schemas.ts'
import { paymentProviders } from './connectors/connectors.ts'
import { paymentMethods } from './payment-connector.ts'
import { paymentStates, refundStates } from './payments.states.ts'

/** Whole rupiah. */
export const moneySchema = z.int().min(0).max(MONEY_MAX)

export const currencySchema = z.literal('IDR')

const Failure = z
  .object({
    code: z
      .string()
      .max(64)
      .regex(/^[a-z0-9_]+$/),
    detail: textSchema(1000),
    provider_code: textSchema(200).nullable(),
  })
  .meta({ id: 'PaymentFailure', description: 'Why it failed, with the reason of the provider.' })

/** Newer proofs replace older ones. */
export const PROOFS_MAX = 10

const PaymentProof = z
  .object({
    message_id: idSchema('msg'),
    chat_id: idSchema('chat'),
    media_id: textSchema(64).meta({ description: 'The file. It may be deleted like any other.' }),
    mime_type: textSchema(200).nullable(),
    filename: textSchema(300).nullable(),
    added_at: timeSchema,
  })
  .meta({ id: 'PaymentProof', description: 'A picture or document of a message, as proof of a payment.' })

export const PaymentProofRequest = z
  .strictObject({ message_id: idSchema('msg').meta({ description: 'A message with a picture or a document.' }) })
  .meta({ id: 'PaymentProofRequest', description: 'Which message proves the payment.' })

export const Payment = z
  .object({
    object: z.literal('payment'),
    id: idSchema('pay'),
    order_id: idSchema('ord'),
    method: z.enum(paymentMethods),
    bank: z
      .string()
      .max(30)
      .regex(/^[a-z0-9_]+$/)
      .nullable()
      .meta({ description: 'The bank of a virtual account.' }),
    channel: whenAbsent(
      z
        .string()
        .max(30)
        .regex(/^[a-z0-9_]+$/)
        .nullable()
        .meta({
          description:
            'The bank of a virtual account, the wallet of an e-wallet payment, the store of a retail payment, or the card or pay later service of a hosted page.',
        }),
      ({ bank }) => (typeof bank === 'string' ? bank : null),
    ),
    provider: z.enum(paymentProviders),
    status: z.enum(paymentStates.all),
    amount: moneySchema.nullable().meta({ description: 'Null if the payer chooses the amount.' }),
    unique_amount: whenAbsent(
      moneySchema.meta({
        description:
          'The part of `amount` that identifies a manual bank transfer, on top of what is due. 0 for other payments.',
      }),
      () => 0,
    ),
    amount_paid: moneySchema,
    amount_refunded: moneySchema,
    amount_reversed: moneySchema.meta({ description: 'The amount that the bank or network reversed.' }),
    currency: currencySchema,
    expires_at: timeSchema.nullable(),
    paid_at: timeSchema.nullable(),
    qris: z
      .object({
        string: textSchema(1000).nullable().meta({ description: 'The content of the QR code.' }),
        image_url: textSchema(2048).meta({ description: 'The QR code as an image. Needs no key.' }),
      })
      .meta({ id: 'PaymentQris' })
      .nullable(),
    virtual_account: z
      .object({ bank: textSchema(30), number: textSchema(40), name: textSchema(200).nullable() })
      .meta({ id: 'PaymentVirtualAccount' })
      .nullable(),
    bill: z
      .object({ biller_code: textSchema(40), bill_key: textSchema(40) })
      .meta({ id: 'PaymentBill' })
      .nullable()
      .meta({ description: 'For Mandiri bill payment, instead of a virtual account.' }),
    account_page: whenAbsent(
      z
        .object({ bank: textSchema(30), redirect_url: textSchema(2048) })
        .meta({ id: 'PaymentAccountPage' })
        .nullable()
        .meta({
          description:
            'For a virtual account whose number only a page of the provider shows, instead of `virtual_account`: BSI, Danamon, SeaBank and Saqu at Midtrans.',
        }),
      () => null,
    ),
    ewallet: z
      .object({
        channel: textSchema(30).meta({ description: 'The wallet, such as `gopay`.' }),
        deeplink_url: textSchema(2048)
          .nullable()
          .meta({ description: 'Opens the app of the wallet on a phone. Null for a wallet that asks in its app.' }),
        web_url: textSchema(2048).nullable().meta({ description: 'A page for any device.' }),
      })
      .meta({ id: 'PaymentEwallet' })
      .nullable()
      .meta({ description: 'For e-wallets. A wallet that can also be scanned has `qris` besides.' }),
    retail: z
      .object({
        store: textSchema(30),
        payment_code: textSchema(40).meta({ description: 'The code that the payer names at the counter.' }),
      })
      .meta({ id: 'PaymentRetail' })
      .nullable(),
    card: z
      .object({
        channel: textSchema(30),
        redirect_url: textSchema(2048).meta({
          description: 'The page of the provider, on which the payer enters the card. Nexkit never sees card data.',
        }),
      })
      .meta({ id: 'PaymentCard' })
      .nullable(),
    instructions: z
      .record(z.string().max(100), textSchema(1000))
      .nullable()
      .meta({ description: 'For payments without a provider, such as the bank account to transfer to.' }),
    pay_url: textSchema(2048).meta({ description: 'The payment page for the customer. Needs no key.' }),
    error: Failure.nullable(),
    proofs: whenAbsent(
      z.array(PaymentProof).max(PROOFS_MAX).meta({
        description: 'Files by which the customer shows that they paid, oldest first. They mark nothing as paid.',
      }),
      () => [],
    ),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'Payment', description: 'A payment of an order. An order has at most one open payment.' })

export type PaymentView = z.input<typeof Payment>

export const Refund = z
  .object({
    object: z.literal('refund'),
    id: idSchema('rfd'),
    order_id: idSchema('ord'),
    payment_id: idSchema('pay'),
    status: z.enum(refundStates.all),
    amount: moneySchema,
    currency: currencySchema,
    manual: z.boolean().meta({ description: 'True for a refund by staff, not through the provider.' }),
    reason: textSchema(500).nullable(),
    note: textSchema(1000).nullable(),
    error: Failure.nullable(),
    actor: Actor,
    created_at: timeSchema,
    updated_at: timeSchema,
    succeeded_at: timeSchema.nullable(),
  })
  .meta({ id: 'Refund', description: 'A refund.' })

export const CreatedRefund = Refund.extend({
  parts: z
    .array(Refund)
    .max(100)
    .meta({ description: 'All refunds of this request, one for each payment, this one first.' }),
}).meta({ id: 'CreatedRefund', description: 'A refund, with the other refunds of the same request.' })

export type RefundView = z.input<typeof Refund>

export const Movement = z
  .object({
    payment_id: idSchema('pay'),
    kind: z
      .enum(['capture', 'refund', 'reversal'])
      .meta({ description: 'A payment received, a refund, or a reversal.' }),
    amount: z.int().meta({ description: 'Whole rupiah; negative for refunds and reversals.' }),
    source: textSchema(40).meta({
      description: 'The source: `notice` (the provider reported it), `question` (the provider was queried), `staff`, …',
    }),
    actor: z.object({ type: textSchema(40), id: textSchema(200).nullable() }),
    note: textSchema(1000).nullable().meta({ description: 'The note of staff.' }),
    occurred_at: timeSchema,
    recorded_at: timeSchema,
  })
  .meta({ id: 'Movement', description: 'One entry of the ledger of an order.' })

export type MovementView = z.input<typeof Movement>

export const movementExample = {
  payment_id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
  kind: 'capture' as const,
  amount: 65000,
  source: 'notice',
  actor: { type: 'system', id: null },
  note: null,
  occurred_at: '2026-11-14T09:31:12.000Z',
  recorded_at: '2026-11-14T09:31:12.000Z',
}

const PAY = 'http://127.0.0.1:3900/pay'
const TOKEN = 'AQGTXRqy3Th1b2tYw5kJm8oBk10ass04dW9rWMOZCZvKAZuHt0fQ2Lr5c8e1aTgX'

export const paymentExample = {
  object: 'payment' as const,
  id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg',
  order_id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg',
  method: 'qris' as const,
  bank: null,
  channel: null,
  provider: 'simulator' as const,
  status: 'pending' as const,
  amount: 65000,
  unique_amount: 0,
  amount_paid: 0,
  amount_refunded: 0,
  amount_reversed: 0,
  currency: 'IDR' as const,
  expires_at: '2026-11-14T09:45:00.000Z',
  paid_at: null,
  qris: {
    string:
      '00020101021226650016ID.CO.CONTOH.WWW011893600999000001234202120000000123450303UMI51440014ID.CO.QRIS.WWW0215ID10209999999990303UMI5204581253033605405250005802ID5913WARUNG CONTOH6007JAKARTA61051011062070703A0163049CCB',
    image_url: `${PAY}/${TOKEN}/qr.png`,
  },
  virtual_account: null,
  bill: null,
  account_page: null,
  ewallet: null,
  retail: null,
  card: null,
  instructions: null,
  pay_url: `${PAY}/${TOKEN}`,
  error: null,
  proofs: [],
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}

export const paidPaymentExample = {
  ...paymentExample,
  status: 'paid' as const,
  amount_paid: 65000,
  paid_at: '2026-11-14T09:31:12.000Z',
  updated_at: '2026-11-14T09:31:12.000Z',
}

export const provenPaymentExample = {
  ...paymentExample,
  method: 'bank_transfer' as const,
  provider: 'manual' as const,
  qris: null,
  instructions: {
    bank: 'BCA',
    account_number: '1234567890',
    account_holder: 'Demo Store',
    reference: '1001',
  },
  proofs: [
    {
      message_id: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
      chat_id: 'chat_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
      media_id: 'med_01k9x3m5q8e0t9v7a2b4c6d8fg',
      mime_type: 'image/jpeg',
      filename: null,
      added_at: '2026-11-14T09:40:00.000Z',
    },
  ],
}

export const refundExample = {
  object: 'refund' as const,
  id: 'rfd_01k9x3m5q8e0t9v7a2b4c6d8fg',
  order_id: paymentExample.order_id,
  payment_id: paymentExample.id,
  status: 'requested' as const,
  amount: 15000,
  currency: 'IDR' as const,
  manual: false,
  reason: 'One cup was spilled',
  note: null,
  error: null,
  actor: { type: 'key' as const, id: 'key_01k9x3m5q8e0t9v7a2b4c6d8fg' },
  created_at: '2026-11-14T10:00:00.000Z',
  updated_at: '2026-11-14T10:00:00.000Z',
  succeeded_at: null,
}
