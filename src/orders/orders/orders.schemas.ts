import { z } from 'zod'
import { whenAbsent } from '../../events/events.ts'
import { MONEY_MAX } from '../../kernel/money.ts'
import { paymentMethods } from '../../payments/payment-connector.ts'
import {
  currencySchema,
  Movement,
  moneySchema,
  Payment,
  paymentExample,
  Refund,
} from '../../payments/payments.schemas.ts'
import {
  idSchema,
  METADATA_KEYS_MAX,
  METADATA_VALUE_MAX,
  publishedRule,
  textSchema,
  timeSchema,
  visibleText,
} from '../../platform/http/schemas.ts'
import { PHONE_FORM, PHONE_SAYS } from '../../platform/phone/phone-numbers.ts'
import { orderStates } from '../settlement/orders.states.ts'
import { paymentStatuses, reviewReasons } from '../settlement/settlement.ts'

/** Public shapes, in and out. Money is whole rupiah everywhere. */
export const ITEMS_MAX = 100

const quantity = z.int().min(1).max(1_000_000)

const OrderItem = z
  .object({
    sku: textSchema(100).nullable(),
    name: textSchema(200),
    quantity,
    unit_price: moneySchema,
    subtotal: moneySchema,
  })
  .meta({ id: 'OrderItem' })

const OrderCustomer = z
  .object({
    name: textSchema(200).nullable(),
    phone: z
      .string()
      .max(20)
      .regex(/^\+[0-9]+$/)
      .nullable()
      .meta({ description: 'E.164.' }),
    contact_id: idSchema('con').nullable(),
  })
  .meta({ id: 'OrderCustomer', description: 'Who ordered, as far as it is known.' })

const OrderDoubt = z
  .object({
    reason: z.enum(reviewReasons),
    reasons: z.array(z.enum(reviewReasons)).max(reviewReasons.length),
    since: timeSchema,
  })
  .meta({ id: 'OrderDoubt', description: 'Why a person should look at it: the first reason, and all of them.' })

const metadata = z
  .record(textSchema(40, 1), textSchema(METADATA_VALUE_MAX))
  .refine((record) => Object.keys(record).length <= METADATA_KEYS_MAX, {
    message: `At most ${METADATA_KEYS_MAX} members.`,
    params: { code: 'too_many', params: { max: METADATA_KEYS_MAX } },
  })
  .meta({
    description: `Your own: at most ${METADATA_KEYS_MAX} members with texts of at most ${METADATA_VALUE_MAX} characters.`,
    maxProperties: METADATA_KEYS_MAX,
  })

/** Computes the amounts of older events, which lack `amount_remaining` and `amount_overpaid`. */
const ENDED = ['cancelled', 'expired']

function differenceOf(order: Readonly<Record<string, unknown>>, of: (net: number, total: number) => number) {
  if (order.total == null) return null
  return Math.max(0, of(Number(order.amount_paid) - Number(order.amount_returned), Number(order.total)))
}

const orderFields = {
  object: z.literal('order'),
  id: idSchema('ord'),
  number: z
    .string()
    .max(20)
    .regex(/^[0-9]+$/)
    .meta({ description: 'For people: counts up within the organization without gaps.' }),
  status: z.enum(orderStates.all),
  billingType: z
    .enum(paymentMethods)
    .nullable()
    .meta({ description: 'Null for a draft that nobody has chosen a way to pay for.' }),
  customer: OrderCustomer,
  chat_id: idSchema('chat').nullable(),
  items: z.array(OrderItem).max(ITEMS_MAX),
  subtotal: moneySchema.nullable(),
  discount: moneySchema,
  shipping: moneySchema,
  tax: moneySchema,
  total: moneySchema.nullable().meta({ description: 'Null for an open amount: the payer says how much.' }),
  currency: currencySchema,
  payment_status: z.enum(paymentStatuses).meta({
    description:
      'Computed from what was received, refunded and reversed, and the total; never set by hand. `refunded` is money that was refunded on purpose; `reversed` is money that a bank took back and that is due again.',
  }),
  amount_paid: moneySchema.meta({ description: 'All that came in.' }),
  amount_returned: moneySchema.meta({ description: 'All that went back: refunds, and what a bank took back.' }),
  amount_remaining: whenAbsent(
    moneySchema.nullable().meta({
      description:
        'Still to be paid: what is missing of the total, a reversal included; 0 once a person accepted less, and for an order that was cancelled or has expired. Null for an open amount.',
    }),
    (order) => (ENDED.includes(String(order.status)) ? 0 : differenceOf(order, (net, total) => total - net)),
  ),
  amount_overpaid: whenAbsent(
    moneySchema.meta({ description: 'Received above the total and not refunded yet.' }),
    (order) => differenceOf(order, (net, total) => net - total) ?? 0,
  ),
  payment: Payment.nullable().meta({
    description:
      'The attempt that counts: the one that paid the order, else the open one. Null where there is nothing to pay.',
  }),
  refunds: z.array(Refund).max(1000).meta({ description: 'Oldest first.' }),
  needs_review: OrderDoubt.nullable(),
  notify: z.boolean().meta({ description: 'Whether the customer is told in the chat.' }),
  reference: textSchema(100).nullable(),
  note: textSchema(1000).nullable(),
  metadata: z.record(z.string().max(40), textSchema(METADATA_VALUE_MAX)),
  created_at: timeSchema,
  updated_at: timeSchema,
}

