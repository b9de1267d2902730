import type { FieldProblem } from '../../kernel/errors.ts'
import { multiplyMoney, percentOf, sumMoney } from '../../kernel/money.ts'
import { type ItemTax, taxOfItems } from './item-tax.ts'

/**
 * The total of an order, in whole rupiah:
 *
 *   subtotal  the sum of quantity × unit_price over the items
 *   discount  an amount, or a percentage of the subtotal
 *   tax       an amount, or a percentage of subtotal − discount; by default what the products of the items say (item-tax.ts)
 *   total     subtotal − discount + shipping + tax
 *
 * A percentage is rounded half up to the rupiah, once, on the sum it applies to; nothing else is rounded. `amount` is the
 * amount to pay: with items it must equal their total, without items it is the total. With neither, the amount is open and
 * the payer chooses it.
 */
export type ItemInput = {
  sku?: string | null | undefined
  name: string
  quantity: number
  unit_price: number
  /** How the price is taxed, if a product says so. */
  tax?: ItemTax | null | undefined
}

export type Share = number | { percent: number }

export type TotalsInput = {
  items?: readonly ItemInput[] | undefined
  amount?: number | undefined
  discount?: Share | undefined
  shipping?: number | undefined
  tax?: Share | undefined
}

export type OrderItem = { sku: string | null; name: string; quantity: number; unit_price: number; subtotal: number }

export type Totals = {
  items: OrderItem[]
  /** Null, as the total, for an open amount. */
  subtotal: number | null
  discount: number
  shipping: number
  tax: number
  /** The tax that the prices contain. It is not added to the total. */
  tax_included: number
  total: number | null
}

export type TotalsResult = { ok: true; totals: Totals } | { ok: false; problem: FieldProblem }

const refuse = (field: string, code: string, detail: string, params?: Record<string, unknown>): TotalsResult => ({
  ok: false,
  problem: { pointer: `#/${field}`, code, detail, ...(params && { params }) },
})

const tooLarge = (field: string) => refuse(field, 'amount_too_large', 'The total is too high. Split the order.')

export function computeTotals(input: TotalsInput): TotalsResult {
  if (input.items !== undefined && input.items.length > 0) return totalsOfItems(input, input.items)
  return input.amount === undefined ? openTotals(input) : totalsOfAmount(input, input.amount)
}

function openTotals({ discount, shipping, tax }: TotalsInput): TotalsResult {
  const given = Object.entries({ discount, shipping, tax }).find(([, value]) => value !== undefined)
  if (given !== undefined)
    return refuse(given[0], 'total_unknown', `"${given[0]}" needs "items" or an "amount" to belong to.`)
  return {
    ok: true,
    totals: { items: [], subtotal: null, discount: 0, shipping: 0, tax: 0, tax_included: 0, total: null },
  }
}

function totalsOfItems(input: TotalsInput, given: readonly ItemInput[]): TotalsResult {
  const items: OrderItem[] = []
  for (const [index, { sku, name, quantity, unit_price }] of given.entries()) {
    const subtotal = multiplyMoney(unit_price, quantity)
    if (subtotal === null) return tooLarge(`items/${index}/unit_price`)
    items.push({ sku: sku ?? null, name, quantity, unit_price, subtotal })
  }
  const subtotal = sumMoney(items.map((item) => item.subtotal))
  if (subtotal === null) return tooLarge('items')
  const discount = amountOf(input.discount, subtotal)
  if (discount === null || discount > subtotal)
    return refuse('discount', 'discount_too_large', 'The discount is higher than the sum of the items.', {
      max: subtotal,
    })
  const ofProducts = input.tax === undefined ? taxOfItems(withTaxes(items, given), discount) : { added: 0, included: 0 }
  const tax = input.tax === undefined ? (ofProducts?.added ?? null) : amountOf(input.tax, subtotal - discount)
  const shipping = input.shipping ?? 0
  const total = tax === null ? null : sumMoney([subtotal, -discount, shipping, tax])
  if (tax === null || total === null) return tooLarge('items')
  if (input.amount !== undefined && input.amount !== total)
    return refuse('amount', 'total_mismatch', `The sum of the items is ${total} rupiah, not ${input.amount}.`, {
      total,
    })
  return {
    ok: true,
    totals: { items, subtotal, discount, shipping, tax, tax_included: ofProducts?.included ?? 0, total },
  }
}

const withTaxes = (items: readonly OrderItem[], given: readonly ItemInput[]) =>
  items.map(({ subtotal }, index) => ({ subtotal, tax: given[index]?.tax }))

const amountOf = (share: Share | undefined, base: number): number | null =>
  typeof share === 'object' ? percentOf(base, share.percent) : (share ?? 0)

/** Discount, shipping and tax are recorded only; the subtotal is derived from them. */
function totalsOfAmount(input: TotalsInput, amount: number): TotalsResult {
  for (const name of ['discount', 'tax'] as const)
    if (typeof input[name] === 'object')
      return refuse(name, 'total_unknown', `A percentage needs "items". Send "${name}" as an amount.`)
  const [discount, tax, shipping] = [amountOf(input.discount, 0) ?? 0, amountOf(input.tax, 0) ?? 0, input.shipping ?? 0]
  const subtotal = sumMoney([amount, discount, -shipping, -tax])
  if (subtotal === null) return tooLarge('amount')
  if (subtotal < discount)
    return refuse('amount', 'total_mismatch', 'Shipping and tax together are higher than the amount.', { amount })
  return { ok: true, totals: { items: [], subtotal, discount, shipping, tax, tax_included: 0, total: amount } }
}
