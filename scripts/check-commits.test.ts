import { expect, test } from 'bun:test'
import { faultOf } from './check-commits.ts'

test.each([
  'orders: flag underpaid when the remaining amount has no open payment',
  'webhooks, outbox: retry only errors that can succeed',
  'console: address the shop by its name',
])('the subject "%s" is accepted', (subject) => {
  expect(faultOf(subject)).toBeNull()
})

test.each([
  ['orders: a rest that nothing is open for is told of', 'begins with "a"'],
  ['payments: ignored refunds of amount 0', 'begins with "ignored"'],
  ['payments: ignores refunds of amount 0', 'begins with "ignores"'],
  ['ignore refunds', 'does not read'],
  ['Orders: ignore refunds', 'does not read'],
  [`orders: ${'keep '.repeat(15)}`, 'characters'],
])('the subject "%s" is refused', (subject, fault) => {
  expect(faultOf(subject)).toContain(fault)
})
