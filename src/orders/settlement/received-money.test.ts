import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid, summary } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** Every payment is recorded, in time or late, once or twice, in parts or too much, and settles its order. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

test('a verified notice pays the order and records order.paid once', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  expect(await shop.sendNotice(orgId, paid(order.payment))).toMatchObject({ status: 200 })
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  expect(await shop.eventTypes(orgId)).toEqual(['order.created', 'payment.pending', 'payment.paid', 'order.paid'])
})

test('a notice counts once when it arrives three times at the same time', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await Promise.all(Array.from({ length: 3 }, () => shop.sendNotice(orgId, paid(order.payment))))
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'pending' }))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(25_000)
  const { times } = await shop.database.one<{ times: number }>`
    select max(times_received)::int as times from payment_notices where org_id = ${orgId}`
  expect(times).toBe(3)
})

describe('a code that can be paid in parts', () => {
  test('stays open while it is underpaid, then is paid', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
    await shop.sendNotice(orgId, paid(order.payment, { captureId: 'c1', amountPaid: 10_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'pending', []])
    await shop.sendNotice(orgId, paid(order.payment, { captureId: 'c2', amountPaid: 15_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('leaves the order open when it expires underpaid, and an attempt for the remaining amount completes it', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account', payment: { expires_in_seconds: 60 } })
    await shop.sendNotice(orgId, paid(order.payment, { captureId: 'c1', amountPaid: 10_000 }))
    await shop.advance(61)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'expired', ['underpaid']])
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    expect(json.payment.amount).toBe(15_000)
    await shop.sendNotice(orgId, paid(json.payment))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('confirms the order and shows the surplus when it is overpaid', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
    await shop.sendNotice(orgId, paid(order.payment, { captureId: 'c1', amountPaid: 30_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['overpaid']])
    expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(30_000)
  })

  test('takes any payment of an open amount, each capture once', async () => {
    const orgId = await remoteOrg()
    const { json: order } = await shop.call(orgId, 'POST', '/orders', { json: { billingType: 'virtual_account' } })
    for (const captureId of ['c1', 'c1', 'c2'])
      await shop.sendNotice(orgId, paid(order.payment, { captureId, amountPaid: 20_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(40_000)
  })
})

describe('another amount than a closed attempt asked for', () => {
  test('waits for the remaining amount when it is short, and confirms the order once that is paid', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 20_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'paid', ['amount_mismatch']])
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    expect([json.payment.amount, json.amount_remaining]).toEqual([5_000, 5_000])
    await shop.sendNotice(orgId, paid(json.payment))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.eventTypes(orgId)).slice(-2)).toEqual(['payment.paid', 'order.paid'])
  })

  test('confirms the order and marks the surplus for review when it is too much', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 26_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['overpaid']])
    const { amount_overpaid, amount_remaining } = await shop.getOrder(orgId, order.id)
    expect([amount_overpaid, amount_remaining]).toEqual([1_000, 0])
    expect((await shop.eventTypes(orgId)).slice(-3)).toEqual(['payment.paid', 'order.paid', 'order.needs_review'])
    await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 1_000 } })
    await shop.settle()
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })
})

test('a fulfilled order on account can still be paid by a code', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'invoice' })
  await shop.call(orgId, 'POST', `/orders/${order.id}/complete`)
  const opened = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  expect(opened.status).toBe(201)
  await shop.sendNotice(orgId, paid(opened.json.payment))
  expect((await summaryOf(orgId, order)).slice(0, 3)).toEqual(['completed', 'paid', 'paid'])
  expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.paid')
})

