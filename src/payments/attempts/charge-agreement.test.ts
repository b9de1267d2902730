import { expect, test } from 'bun:test'
import { midtransSandboxQris, qrisOf25000, staticQris } from '../../../test/support/qris-samples.ts'
import { suiteAccount, suiteAttempt } from '../payment-connector.suite.ts'
import type { ChargeAttempt, PayableDetails } from '../payment-connector.ts'
import { NO_DETAILS } from '../provider-calls/provider-calls.ts'
import { findMismatch } from './charge-agreement.ts'

const mismatchOf = (
  details: Partial<PayableDetails>,
  { attempt = {}, settings = {} }: { attempt?: Partial<ChargeAttempt>; settings?: Record<string, string> } = {},
) =>
  findMismatch(suiteAccount({ provider: 'midtrans', settings }), suiteAttempt(attempt), { ...NO_DETAILS, ...details })

test('a code agrees with the request when tag 54 is the amount, in any notation and at any position', () => {
  expect(mismatchOf({ qrString: qrisOf25000 })).toBeNull()
  expect(mismatchOf({ qrString: midtransSandboxQris }, { attempt: { amount: 100_000 } })).toBeNull()
  expect(mismatchOf({ qrString: midtransSandboxQris })).toContain('100000.00')
})

test('a code of an open amount has no tag 54', () => {
  expect(mismatchOf({ qrString: staticQris }, { attempt: { amount: null } })).toBeNull()
  expect(mismatchOf({ qrString: qrisOf25000 }, { attempt: { amount: null } })).toContain('25000')
  expect(mismatchOf({ qrString: staticQris })).toContain('no amount')
})

test('a code pays the merchant of the account when the account names one', () => {
  expect(mismatchOf({ qrString: qrisOf25000 }, { settings: { qris_nmid: 'ID1020999999999' } })).toBeNull()
  expect(mismatchOf({ qrString: qrisOf25000 }, { settings: { qris_nmid: 'ID1020888888888' } })).toContain('merchant')
})

test('an account number must be of the requested bank', () => {
  const attempt = { method: 'virtual_account', bank: 'bni' } as const
  const numberOf = (bank: string) => ({ virtualAccount: { bank, number: '8808123456789012', name: null } })
  expect(mismatchOf(numberOf('bni'), { attempt })).toBeNull()
  expect(mismatchOf(numberOf(''), { attempt })).toBeNull()
  expect(mismatchOf(numberOf('bri'), { attempt })).toContain('another bank')
})
