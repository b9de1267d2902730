import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid, summary } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import {
  holdCharges,
  reportOf,
  scriptedCode,
  scriptedNotice,
  unavailableFailure,
} from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { SIGNATURE_HEADER, signNotice } from '../connectors/simulator/simulator.notice.ts'
import type { PaymentReport } from '../payment-connector.ts'
import { askAgain, type NoticeAnswer } from './notifications.ts'

/** Notices count once, in any order, and only when they are genuine and confirmed. */
const shop = useOrders({ daysAhead: 30 })
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

test('a notice that arrives before the answer to the charge pays the attempt, and the answer does not undo it', async () => {
  const orgId = await remoteOrg()
  const answer = holdCharges(shop.remote)
  const request = shop.anOrder(orgId)
  await until(() => shop.remote.calls.some((call) => call.startsWith('charge')))
  const id = shop.remote.calls[0]?.split(' ')[1] as string
  const attempt = { id, providerId: null, method: 'qris' as const, bank: null, amount: 25_000 }
  const notice = scriptedNotice(reportOf(attempt, { state: 'paid' }))
  const accountId = (
    await shop.database.one<{ id: string }>`
    select id from payment_accounts where org_id = ${orgId} and provider = 'xendit'`
  ).id
  expect(await shop.payments.receiveNotice('xendit', accountId, notice)).toMatchObject({ status: 200 })
  const order = await request
  answer()
  await shop.settle()
  expect(summary(order).slice(0, 3)).toEqual(['confirmed', 'paid', 'paid'])
  const after = await shop.getOrder(orgId, order.id)
  expect(summary(after)).toEqual(['confirmed', 'paid', 'paid', []])
  expect(after.payment.qris.string).toBe(scriptedCode(attempt))
})

describe('a notice that must not count', () => {
  test('is answered 404 or 401 and changes nothing', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const other = { ...known(order.payment), id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg', providerId: null }
    const unknown = reportOf(other, { state: 'paid', providerId: 'unknown' })
    expect((await shop.sendNotice(orgId, unknown)).status).toBe(404)
    const forged = await shop.sendNotice(orgId, paid(order.payment), { token: 'forged' })
    expect(forged).toMatchObject({ status: 401, owner: { orgId, id: expect.stringMatching(/^pac_/) } })
    expect((forged as NoticeAnswer).detail).not.toBe(null)
    const none = await shop.payments.receiveNotice('xendit', 'pac_01k9x3m5q8e0t9v7a2b4c6d8fg', scriptedNotice(unknown))
    expect(none).toMatchObject({ status: 404, owner: null })
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
  })

  test('about the payment of another account or organization is unknown here', async () => {
    const [mine, theirs] = [await remoteOrg(), await remoteOrg()]
    const order = await shop.anOrder(mine)
    expect((await shop.sendNotice(theirs, paid(order.payment))).status).toBe(404)
    const other = await shop.anAccount(mine, 'midtrans')
    expect((await shop.payments.receiveNotice('midtrans', other, scriptedNotice(paid(order.payment)))).status).toBe(404)
    expect((await shop.getOrder(mine, order.id)).payment_status).toBe('pending')
  })

  test('is confirmed with the provider each time when its signature does not cover the state', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    expect((await shop.sendNotice(orgId, paid(order.payment), { proven: false })).status).toBe(200)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
    shop.remote.script.status = (attempt) => ({
      kind: 'known',
      report: reportOf(attempt, { state: 'paid' }),
      details: null,
    })
    // The provider sends no second notice, so a payment that it did not know yet is queried again.
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('is confirmed again later when the provider does not know the payment yet', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    shop.remote.script.status = () => ({ kind: 'absent' })
    await shop.sendNotice(orgId, paid(order.payment), { proven: false })
    shop.remote.script.status = (attempt) => {
      return { kind: 'known', report: reportOf(attempt, { state: 'paid' }), details: null }
    }
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('is confirmed again later when the provider does not list the late money yet', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    const say = (state: 'expired' | 'paid') => {
      shop.remote.script.status = (attempt) => ({ kind: 'known', report: reportOf(attempt, { state }), details: null })
    }
    say('expired')
    await shop.sendNotice(orgId, paid(order.payment), { proven: false })
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', []])
    say('paid')
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'paid', 'paid', ['late_payment']])
  })

  test('delays no other payment when the provider gives an unusable answer about it', async () => {
    const orgId = await remoteOrg()
    const orders = await Promise.all(Array.from({ length: 6 }, () => shop.anOrder(orgId)))
    const strange = { ...unavailableFailure, code: 'answer_contradictory' }
    shop.remote.script.status = () => ({ kind: 'refused', failure: strange })
    for (const order of orders) await shop.sendNotice(orgId, paid(order.payment), { proven: false })
    expect(shop.remote.calls.filter((call) => call.startsWith('status'))).toHaveLength(6)
    expect((await shop.anOrder(orgId)).payment.status).toBe('pending')
  })

  test('is stored and answered 200 when it matches no payment', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const ping = { ...paid(order.payment), state: 'ping' as never }
    expect((await shop.sendNotice(orgId, ping)).status).toBe(200)
    const { status } = await shop.database.one<{ status: string }>`
      select status from payment_notices where org_id = ${orgId}`
    expect(status).toBe('irrelevant')
  })
})

