const format = new Intl.NumberFormat('id-ID')
export const rupiah = (amount: number) => `Rp ${format.format(amount)}`

export const Money = ({ amount }: { amount: number | null | undefined }) => (
  <span className="figures" style={{ whiteSpace: 'nowrap' }}>
    {amount === null || amount === undefined ? '—' : rupiah(amount)}
  </span>
)

/** The server counts what waits no further than that. */
const COUNTED_MAX = 10_000

export const countText = (count: number): string => (count < COUNTED_MAX ? String(count) : `${COUNTED_MAX}+`)