describe('late money is always recorded first, and', () => {
  const lateOrder = async (settings: Record<string, unknown>, fields: Record<string, unknown> = {}) => {
    const orgId = await remoteOrg(settings)
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 }, ...fields })
    await shop.advance(61)
    await shop.sendNotice(orgId, paid(order.payment))
    return { orgId, order }
  }

  test('“review” leaves the order expired and marked, and accepting confirms it', async () => {
    const { orgId, order } = await lateOrder({})
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'paid', 'paid', ['late_payment']])
    expect((await shop.eventTypes(orgId)).slice(-3)).toEqual(['payment.late', 'payment.paid', 'order.needs_review'])
    const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    expect(summary(reply.json)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.paid')
  })

  test('“accept” confirms the order', async () => {
    const { orgId, order } = await lateOrder({ late_payment: 'accept' })
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('“accept” confirms the order when its last part was received', async () => {
    const orgId = await remoteOrg({ late_payment: 'accept' })
    const order = await shop.anOrder(orgId, { billingType: 'bank_transfer', payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    const mark = (amount: number) => shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: { amount } })
    expect(summary((await mark(10_000)).json)).toEqual(['expired', 'partially_paid', 'expired', ['late_payment']])
    expect(summary((await mark(15_000)).json)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.paid')
  })

  test('“accept” sends order.paid when money that was reviewed first is followed by more', async () => {
    const orgId = await remoteOrg({ late_payment: 'accept' })
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    const doubtful = { state: 'reversed', amountPaid: 25_000, amountReversed: 0 } as const
    await shop.sendNotice(orgId, paid(order.payment, { ...doubtful, dedupKey: 'first' }))
    expect((await summaryOf(orgId, order)).slice(0, 2)).toEqual(['expired', 'paid'])
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 26_000, dedupKey: 'second' }))
    expect((await summaryOf(orgId, order)).slice(0, 2)).toEqual(['confirmed', 'overpaid'])
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
  })

  test('“refund” refunds it', async () => {
    const { orgId, order } = await lateOrder({ late_payment: 'refund' })
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'paid', []])
    const { refunds } = await shop.getOrder(orgId, order.id)
    expect(refunds).toMatchObject([{ amount: 25_000, status: 'succeeded' }])
  })

  test('“refund” is left to staff when the provider cannot refund it', async () => {
    const { orgId, order } = await lateOrder({ late_payment: 'refund' }, { billingType: 'virtual_account' })
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'paid', 'paid', ['late_payment', 'refund_due']])
    const json = { manual: true, note: 'Transferred back' }
    expect((await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })).status).toBe(201)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'paid', []])
  })

  test('never confirms a cancelled order, whatever the policy', async () => {
    const orgId = await remoteOrg({ late_payment: 'accept' })
    const order = await shop.anOrder(orgId)
    await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
    await shop.sendNotice(orgId, paid(order.payment))
    expect(await summaryOf(orgId, order)).toEqual(['cancelled', 'paid', 'paid', ['late_payment']])
    await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    expect(await shop.eventTypes(orgId)).not.toContain('order.paid')
  })

  test.each(['review', 'accept', 'refund'])(
    '“%s” leaves the order expired when it was refunded already',
    async (policy) => {
      const orgId = await remoteOrg({ late_payment: policy })
      const order = await shop.anOrder(orgId, {
        billingType: 'virtual_account',
        payment: { expires_in_seconds: 60 },
      })
      await shop.advance(61)
      const refund = { refundId: null, providerRefundId: 'theirs', amount: 25_000, state: 'succeeded' as const }
      await shop.sendNotice(orgId, paid(order.payment, { refunds: [refund] }))
      expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'paid', []])
    },
  )

  test('can be recorded and accepted when staff see a transfer late', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'bank_transfer', payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    const marked = await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, {
      json: { note: 'On the statement' },
    })
    expect(summary(marked.json)).toEqual(['expired', 'paid', 'paid', ['late_payment']])
    const accepted = await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    expect(summary(accepted.json)).toEqual(['confirmed', 'paid', 'paid', []])
    const again = await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: {} })
    expect([again.status, again.json.code]).toEqual([409, 'order_already_paid'])
    expect(again.json.detail).toContain('already paid')
    expect((await shop.getOrder(orgId, order.id)).ledger).toMatchObject([
      { payment_id: order.payment.id, kind: 'capture', amount: 25_000, source: 'staff', note: 'On the statement' },
    ])
    await shop.checkBooks(orgId)
  })

  test('is flagged for review when it pays an old code of a refunded order', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    await shop.sendNotice(orgId, paid(json.payment))
    await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: {} })
    await shop.settle()
    await shop.sendNotice(orgId, paid(order.payment))
    expect((await summaryOf(orgId, order)).at(-1)).toEqual(['late_payment'])
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
  })
})

