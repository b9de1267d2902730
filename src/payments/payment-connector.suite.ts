import { describe, expect, test } from 'bun:test'
import { loopbackEgress } from '../../test/support/egress.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { findMismatch } from './attempts/charge-agreement.ts'
import type {
  ChargeAttempt,
  ChargeOutcome,
  KnownAttempt,
  NoticeVerdict,
  PayableDetails,
  PaymentAccount,
  PaymentCapability,
  PaymentConnector,
  PaymentFailure,
  PaymentMethod,
  RawNotice,
  ReportedPaymentState,
} from './payment-connector.ts'
import { checkCharge } from './provider-calls/provider-calls.ts'
import { makeDynamic, parseQris, QRIS_LIMITS_DEFAULT } from './qris/qris.ts'

/**
 * The tests that every payment connector passes. A connector passes in itself and an account; one with notifications also a
 * network at which attempts can be paid; one that calls a provider also a remote side, which fails on request.
 */
export type ConnectorUnderTest = { connector: PaymentConnector; account: PaymentAccount }
export type ConnectorWithNotices = ConnectorUnderTest & { network: PaymentNetwork }
export type RemoteConnector = ConnectorWithNotices & { remote: RemoteSide }

export type PaymentNetwork = {
  /** Pays the full amount and returns the notification that the provider sends. */
  pay(attempt: KnownAttempt): RawNotice
  /** The same notification signed without the secret. */
  forge(notice: RawNotice): RawNotice
}

type RemoteFault =
  | 'hang_before'
  | 'hang_after'
  | 'status_503'
  | 'status_503_page'
  | 'status_429'
  | 'garbage'
  | 'huge'
  | 'redirect'
  | 'status_200_page'
  | 'status_403_page'
  | 'status_404_page'

/** Members of a charge answer that may contradict the request or be left out. */
export type Contradiction = 'order' | 'amount' | 'fraction' | 'currency' | 'code_amount' | 'code_checksum'
const contradictions: readonly Contradiction[] = [
  'order',
  'amount',
  'fraction',
  'currency',
  'code_amount',
  'code_checksum',
]

/** The same code with another amount, or with another checksum. */
export const alteredCode = (code: unknown, what: Contradiction): string => {
  const other = makeDynamic(String(code), { amount: 2_500, limits: QRIS_LIMITS_DEFAULT, isReplacing: true }).text
  return what === 'code_amount' ? other : `${String(code).slice(0, -4)}${other.slice(-4)}`
}

export type RemoteSide = {
  countCalls(): number
  /** Null removes a fault that did not occur. */
  failNext(fault: RemoteFault | null, options?: { retryAfterSeconds?: number }): void
  /** Executes the next charge as requested, and contradicts it in the answer. */
  contradictNext(what: Contradiction): void
  /** Executes the next charge as requested, and leaves order, amount and currency out of the answer. */
  omitNext(): void
  /** The account with another key, and with an address that does not listen. */
  withWrongCredentials: PaymentAccount
  unreachable: PaymentAccount
}

export const suiteAccount = (fields: Partial<PaymentAccount> & Pick<PaymentAccount, 'provider'>): PaymentAccount => ({
  orgId: newId('org') as OrgId,
  id: newId('pac'),
  baseUrl: null,
  noticeUrl: `https://pay.example.com/hooks/${fields.provider}/pac_1`,
  fetch: loopbackEgress.fetch,
  credentials: {},
  settings: {},
  ...fields,
})

const HOUR_MS = 3_600_000

/** An attempt with an amount that is no test value and within the limits of every method. */
export const suiteAttempt = (fields: Partial<ChargeAttempt> = {}): ChargeAttempt => ({
  id: newId('pay'),
  orderId: newId('ord'),
  orderNumber: 'INV-00042',
  method: 'qris',
  bank: null,
  amount: 25_000,
  expiresAt: new Date(Date.now() + HOUR_MS),
  merchantName: 'Warung Contoh',
  customer: { name: 'Budi', phone: '+6281234567890' },
  description: 'Order INV-00042',
  returnUrl: 'https://pay.example.com/pay/token',
  attemptNumber: 1,
  ...fields,
})

