import { type BillingType, channelField, type NewOrder, type Order, type OrderChanges } from '../api/orders.ts'
import { emptyItem, type ItemDraft, subtotalOf } from './OrderItemsField.tsx'

/** An order while it is typed. */
export type OrderDraft = {
  method: BillingType | null
  /** Or the wallet, the store, the card or pay later service. */
  bank: string | null
  kind: 'items' | 'amount' | 'open'
  items: ItemDraft[]
  amount: number | string
  shipping: number | string
  discount: number | string
  tax: number | string
  name: string
  phone: string
  reference: string
  note: string
  isNotified: boolean
  /** A day, or empty. */
  due: string
  address: AddressDraft
}

export const addressFields = ['name', 'line', 'district', 'city', 'postal_code'] as const
export type AddressDraft = Record<(typeof addressFields)[number], string>
const emptyAddress: AddressDraft = { name: '', line: '', district: '', city: '', postal_code: '' }

export const emptyDraft: OrderDraft = {
  method: null,
  bank: null,
  kind: 'items',
  items: [emptyItem(0)],
  amount: '',
  shipping: '',
  discount: '',
  tax: '',
  name: '',
  phone: '',
  reference: '',
  note: '',
  isNotified: true,
  due: '',
  address: emptyAddress,
}

export function totalOf({ items, shipping, discount, tax }: OrderDraft): number {
  const sold = items.reduce((sum, item) => sum + subtotalOf(item), 0)
  return Math.max(0, sold - Number(discount || 0) + Number(shipping || 0) + Number(tax || 0))
}

/** Only what was filled in: everything else is the server's to decide. */
export function orderOf(draft: OrderDraft): NewOrder {
  const text = (value: string) => (value.trim() === '' ? undefined : value.trim())
  const name = text(draft.name)
  const phone = text(draft.phone)
  const reference = text(draft.reference)
  const note = text(draft.note)
  return {
    billingType: draft.method as BillingType,
    ...(draft.bank !== null && { payment: channelField(draft.method, draft.bank) }),
    ...whatOf(draft),
    ...((name !== undefined || phone !== undefined) && {
      customer: { ...(name !== undefined && { name }), ...(phone !== undefined && { phone }) },
    }),
    notify: draft.isNotified,
    ...(reference !== undefined && { reference }),
    ...(note !== undefined && { note }),
    ...(draft.due !== '' && { due_at: endOfDay(draft.due) }),
    ...(isAddressFilled(draft) && { delivery: { address: addressOf(draft) } }),
  }
}

/** A day of the shop ends at midnight in Jakarta. */
const endOfDay = (day: string) => new Date(`${day}T23:59:59+07:00`).toISOString()
const dayOf = (at: string) => new Date(Date.parse(at) + 7 * 3600 * 1000).toISOString().slice(0, 10)

const isAddressFilled = ({ address }: OrderDraft) => addressFields.some((name) => address[name].trim() !== '')
const addressOf = ({ address }: OrderDraft) =>
  Object.fromEntries(addressFields.map((name) => [name, address[name].trim() || null]))

function whatOf(draft: OrderDraft): Partial<NewOrder> {
  if (draft.kind === 'open') return {}
  if (draft.kind === 'amount') return { amount: Number(draft.amount) }
  return {
    items: itemsOf(draft),
    ...(Number(draft.shipping) > 0 && { shipping: Number(draft.shipping) }),
    ...(Number(draft.discount) > 0 && { discount: Number(draft.discount) }),
    ...(Number(draft.tax) > 0 && { tax: Number(draft.tax) }),
  }
}

const itemsOf = ({ items }: OrderDraft): NonNullable<NewOrder['items']> =>
  items.map(({ sku, name, quantity, price }) => ({
    ...(sku !== undefined && { sku }),
    name: name.trim(),
    quantity: Number(quantity),
    unit_price: Number(price),
  }))

/** An order as its form shows it. */
export function draftOf(order: Order): OrderDraft {
  const { items, total, customer } = order
  const amountOrNone = (amount: number) => (amount === 0 ? '' : amount)
  return {
    ...emptyDraft,
    kind: items.length > 0 ? 'items' : total === null ? 'open' : 'amount',
    items:
      items.length === 0
        ? emptyDraft.items
        : items.map(({ sku, name, quantity, unit_price }, key) => ({
            key,
            ...(sku !== null && { sku }),
            name,
            quantity,
            price: unit_price,
          })),
    amount: total ?? '',
    shipping: amountOrNone(order.shipping),
    discount: amountOrNone(order.discount),
    tax: amountOrNone(order.tax),
    name: customer.name ?? '',
    phone: customer.phone ?? '',
    reference: order.reference ?? '',
    note: order.note ?? '',
    isNotified: order.notify,
    due: order.due_at === null ? '' : dayOf(order.due_at),
    address: Object.fromEntries(
      addressFields.map((name) => [name, order.delivery?.address?.[name] ?? '']),
    ) as AddressDraft,
  }
}

/** Only what was changed, so that what others changed meanwhile stays. */
export function changesOf(draft: OrderDraft, before: OrderDraft): OrderChanges {
  const isSame = (name: keyof OrderDraft) => JSON.stringify(draft[name]) === JSON.stringify(before[name])
  const text = (value: string) => value.trim() || null
  return {
    ...(!(['kind', 'items', 'amount', 'shipping', 'discount', 'tax'] as const).every(isSame) && pricesOf(draft)),
    ...(!(isSame('name') && isSame('phone')) && {
      customer: {
        ...(!isSame('name') && { name: text(draft.name) }),
        ...(!isSame('phone') && { phone: text(draft.phone) }),
      },
    }),
    ...(!isSame('isNotified') && { notify: draft.isNotified }),
    ...(!isSame('reference') && { reference: text(draft.reference) }),
    ...(!isSame('note') && { note: text(draft.note) }),
    ...(!isSame('due') && { due_at: draft.due === '' ? null : endOfDay(draft.due) }),
    ...(!isSame('address') && { delivery: { address: isAddressFilled(draft) ? addressOf(draft) : null } }),
  }
}

function pricesOf(draft: OrderDraft): OrderChanges {
  if (draft.kind === 'open') return {}
  if (draft.kind === 'amount') return { items: [], amount: Number(draft.amount) }
  const [shipping, discount, tax] = [Number(draft.shipping), Number(draft.discount), Number(draft.tax)]
  return { items: itemsOf(draft), shipping, discount, tax }
}
