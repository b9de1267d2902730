import { NumberInput, type NumberInputProps } from '@mantine/core'

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