export const knownAs = (attempt: ChargeAttempt, details: PayableDetails | null): KnownAttempt => ({
  id: attempt.id,
  providerId: details?.providerId ?? null,
  method: attempt.method,
  bank: attempt.bank,
  amount: attempt.amount,
})

export const REPORTED_STATES: readonly ReportedPaymentState[] = [
  'pending',
  'paid',
  'failed',
  'expired',
  'cancelled',
  'reversed',
]

export const never = new AbortController().signal

export function payableOf(outcome: ChargeOutcome): PayableDetails {
  if (outcome.kind !== 'payable') throw new Error(`not payable: ${JSON.stringify(outcome)}`)
  return outcome.details
}

export function failureOf(outcome: { kind: string; failure?: PaymentFailure }): PaymentFailure {
  if (outcome.kind !== 'refused' || outcome.failure === undefined)
    throw new Error(`not refused: ${JSON.stringify(outcome)}`)
  return outcome.failure
}

export function genuineReport(verdict: NoticeVerdict) {
  if (verdict.kind !== 'genuine') throw new Error(`not genuine: ${JSON.stringify(verdict)}`)
  return verdict.report
}

const amountWithin = ({ amountMin, amountMax }: PaymentCapability): number =>
  Math.max(amountMin, Math.min(25_000, amountMax ?? 25_000))

const attemptFor = (capability: PaymentCapability, fields: Partial<ChargeAttempt> = {}): ChargeAttempt =>
  suiteAttempt({ method: capability.method, bank: capability.bank, amount: amountWithin(capability), ...fields })

/** Manual connectors: only staff record payments. */
export function describeManualConnector(name: string, subject: () => ConnectorUnderTest): void {
  describe(`${name} is a payment connector`, () => {
    describeCapabilities(subject, 'local')
    describeCharges(subject)
    describeEnds(subject, () => null)
    describeStrangeNotices(subject)
  })
}

/** Local connectors with notifications. */
export function describeLocalConnector(name: string, subject: () => ConnectorWithNotices): void {
  describe(`${name} is a payment connector`, () => {
    describeCapabilities(subject, 'local')
    describeCharges(subject)
    describeEnds(subject, (attempt) => subject().network.pay(attempt))
    describeStrangeNotices(subject)
    describeNotices(subject)
  })
}

export function describeRemoteConnector(name: string, subject: () => RemoteConnector): void {
  describe(`${name} is a payment connector`, () => {
    describeCapabilities(subject, 'remote')
    describeCharges(subject)
    describeEnds(subject, (attempt) => subject().network.pay(attempt))
    describeStrangeNotices(subject)
    describeNotices(subject)
    describeAnswers(subject)
    describeContradictions(subject)
    describeFailures(subject)
  })
}

const firstOf = ({ connector, account }: ConnectorUnderTest): PaymentCapability =>
  connector.capabilities(account).find(({ method }) => method !== 'free') as PaymentCapability

async function charged({ connector, account }: ConnectorUnderTest, attempt: ChargeAttempt): Promise<KnownAttempt> {
  return knownAs(attempt, payableOf(await connector.charge(account, attempt, never)))
}

const CHANNELED: readonly PaymentMethod[] = ['virtual_account', 'ewallet', 'card', 'retail']

