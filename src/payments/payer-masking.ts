/**
 * Masks the payer in a notice before it is logged: names, contact details, account numbers. Signatures are masked with the
 * other secrets by the log. The text may be cut off, because logs keep only its beginning.
 */
const NAMES = [
  '(?:first|last|full|given|middle|sender|payer|customer|recipient|account_holder|cardholder)_names?',
  'surname',
  '(?:\\w{1,20}_)?(?:phone|mobile)(?:_number)?',
  '(?:\\w{1,20}_)?e?mail',
  '(?:\\w{1,20}_)?(?:account|va)_(?:number|no)',
  'bill_key',
  'address',
]

const VALUE = `"(?:[^"\\\\]|\\\\.)*"?|-?[\\d.]+`
const PAYER = new RegExp(`("(?:${NAMES.join('|')})"\\s{0,10}:\\s{0,10})(?:${VALUE})`, 'gi')

export const maskPayer = (notice: string): string => notice.replaceAll(PAYER, '$1"[masked]"')