test('both payments are recorded and flagged for review when the old code and the new number are paid', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'mandiri' },
  })
  expect(reply.status).toBe(201)
  await shop.sendNotice(orgId, paid(reply.json.payment))
  await shop.sendNotice(orgId, paid(order.payment))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  const after = await shop.getOrder(orgId, order.id)
  expect(after.payments.map((payment: Json) => payment.status)).toEqual(['paid', 'paid'])
  // The later money is refunded, although its attempt is the older one.
  const back = await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 25_000 } })
  expect([back.status, back.json.payment_id]).toEqual([201, order.payment.id])
  await shop.settle()
  expect((await summaryOf(orgId, order)).slice(1)).toEqual(['paid', 'paid', []])
})

test('both payments are recorded and the surplus can be refunded when two payers pay by two methods at once', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const json = { method: 'virtual_account', bank: 'bni' }
  const { json: changed } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json })
  await Promise.all([order.payment, changed.payment].map((payment) => shop.sendNotice(orgId, paid(payment))))
  await shop.settle()
  const after = await shop.getOrder(orgId, order.id)
  expect(after).toMatchObject({ status: 'confirmed', payment_status: 'overpaid', amount_paid: 50_000 })
  expect(after.amount_remaining).toBe(0)
  // The old code is late, too, when it is recorded before the new number.
  const reasons = ({ needs_review }: Json) =>
    (needs_review?.reasons ?? []).filter((reason: string) => reason !== 'late_payment')
  expect(reasons(after)).toEqual(['duplicate_payment'])
  const money = ({ method, status, amount_paid }: Json) => [method, status, amount_paid]
  expect(after.payments.map(money)).toEqual([
    ['qris', 'paid', 25_000],
    ['virtual_account', 'paid', 25_000],
  ])
  expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
  // The bank of the virtual account takes no refunds, so staff transfer the money.
  const refund = { amount: 25_000, manual: true, note: 'Transferred to the second payer' }
  expect((await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: refund })).status).toBe(201)
  const refunded = await shop.getOrder(orgId, order.id)
  expect(refunded).toMatchObject({ status: 'confirmed', payment_status: 'paid' })
  expect(reasons(refunded)).toEqual([])
  await shop.checkBooks(orgId)
})

test('both payments are recorded and flagged for review when a single-use code is paid twice', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  for (const paymentId of ['py-1', 'py-2', 'py-1'])
    await shop.sendNotice(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(50_000)
})

test('the order is paid and the new code is ended when the old code is paid', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'bni' },
  })
  await shop.sendNotice(orgId, paid(order.payment))
  await shop.settle()
  const after = await shop.getOrder(orgId, order.id)
  expect([after.status, after.payment_status, after.needs_review.reasons]).toEqual([
    'confirmed',
    'paid',
    ['late_payment'],
  ])
  expect(after.payments.map((payment: Json) => payment.status)).toEqual(['paid', 'cancelled'])
  expect(shop.remote.calls).toContain(`cancel ${json.payment.id}`)
})

test('a paid order is not marked as paid again when an older manual attempt had ended', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'bank_transfer' })
  await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'cash' } })
  const mark = () => shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: {} })
  expect((await mark()).status).toBe(200)
  const again = await mark()
  expect([again.status, again.json.code]).toEqual([409, 'order_already_paid'])
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(25_000)
})

describe('order.paid is recorded once', () => {
  const signs = async (orgId: OrgId) => (await shop.eventTypes(orgId)).filter((type) => type === 'order.paid').length
  const review = (orgId: OrgId, order: Json) =>
    shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
  const open = async (orgId: OrgId, order: Json) =>
    (await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })).json.payment

  test('when staff accepted a partial payment and the remaining amount is received after all', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 24_000 }))
    const remainder = await open(orgId, order)
    await review(orgId, order)
    await shop.sendNotice(orgId, paid(remainder))
    expect([await signs(orgId), (await summaryOf(orgId, order))[1]]).toEqual([1, 'paid'])
  })

  test('when the remaining amount is received after the first order.paid was deleted', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 24_000 }))
    const remainder = await open(orgId, order)
    await review(orgId, order)
    expect(await signs(orgId)).toBe(1)
    await shop.database.run`delete from events where org_id = ${orgId}`
    await shop.sendNotice(orgId, paid(remainder))
    expect([await signs(orgId), (await summaryOf(orgId, order))[1]]).toEqual([0, 'paid'])
  })

  test('when an old code is paid as well with another amount, and staff accept that', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(await open(orgId, order)))
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 26_000 }))
    await review(orgId, order)
    expect(await signs(orgId)).toBe(1)
  })
})
