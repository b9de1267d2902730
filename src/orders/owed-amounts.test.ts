import { beforeEach, expect, test } from 'bun:test'
import { casesOf, known } from '../../test/support/order-cases.ts'
import { useOrders } from '../../test/support/orders.ts'
import { reportOf, unavailableFailure } from '../../test/support/scripted-payments.ts'
import type { Json } from '../../test/support/webhooks.ts'
import { getProfile } from '../accounts/organization-profiles.ts'
import type { OrgId } from '../kernel/ids.ts'
import { renderPayPage } from '../surfaces/pay/pay-page.ts'
import { viewPayPage } from '../surfaces/pay/pay-view.ts'
import { findPayPage } from './pay-pages.sql.ts'
import { leftAfter } from './settlement.ts'

/** What is asked for, and what counts as enough, is what is owed: whatever came and went back before. */
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

test('a new attempt asks for the rest where the end of the old one brought a part of the money to light', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const report = reportOf(known(order.payment), { state: 'paid', amountPaid: 10_000 })
  shop.remote.script.status = () => ({ kind: 'known', report, details: null })
  const reply = await act(orgId, order, 'payments', { method: 'cash' })
  expect([reply.status, reply.json.payment.amount]).toEqual([201, 15_000])
})

test('no attempt asks for more than is owed, also when money comes in the same moment', async () => {
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

test('what is still to be paid by hand is what is owed, whatever went back or came another way', async () => {
  const orgId = await remoteOrg()
  const [returned, elsewhere] = [
    await shop.anOrder(orgId, { billingType: 'cod' }),
    await shop.anOrder(orgId, { billingType: 'qris' }),
  ]
  await act(orgId, returned, 'mark-paid', { amount: 10_000 })
  await act(orgId, returned, 'refunds', { amount: 4_000, manual: true, note: 'Taken for another order' })
  await act(orgId, elsewhere, 'payments', { method: 'bank_transfer' })
  await shop.tell(orgId, reportOf(known(elsewhere.payment), { state: 'paid', amountPaid: 10_000 }))
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

test('without an amount nothing is recorded for an order that nothing is owed on', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'cash' })
  await act(orgId, order, 'mark-paid')
  await act(orgId, order, 'refunds', { amount: 4_000, manual: true, note: 'A cup was broken' })
  const reply = await act(orgId, order, 'mark-paid', { again: true })
  expect([reply.status, reply.json.errors[0].code]).toEqual([422, 'required'])
})

test('an open code that asks for more than is owed by now is ended, and a person offers another for the rest', async () => {
  for (const late_payment of ['review', 'accept']) {
    const orgId = await remoteOrg({ late_payment })
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
    const { json } = await act(orgId, order, 'payments', { method: 'qris' })
    const part = { state: 'paid', amountPaid: 10_000, captureId: 'c1' } as const
    await shop.tell(orgId, reportOf(known(order.payment), part))
    await shop.settle()
    const after = await shop.getOrder(orgId, order.id)
    expect(after.payments.map(({ status }: Json) => status)).toEqual(['paid', 'cancelled'])
    expect(shop.remote.calls).toContain(`cancel ${json.payment.id}`)
    expect([after.status, after.payment_status]).toEqual(['pending_payment', 'partially_paid'])
    expect(after.needs_review.reasons).toContain('underpaid')
    const rest = await act(orgId, order, 'payments', { method: 'qris' })
    expect([rest.status, rest.json.payment.amount]).toEqual([201, 15_000])
    await shop.tell(orgId, reportOf(known(rest.json.payment), { state: 'paid' }))
    const done = await shop.getOrder(orgId, order.id)
    expect([done.status, done.payment_status]).toEqual(['confirmed', 'paid'])
    expect(done.needs_review?.reasons ?? []).not.toContain('underpaid')
  }
})

test.each(['review', 'accept'])(
  'a person is told so also after a part of the money went back (%s)',
  async (late_payment) => {
    const orgId = await remoteOrg({ late_payment })
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
    await act(orgId, order, 'payments', { method: 'qris' })
    const comes = (amountPaid: number, captureId: string) =>
      shop.tell(orgId, reportOf(known(order.payment), { state: 'paid', amountPaid, captureId, dedupKey: captureId }))
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

test('a code that its provider does not end is not shown once it asks for too much, and what it brings is overpaid', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
  const { json } = await act(orgId, order, 'payments', { method: 'qris' })
  expect(await askedOnPage(orgId, order)).toBe(25_000)
  shop.remote.script.cancel = () => ({ kind: 'refused', failure: { ...unavailableFailure, code: 'still_open' } })
  const part = { state: 'paid', amountPaid: 10_000, captureId: 'c1' } as const
  await shop.tell(orgId, reportOf(known(order.payment), part))
  expect(await askedOnPage(orgId, order)).toBeNull()
  await shop.tell(orgId, reportOf(known(json.payment), { state: 'paid' }))
  const after = await shop.getOrder(orgId, order.id)
  expect([after.status, after.payment_status, after.amount_paid]).toEqual(['confirmed', 'overpaid', 35_000])
  expect(after.needs_review.reasons).toContain('overpaid')
})

test('a code that is paid in parts stays open for exactly what is left', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'paid', amountPaid: 10_000, captureId: 'c1' }))
  await shop.settle()
  expect((await shop.getOrder(orgId, order.id)).payment.status).toBe('pending')
  expect(await askedOnPage(orgId, order)).toBe(15_000)
})