function describeCapabilities(subject: () => ConnectorUnderTest, place: 'local' | 'remote'): void {
  test('capabilities are distinct and their limits make sense', () => {
    const { connector, account } = subject()
    const all = connector.capabilities(account)
    expect(all.length).toBeGreaterThan(0)
    expect(new Set(all.map(({ method, bank }) => `${method} ${bank}`)).size).toBe(all.length)
    for (const one of all) {
      expect(one.amountMax ?? one.amountMin).toBeGreaterThanOrEqual(one.amountMin)
      expect(one.bank !== null).toBe(CHANNELED.includes(one.method))
      if (one.isRefundableInPart) expect(one.isRefundable).toBe(true)
      const isEndless = one.expirySecondsDefault === 0
      expect(isEndless ? one.isManual : one.expirySecondsDefault >= one.expirySecondsMin).toBe(true)
      expect(one.expirySecondsMax).toBeGreaterThanOrEqual(one.expirySecondsDefault)
    }
  })

  test('only a local connector answers synchronously', () => {
    const { connector, account } = subject()
    const isLocal = place === 'local'
    expect([connector.isLocal, connector.chargeLocally !== undefined]).toEqual([isLocal, isLocal])
    const attempt = attemptFor(firstOf(subject()))
    const outcome = connector.chargeLocally?.(account, attempt)
    expect(outcome?.kind).toBe(isLocal ? 'payable' : undefined)
  })
}

function expectPayable(attempt: ChargeAttempt, details: PayableDetails): void {
  const { qrString, qrImageUrl, virtualAccount, bill, accountPage, ewallet, retail, card, instructions } = details
  if (attempt.method === 'qris') {
    expect(qrString !== null || qrImageUrl !== null).toBe(true)
    if (qrString !== null) expect(parseQris(qrString).fields.amount).toBe(attempt.amount ?? undefined)
  } else if (attempt.method === 'virtual_account') {
    expect([virtualAccount, bill, accountPage].filter((one) => one !== null).length).toBe(1)
    if (virtualAccount !== null)
      expect([virtualAccount.bank, /^\d{8,28}$/.test(virtualAccount.number)]).toEqual([attempt.bank ?? '', true])
    if (accountPage !== null)
      expect([accountPage.bank, new URL(accountPage.redirectUrl).protocol]).toEqual([attempt.bank ?? '', 'https:'])
    if (bill !== null) expect(`${bill.billerCode}${bill.billKey}`).toMatch(/^\d{10,28}$/)
  } else if (attempt.method === 'ewallet') expect(ewallet?.channel ?? '').toBe(attempt.bank ?? '')
  else if (attempt.method === 'retail')
    expect([retail?.store, /^\w{6,40}$/.test(retail?.paymentCode ?? '')]).toEqual([attempt.bank ?? '', true])
  else if (attempt.method === 'card')
    expect([card?.channel, new URL(card?.redirectUrl ?? '').protocol]).toEqual([attempt.bank ?? '', 'https:'])
  else expect(Object.keys(instructions ?? {}).length).toBeGreaterThan(0)
}

function describeCharges(subject: () => ConnectorUnderTest): void {
  test('every capability can be charged and returns exactly the payment details of its method', async () => {
    const { connector, account } = subject()
    for (const capability of connector.capabilities(account)) {
      const attempt = attemptFor(capability)
      const details = payableOf(await connector.charge(account, attempt, never))
      expectPayable(attempt, details)
      expect(findMismatch(account, attempt, details)).toBeNull()
    }
  })

  test('the same attempt charged again returns the same payment', async () => {
    const { connector, account } = subject()
    for (const capability of connector.capabilities(account)) {
      const attempt = attemptFor(capability)
      const first = payableOf(await connector.charge(account, attempt, never))
      const outcome = await connector.charge(account, { ...attempt, attemptNumber: 2 }, never)
      // A hosted page without an idempotency key cannot be found again; the second call must not create another one.
      if (capability.shows === 'link' && outcome.kind === 'refused') {
        expect(outcome.failure.code).toBe('duplicate_attempt')
        continue
      }
      const second = payableOf(outcome)
      expect([second.providerId, second.virtualAccount?.number, second.bill]).toEqual([
        first.providerId,
        first.virtualAccount?.number,
        first.bill,
      ])
    }
  })

  test('a charge outside the capability is refused', async () => {
    const { connector, account } = subject()
    for (const capability of connector.capabilities(account)) {
      const wrong = [capability.amountMin - 1, (capability.amountMax ?? 0) + 1, null].filter(
        (amount) => checkCharge(capability, { amount, expirySeconds: null }) !== null,
      )
      for (const amount of wrong) {
        const failure = failureOf(await connector.charge(account, attemptFor(capability, { amount }), never))
        expect([failure.class, failure.code.startsWith('amount_')]).toEqual(['rejected', true])
      }
    }
    for (const bank of ['no such bank', null]) {
      const unknown = suiteAttempt({ method: 'virtual_account', bank })
      expect(failureOf(await connector.charge(account, unknown, never)).class).toBe('rejected')
    }
  })

  test('no outcome holds a credential', async () => {
    const { connector, account } = subject()
    const attempt = attemptFor(firstOf(subject()))
    const outcome = await connector.charge(account, attempt, never)
    const status = await connector.askStatus(account, knownAs(attempt, payableOf(outcome)), never)
    const text = JSON.stringify([outcome, status])
    for (const secret of Object.values(account.credentials)) expect(text).not.toContain(secret)
  })
}

