import { z } from 'zod'
import { whenAbsent } from '../../events/events.ts'
import { paymentMethods } from '../../payments/payment-connector.ts'
import {
  currencySchema,
  Movement,
  moneySchema,
  Payment,
  paymentExample,
  Refund,
} from '../../payments/payments.schemas.ts'
import { idSchema, METADATA_VALUE_MAX, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { deliveryStates, orderStates } from '../settlement/orders.states.ts'
import { paymentStatuses, reviewReasons } from '../settlement/settlement.ts'

/** With `choice` the payer chooses one of the others on the payment page. */
export const billingTypes = [...paymentMethods, 'choice'] as const
export type BillingType = (typeof billingTypes)[number]

/** Public shapes, in and out. Money is whole rupiah everywhere. */
export const ITEMS_MAX = 100

export const quantity = z.int().min(1).max(1_000_000)

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
  .meta({ id: 'OrderCustomer', description: 'The customer, as far as known.' })

const OrderDoubt = z
  .object({
    reason: z.enum(reviewReasons),
    reasons: z.array(z.enum(reviewReasons)).max(reviewReasons.length),
    since: timeSchema,
  })
  .meta({ id: 'OrderDoubt', description: 'Why the order needs review: the first reason, and all of them.' })

export const addressFields = {
  name: textSchema(200).nullable(),
  phone: textSchema(40).nullable(),
  line: textSchema(500).nullable(),
  village: textSchema(100).nullable(),
  district: textSchema(100).nullable(),
  city: textSchema(100).nullable(),
  province: textSchema(100).nullable(),
  postal_code: textSchema(10).nullable(),
  note: textSchema(500).nullable(),
}

export const ADDRESS_SAYS =
  'Where to deliver. `line` is street, number and RT/RW; `village` the kelurahan or desa, `district` the kecamatan, `city` the kota or kabupaten; `note` a landmark (patokan).'

const DeliveryAddress = z.object(addressFields).meta({ id: 'DeliveryAddress', description: ADDRESS_SAYS })

const trackingUrl = textSchema(500)
  .regex(/^https?:\/\/[^\s"<>]+$/, 'This must be a URL that begins with https:// or http://.')
  .meta({ pattern: '^https?:\\/\\/[^\\s"<>]+$' })

export const deliveryFields = {
  courier: textSchema(100)
    .nullable()
    .meta({ description: 'Free text, usually a code: `jne`, `jnt`, `sicepat`, `gojek`.' }),
  service: textSchema(100).nullable().meta({ description: 'The service of the courier, such as `REG`.' }),
  tracking_number: textSchema(100).nullable().meta({ description: 'The nomor resi.' }),
  tracking_url: trackingUrl.nullable().meta({ description: 'A page that shows where the parcel is.' }),
}

const OrderDelivery = z
  .object({
    status: z.enum(deliveryStates.all),
    address: DeliveryAddress.nullable(),
    ...deliveryFields,
    shipped_at: timeSchema.nullable(),
    delivered_at: timeSchema.nullable(),
  })
  .meta({ id: 'OrderDelivery', description: 'How the order reaches the customer, separate from its `status`.' })

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
    .meta({ description: 'The order number for people. Increases by one within the organization.' }),
  status: z.enum(orderStates.all),
  billingType: z.enum(billingTypes).nullable().meta({
    description: 'The payment method, or `choice` if the payer chooses it. Null for a draft without a payment method.',
  }),
  choice: z
    .object({
      methods: z
        .array(z.enum(paymentMethods))
        .max(paymentMethods.length)
        .nullable()
        .meta({ description: 'Null for all methods that the organization has enabled.' }),
      expires_at: timeSchema,
    })
    .meta({ id: 'OrderChoice' })
    .nullable()
    .meta({ description: 'What the payer can choose from, and until when. Null unless `billingType` is `choice`.' }),
  pay_url: textSchema(2048)
    .nullable()
    .meta({ description: 'The payment page of the order. Null for drafts and free orders.' }),
  customer: OrderCustomer,
  chat_id: idSchema('chat').nullable(),
  items: z.array(OrderItem).max(ITEMS_MAX),
  subtotal: moneySchema.nullable(),
  discount: moneySchema,
  shipping: moneySchema,
  tax: moneySchema,
  tax_included: whenAbsent(
    moneySchema.meta({ description: 'The tax that the item prices contain. It is part of `subtotal` and not added.' }),
    () => 0,
  ),
  unique_amount: whenAbsent(
    moneySchema.meta({ description: 'What was received of the unique amount of a manual bank transfer.' }),
    () => 0,
  ),
  total: moneySchema.nullable().meta({
    description:
      '`subtotal` − `discount` + `shipping` + `tax` + `unique_amount`. Null if the payer chooses the amount.',
  }),
  currency: currencySchema,
  payment_status: z.enum(paymentStatuses).meta({
    description:
      'Computed from what was received, refunded and reversed, and the total; never set by hand. `refunded`: you refunded the money. `reversed`: a bank reversed the payment, and the amount is due again.',
  }),
  amount_paid: moneySchema.meta({ description: 'The sum of all payments received.' }),
  amount_returned: moneySchema.meta({ description: 'The sum of all refunds and reversals.' }),
  amount_remaining: whenAbsent(
    moneySchema.nullable().meta({
      description:
        'The amount still to be paid, including reversed amounts. 0 if a person accepted less, and for a cancelled or expired order. Null if the payer chooses the amount.',
    }),
    (order) => (ENDED.includes(String(order.status)) ? 0 : differenceOf(order, (net, total) => total - net)),
  ),
  amount_overpaid: whenAbsent(
    moneySchema.meta({ description: 'Received above the total and not refunded yet.' }),
    (order) => differenceOf(order, (net, total) => net - total) ?? 0,
  ),
  payment: Payment.nullable().meta({
    description:
      'The current payment: the one that paid the order, otherwise the open one. Null if there is nothing to pay.',
  }),
  payment_link_id: whenAbsent(
    idSchema('plk').nullable().meta({ description: 'The payment link that the order was created by.' }),
    () => null,
  ),
  refunds: z.array(Refund).max(1000).meta({ description: 'Oldest first.' }),
  needs_review: OrderDoubt.nullable(),
  delivery: OrderDelivery.nullable().meta({ description: 'Null while nothing is known about the delivery.' }),
  due_at: timeSchema.nullable().meta({
    description:
      'Until when the order is to be paid, such as the date of an invoice. A single payment has `expires_at`.',
  }),
  overdue: whenAbsent(
    z.boolean().meta({ description: 'True if the due date has passed and an amount remains to be paid.' }),
    () => false,
  ),
  notify: z.boolean().meta({ description: 'Whether Nexkit sends payment instructions and receipts to the chat.' }),
  reference: textSchema(100).nullable(),
  note: textSchema(1000).nullable(),
  metadata: z.record(z.string().max(40), textSchema(METADATA_VALUE_MAX)),
  created_at: timeSchema,
  updated_at: timeSchema,
}

export const Order = z
  .object(orderFields)
  .meta({ id: 'Order', description: 'An order: goods or services to be paid and fulfilled.' })

export type OrderView = z.input<typeof Order>

export const OrderWithPayments = z
  .object({
    ...orderFields,
    payments: z.array(Payment).max(1000).meta({ description: 'All payments, oldest first.' }),
    ledger: z
      .array(Movement)
      .max(1000)
      .meta({ description: 'Payments received, refunds and reversals, oldest first; the first 1,000.' }),
  })
  .meta({ id: 'OrderWithPayments', description: 'An order with all its payments and its ledger.' })

export const orderExample = {
  object: 'order' as const,
  id: paymentExample.order_id,
  number: '1042',
  status: 'pending_payment' as const,
  billingType: 'qris' as const,
  choice: null,
  pay_url: paymentExample.pay_url,
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
  tax_included: 0,
  unique_amount: 0,
  total: 65000,
  currency: 'IDR' as const,
  payment_status: 'pending' as const,
  amount_paid: 0,
  amount_returned: 0,
  amount_remaining: 65000,
  amount_overpaid: 0,
  payment: paymentExample,
  payment_link_id: null,
  refunds: [],
  needs_review: null,
  delivery: null,
  due_at: null,
  overdue: false,
  notify: true,
  reference: 'WEB-2291',
  note: null,
  metadata: {},
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}

export const deliveryExample = {
  status: 'shipped' as const,
  address: {
    name: 'Budi',
    phone: '+6281234567890',
    line: 'Jl. Melati 5, RT 003/RW 005',
    village: 'Cikini',
    district: 'Menteng',
    city: 'Jakarta Pusat',
    province: 'DKI Jakarta',
    postal_code: '10330',
    note: null,
  },
  courier: 'jne',
  service: 'REG',
  tracking_number: 'JX1234567890',
  tracking_url: null,
  shipped_at: '2026-11-15T03:00:00.000Z',
  delivered_at: null,
}

/** The order that a path names. */
export const orderParams = z.object({
  id: z
    .string()
    .max(40)
    .regex(/^(?:ord_[0-7][0-9a-hjkmnp-tv-z]{25}|#?[0-9]{1,15})$/, 'This must be the id of an order, or its number.')
    .meta({ description: 'The order id or the order number: `1001`, also as `#1001` (in a path `%231001`).' }),
})

export const orderParamsExample = { id: orderExample.id }