describe('a genuine notice that cannot be counted', () => {
  test('a genuine notice in another currency marks its order at once and once, and moves no money', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const report = paid(order.payment, { currency: 'USD' })
    for (let time = 0; time < 2; time++) expect((await shop.sendNotice(orgId, report)).status).toBe(200)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', ['amount_unknown']])
    const types = await shop.eventTypes(orgId)
    expect(types.filter((type) => type === 'order.needs_review')).toHaveLength(1)
    await shop.sendNotice(orgId, paid(order.payment))
    expect((await summaryOf(orgId, order)).slice(0, 3)).toEqual(['confirmed', 'paid', 'paid'])
  })

  test('a genuine notice with a fraction of a rupiah marks its order at once', async () => {
    const orgId = await shop.anOrg(['simulator'])
    const order = await shop.anOrder(orgId)
    const [account] = await shop.database.many<{ id: string }>`select id from payment_accounts where org_id = ${orgId}`
    const open = await shop.accounts.openForNotice('simulator', account?.id ?? '')
    const payment = { reference: order.payment.id, transaction: 'sim_1', amount: '25000.50', currency: 'IDR' }
    const body = new TextEncoder().encode(JSON.stringify({ type: 'payment.paid', payment }))
    const signature = signNotice(open?.account.credentials.notice_key ?? '', body)
    const headers = new Headers({ [SIGNATURE_HEADER]: signature })
    const notice = { ...scriptedNotice(paid(order.payment)), headers, body }
    expect(await shop.payments.receiveNotice('simulator', account?.id ?? '', notice)).toMatchObject({ status: 200 })
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', ['amount_unknown']])
  })
})

describe('a provider that is behind its own notices', () => {
  /** Sets the answer of the provider to a query. */
  const answer = (fields: Partial<PaymentReport>) => {
    shop.remote.script.status = (attempt) => ({ kind: 'known', report: reportOf(attempt, fields), details: null })
  }

  const unproven = { proven: false }

  async function aPaidOrder() {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment))
    return { orgId, order }
  }

  test('a reversal is recorded after the payment when the provider confirms it late', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    answer({ state: 'paid' })
    await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed' }), unproven)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    answer({ state: 'reversed' })
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
  })

  test('a second partial reversal is recorded when the provider confirms it late', async () => {
    const { orgId, order } = await aPaidOrder()
    answer({ state: 'reversed', amountReversed: 5_000 })
    const reversal = { state: 'reversed', amountReversed: 8_000, dedupKey: 'second' } as const
    await shop.sendNotice(orgId, reportOf(known(order.payment), reversal), unproven)
    expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(5_000)
    answer(reversal)
    await shop.advance(10)
    expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(8_000)
  })

  test('a partial reversal without an amount is flagged for review when the provider confirms it late', async () => {
    const { orgId, order } = await aPaidOrder()
    answer({ state: 'paid' })
    const reversal = { state: 'reversed', amountReversed: 0 } as const
    await shop.sendNotice(orgId, reportOf(known(order.payment), reversal), unproven)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    answer(reversal)
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['amount_unknown']])
  })

  test.each([
    ['was created at the provider', 'theirs'],
    ['is reported only as a sum', null],
  ])('a refund that %s is recorded when the provider confirms it late', async (_, providerRefundId) => {
    const { orgId, order } = await aPaidOrder()
    const refund = { refundId: null, providerRefundId, amount: 5_000, state: 'succeeded' } as const
    answer({ state: 'paid' })
    await shop.sendNotice(orgId, paid(order.payment, { refunds: [refund], dedupKey: 'refunded' }), unproven)
    expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(0)
    answer({ state: 'paid', refunds: [refund] })
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
  })

  test('a transfer denied by its bank is recorded as reversed when the provider confirms it late', async () => {
    const { orgId, order } = await aPaidOrder()
    const denied = { state: 'failed', undoesPayment: true } as const
    answer({ state: 'paid' })
    await shop.sendNotice(orgId, reportOf(known(order.payment), denied), unproven)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    answer(denied)
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
  })

  test('a second payment of one code is recorded when the provider confirms it late', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    answer({ state: 'paid', paymentId: 'py-1' })
    for (const paymentId of ['py-1', 'py-2'])
      await shop.sendNotice(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }), unproven)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    answer({ state: 'paid', paymentId: 'py-2' })
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  })

  test('a notice is dropped when the provider never confirms it', async () => {
    const { orgId, order } = await aPaidOrder()
    answer({ state: 'paid' })
    await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed' }), unproven)
    for (let hour = 0; hour < 24; hour++) await shop.advance(3600)
    const questions = shop.remote.calls.filter((call) => call === `status ${order.payment.id}`).length
    expect(questions).toBeGreaterThan(0)
    expect(questions).toBeLessThan(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })
})

