import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { askAgain } from '../../payments/notifications/notifications.ts'
import type { PaymentReport } from '../../payments/payment-connector.ts'

/** Notices that a provider does not confirm, however often it is asked. */
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
