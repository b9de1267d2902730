import { expect, test } from 'bun:test'
import { maskPayer } from './notifications.ts'

test('names, phones, addresses and account numbers of payers are masked in the formats of both providers', () => {
  const midtrans = {
    order_id: 'pay_1',
    va_numbers: [{ bank: 'bni', va_number: '9888123456789012' }],
    permata_va_number: '8562000087926752',
    bill_key: '123456789012',
    customer_details: { first_name: 'Siti "Ayu"', phone: '+6281299998888', email: 'siti@example.com' },
    gross_amount: '25000.00',
  }
  const xendit = { sender_name: 'Budi', account_number: 1234500009999, payment_details: { payer_name: 'Sari' } }
  const text = maskPayer(JSON.stringify([midtrans, xendit]))
  for (const secret of ['Siti', 'Ayu', '8129999', 'siti@', 'Budi', 'Sari', '98881234', '85620000', '12345'])
    expect(text).not.toContain(secret)
  for (const kept of ['"order_id":"pay_1"', '"bank":"bni"', '"gross_amount":"25000.00"']) expect(text).toContain(kept)
  expect(JSON.parse(text)[0].customer_details.phone).toBe('[masked]')
})

test('a notice reveals no name when it is cut off in the middle of one', () => {
  expect(maskPayer('{"a": 1, "sender_name" : "Budi Sant')).toBe('{"a": 1, "sender_name" : "[masked]"')
  expect(maskPayer('no json at all')).toBe('no json at all')
})

test('masking a long notice that almost matches takes linear time', () => {
  const hostile = `{"${'account_'.repeat(20_000)}number": ${'"\\'.repeat(20_000)}`
  const startedAt = performance.now()
  maskPayer(hostile)
  expect(performance.now() - startedAt).toBeLessThan(1000)
})
