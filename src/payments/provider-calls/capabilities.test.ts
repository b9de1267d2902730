import { expect, test } from 'bun:test'
import type { PaymentCapability } from '../payment-connector.ts'
import { checkCharge, chooseCapability, enabledCapabilities, rupiah } from './capabilities.ts'

const capability = (fields: Partial<PaymentCapability> = {}): PaymentCapability => ({
  method: 'virtual_account',
  bank: 'bca',
  amountMin: 10_000,
  amountMax: 50_000_000,
  isOpenAmountPossible: false,
  expirySecondsMin: 60,
  expirySecondsMax: 3600,
  expirySecondsDefault: 600,
  code: null,
  shows: 'number',
  needsPhone: false,
  isRefundable: false,
  isRefundableInPart: false,
  isManual: false,
  ...fields,
})

test.each([
  [{ amount: 9999 }, 'amount_too_low', 'The lowest amount for virtual_account of bca is Rp10.000.'],
  [{ amount: 50_000_001 }, 'amount_too_high', 'The highest amount for virtual_account of bca is Rp50.000.000.'],
  [{ amount: null }, 'amount_required', 'needs an amount. Send "items" or "amount".'],
  [{ expirySeconds: 59 }, 'expiry_too_short', '60 seconds'],
  [{ expirySeconds: 3601 }, 'expiry_too_long', '3600 seconds'],
])('%o is refused as %s', (terms, code, sentence) => {
  const problem = checkCharge(capability(), { amount: 25_000, expirySeconds: null, ...terms })
  expect(problem).toMatchObject({ code, says: expect.stringContaining(sentence) })
})

test('an amount is accepted at the limits themselves, and at any size without limits', () => {
  const pass = (amount: number | null, fields: Partial<PaymentCapability> = {}) =>
    checkCharge(capability(fields), { amount, expirySeconds: null })
  expect([
    pass(10_000),
    pass(50_000_000),
    pass(10 ** 15, { amountMax: null }),
    pass(null, { isOpenAmountPossible: true }),
  ]).toEqual([null, null, null, null])
  expect(checkCharge(capability(), { amount: 25_000, expirySeconds: 3600 })).toBeNull()
})

test('a named bank is chosen, and the default or the first bank when none is named', () => {
  const all = [capability(), capability({ bank: 'bni' }), capability({ method: 'qris', bank: null })]
  const choose = (bank: string | null, defaultBank: string | null) =>
    chooseCapability(all, { method: 'virtual_account', bank, defaultBank })?.bank
  expect([
    choose('bni', 'bca'),
    choose(null, 'bni'),
    choose(null, 'cimb'),
    choose(null, null),
    choose('cimb', null),
  ]).toEqual(['bni', 'bni', 'bca', 'bca', undefined])
  expect(chooseCapability(all, { method: 'cash', bank: null, defaultBank: null })).toBeNull()
  expect(enabledCapabilities(all, ['qris']).map(({ method }) => method)).toEqual(['qris'])
})

test('rupiah are formatted as in Indonesia', () => {
  expect([rupiah(0), rupiah(999), rupiah(1000), rupiah(10_000_000)]).toEqual([
    'Rp0',
    'Rp999',
    'Rp1.000',
    'Rp10.000.000',
  ])
})
