import { expect, test } from 'bun:test'
import { formatRupiah, formatWib, languageOf, nameOfBank, orderedInstructions } from './customer-language.ts'

test('formatRupiah separates thousands with dots and never breaks the line', () => {
  const amounts = [0, 999, 1000, 25_000, 1_265_000, 9_007_199_254_740_991]
  expect(amounts.map(formatRupiah)).toEqual(
    ['0', '999', '1.000', '25.000', '1.265.000', '9.007.199.254.740.991'].map((text) => `Rp\u00a0${text}`),
  )
})

test('formatWib shows Western Indonesia Time by name', () => {
  const newYear = new Date('2026-12-31T17:05:00.000Z')
  expect(formatWib(newYear, 'id')).toBe('1 Jan 2027, 00.05 WIB')
  expect(formatWib(newYear, 'en')).toBe('1 Jan 2027, 00:05 WIB')
  expect(formatWib(new Date('2026-05-08T02:30:59.999Z'), 'id')).toBe('8 Mei 2026, 09.30 WIB')
})

test('the customer language is Indonesian unless the organization chose English', () => {
  expect([{}, { language: 'en' }, { language: 'fr' }].map((settings) => languageOf({ settings }))).toEqual([
    'id',
    'en',
    'id',
  ])
})

test('nameOfBank returns the name that customers know', () => {
  expect(['bca', 'cimb', 'mandiri', 'bank_jago'].map(nameOfBank)).toEqual(['BCA', 'CIMB Niaga', 'Mandiri', 'BANK JAGO'])
})

test('instructions start with the destination and end with the note of the shop', () => {
  const given = { note: 'soon', wallet: 'x', reference: '1001', account_number: '12', bank: 'BCA', store: '' }
  expect(orderedInstructions(given).map(([name]) => name)).toEqual([
    'bank',
    'account_number',
    'reference',
    'wallet',
    'note',
  ])
})
