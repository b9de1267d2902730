export type OrderFilters = {
  q?: string
  status?: string
  payment_status?: string
  needs_review?: string
  phone?: string
  reference?: string
  from?: string
  to?: string
}

/** Days are days of the shop: from the first moment of one to the last moment of the other. */
const DAY_MS = 24 * 3600 * 1000
const isDay = (text: string | undefined): text is string => text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text)
const startOf = (day: string) => Date.parse(`${day}T00:00:00+07:00`)

/** What a list of orders, payments or refunds is asked for. */
export const orderQueryOf = ({ from, to, ...filters }: OrderFilters) => ({
  ...filters,
  ...(isDay(from) && { created_after: new Date(startOf(from)).toISOString() }),
  ...(isDay(to) && { created_before: new Date(startOf(to) + DAY_MS).toISOString() }),
})