describe('a provider that hides a part', () => {
  const answerInPart = (fields: Partial<PaymentReport>) => {
    shop.remote.script.status = (attempt) => ({
      kind: 'known',
      report: reportOf(attempt, fields),
      details: null,
      isPartial: true,
    })
  }

  const unproven = { proven: false }

  async function anExpiredOrder() {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    answerInPart({ state: 'expired' })
    await shop.sendNotice(orgId, reportOf(order.payment, { state: 'expired' }), unproven)
    expect((await summaryOf(orgId, order))[0]).toBe('expired')
    return { orgId, order }
  }

  test('late money is not recorded and is flagged for review at once when it cannot be confirmed', async () => {
    const { orgId, order } = await anExpiredOrder()
    await shop.sendNotice(orgId, paid(order.payment), unproven)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', ['provider_silent']])
  })

  test('money is not recorded when the provider reports its code as unpaid', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    answerInPart({ state: 'pending' })
    await shop.sendNotice(orgId, paid(order.payment), unproven)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
  })

  test.each([
    ['lists only the first', { state: 'paid', paymentId: 'py-1' }],
    ['lists neither by id', { state: 'paid' }],
  ] as const)('a second payment is flagged for review when the provider %s', async (_, fields) => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    answerInPart(fields)
    const notify = (paymentId: string) =>
      shop.sendNotice(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }), unproven)
    await notify('py-1')
    await notify('py-1')
    for (let hour = 0; hour < 12; hour++) await shop.advance(3600)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    await notify('py-2')
    for (let hour = 0; hour < 12; hour++) await shop.advance(3600)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['provider_silent']])
  })

  async function aRefundUnderWay(isNamed = true) {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment))
    shop.remote.script.refund = ({ id }) => ({ kind: 'pending', providerRefundId: isNamed ? `their_${id}` : null })
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 5_000 } })
    await shop.advance(0)
    answerInPart({ state: 'paid' })
    return { orgId, order, refundId: json.id as string }
  }

  test.each([
    ['succeeded', 'as the provider does', (id: string) => `their_${id}`, 5_000, 'partially_refunded'],
    ['pending', 'wrongly', () => 'guessed', 5_000, 'paid'],
    ['pending', 'as the provider does, with another amount', (id: string) => `their_${id}`, 6_000, 'paid'],
  ] as const)(
    'a refund that cannot be confirmed is %s when its notice names it %s',
    async (state, _, nameOf, amount, paymentStatus) => {
      const { orgId, order, refundId } = await aRefundUnderWay()
      const refund = { refundId, providerRefundId: nameOf(refundId), amount, state: 'succeeded' } as const
      await shop.sendNotice(
        orgId,
        paid(order.payment, { amountPaid: null, refunds: [refund], dedupKey: 'back' }),
        unproven,
      )
      const after = await shop.getOrder(orgId, order.id)
      expect([after.refunds[0].status, after.payment_status]).toEqual([state, paymentStatus])
    },
  )

  test('a refund is matched by our id when the provider gave it none', async () => {
    const { orgId, order, refundId } = await aRefundUnderWay(false)
    const refund = { refundId, providerRefundId: 'told_later', amount: 5_000, state: 'succeeded' } as const
    await shop.sendNotice(
      orgId,
      paid(order.payment, { amountPaid: null, refunds: [refund], dedupKey: 'back' }),
      unproven,
    )
    expect((await shop.getOrder(orgId, order.id)).refunds[0].status).toBe('succeeded')
  })

  test('a refund created at the provider is flagged for review when it cannot be confirmed', async () => {
    const { orgId, order } = await aRefundUnderWay()
    const refund = { refundId: 'by hand', providerRefundId: 'theirs', amount: 3_000, state: 'succeeded' } as const
    await shop.sendNotice(
      orgId,
      paid(order.payment, { amountPaid: null, refunds: [refund], dedupKey: 'back' }),
      unproven,
    )
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    for (let hour = 0; hour < 12; hour++) await shop.advance(3600)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['provider_silent']])
  })
})

