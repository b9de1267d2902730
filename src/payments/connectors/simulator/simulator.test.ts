import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { newId } from '../../../kernel/ids.ts'
import {
  describeLocalConnector,
  failureOf,
  genuineReport,
  knownAs,
  never,
  payableOf,
  suiteAccount,
  suiteAttempt,
} from '../../payment-connector.suite.ts'
import type { ChargeAttempt, PaymentReport } from '../../payment-connector.ts'
import { parseQris, validateQris } from '../../qris/qris.ts'
import { forgeNotice, type SimulatedScenario, simulatePay, simulateRefund } from './simulated-notices.ts'
import { PAGE_BANKS, SIMULATED_BANKS } from './simulated-payables.ts'
import { CHARGE_TROUBLES, FOLLOW_UPS, OVERTAKEN_AMOUNT, REFUND_TROUBLES, SILENT_AMOUNT } from './simulated-values.ts'
import { simulatorConnector as connector } from './simulator.ts'

const account = suiteAccount({ provider: 'simulator', credentials: { notice_key: 'a key for tests only' } })
const now = new Date('2026-11-15T05:00:00.000Z')

describeLocalConnector('Simulator', () => ({
  connector,
  account,
  network: {
    pay: (attempt) => simulatePay({ account, attempt, now })[0] as ReturnType<typeof forgeNotice>,
    forge: forgeNotice,
  },
}))

const charge = (fields: Partial<ChargeAttempt> = {}) => connector.charge(account, suiteAttempt(fields), never)

test('a QRIS code reads as one of this order, and without an amount as an open one', async () => {
  const attempt = suiteAttempt({ merchantName: 'Toko | Kopi é Susu yang sangat panjang' })
  const { fields } = parseQris(payableOf(await connector.charge(account, attempt, never)).qrString ?? '')
  expect(fields).toMatchObject({
    initiation: 'dynamic',
    amount: 25_000,
    merchantName: 'Toko Kopi e Susu yang san',
    additionalData: { billNumber: 'INV-00042', referenceLabel: attempt.id.slice(-25) },
  })
  const open = parseQris(payableOf(await charge({ amount: null })).qrString ?? '')
  expect([open.fields.amount, open.text.includes('5303360540')]).toEqual([undefined, false])
  const nameless = parseQris(payableOf(await charge({ merchantName: '喫茶店' })).qrString ?? '')
  expect(nameless.fields.merchantName).toBe('NEXKIT SIMULATOR')
})

test('the code is valid for any name of the shop and the order', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 60 })
  const amounts = fc.option(fc.integer({ min: 1, max: 10_000_000 }))
  fc.assert(
    fc.property(anything, anything, amounts, (merchantName, orderNumber, amount) => {
      const outcome = connector.chargeLocally?.(account, suiteAttempt({ merchantName, orderNumber, amount }))
      const details = outcome?.kind === 'payable' ? outcome.details : null
      // The test values misbehave on purpose.
      if (amount === null || amount < 90_000 || amount > 90_999)
        expect(validateQris(details?.qrString ?? '')).toEqual({ problems: [], warnings: [] })
    }),
    { numRuns: 300 },
  )
})

test('account numbers have the length of their bank, the same for the same attempt and others for others', async () => {
  const lengths: Record<string, number> = {
    bca: 15,
    bni: 16,
    bri: 18,
    permata: 16,
    cimb: 16,
    bsi: 12,
    bjb: 16,
    bnc: 16,
    muamalat: 19,
    bss: 13,
    hana: 16,
  }
  for (const bank of SIMULATED_BANKS) {
    const details = payableOf(await charge({ method: 'virtual_account', bank }))
    if (PAGE_BANKS.includes(bank)) expect(details.accountPage?.redirectUrl).toEndWith('/pay/token/simulator')
    else if (bank === 'mandiri')
      expect(details.bill).toMatchObject({ billerCode: '70012', billKey: expect.stringMatching(/^\d{12}$/) })
    else expect(details.virtualAccount?.number).toMatch(new RegExp(`^\\d{${lengths[bank]}}$`))
  }
  const numbers = await Promise.all(
    Array.from(
      { length: 1000 },
      async () => payableOf(await charge({ method: 'virtual_account', bank: 'bni' })).virtualAccount?.number,
    ),
  )
  expect(new Set(numbers).size).toBe(1000)
})

const troubled = (trouble: keyof typeof CHARGE_TROUBLES, attemptNumber = 1) =>
  charge({ amount: CHARGE_TROUBLES[trouble].amount, attemptNumber })

test('test values refuse and decline for good, and trouble passes after a few calls', async () => {
  expect(failureOf(await troubled('refused'))).toMatchObject({ class: 'rejected', code: 'method_not_activated' })
  expect(failureOf(await troubled('declined')).class).toBe('declined')
  expect([failureOf(await troubled('unavailable', 2)).class, (await troubled('unavailable', 3)).kind]).toEqual([
    'unavailable',
    'payable',
  ])
  expect([failureOf(await troubled('throttled')).retryAfterMs, (await troubled('throttled', 2)).kind]).toEqual([
    1000,
    'payable',
  ])
  const open = charge({ amount: null, customer: { name: 'Simulate Declined', phone: null } })
  expect(failureOf(await open).class).toBe('declined')
})