export const Order = z.object(orderFields).meta({ id: 'Order', description: 'Something to be paid and fulfilled.' })

export type OrderView = z.input<typeof Order>

export const OrderWithPayments = z
  .object({
    ...orderFields,
    payments: z.array(Payment).max(1000).meta({ description: 'Every attempt, oldest first.' }),
    ledger: z
      .array(Movement)
      .max(1000)
      .meta({ description: 'What came in and what went back, oldest first; the first thousand.' }),
  })
  .meta({ id: 'OrderWithPayments', description: 'An order with every attempt to pay it and its books.' })

/** The handler checks the name against the organization's accounts, which the schema does not know. */
const methodName = z
  .string()
  .min(1)
  .max(40)
  .meta({ enum: [...paymentMethods] })

/** A phone in any usual spelling. The handler checks whether the number can exist. */
export const phoneText = textSchema(40, 1)
  .regex(new RegExp(`^\\s*${PHONE_FORM}\\s*$`), PHONE_SAYS)
  .meta({ pattern: `^\\s*${PHONE_FORM}\\s*$` })

const bank = z
  .string()
  .min(1)
  .max(30)
  .regex(/^[a-z0-9_]+$/, 'This must be a bank code in lower case, such as bni.')

const paymentOptions = {
  bank: bank.optional().meta({
    description: 'For virtual accounts. The account’s default bank when absent.',
    examples: ['bni'],
  }),
  expires_in_seconds: z
    .int()
    .min(1)
    .max(365 * 86_400)
    .optional()
    .meta({ description: 'How long it can be paid. The provider’s usual time when absent.' }),
}

const share = (what: string) =>
  z
    .union([
      moneySchema,
      z.strictObject({ percent: z.number().min(0).max(100).multipleOf(0.01) }).meta({ id: `${what}Percentage` }),
    ])
    .meta({ description: 'Whole rupiah, or a percentage, rounded half up to the rupiah.' })

const PaymentChoice = z
  .strictObject({
    method: methodName.optional().meta({
      description: 'The same as `billingType`; may be left out.',
      enum: [...paymentMethods],
    }),
    ...paymentOptions,
  })
  .meta({ id: 'PaymentChoice', description: 'The details of the way that `billingType` names.' })

const NewOrderItem = z
  .strictObject({
    sku: textSchema(100).nullable().optional(),
    name: visibleText(200),
    quantity,
    unit_price: moneySchema,
  })
  .meta({ id: 'NewOrderItem', description: 'Something that is ordered.' })

const NewOrderCustomer = z
  .strictObject({
    name: visibleText(200, 0).nullable().optional(),
    phone: phoneText
      .nullable()
      .optional()
      .meta({
        description:
          'A number that exists, in any usual spelling; without a country it is read as of the organization’s.',
        examples: ['0812-3456-7890'],
      }),
  })
  .meta({ id: 'NewOrderCustomer', description: 'Who ordered.' })