test.each([
  [20_000, 20_000],
  [8_000, 8_000],
] as const)(
  'a bank that takes %d back after a refund: that much is owed, and not what was given back on purpose',
  async (taken, owed) => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.tell(orgId, reportOf(known(order.payment), { state: 'paid' }))
    await act(orgId, order, 'refunds', { amount: 5_000 })
    await shop.settle()
    expect((await act(orgId, order, 'payments', { method: 'qris' })).json.code).toBe('order_not_payable')
    await shop.tell(orgId, reportOf(known(order.payment), { state: 'reversed', amountReversed: taken }))
    const { payment_status, amount_remaining } = await shop.getOrder(orgId, order.id)
    expect([payment_status, amount_remaining]).toEqual(['reversed', owed])
    const { json } = await act(orgId, order, 'payments', { method: 'qris' })
    expect([json.payment.amount, await askedOnPage(orgId, order)]).toEqual([owed, owed])
    const told = (await shop.eventTypes(orgId)).length
    await shop.tell(orgId, reportOf(known(json.payment), { state: 'paid' }))
    expect((await shop.eventTypes(orgId)).slice(told)).toEqual(['payment.paid', 'order.paid'])
    // As it was before the bank took any of it: nothing is owed, and nothing is asked for.
    const after = await shop.getOrder(orgId, order.id)
    expect([after.status, after.payment_status]).toEqual(['confirmed', 'partially_refunded'])
    expect([await askedOnPage(orgId, order), (await pageOf(orgId, order)).state]).toEqual([null, 'paid'])
    expect((await act(orgId, order, 'payments', { method: 'qris' })).json.code).toBe('order_not_payable')
    await shop.checkBooks(orgId)
  },
)

test('the page names what is left by the same reckoning when the code for it has run out', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'paid' }))
  await act(orgId, order, 'refunds', { amount: 5_000 })
  await shop.settle()
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'reversed', amountReversed: 8_000 }))
  const { json } = await act(orgId, order, 'payments', { method: 'qris' })
  const view = await pageOf(orgId, order, Date.parse(json.payment.expires_at))
  const frame = { stylesheet: '', script: '', icon: '', path: '', qrPath: null, nowMs: 0 }
  const page = renderPayPage(view, { language: 'en', ...frame })
  expect([view.state, view.means]).toEqual(['reversed', null])
  expect(page).toContain('<dt>Still to pay</dt><dd>Rp\u00a08.000</dd>')
})

test('nothing stays open to be paid by hand when what a bank had taken came by an older code', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'paid' }))
  await act(orgId, order, 'refunds', { amount: 5_000 })
  await shop.settle()
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'reversed', amountReversed: 20_000 }))
  const { json: code } = await act(orgId, order, 'payments', { method: 'qris' })
  await act(orgId, order, 'payments', { method: 'bank_transfer' })
  await shop.tell(orgId, reportOf(known(code.payment), { state: 'paid' }))
  await shop.settle()
  const { payments } = await shop.getOrder(orgId, order.id)
  expect(payments.map(({ status }: Json) => status)).toEqual(['reversed', 'paid', 'cancelled'])
})

test('what is given back after it was paid again is not owed either', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'paid' }))
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'reversed' }))
  const { json } = await act(orgId, order, 'payments', { method: 'cash' })
  await act(orgId, json, 'mark-paid')
  await act(orgId, order, 'refunds', { manual: true, note: 'From the till' })
  expect((await act(orgId, order, 'payments', { method: 'qris' })).json.code).toBe('order_not_payable')
  expect((await pageOf(orgId, order)).state).toBe('refunded')
})

test('what is left goes by the order in which money came and went', () => {
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