test('a timeout before the effect leaves nothing, one after it leaves the payment', async () => {
  const before = suiteAttempt({ amount: CHARGE_TROUBLES.timeout_before.amount })
  expect((await connector.charge(account, before, never)).kind).toBe('unknown')
  expect((await connector.askStatus(account, knownAs(before, null), never)).kind).toBe('absent')
  expect((await connector.charge(account, { ...before, attemptNumber: 2 }, never)).kind).toBe('payable')
  const after = suiteAttempt({ amount: CHARGE_TROUBLES.timeout_after.amount })
  expect((await connector.charge(account, after, never)).kind).toBe('unknown')
  const status = await connector.askStatus(account, knownAs(after, null), never)
  expect(status).toMatchObject({ kind: 'known', details: { qrString: expect.stringContaining('540590006') } })
})

test('slow is unknown to those who do not wait, and given up at once by those who stop waiting', async () => {
  const attempt = suiteAttempt({ amount: CHARGE_TROUBLES.slow.amount })
  expect(connector.chargeLocally?.(account, attempt).kind).toBe('unknown')
  expect((await connector.charge(account, attempt, AbortSignal.timeout(5))).kind).toBe('unknown')
})

const reportsOf = (scenario: SimulatedScenario, attempt = suiteAttempt()): PaymentReport[] =>
  simulatePay({ account, attempt, now }, scenario).map((notice) => genuineReport(connector.readNotice(account, notice)))

test('a scenario reports the states of its name', () => {
  const states = (scenario: SimulatedScenario) => reportsOf(scenario).map(({ state }) => state)
  expect(states('duplicate')).toEqual(['paid', 'paid', 'paid'])
  expect(new Set(reportsOf('duplicate').map(({ dedupKey }) => dedupKey)).size).toBe(1)
  expect(states('reordered')).toEqual(['paid', 'pending'])
  expect(states('reversed')).toEqual(['paid', 'reversed'])
  expect(reportsOf('reversed')[1]?.amountReversed).toBeUndefined()
  expect(reportsOf('partly_reversed').map(({ state, amountReversed }) => [state, amountReversed])).toEqual([
    ['paid', undefined],
    ['reversed', 1_000],
  ])
  expect(reportsOf('short')[0]?.amountPaid).toBe(24_000)
  expect(reportsOf('excess')[0]?.amountPaid).toBe(26_000)
  expect([states('expired'), states('failed'), states('cancelled')]).toEqual([['expired'], ['failed'], ['cancelled']])
  const twice = reportsOf('twice')
  expect([
    new Set(twice.map(({ dedupKey }) => dedupKey)).size,
    twice.every(({ captureId }) => captureId !== null),
  ]).toEqual([2, true])
})

test('a forged and a tampered notice are refused', () => {
  for (const scenario of ['forged', 'tampered'] as const)
    for (const notice of simulatePay({ account, attempt: suiteAttempt(), now }, scenario))
      expect(connector.readNotice(account, notice)).toMatchObject({ kind: 'refused', status: 401 })
})

test('an open code is paid capture by capture, with any amount', () => {
  const attempt = suiteAttempt({ amount: null })
  const pay = (amount: number, at: Date) =>
    genuineReport(connector.readNotice(account, simulatePay({ account, attempt, now: at, amount })[0] as never))
  const [first, second] = [pay(10_000, now), pay(15_000, new Date(now.getTime() + 1000))]
  expect([first.amountPaid, second.amountPaid, first.dedupKey === second.dedupKey]).toEqual([10_000, 15_000, false])
})

test('a refund notice names the id of the refund', () => {
  const refund = { id: newId('rfd'), amount: 5000 }
  const payment = { account, attempt: suiteAttempt(), now }
  const report = genuineReport(connector.readNotice(account, simulateRefund(payment, refund)))
  expect(report.refunds).toEqual([
    { refundId: refund.id, providerRefundId: `sim_${refund.id}`, amount: 5000, state: 'succeeded' },
  ])
  const failed = genuineReport(connector.readNotice(account, simulateRefund(payment, { ...refund, hasFailed: true })))
  expect([failed.refunds[0]?.state, failed.dedupKey === report.dedupKey]).toEqual(['failed', false])
})

test('refunds follow their test values', async () => {
  const known = knownAs(suiteAttempt(), payableOf(await charge()))
  const refund = async (amount: number) =>
    (await connector.refund(account, { id: newId('rfd'), payment: known, amount, reason: null }, never)).kind
  expect(await refund(REFUND_TROUBLES.pending.amount)).toBe('pending')
  expect(await refund(REFUND_TROUBLES.refused.amount)).toBe('refused')
  expect(await refund(REFUND_TROUBLES.unknown.amount)).toBe('unknown')
  expect(await refund(5000)).toBe('succeeded')
})

test('test values that pay plan their notices, late ones after the expiry', () => {
  const planned = (amount: number) => {
    const attempt = suiteAttempt({ amount, expiresAt: new Date(now.getTime() + 900_000) })
    return connector.plannedNotices?.(account, attempt, now) ?? []
  }
  expect(planned(25_000)).toEqual([])
  for (const { amount } of Object.values(FOLLOW_UPS))
    for (const { notice } of planned(amount)) expect(connector.readNotice(account, notice).kind).toBe('genuine')
  expect(planned(FOLLOW_UPS.duplicate.amount).length).toBe(3)
  expect(planned(FOLLOW_UPS.late.amount)[0]?.dueAt.getTime()).toBe(now.getTime() + 960_000)
})

test('a payment without a notice is found by a status query, and money can be received before a cancel', async () => {
  const known = (amount: number) => ({ ...knownAs(suiteAttempt({ amount }), null), providerId: 'sim_1' })
  expect(await connector.askStatus(account, known(SILENT_AMOUNT), never)).toMatchObject({
    report: { state: 'paid', amountPaid: SILENT_AMOUNT },
  })
  expect(await connector.cancel(account, known(OVERTAKEN_AMOUNT), never)).toMatchObject({
    kind: 'overtaken',
    report: { state: 'paid' },
  })
})
