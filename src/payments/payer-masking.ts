/**
 * Takes out of a notice, before it is put into a log, whom it is about: names, ways to reach them, account numbers. What
 * signs a notice is a secret, and is taken out there like every other. The text need not be whole, for logs keep the
 * beginning of it.
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