function describeEnds(subject: () => ConnectorUnderTest, pay: (attempt: KnownAttempt) => RawNotice | null): void {
  test('a charge is pending when its status is queried', async () => {
    const { connector, account } = subject()
    const known = await charged(subject(), attemptFor(firstOf(subject())))
    const status = await connector.askStatus(account, known, never)
    expect(status).toMatchObject({ kind: 'known', report: { attemptId: known.id, state: 'pending', amountPaid: null } })
  })

  test('an unpaid attempt can be ended, and ended again', async () => {
    const { connector, account } = subject()
    for (const how of ['cancel', 'expire'] as const) {
      const known = await charged(subject(), attemptFor(firstOf(subject())))
      expect(await connector[how](account, known, never)).toEqual({ kind: 'ended' })
      expect(await connector[how](account, known, never)).toEqual({ kind: 'ended' })
    }
  })

  test('a refund is accepted when the method supports refunds, and rejected otherwise', async () => {
    const { connector, account } = subject()
    for (const capability of connector.capabilities(account)) {
      const known = await charged(subject(), attemptFor(capability))
      const notice = pay(known)
      const { paymentId } = notice === null ? {} : genuineReport(connector.readNotice(account, notice))
      const payment = { ...known, ...(paymentId !== undefined && { paymentIds: [paymentId] }) }
      const amount = known.amount ?? 1
      const outcome = await connector.refund(account, { id: newId('rfd'), payment, amount, reason: null }, never)
      if (capability.isRefundable) expect(['succeeded', 'pending']).toContain(outcome.kind)
      else expect(failureOf(outcome).class).toBe('rejected')
    }
  })

  test('a probe succeeds with working credentials', async () => {
    const { connector, account } = subject()
    expect(await connector.probe(account, never)).toEqual({ kind: 'done' })
  })
}

const emptyNotice = (fields: Partial<RawNotice> = {}): RawNotice => ({
  method: 'POST',
  headers: new Headers(),
  query: new URLSearchParams(),
  body: new Uint8Array(),
  ...fields,
})

function describeStrangeNotices(subject: () => ConnectorUnderTest): void {
  test('arbitrary bytes are refused as a notice', () => {
    const { connector, account } = subject()
    const bodies = ['', '{}', '[]', 'null', '{"order_id":', '\u0000', '{"__proto__":{"order_id":"x"}}', '1e999']
    const bytes = [...bodies.map((text) => new TextEncoder().encode(text)), new Uint8Array([0xff, 0xfe, 0x00])]
    for (const body of bytes) expect(connector.readNotice(account, emptyNotice({ body })).kind).toBe('refused')
  })
}

