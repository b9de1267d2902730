import { expect, test } from 'bun:test'
import { qrisOf25000, qrisOf25000WithBillNumber, staticQris } from '../../../../test/support/qris-samples.ts'
import { acceptFields } from '../../accounts/account-fields.ts'
import {
  describeManualConnector,
  failureOf,
  never,
  payableOf,
  suiteAccount,
  suiteAttempt,
} from '../../payment-connector.suite.ts'
import { manualFields } from './manual.fields.ts'
import { manualConnector } from './manual.ts'

const transfer = {
  transfer_bank: 'BCA',
  transfer_account_number: '1234567890',
  transfer_account_holder: 'Warung Contoh',
}
const account = suiteAccount({ provider: 'manual', settings: { static_qris: staticQris, ...transfer } })
const bare = suiteAccount({ provider: 'manual' })

describeManualConnector('Manual', () => ({ connector: manualConnector, account }))

const charge = async (fields: Parameters<typeof suiteAttempt>[0], to = account) =>
  manualConnector.charge(to, suiteAttempt(fields), never)

test('the sticker gets the amount and the number of the order, and stays as it is for an open amount', async () => {
  expect(payableOf(await charge({ method: 'qris', orderNumber: '' })).qrString).toBe(qrisOf25000)
  expect(payableOf(await charge({ method: 'qris' })).qrString).toBe(qrisOf25000WithBillNumber)
  expect(payableOf(await charge({ method: 'qris', amount: null })).qrString).toBe(staticQris)
})

test('a transfer shows bank, number, holder and reference', async () => {
  const { instructions, virtualAccount } = payableOf(await charge({ method: 'bank_transfer' }))
  expect([instructions, virtualAccount]).toEqual([
    { bank: 'BCA', account_number: '1234567890', account_holder: 'Warung Contoh', reference: 'INV-00042' },
    null,
  ])
})

test('without a sticker and an account there is cash, delivery, invoice and free, all by hand', async () => {
  const methods = manualConnector.capabilities(bare)
  expect(methods.map(({ method }) => method)).toEqual(['cash', 'cod', 'invoice', 'free'])
  expect(methods.every(({ isManual, isRefundable }) => isManual && !isRefundable)).toBe(true)
  expect(failureOf(await charge({ method: 'qris' }, bare)).code).toBe('method_not_activated')
})

test('pasted values are normalized and stored', () => {
  const settings = {
    static_qris: `  ${staticQris.slice(0, 80)}\r\n${staticQris.slice(80)} `,
    ...transfer,
    transfer_account_number: '123-456 7890',
  }
  const accepted = acceptFields(manualFields, { credentials: {}, settings })
  expect(accepted.settings).toEqual({ static_qris: staticQris, ...transfer })
})

test.each([
  ['one character cut', staticQris.slice(0, -1), 'Tag 63'],
  ['a dynamic code', qrisOf25000, 'static one'],
  ['another checksum', `${staticQris.slice(0, -4)}0000`, '63'],
  ['a link', 'https://example.com/qris', 'tag'],
])('%s is refused as a sticker, with the place', (_, text, sentence) => {
  expect(problemsOf({ static_qris: text })).toEqual([expect.stringContaining(sentence)])
})

test('an incomplete bank account is refused', () => {
  expect(problemsOf({ transfer_account_number: '1234567890' })).toEqual([
    expect.stringContaining('"transfer_bank"'),
    expect.stringContaining('"transfer_account_holder"'),
  ])
})

function problemsOf(settings: Record<string, string>): string[] {
  try {
    acceptFields(manualFields, { credentials: {}, settings })
    return []
  } catch (error) {
    return (error as { options: { errors: { detail: string }[] } }).options.errors.map(({ detail }) => detail)
  }
}