export const NewOrder = z
  .strictObject({
    billingType: methodName.meta({ description: 'How it is to be paid.', enum: [...paymentMethods] }),
    payment: PaymentChoice.optional(),
    items: z.array(NewOrderItem).max(ITEMS_MAX).optional(),
    amount: z.int().min(0).max(MONEY_MAX).optional().meta({
      description: 'What there is to pay. With `items` it must be what they come to. With neither, the payer decides.',
    }),
    discount: share('Discount').optional(),
    shipping: moneySchema.optional(),
    tax: share('Tax').optional(),
    customer: NewOrderCustomer.optional(),
    chat_id: idSchema('chat').nullable().optional().meta({
      description:
        'The chat that it belongs to: how to pay it goes there. For customers who hide their phone, and to choose among chats with several business numbers. Name and phone are those of the contact unless `customer` gives others.',
    }),
    notify: z.boolean().optional().meta({ description: 'False keeps Nexkit from telling the customer in the chat.' }),
    reference: visibleText(100)
      .nullable()
      .optional()
      .meta({ description: 'Yours, for example the number in your shop. Unique within the organization.' }),
    note: textSchema(1000).nullable().optional(),
    metadata: metadata.optional(),
  })
  .meta({
    id: 'NewOrder',
    description: 'Only `billingType` is required.',
    allOf: paymentMethods.map((name) =>
      publishedRule(
        { properties: { billingType: { const: name } } },
        { properties: { payment: { properties: { method: { const: name } } } } },
      ),
    ),
  })

export type NewOrderInput = z.output<typeof NewOrder>

export const NewOrderPayment = z
  .strictObject({
    method: methodName.meta({ enum: paymentMethods.filter((name) => name !== 'free') }),
    ...paymentOptions,
  })
  .meta({ id: 'NewOrderPayment', description: 'Another way to pay the order, or another try.' })

export const OrderPaid = z
  .strictObject({
    amount: z.int().min(1).max(MONEY_MAX).optional().meta({
      description: 'What came in; what was still to be paid when absent. May be less: then the order stays open.',
    }),
    again: z.boolean().optional().meta({
      description:
        'True for a payment that nobody owed any more: the customer paid a second time. It is recorded with its `amount`, and the order is marked for a person to look at. Without it a paid order is refused, so that the same call made twice does not count twice.',
    }),
    method: methodName.optional().meta({
      description:
        'How a second payment came (`cash`, `bank_transfer`, …), for an order that nothing was to be paid by hand for, such as one paid through a provider: it gets an attempt of its own. Only with `again` and `amount`.',
      enum: paymentMethods.filter((name) => name !== 'free'),
    }),
    note: textSchema(1000).nullable().optional(),
  })
  .meta({
    id: 'OrderPaid',
    description: 'Money that staff have seen.',
    ...publishedRule(
      { properties: { method: { not: { const: null } } }, required: ['method'] },
      { properties: { again: { const: true }, amount: { minimum: 1 } }, required: ['again', 'amount'] },
    ),
    allOf: [
      publishedRule(
        { properties: { again: { const: true } }, required: ['again'] },
        { properties: { amount: { minimum: 1 } }, required: ['amount'] },
      ),
    ],
  })

export const NewRefund = z
  .strictObject({
    amount: z.int().min(1).max(MONEY_MAX).optional().meta({ description: 'All that is left when absent.' }),
    payment: idSchema('pay').optional().meta({ description: 'Which payment; the newest with money when absent.' }),
    reason: textSchema(500).nullable().optional(),
    manual: z
      .boolean()
      .optional()
      .meta({ description: 'True when the customer was paid back by other means: then `note` says how.' }),
    note: textSchema(1000).nullable().optional(),
  })
  .meta({
    id: 'NewRefund',
    ...publishedRule(
      { properties: { manual: { const: true } }, required: ['manual'] },
      { properties: { note: { type: 'string', maxLength: 1000, pattern: '\\S' } }, required: ['note'] },
    ),
  })

export const OrderReview = z
  .strictObject({
    decision: z.enum(['accept', 'dismiss']).meta({
      description:
        '`accept` takes what was received as enough and confirms the order, or accepts the loss after a reversal; `dismiss` only takes the mark away.',
    }),
  })
  .meta({ id: 'OrderReview' })

export const orderExample = {
  object: 'order' as const,
  id: paymentExample.order_id,
  number: '1042',
  status: 'pending_payment' as const,
  billingType: 'qris' as const,
  customer: { name: 'Budi', phone: '+6281234567890', contact_id: null },
  chat_id: null,
  items: [
    { sku: 'KOPI-1', name: 'Kopi susu', quantity: 2, unit_price: 18000, subtotal: 36000 },
    { sku: null, name: 'Roti bakar', quantity: 1, unit_price: 24000, subtotal: 24000 },
  ],
  subtotal: 60000,
  discount: 0,
  shipping: 5000,
  tax: 0,
  total: 65000,
  currency: 'IDR' as const,
  payment_status: 'pending' as const,
  amount_paid: 0,
  amount_returned: 0,
  amount_remaining: 65000,
  amount_overpaid: 0,
  payment: paymentExample,
  refunds: [],
  needs_review: null,
  notify: true,
  reference: 'WEB-2291',
  note: null,
  metadata: {},
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}