function describeNotices(subject: () => ConnectorWithNotices): void {
  test('a paid notice names the attempt and the amount, with the same key when repeated', async () => {
    const { connector, account, network } = subject()
    const known = await charged(subject(), attemptFor(firstOf(subject())))
    const notice = network.pay(known)
    const report = genuineReport(connector.readNotice(account, notice))
    expect(report).toMatchObject({ attemptId: known.id, providerId: known.providerId, state: 'paid', currency: 'IDR' })
    expect([report.amountPaid, report.dedupKey.length > 0]).toEqual([known.amount, true])
    expect(genuineReport(connector.readNotice(account, notice)).dedupKey).toBe(report.dedupKey)
    const other = await charged(subject(), attemptFor(firstOf(subject())))
    expect(genuineReport(connector.readNotice(account, network.pay(other))).dedupKey).not.toBe(report.dedupKey)
  })

  test('a notice is refused when it is forged or sent with another HTTP method', async () => {
    const { connector, account, network } = subject()
    const notice = network.pay(await charged(subject(), attemptFor(firstOf(subject()))))
    expect(connector.readNotice(account, network.forge(notice))).toMatchObject({ kind: 'refused', status: 401 })
    expect(connector.readNotice(account, { ...notice, method: 'GET' })).toMatchObject({ kind: 'refused', status: 405 })
    const unsigned = { ...account, credentials: {} }
    expect(connector.readNotice(unsigned, notice)).toMatchObject({ kind: 'refused', status: 401 })
  })
}

/** Checks that need a provider with a memory. */
function describeAnswers(subject: () => RemoteConnector): void {
  test('a charge outside the capability is refused before any call', async () => {
    const { connector, account, remote } = subject()
    const calls = remote.countCalls()
    await connector.charge(account, attemptFor(firstOf(subject()), { amount: null }), never)
    await connector.charge(account, suiteAttempt({ method: 'virtual_account', bank: 'no such bank' }), never)
    expect(remote.countCalls()).toBe(calls)
  })

  test('a status query confirms the money of a notice under the same key, and the attempt can no longer be ended', async () => {
    const { connector, account, network } = subject()
    const known = await charged(subject(), attemptFor(firstOf(subject())))
    const notified = genuineReport(connector.readNotice(account, network.pay(known)))
    const asked = await connector.askStatus(account, known, never)
    expect(asked).toMatchObject({
      kind: 'known',
      report: { state: 'paid', amountPaid: known.amount, dedupKey: notified.dedupKey },
    })
    for (const how of ['cancel', 'expire'] as const)
      expect(await connector[how](account, known, never)).toMatchObject({
        kind: 'overtaken',
        report: { state: 'paid' },
      })
  })
}

/** Uses a QR code, because it must agree as well. */
const qrisOf = ({ connector, account }: ConnectorUnderTest): PaymentCapability =>
  connector.capabilities(account).find(({ method }) => method === 'qris') as PaymentCapability

function describeContradictions(subject: () => RemoteConnector): void {
  test.each([...contradictions])('an answer to a charge with another %s is a mismatch', async (what) => {
    const { connector, account, remote } = subject()
    const attempt = attemptFor(qrisOf(subject()))
    remote.contradictNext(what)
    const details = payableOf(await connector.charge(account, attempt, never))
    expect(findMismatch(account, attempt, details)).toBeString()
  })

  test('an answer to a charge that leaves members out is no mismatch', async () => {
    const { connector, account, remote } = subject()
    const attempt = attemptFor(qrisOf(subject()))
    remote.omitNext()
    const details = payableOf(await connector.charge(account, attempt, never))
    expect(details.stated).toEqual({ attemptId: null, amount: null, currency: null })
    expect(findMismatch(account, attempt, details)).toBeNull()
  })
}

