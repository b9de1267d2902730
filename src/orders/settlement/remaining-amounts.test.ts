import { beforeEach, expect, test } from 'bun:test'
import { casesOf, known } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { getProfile } from '../../accounts/organizations/organizations.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { renderPayPage } from '../../surfaces/pay/pay-page.ts'
import { viewPayPage } from '../../surfaces/pay/pay-view.ts'
import { findPayPage } from '../pay-page/pay-page.sql.ts'
import { leftAfter } from './settlement.ts'

/** Attempts ask for the remaining amount, and paying it is enough, whatever was received and returned before. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg } = casesOf(shop)

const act = (orgId: OrgId, order: Json, action: string, json: object = {}) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, { json })

async function pageOf(orgId: OrgId, { id }: Json, nowMs = shop.clock.now()) {
  const row = await findPayPage(shop.database, orgId, { orderId: id })
  if (row === null) throw new Error('no page')
  return viewPayPage({ row, ways: [], profile: await getProfile(shop.database, orgId) }, nowMs)
}

const askedOnPage = async (orgId: OrgId, order: Json) => (await pageOf(orgId, order)).means?.amount ?? null

test('a new attempt asks for the remaining amount when ending the old one revealed a partial payment', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const report = reportOf(known(order.payment), { state: 'paid', amountPaid: 10_000 })
  shop.remote.script.status = () => ({ kind: 'known', report, details: null })
  const reply = await act(orgId, order, 'payments', { method: 'cash' })
  expect([reply.status, reply.json.payment.amount]).toEqual([201, 15_000])
})

test('no attempt asks for more than the remaining amount, even when money is received in the same moment', async () => {
  const orgId = await remoteOrg()
  for (let round = 0; round < 20; round++) {
    const order = await shop.anOrder(orgId, { billingType: 'cash' })
    const [, opened] = await Promise.all([
      act(orgId, order, 'mark-paid', { amount: 10_000 }),
      act(orgId, order, 'payments', { method: 'bank_transfer' }),
    ])
    const { payments, amount_paid } = await shop.getOrder(orgId, order.id)
    const live = payments.find(({ status }: Json) => status === 'pending')
    if (opened.status === 201) expect(live.amount - live.amount_paid).toBe(25_000 - amount_paid)
    else expect(opened.json.code).toBe('order_not_payable')
  }
})

test('a manual payment asks for the remaining amount after refunds and payments by other methods', async () => {
  const orgId = await remoteOrg()
  const [returned, elsewhere] = [
    await shop.anOrder(orgId, { billingType: 'cod' }),
    await shop.anOrder(orgId, { billingType: 'qris' }),
  ]
  await act(orgId, returned, 'mark-paid', { amount: 10_000 })
  await act(orgId, returned, 'refunds', { amount: 4_000, manual: true, note: 'Taken for another order' })
  await act(orgId, elsewhere, 'payments', { method: 'bank_transfer' })
  await shop.sendNotice(orgId, reportOf(known(elsewhere.payment), { state: 'paid', amountPaid: 10_000 }))
  for (const [order, asked] of [
    [returned, 19_000],
    [elsewhere, 15_000],
  ] as const) {
    expect(await askedOnPage(orgId, order)).toBe(asked)
    const { json } = await act(orgId, order, 'mark-paid')
    expect([json.payment_status, json.payment.status]).toEqual(['paid', 'paid'])
    expect(json.amount_paid - json.amount_returned).toBe(25_000)
    expect(json.payments.filter(({ status }: Json) => status === 'pending')).toEqual([])
  }
})

test('mark-paid without an amount is refused when nothing remains to be paid', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'cash' })
  await act(orgId, order, 'mark-paid')
  await act(orgId, order, 'refunds', { amount: 4_000, manual: true, note: 'A cup was broken' })
  const reply = await act(orgId, order, 'mark-paid', { again: true })
  expect([reply.status, reply.json.errors[0].code]).toEqual([422, 'required'])
})

test('an open code is ended when it asks for more than the remaining amount, and staff open another', async () => {
  for (const late_payment of ['review', 'accept']) {
    const orgId = await remoteOrg({ late_payment })
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
    const { json } = await act(orgId, order, 'payments', { method: 'qris' })
    const part = { state: 'paid', amountPaid: 10_000, captureId: 'c1' } as const
    await shop.sendNotice(orgId, reportOf(known(order.payment), part))
    await shop.settle()
    const after = await shop.getOrder(orgId, order.id)
    expect(after.payments.map(({ status }: Json) => status)).toEqual(['paid', 'cancelled'])
    expect(shop.remote.calls).toContain(`cancel ${json.payment.id}`)
    expect([after.status, after.payment_status]).toEqual(['pending_payment', 'partially_paid'])
    expect(after.needs_review.reasons).toContain('underpaid')
    const last = await act(orgId, order, 'payments', { method: 'qris' })
    expect([last.status, last.json.payment.amount]).toEqual([201, 15_000])
    await shop.sendNotice(orgId, reportOf(known(last.json.payment), { state: 'paid' }))
    const done = await shop.getOrder(orgId, order.id)
    expect([done.status, done.payment_status]).toEqual(['confirmed', 'paid'])
    expect(done.needs_review?.reasons ?? []).not.toContain('underpaid')
  }
})

test.each(['review', 'accept'])(
  'an order is flagged for review when a part of the money was refunded before (%s)',
  async (late_payment) => {
    const orgId = await remoteOrg({ late_payment })
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
    await act(orgId, order, 'payments', { method: 'qris' })
    const comes = (amountPaid: number, captureId: string) =>
      shop.sendNotice(
        orgId,
        reportOf(known(order.payment), { state: 'paid', amountPaid, captureId, dedupKey: captureId }),
      )
    await comes(10_000, 'one')
    await shop.settle()
    await act(orgId, order, 'refunds', { amount: 2_000, manual: true, note: 'in cash' })
    const { json } = await act(orgId, order, 'payments', { method: 'qris' })
    expect(json.payment.amount).toBe(17_000)
    await act(orgId, order, 'review', { decision: 'dismiss' })
    await comes(5_000, 'two')
    await shop.settle()
    const after = await shop.getOrder(orgId, order.id)
    expect(after.payments.map(({ status }: Json) => status)).toEqual(['paid', 'cancelled', 'cancelled'])
    expect([after.status, after.payment_status]).toEqual(['pending_payment', 'partially_refunded'])
    expect(after.needs_review?.reasons ?? []).toContain('underpaid')
  },
)

test('a code that asks for too much is hidden when its provider does not end it, and paying it is an overpayment', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
  const { json } = await act(orgId, order, 'payments', { method: 'qris' })
  expect(await askedOnPage(orgId, order)).toBe(25_000)
  shop.remote.script.cancel = () => ({ kind: 'refused', failure: { ...unavailableFailure, code: 'still_open' } })
  const part = { state: 'paid', amountPaid: 10_000, captureId: 'c1' } as const
  await shop.sendNotice(orgId, reportOf(known(order.payment), part))
  expect(await askedOnPage(orgId, order)).toBeNull()
  await shop.sendNotice(orgId, reportOf(known(json.payment), { state: 'paid' }))
  const after = await shop.getOrder(orgId, order.id)
  expect([after.status, after.payment_status, after.amount_paid]).toEqual(['confirmed', 'overpaid', 35_000])
  expect(after.needs_review.reasons).toContain('overpaid')
})

test('a code that is paid in parts stays open for exactly the remaining amount', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'paid', amountPaid: 10_000, captureId: 'c1' }))
  await shop.settle()
  expect((await shop.getOrder(orgId, order.id)).payment.status).toBe('pending')
  expect(await askedOnPage(orgId, order)).toBe(15_000)
})

test.each([
  [20_000, 20_000],
  [8_000, 8_000],
] as const)(
  'a reversal of %d after a refund makes the reversed amount due, and not the refunded one',
  async (taken, due) => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'paid' }))
    await act(orgId, order, 'refunds', { amount: 5_000 })
    await shop.settle()
    expect((await act(orgId, order, 'payments', { method: 'qris' })).json.code).toBe('order_not_payable')
    await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed', amountReversed: taken }))
    const { payment_status, amount_remaining } = await shop.getOrder(orgId, order.id)
    expect([payment_status, amount_remaining]).toEqual(['reversed', due])
    const { json } = await act(orgId, order, 'payments', { method: 'qris' })
    expect([json.payment.amount, await askedOnPage(orgId, order)]).toEqual([due, due])
    const count = (await shop.eventTypes(orgId)).length
    await shop.sendNotice(orgId, reportOf(known(json.payment), { state: 'paid' }))
    expect((await shop.eventTypes(orgId)).slice(count)).toEqual(['payment.paid', 'order.paid'])
    // The state before the reversal: nothing remains, and nothing is asked for.
    const after = await shop.getOrder(orgId, order.id)
    expect([after.status, after.payment_status]).toEqual(['confirmed', 'partially_refunded'])
    expect([await askedOnPage(orgId, order), (await pageOf(orgId, order)).state]).toEqual([null, 'paid'])
    expect((await act(orgId, order, 'payments', { method: 'qris' })).json.code).toBe('order_not_payable')
    await shop.checkBooks(orgId)
  },
)

test('the pay page shows the same remaining amount when the code for it has expired', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'paid' }))
  await act(orgId, order, 'refunds', { amount: 5_000 })
  await shop.settle()
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed', amountReversed: 8_000 }))
  const { json } = await act(orgId, order, 'payments', { method: 'qris' })
  const view = await pageOf(orgId, order, Date.parse(json.payment.expires_at))
  const frame = {
    stylesheet: '',
    script: '',
    icon: '',
    path: '',
    qrPath: null,
    shop: null,
    isPhone: false,
    problem: null,
    nowMs: 0,
  }
  const page = renderPayPage(view, { language: 'en', ...frame })
  expect([view.state, view.means]).toEqual(['reversed', null])
  expect(page).toContain('<dt>Remaining amount</dt><dd>Rp\u00a08.000</dd>')
})

test('no manual payment stays open when a reversed amount was paid by an older code', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'paid' }))
  await act(orgId, order, 'refunds', { amount: 5_000 })
  await shop.settle()
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed', amountReversed: 20_000 }))
  const { json: code } = await act(orgId, order, 'payments', { method: 'qris' })
  await act(orgId, order, 'payments', { method: 'bank_transfer' })
  await shop.sendNotice(orgId, reportOf(known(code.payment), { state: 'paid' }))
  await shop.settle()
  const { payments } = await shop.getOrder(orgId, order.id)
  expect(payments.map(({ status }: Json) => status)).toEqual(['reversed', 'paid', 'cancelled'])
})

test('a refund after a reversed amount was paid again makes nothing due', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'paid' }))
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed' }))
  const { json } = await act(orgId, order, 'payments', { method: 'cash' })
  await act(orgId, json, 'mark-paid')
  await act(orgId, order, 'refunds', { manual: true, note: 'From the cash register' })
  expect((await act(orgId, order, 'payments', { method: 'qris' })).json.code).toBe('order_not_payable')
  expect((await pageOf(orgId, order)).state).toBe('refunded')
})

test('the remaining amount depends on the sequence of payments, refunds and reversals', () => {
  const came = (amount: number) => ({ kind: 'capture', amount }) as const
  const gave = (amount: number) => ({ kind: 'refund', amount: -amount }) as const
  const took = (amount: number) => ({ kind: 'reversal', amount: -amount }) as const
  const stories = [
    [[], 25],
    [[came(10)], 15],
    [[came(10), gave(10)], 25],
    [[came(10), gave(10), came(25)], 0],
    [[came(30)], -5],
    [[came(30), gave(5)], 0],
    [[came(30), gave(10)], 0],
    [[came(25), gave(5), took(20)], 20],
    [[came(25), gave(5), took(20), came(20)], 0],
    [[came(25), came(25), gave(25), took(25)], 25],
    [[came(25), took(25), came(25), gave(25)], 0],
  ] as const
  for (const [lines, left] of stories) expect([lines, leftAfter(25, lines)]).toEqual([lines, left])
})
