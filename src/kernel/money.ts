/**
 * Money is a whole number of rupiah that a double holds exactly. Percentages are rounded half up to the rupiah, once, on
 * the sum they are taken of: the one rounding there is.
 */
export const MONEY_MAX = Number.MAX_SAFE_INTEGER

/** Null when it does not fit. Sums are taken in big integers, so that what does not fit is noticed. */
const within = (value: bigint): number | null =>
  value > BigInt(MONEY_MAX) || value < -BigInt(MONEY_MAX) ? null : Number(value)

export const sumMoney = (amounts: readonly number[]): number | null =>
  within(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n))

export const multiplyMoney = (amount: number, quantity: number): number | null =>
  within(BigInt(amount) * BigInt(quantity))

const HUNDREDTHS = 10_000n

/** Of a percentage with at most two decimals. */
export const percentOf = (amount: number, percent: number): number | null =>
  within((BigInt(amount) * BigInt(Math.round(percent * 100)) + HUNDREDTHS / 2n) / HUNDREDTHS)