function describeFailures(subject: () => RemoteConnector): void {
  test('an attempt that was never charged is absent', async () => {
    const { connector, account } = subject()
    const known = knownAs(attemptFor(firstOf(subject())), null)
    expect(await connector.askStatus(account, known, never)).toEqual({ kind: 'absent' })
    expect(await connector.cancel(account, known, never)).toEqual({ kind: 'ended' })
  })

  test('a lost answer is unknown, and the attempt is then absent or found, and payable once', async () => {
    const { connector, account, remote } = subject()
    for (const fault of ['hang_before', 'hang_after'] as const) {
      const attempt = attemptFor(firstOf(subject()))
      remote.failNext(fault)
      expect((await connector.charge(account, attempt, never)).kind).toBe('unknown')
      const status = await connector.askStatus(account, knownAs(attempt, null), never)
      expect(status.kind).toBe(fault === 'hang_before' ? 'absent' : 'known')
      const again = payableOf(await connector.charge(account, { ...attempt, attemptNumber: 2 }, never))
      expectPayable(attempt, again)
      if (status.kind === 'known') expect(again.providerId).toBe(status.report.providerId)
    }
  })

  test('a provider that is down or busy is unavailable, and an unreadable answer is unknown', async () => {
    const { connector, account, remote } = subject()
    for (const fault of ['status_503', 'status_429'] as const) {
      remote.failNext(fault)
      expect(failureOf(await connector.charge(account, attemptFor(firstOf(subject())), never)).class).toBe(
        'unavailable',
      )
    }
    for (const fault of ['garbage', 'huge'] as const) {
      remote.failNext(fault)
      expect((await connector.charge(account, attemptFor(firstOf(subject())), never)).kind).toBe('unknown')
    }
    const outcome = await connector.charge(remote.unreachable, attemptFor(firstOf(subject())), never)
    expect(failureOf(outcome)).toMatchObject({ class: 'unavailable', code: 'provider_unreachable' })
  })

  test('the pause that a provider asks for is returned for charges, status queries and refunds', async () => {
    const { connector, account, network, remote } = subject()
    const known = await charged(subject(), attemptFor(firstOf(subject())))
    network.pay(known)
    const refund = { id: newId('rfd'), payment: known, amount: known.amount ?? 1, reason: null }
    const calls = [
      () => connector.charge(account, attemptFor(firstOf(subject())), never),
      () => connector.askStatus(account, known, never),
      () => connector.refund(account, refund, never),
    ]
    for (const call of calls)
      for (const fault of ['status_429', 'status_503_page'] as const) {
        remote.failNext(fault, { retryAfterSeconds: 7 })
        const outcome = await call()
        const answer = outcome.kind === 'unknown' ? outcome : failureOf(outcome)
        expect(answer.retryAfterMs).toBe(7000)
      }
  })

  test('a redirect is not followed, and the charge is retried', async () => {
    const { connector, account, remote } = subject()
    const attempt = attemptFor(firstOf(subject()))
    remote.failNext('redirect')
    const calls = remote.countCalls()
    expect((await connector.charge(account, attempt, never)).kind).toBe('unknown')
    expect(remote.countCalls() - calls).toBe(1)
    expectPayable(attempt, payableOf(await connector.charge(account, { ...attempt, attemptNumber: 2 }, never)))
  })

  test.each(['status_200_page', 'status_403_page', 'status_404_page'] as const)(
    'a page instead of an answer (%s) decides nothing about a charge or a refund',
    async (fault) => {
      const { connector, account, network, remote } = subject()
      const attempt = attemptFor(firstOf(subject()))
      remote.failNext(fault)
      expect((await connector.charge(account, attempt, never)).kind).toBe('unknown')
      const payment = await charged(subject(), { ...attempt, attemptNumber: 2 })
      network.pay(payment)
      remote.failNext(fault)
      const refund = { id: newId('rfd'), payment, amount: payment.amount ?? 1, reason: null }
      expect((await connector.refund(account, refund, never)).kind).toBe('unknown')
    },
  )

  test('wrong credentials are rejected, also by the probe', async () => {
    const { connector, remote } = subject()
    const wrong = remote.withWrongCredentials
    const outcomes = [
      await connector.charge(wrong, attemptFor(firstOf(subject())), never),
      await connector.askStatus(wrong, knownAs(attemptFor(firstOf(subject())), null), never),
      await connector.probe(wrong, never),
    ]
    for (const outcome of outcomes)
      expect(failureOf(outcome)).toMatchObject({ class: 'rejected', code: 'credentials_refused' })
  })

  test('an aborted call ends at once', async () => {
    const { connector, account, remote } = subject()
    const giveUp = new AbortController()
    remote.failNext('hang_before')
    const outcome = connector.charge(account, attemptFor(firstOf(subject())), giveUp.signal)
    giveUp.abort()
    expect(['unknown', 'refused']).toContain((await outcome).kind)
    // The call may have been aborted before it was sent.
    remote.failNext(null)
  })
}
