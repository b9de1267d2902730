import { sumMoney } from '../../kernel/money.ts'

/**
 * The tax of items whose products name a rate. Items with the same rate are taxed together, so each rate is rounded once, half
 * up to the rupiah. The discount of the order reduces the items in proportion to their sums.
 *
 *   added     rate × sum                   on top of prices without tax
 *   included  rate ÷ (100 % + rate) × sum  contained in prices with tax
 */
export type ItemTax = { rateBps: number; isIncluded: boolean }

export type TaxedItem = { subtotal: number; tax?: ItemTax | null | undefined }

const WHOLE = 10_000n

const roundedShare = (amount: bigint, part: bigint, whole: bigint): bigint =>
  whole === 0n ? 0n : (2n * amount * part + whole) / (2n * whole)

export function taxOfItems(items: readonly TaxedItem[], discount: number): { added: number; included: number } | null {
  const subtotal = items.reduce((sum, item) => sum + BigInt(item.subtotal), 0n)
  const groups = Map.groupBy(
    items.filter(({ tax }) => tax != null),
    ({ tax }) => `${tax?.rateBps} ${tax?.isIncluded}`,
  )
  const parts = [...groups.values()].map((group) => {
    const { rateBps = 0, isIncluded = false } = group[0]?.tax ?? {}
    const sum = group.reduce((whole, item) => whole + BigInt(item.subtotal), 0n)
    const base = sum - roundedShare(BigInt(discount), sum, subtotal)
    const rate = BigInt(rateBps)
    return { isIncluded, tax: Number(roundedShare(base, rate, isIncluded ? WHOLE + rate : WHOLE)) }
  })
  const total = (isIncluded: boolean) =>
    sumMoney(parts.filter((part) => part.isIncluded === isIncluded).map(({ tax }) => tax))
  const [added, included] = [total(false), total(true)]
  return added === null || included === null ? null : { added, included }
}
