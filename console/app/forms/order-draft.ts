import type { NewOrder, PaymentMethod } from '../api/orders.ts'
import { emptyItem, type ItemDraft, subtotalOf } from './OrderItemsField.tsx'

/** An order while it is typed. */
export type OrderDraft = {
  method: PaymentMethod | null
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
}

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
    billingType: draft.method as PaymentMethod,
    ...(draft.bank !== null && { payment: { bank: draft.bank } }),
    ...whatOf(draft),
    ...((name !== undefined || phone !== undefined) && {
      customer: { ...(name !== undefined && { name }), ...(phone !== undefined && { phone }) },
    }),
    notify: draft.isNotified,
    ...(reference !== undefined && { reference }),
    ...(note !== undefined && { note }),
  }
}

function whatOf(draft: OrderDraft): Partial<NewOrder> {
  if (draft.kind === 'open') return {}
  if (draft.kind === 'amount') return { amount: Number(draft.amount) }
  return {
    items: draft.items.map(({ name, quantity, price }) => ({
      name: name.trim(),
      quantity: Number(quantity),
      unit_price: Number(price),
    })),
    ...(Number(draft.shipping) > 0 && { shipping: Number(draft.shipping) }),
    ...(Number(draft.discount) > 0 && { discount: Number(draft.discount) }),
    ...(Number(draft.tax) > 0 && { tax: Number(draft.tax) }),
  }
}
