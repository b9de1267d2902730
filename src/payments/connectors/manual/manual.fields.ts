import type { PaymentField } from '../../payment-connector.ts'
import { cleanPastedQris, QrisError, readStaticQris } from '../../qris/qris.ts'
import { qrisLimitField } from '../../qris/qris-account.fields.ts'

const transferFields = ['transfer_bank', 'transfer_account_number', 'transfer_account_holder']

const transferField = (field: Pick<PaymentField, 'name' | 'label' | 'help'> & Partial<PaymentField>): PaymentField => ({
  isSecret: false,
  isRequired: false,
  lengthMax: 100,
  needs: transferFields.filter((name) => name !== field.name),
  ...field,
})

export const manualFields: readonly PaymentField[] = [
  qrisLimitField,
  {
    name: 'static_qris',
    label: 'Static QRIS',
    help: "the text of the shop's own QRIS sticker; orders get a copy of it with their amount.",
    isSecret: false,
    isRequired: false,
    lengthMax: 512,
    placeholder: '000201010211…',
    clean: cleanPastedQris,
    check: staticQrisProblem,
  },
  transferField({
    name: 'transfer_bank',
    label: 'Bank for transfers',
    help: "bank of the shop's own account.",
    placeholder: 'BCA',
  }),
  transferField({
    name: 'transfer_account_number',
    label: 'Account number for transfers',
    help: "number of the shop's own account.",
    lengthMax: 34,
    clean: (text) => text.replaceAll(/[\s.-]/g, ''),
    check: (text) => (/^\d{5,34}$/.test(text) ? null : 'An account number has 5 to 34 digits.'),
  }),
  transferField({
    name: 'transfer_account_holder',
    label: 'Account holder for transfers',
    help: 'name of the account holder, as the payer sees it.',
  }),
  transferField({
    name: 'transfer_note',
    label: 'Note for transfers',
    help: 'note for the payer, such as where to send the receipt.',
    lengthMax: 300,
    needs: transferFields,
  }),
  transferField({
    name: 'transfer_unique_amount',
    label: 'Unique amount for transfers',
    help: 'adds 1 to 999 rupiah to each transfer, so that its line on the bank statement identifies the order.',
    choices: ['off', 'on'],
    needs: transferFields,
  }),
]

/** Applies the import rules of the codec: a valid static code without an amount. */
function staticQrisProblem(text: string): string | null {
  try {
    readStaticQris(text)
    return null
  } catch (error) {
    if (error instanceof QrisError) return `This is not a static QRIS that can be used. ${error.message}`
    throw error
  }
}
