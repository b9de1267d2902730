import { z } from 'zod'
import { MONEY_MAX } from '../../kernel/money.ts'
import { paymentMethods } from '../../payments/payment-connector.ts'
import { moneySchema } from '../../payments/payments.schemas.ts'
import {
  idSchema,
  metadataSchema,
  momentSchema,
  publishedRule,
  textSchema,
  visibleText,
} from '../../platform/http/schemas.ts'
import { PHONE_FORM, PHONE_SAYS } from '../../platform/phone/phone-numbers.ts'

import { ADDRESS_SAYS, addressFields, billingTypes, deliveryFields, ITEMS_MAX, quantity } from './orders.schemas.ts'

/** What requests about orders give. The orders themselves are in orders.schemas.ts. */
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
  .regex(/^[a-z0-9_]+$/, 'This must be a code in lower case, such as bni.')

const paymentOptions = {
  bank: bank.optional().meta({
    description: 'For virtual accounts. Default: the default bank of the payment account.',
    examples: ['bni'],
  }),
  channel: bank.optional().meta({
    description:
      'The wallet (`gopay`), store (`alfamart`), card or pay later service (`credit_card`, `akulaku`), or bank. Default: the first that the payment account has.',
    examples: ['gopay'],
  }),
  phone: phoneText.optional().meta({
    description:
      'The phone number of the payer, for wallets that ask in their app (OVO). Default: that of the customer.',
    examples: ['0812-3456-7890'],
  }),
  expires_in_seconds: z
    .int()
    .min(1)
    .max(365 * 86_400)
    .optional()
    .meta({ description: 'Seconds until the payment expires. Default: that of the provider.' }),
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
      description: 'The same as `billingType`; optional.',
      enum: [...paymentMethods],
    }),
    methods: z
      .array(methodName)
      .min(1)
      .max(paymentMethods.length)
      .optional()
      .meta({
        description:
          'The methods that the payer chooses from, with `billingType` `choice` or one of them. Default: all that the page can offer.',
        items: { type: 'string', enum: [...paymentMethods] },
      }),
    amount: z.int().min(1).max(MONEY_MAX).optional().meta({
      description: 'A down payment: the first payment asks for this part of the total. Default: the total.',
    }),
    ...paymentOptions,
  })
  .meta({ id: 'PaymentChoice', description: 'Details of the payment method in `billingType`.' })

const WITHOUT_PRODUCT = 'Send this, or the sku of a product.'

const NewOrderItem = z
  .strictObject({
    sku: textSchema(100).nullable().optional().meta({
      description: 'The sku of a product fills in the name, the price and the tax, and takes pieces from its stock.',
    }),
    name: visibleText(200).optional().meta({ description: 'Default: the name of the product.' }),
    quantity,
    unit_price: moneySchema.optional().meta({ description: 'Default: the price of the product.' }),
  })
  .superRefine(({ sku, ...item }, { addIssue }) => {
    if (sku) return
    for (const name of ['name', 'unit_price'] as const)
      if (item[name] === undefined)
        addIssue({ code: 'custom', path: [name], message: WITHOUT_PRODUCT, params: { code: 'required' } })
  })
  .meta({
    id: 'NewOrderItem',
    description: 'An item of the order: the `sku` of a product, or a `name` and a `unit_price`.',
    ...publishedRule(
      { properties: { sku: { enum: ['', null] } } },
      { properties: { name: { minLength: 1 }, unit_price: { minimum: 0 } }, required: ['name', 'unit_price'] },
    ),
  })

const NewOrderCustomer = z
  .strictObject({
    name: visibleText(200, 0).nullable().optional(),
    phone: phoneText
      .nullable()
      .optional()
      .meta({
        description:
          'An existing phone number in any usual spelling. Without a country code it belongs to the country of the organization.',
        examples: ['0812-3456-7890'],
      }),
  })
  .meta({ id: 'NewOrderCustomer', description: 'The customer.' })

const optionalFields = <Fields extends Record<string, z.ZodType>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.optional()])) as {
    [Name in keyof Fields]: z.ZodOptional<Fields[Name]>
  }

const NewDeliveryAddress = z
  .strictObject(optionalFields(addressFields))
  .meta({ id: 'NewDeliveryAddress', description: ADDRESS_SAYS })

export const NewDelivery = z
  .strictObject({ address: NewDeliveryAddress.nullable().optional(), ...optionalFields(deliveryFields) })
  .meta({ id: 'NewDelivery', description: 'Where and how to deliver. An address replaces the one before.' })

export type DeliveryInput = z.output<typeof NewDelivery>

const dueAt = momentSchema.nullable().optional().meta({
  description: 'Until when the order is to be paid, in the future. `order.overdue` is sent if it passes unpaid.',
})