describe('a provider that never confirms', () => {
  const DAYS_ASKED = 5
  const shop = useOrders({ daysAhead: 5 * DAYS_ASKED })
  beforeEach(() => shop.remote.reset())
  const { remoteOrg, summaryOf } = casesOf(shop)

  type Notice = { id: string; account_id: string; status: string; outcome: string | null; body: Uint8Array }

  const noticeOf = (orgId: OrgId, dedupKey: string) => shop.database.one<Notice>`
    select id, account_id, status, outcome, body from payment_notices
    where org_id = ${orgId} and dedup_key = ${`claimed:${dedupKey}`}`

  const takenBack = (order: Json): PaymentReport =>
    reportOf(known(order.payment), { state: 'reversed', dedupKey: 'reversal' })

  const refuse = () => {
    const failure = { ...unavailableFailure, class: 'rejected', code: 'credentials_refused' } as const
    shop.remote.script.status = () => ({ kind: 'refused', failure })
  }

  async function days(): Promise<void> {
    for (let hour = 0; hour < DAYS_ASKED * 24; hour += 3) await shop.advance(3 * 3600)
  }

  /** Creates a paid order and a notice about it that the provider does not confirm until the retries are used up. */
  async function anUnansweredNotice(reportFor: (order: Json) => PaymentReport) {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment))
    refuse()
    const report = reportFor(order)
    await shop.sendNotice(orgId, report, { proven: false })
    expect((await noticeOf(orgId, report.dedupKey)).status).toBe('waiting')
    await days()
    return { orgId, order, report }
  }

  const answer = (report: PaymentReport) => {
    shop.remote.script.status = () => ({ kind: 'known', report, details: null })
  }

  describe('a notice that the provider does not confirm', () => {
    test('is stored unchanged, and flags the order for review when it reported money', async () => {
      const { orgId, order, report } = await anUnansweredNotice(takenBack)
      const { status, outcome, body } = await noticeOf(orgId, report.dedupKey)
      expect([status, outcome]).toEqual(['failed', 'unanswered'])
      expect(JSON.parse(new TextDecoder().decode(body))).toMatchObject({ state: 'reversed' })
      expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['provider_silent']])
      expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.needs_review')
      expect(shop.remote.calls.filter((call) => call.startsWith('status'))).toHaveLength(12)
    })

    test('stays unconfirmed when the provider lagged behind first and then refused to answer', async () => {
      const orgId = await remoteOrg()
      const order = await shop.anOrder(orgId)
      await shop.sendNotice(orgId, paid(order.payment))
      answer(paid(order.payment))
      const report = takenBack(order)
      await shop.sendNotice(orgId, report, { proven: false })
      refuse()
      await days()
      expect(await noticeOf(orgId, report.dedupKey)).toMatchObject({ status: 'failed', outcome: 'unanswered' })
      expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['provider_silent']])
    })

    test('is confirmed again when an operator requests it', async () => {
      const { orgId, order, report } = await anUnansweredNotice(takenBack)
      answer(report)
      const { account_id } = await noticeOf(orgId, report.dedupKey)
      expect(await shop.database.transaction((tx) => askAgain(tx, orgId, account_id))).toBe(1)
      await shop.settle()
      expect(await noticeOf(orgId, report.dedupKey)).toMatchObject({ status: 'applied', outcome: 'reversed' })
      expect((await summaryOf(orgId, order)).slice(0, 3)).toEqual(['confirmed', 'reversed', 'reversed'])
      // A settled notice is not confirmed again.
      expect(await shop.database.transaction((tx) => askAgain(tx, orgId, account_id))).toBe(0)
    })

    test('is confirmed again when the provider sends it again', async () => {
      const { orgId, order, report } = await anUnansweredNotice(takenBack)
      answer(report)
      await shop.sendNotice(orgId, report, { proven: false })
      expect(await noticeOf(orgId, report.dedupKey)).toMatchObject({ status: 'applied' })
      expect((await summaryOf(orgId, order)).slice(1, 3)).toEqual(['reversed', 'reversed'])
    })

    test('does not flag the order when it reported no money', async () => {
      const overDue = (order: Json) => reportOf(known(order.payment), { state: 'expired', dedupKey: 'over' })
      const { orgId, order, report } = await anUnansweredNotice(overDue)
      expect(await noticeOf(orgId, report.dedupKey)).toMatchObject({ status: 'failed', outcome: 'unanswered' })
      expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    })
  })

  test('money for an ended attempt is flagged for review when its provider never confirms it', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    answer(reportOf(known(order.payment), { state: 'expired' }))
    await shop.sendNotice(orgId, paid(order.payment), { proven: false })
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', []])
    await days()
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', ['provider_silent']])
  })
})
