import { NumberInput, type NumberInputProps } from '@mantine/core'

const format = new Intl.NumberFormat('id-ID')
export const rupiah = (amount: number) => `Rp ${format.format(amount)}`

export const Money = ({ amount }: { amount: number | null | undefined }) => (
  <span className="figures" style={{ whiteSpace: 'nowrap' }}>
    {amount === null || amount === undefined ? '—' : rupiah(amount)}
  </span>
)

/** Whole rupiah, written while typing as they are shown elsewhere. */
export const MoneyField = (props: NumberInputProps) => (
  <NumberInput
    allowNegative={false}
    allowDecimal={false}
    thousandSeparator="."
    decimalSeparator=","
    prefix="Rp "
    hideControls
    inputMode="numeric"
    {...props}
  />
)

/** The server counts what waits no further than that. */
const COUNTED_MAX = 10_000

export const countText = (count: number): string => (count < COUNTED_MAX ? String(count) : `${COUNTED_MAX}+`)