export const NewOrder = z
  .strictObject({
    billingType: methodName.meta({
      description: 'The payment method, or `choice` if the payer chooses on the payment page.',
      enum: [...billingTypes],
    }),
    payment: PaymentChoice.optional(),
    items: z.array(NewOrderItem).max(ITEMS_MAX).optional(),
    amount: z.int().min(0).max(MONEY_MAX).optional().meta({
      description:
        'The amount to pay. With `items` it must equal their total. Without both, the payer chooses the amount.',
    }),
    discount: share('Discount').optional(),
    shipping: moneySchema.optional(),
    tax: share('Tax').optional().meta({
      description:
        'Whole rupiah, or a percentage, rounded half up to the rupiah. Default: what the products of the items say.',
    }),
    customer: NewOrderCustomer.optional(),
    chat_id: idSchema('chat').nullable().optional().meta({
      description:
        'The chat of the order, which receives the payment instructions. Use it for customers who hide their phone number, or to choose between chats with several business numbers. Name and phone number are those of the contact unless `customer` has others.',
    }),
    notify: z
      .boolean()
      .optional()
      .meta({ description: 'Whether Nexkit sends payment instructions and receipts to the chat.' }),
    reference: visibleText(100).nullable().optional().meta({
      description: 'Your reference, for example the order number of your shop. Unique within the organization.',
    }),
    note: textSchema(1000).nullable().optional(),
    delivery: NewDelivery.nullable().optional(),
    due_at: dueAt,
    metadata: metadataSchema.optional(),
  })
  .meta({
    id: 'NewOrder',
    description: 'Only `billingType` is required.',
    allOf: billingTypes.map((name) =>
      publishedRule(
        { properties: { billingType: { const: name } } },
        { properties: { payment: { properties: { method: { const: name } } } } },
      ),
    ),
  })

export type NewOrderInput = z.output<typeof NewOrder>

export const OrderChanges = z
  .strictObject({
    items: z
      .array(NewOrderItem)
      .max(ITEMS_MAX)
      .optional()
      .meta({ description: 'Replaces all items. An empty list needs an `amount`.' }),
    amount: z.int().min(0).max(MONEY_MAX).optional().meta({
      description: 'The amount to pay. With items it must equal their total.',
    }),
    discount: share('Discount').optional(),
    shipping: moneySchema.optional(),
    tax: share('Tax').optional(),
    customer: NewOrderCustomer.optional().meta({
      description:
        'Fields you leave out keep their value. With another phone number the order belongs to that customer: the open payment is replaced, and the new one is sent to them.',
    }),
    notify: z
      .boolean()
      .optional()
      .meta({ description: 'Whether Nexkit sends payment instructions and receipts to the chat.' }),
    reference: visibleText(100).nullable().optional().meta({ description: 'Unique within the organization.' }),
    note: textSchema(1000).nullable().optional(),
    delivery: NewDelivery.nullable().optional().meta({ description: 'Null removes address, courier and tracking.' }),
    due_at: dueAt,
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'OrderChanges', description: 'Fields you leave out keep their value.' })

export type OrderChangesInput = z.output<typeof OrderChanges>

export const NewOrderPayment = z
  .strictObject({
    method: methodName.meta({ enum: paymentMethods.filter((name) => name !== 'free') }),
    amount: z.int().min(1).max(MONEY_MAX).optional().meta({
      description:
        'For a down payment or an instalment: a part of the remaining amount. The order stays open for what remains. Default: the remaining amount.',
    }),
    ...paymentOptions,
  })
  .meta({ id: 'NewOrderPayment', description: 'A new payment for the order.' })

export const OrderPaid = z
  .strictObject({
    amount: z.int().min(1).max(MONEY_MAX).optional().meta({
      description: 'The amount received. Default: the remaining amount. With less, the order stays open.',
    }),
    again: z.boolean().optional().meta({
      description:
        'True to record a second payment of a paid order, with its `amount`; the order then needs review. Without it the request fails for a paid order, so that a repeated request does not count twice.',
    }),
    method: methodName.optional().meta({
      description:
        'The method of a second payment (`cash`, `bank_transfer`, …) for an order without a manual payment, such as one paid through a provider. It is recorded as a separate payment. Only with `again` and `amount`.',
      enum: paymentMethods.filter((name) => name !== 'free'),
    }),
    note: textSchema(1000).nullable().optional(),
  })
  .meta({
    id: 'OrderPaid',
    description: 'A payment that staff received.',
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
    amount: z.int().min(1).max(MONEY_MAX).optional().meta({ description: 'Default: everything that can be refunded.' }),
    payment: idSchema('pay')
      .optional()
      .meta({ description: 'The payment to refund. Default: the newest that is paid.' }),
    reason: textSchema(500).nullable().optional(),
    manual: z
      .boolean()
      .optional()
      .meta({ description: 'True if staff refunded the customer without the provider; `note` says how.' }),
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
        '`accept` accepts the amount received and confirms the order, or accepts the loss after a reversal. `dismiss` only closes the review.',
    }),
  })
  .meta({ id: 'OrderReview' })
