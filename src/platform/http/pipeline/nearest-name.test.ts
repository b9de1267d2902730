import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nearestName } from './nearest-name.ts'

const fields = [
  'billingType',
  'payment',
  'items',
  'unit_price',
  'expires_in_seconds',
  'customer',
  'to',
  'body',
  'status',
]

test('the same words in another spelling are recognised', () => {
  expect(nearestName('billing_type', fields)).toBe('billingType')
  expect(nearestName('unitPrice', fields)).toBe('unit_price')
  expect(nearestName('ExpiresInSeconds', fields)).toBe('expires_in_seconds')
  expect(nearestName('TO', fields)).toBe('to')
})

test('one slip of the fingers still finds the name', () => {
  expect(nearestName('staus', fields)).toBe('status')
  expect(nearestName('item', fields)).toBe('items')
  expect(nearestName('paymnet', fields)).toBe('payment')
  expect(nearestName('boddy', fields)).toBe('body')
  expect(nearestName('expire_in_second', fields)).toBe('expires_in_seconds')
})

test('a name that resembles nothing gets no suggestion', () => {
  for (const name of ['', 'x', 'zzz', 'colour', 'webhook_url', 'on', 'a'.repeat(10_000)]) {
    expect(nearestName(name, fields)).toBeNull()
  }
  expect(nearestName('status', [])).toBeNull()
})

test('of several the closest is taken', () => {
  expect(nearestName('created_befor', ['created_after', 'created_before', 'updated_before'])).toBe('created_before')
})

test('any single swap, loss, gain or change in a name of five letters or more is repaired', () => {
  const names = fields.filter((name) => name.length >= 5)
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.nat(),
      fc.constantFrom('swap', 'drop', 'add', 'change'),
      (name, seed, slip) => {
        const at = seed % (name.length - 1)
        const [before, here, next, after] = [name.slice(0, at), name[at], name[at + 1], name.slice(at + 2)]
        const typed = {
          swap: `${before}${next}${here}${after}`,
          drop: `${before}${next}${after}`,
          add: `${before}${here}q${next}${after}`,
          change: `${before}q${next}${after}`,
        }[slip]
        expect(nearestName(typed, fields)).toBe(name)
      },
    ),
  )
})
