import { beforeEach, describe, expect, test } from 'bun:test'
import { useOrders } from '../../test/support/orders.ts'
import { payableOutcome, reportOf, scriptedNotice, unavailableFailure } from '../../test/support/scripted-payments.ts'
import { until } from '../../test/support/until.ts'
import type { Json } from '../../test/support/webhooks.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { NoticeAnswer } from '../payments/notices.ts'
import type { ChargeOutcome, KnownAttempt, PaymentReport } from '../payments/payment-connector.ts'

/** The hard cases of taking money, one by one, against a provider that says what the case needs. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())

const known = (payment: Json): KnownAttempt => ({
  id: payment.id,
  providerId: `scripted_${payment.id}`,
  method: payment.method,
  bank: payment.bank,
  amount: payment.amount,
})

const paid = (payment: Json, fields: Partial<PaymentReport> = {}) =>
  reportOf(known(payment), { state: 'paid', ...fields })

const summary = (order: Json) => [
  order.status,
  order.payment_status,
  order.payment.status,
  order.needs_review?.reasons ?? [],
]

const remoteOrg = (settings: Record<string, unknown> = {}) => shop.anOrg(['xendit', 'manual'], settings)

const summaryOf = async (orgId: OrgId, order: Json) => {
  await shop.checkBooks(orgId)
  return summary(await shop.getOrder(orgId, order.id))
}

test('a verified notice makes the order paid, and tells of it once', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  expect(await shop.tell(orgId, paid(order.payment))).toMatchObject({ status: 200 })
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  expect(await shop.eventTypes(orgId)).toEqual(['order.created', 'payment.pending', 'payment.paid', 'order.paid'])
})

test('a notice that overtakes the answer to the charge goes straight to paid, and the answer takes nothing back', async () => {
  const orgId = await remoteOrg()
  const gate = Promise.withResolvers<void>()
  shop.remote.script.charge = async (attempt) => {
    await gate.promise
    return payableOutcome(attempt)
  }
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
  gate.resolve()
  await shop.settle()
  expect(summary(order).slice(0, 3)).toEqual(['confirmed', 'paid', 'paid'])
  const after = await shop.getOrder(orgId, order.id)
  expect(summary(after)).toEqual(['confirmed', 'paid', 'paid', []])
  expect(after.payment.qris.string).toBe(`QR ${id}`)
})

test('a notice told three times, and at the same time, counts once', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await Promise.all(Array.from({ length: 3 }, () => shop.tell(orgId, paid(order.payment))))
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'pending' }))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(25_000)
  const { times } = await shop.database.one<{ times: number }>`
    select max(times_received)::int as times from payment_notices where org_id = ${orgId}`
  expect(times).toBe(3)
})

test('an order expires on time, after the provider was asked, and is told of', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  await shop.advance(59)
  expect((await shop.getOrder(orgId, order.id)).status).toBe('pending_payment')
  await shop.advance(2)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', []])
  const { id } = order.payment
  expect(shop.remote.calls.slice(-2)).toEqual([`status ${id}`, `expire ${id}`])
  expect((await shop.eventTypes(orgId)).slice(-2)).toEqual(['payment.expired', 'order.expired'])
})

test('money that the provider never told of is found when time is over', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  shop.remote.script.status = (attempt) => ({
    kind: 'known',
    report: reportOf(attempt, { state: 'paid' }),
    details: null,
  })
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  expect(shop.remote.calls.some((call) => call.startsWith('expire'))).toBe(false)
})

test('money that comes in the moment of expiry wins', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  shop.remote.script.expire = (attempt) => ({ kind: 'overtaken', report: reportOf(attempt, { state: 'paid' }) })
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
})

test('a silent provider is asked again after two minutes and with back-off for a day, then a person looks', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  shop.remote.script.status = () => ({ kind: 'refused', failure: unavailableFailure })
  await shop.advance(61)
  expect((await shop.getOrder(orgId, order.id)).status).toBe('pending_payment')
  const isOver = async () => (await shop.getOrder(orgId, order.id)).status !== 'pending_payment'
  for (let hour = 0; hour < 60 && !(await isOver()); hour++) await shop.advance(3600)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', ['provider_silent']])
  const asked = shop.remote.calls.filter((call) => call.startsWith('status')).length
  expect(asked).toBeGreaterThanOrEqual(8)
  expect(asked).toBeLessThanOrEqual(12)
})

describe('late money is recorded first, always; then', () => {
  const lateOrder = async (settings: Record<string, unknown>, fields: Record<string, unknown> = {}) => {
    const orgId = await remoteOrg(settings)
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 }, ...fields })
    await shop.advance(61)
    await shop.tell(orgId, paid(order.payment))
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

  test('“refund” gives it back', async () => {
    const { orgId, order } = await lateOrder({ late_payment: 'refund' })
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'paid', []])
    const { refunds } = await shop.getOrder(orgId, order.id)
    expect(refunds).toMatchObject([{ amount: 25_000, status: 'succeeded' }])
  })

  test('“refund” of what the provider cannot give back is for staff', async () => {
    const { orgId, order } = await lateOrder({ late_payment: 'refund' }, { billingType: 'virtual_account' })
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'paid', 'paid', ['late_payment', 'refund_due']])
    const json = { manual: true, note: 'Transferred back' }
    expect((await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })).status).toBe(201)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'paid', []])
  })

  test('a cancelled order is never taken up again by it, whatever the policy', async () => {
    const orgId = await remoteOrg({ late_payment: 'accept' })
    const order = await shop.anOrder(orgId)
    await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
    await shop.tell(orgId, paid(order.payment))
    expect(await summaryOf(orgId, order)).toEqual(['cancelled', 'paid', 'paid', ['late_payment']])
    await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    expect(await shop.eventTypes(orgId)).not.toContain('order.paid')
  })

  test('of a transfer that staff see only then can be recorded, and accepted', async () => {
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
    expect([again.status, again.json.code]).toEqual([409, 'order_not_manual'])
    expect(again.json.detail).toContain('paid already')
    expect((await shop.getOrder(orgId, order.id)).ledger).toMatchObject([
      { payment_id: order.payment.id, kind: 'capture', amount: 25_000, source: 'staff', note: 'On the statement' },
    ])
    await shop.checkBooks(orgId)
  })

  test('for an old code of an order that was refunded since is for a person to look at', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    await shop.tell(orgId, paid(json.payment))
    await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: {} })
    await shop.settle()
    await shop.tell(orgId, paid(order.payment))
    expect((await summaryOf(orgId, order)).at(-1)).toEqual(['late_payment'])
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
  })
})

test('paid twice, by the old code and the new number: both are recorded, and a person decides', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'mandiri' },
  })
  expect(reply.status).toBe(201)
  await shop.tell(orgId, paid(reply.json.payment))
  await shop.tell(orgId, paid(order.payment))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  const after = await shop.getOrder(orgId, order.id)
  expect(after.payments.map((payment: Json) => payment.status)).toEqual(['paid', 'paid'])
  // Of two it is the later money that goes back, although its attempt is the older one.
  const back = await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 25_000 } })
  expect([back.status, back.json.payment_id]).toEqual([201, order.payment.id])
  await shop.settle()
  expect((await summaryOf(orgId, order)).slice(1)).toEqual(['paid', 'paid', []])
})

test('a code for one payment that is paid twice: both are recorded, and a person decides', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  for (const paymentId of ['py-1', 'py-2', 'py-1'])
    await shop.tell(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(50_000)
})

test('the old code is paid while the new one is open: the order is paid, and the new one is ended', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'bni' },
  })
  await shop.tell(orgId, paid(order.payment))
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

describe('a code that can be paid in parts', () => {
  test('stays open while it is short, then is paid', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
    await shop.tell(orgId, paid(order.payment, { captureId: 'c1', amountPaid: 10_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'pending', []])
    await shop.tell(orgId, paid(order.payment, { captureId: 'c2', amountPaid: 15_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('that runs out short leaves the order open, and an attempt for the rest completes it', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account', payment: { expires_in_seconds: 60 } })
    await shop.tell(orgId, paid(order.payment, { captureId: 'c1', amountPaid: 10_000 }))
    await shop.advance(61)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'expired', ['underpaid']])
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    expect(json.payment.amount).toBe(15_000)
    await shop.tell(orgId, paid(json.payment))
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('paid')
  })

  test('that is overpaid confirms the order and says by how much', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'virtual_account' })
    await shop.tell(orgId, paid(order.payment, { captureId: 'c1', amountPaid: 30_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['overpaid']])
    expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(30_000)
  })

  test('an open amount takes whatever comes, each capture once', async () => {
    const orgId = await remoteOrg()
    const { json: order } = await shop.call(orgId, 'POST', '/orders', { json: { billingType: 'virtual_account' } })
    for (const captureId of ['c1', 'c1', 'c2'])
      await shop.tell(orgId, paid(order.payment, { captureId, amountPaid: 20_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(40_000)
  })
})

test('another amount than a closed attempt asked for is recorded, and the order is not confirmed', async () => {
  const orgId = await remoteOrg()
  for (const amountPaid of [24_000, 26_000]) {
    const order = await shop.anOrder(orgId)
    await shop.tell(orgId, paid(order.payment, { amountPaid }))
    const [status, , payment, reasons] = await summaryOf(orgId, order)
    expect([status, payment, reasons]).toEqual(['pending_payment', 'paid', ['amount_mismatch']])
    expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(amountPaid)
  }
})

describe('a notice that must not count', () => {
  test('is answered 404, 422 or 401 and changes nothing', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const stranger = { ...known(order.payment), id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg', providerId: null }
    const unknown = reportOf(stranger, { state: 'paid', providerId: 'nobody' })
    expect((await shop.tell(orgId, unknown)).status).toBe(404)
    expect((await shop.tell(orgId, paid(order.payment, { currency: 'USD' }))).status).toBe(422)
    const forged = await shop.tell(orgId, paid(order.payment), { token: 'forged' })
    expect(forged).toMatchObject({ status: 401, owner: { orgId, id: expect.stringMatching(/^pac_/) } })
    expect((forged as NoticeAnswer).detail).not.toBe(null)
    const none = await shop.payments.receiveNotice('xendit', 'pac_01k9x3m5q8e0t9v7a2b4c6d8fg', scriptedNotice(unknown))
    expect(none).toMatchObject({ status: 404, owner: null })
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
  })

  test('about the payment of another account or organization is unknown here', async () => {
    const [mine, theirs] = [await remoteOrg(), await remoteOrg()]
    const order = await shop.anOrder(mine)
    expect((await shop.tell(theirs, paid(order.payment))).status).toBe(404)
    const other = await shop.anAccount(mine, 'midtrans')
    expect((await shop.payments.receiveNotice('midtrans', other, scriptedNotice(paid(order.payment)))).status).toBe(404)
    expect((await shop.getOrder(mine, order.id)).payment_status).toBe('pending')
  })

  test('proves nothing by itself when its signature does not cover the state: the provider is asked each time', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    expect((await shop.tell(orgId, paid(order.payment), { proven: false })).status).toBe(200)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
    shop.remote.script.status = (attempt) => ({
      kind: 'known',
      report: reportOf(attempt, { state: 'paid' }),
      details: null,
    })
    // Nobody tells again: what the provider was too slow to know is asked for again.
    await shop.advance(10)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('is kept and answered 200 when it is about nothing of ours', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const ping = { ...paid(order.payment), state: 'ping' as never }
    expect((await shop.tell(orgId, ping)).status).toBe(200)
    const { status } = await shop.database.one<{ status: string }>`
      select status from payment_notices where org_id = ${orgId}`
    expect(status).toBe('irrelevant')
  })
})

describe('a charge', () => {
  test('without an answer is asked about under the same id before it is made again', async () => {
    const orgId = await remoteOrg()
    let calls = 0
    shop.remote.script.charge = (attempt): ChargeOutcome => {
      calls += 1
      return calls === 1 ? { kind: 'unknown', detail: 'timed out' } : payableOutcome(attempt)
    }
    const request = shop.anOrder(orgId)
    await until(() => shop.remote.calls.length === 1)
    await shop.advance(2)
    const order = await request
    expect(order.payment.status).toBe('pending')
    const { id } = order.payment
    expect(shop.remote.calls).toEqual([`charge ${id}`, `status ${id}`, `charge ${id}`])
  })

  test('that turns out to have been made is adopted, not made again', async () => {
    const orgId = await remoteOrg()
    shop.remote.script.charge = () => ({ kind: 'unknown', detail: 'timed out' })
    const request = shop.anOrder(orgId)
    await until(() => shop.remote.calls.length === 1)
    shop.remote.script.status = (attempt) => {
      const outcome = payableOutcome({ ...attempt, expiresAt: null })
      const details = outcome.kind === 'payable' ? outcome.details : null
      return { kind: 'known', report: reportOf(attempt), details }
    }
    await shop.advance(2)
    const order = await request
    expect([order.payment.status, order.payment.qris.string]).toEqual(['pending', `QR ${order.payment.id}`])
    expect(shop.remote.calls.filter((call) => call.startsWith('charge'))).toHaveLength(1)
  })

  test('that is refused fails the attempt and leaves the order open for another', async () => {
    const orgId = await remoteOrg()
    const failure = { ...unavailableFailure, class: 'rejected' as const, code: 'method_not_activated' }
    shop.remote.script.charge = () => ({ kind: 'refused', failure })
    const order = await shop.anOrder(orgId)
    expect(summary(order)).toEqual(['pending_payment', 'unpaid', 'failed', []])
    expect(order.payment.error.code).toBe('method_not_activated')
    shop.remote.reset()
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    expect(summary(json)).toEqual(['pending_payment', 'pending', 'pending', []])
  })

  test('that is answered after the order was cancelled is ended at the provider', async () => {
    const orgId = await remoteOrg()
    const gate = Promise.withResolvers<void>()
    shop.remote.script.charge = async (attempt) => {
      await gate.promise
      return payableOutcome(attempt)
    }
    const request = shop.anOrder(orgId)
    await until(() => shop.remote.calls.length === 1)
    const { id } = await shop.database.one<{ id: string }>`select id from orders where org_id = ${orgId}`
    const { json } = await shop.call(orgId, 'POST', `/orders/${id}/cancel`)
    expect(summary(json)).toEqual(['cancelled', 'unpaid', 'failed', []])
    gate.resolve()
    const order = await request
    await until(() => shop.remote.calls.includes(`cancel ${order.payment.id}`))
    expect((await shop.getOrder(orgId, id)).status).toBe('cancelled')
  })

  test('that fails for good lets the order go when its time is over', async () => {
    const orgId = await remoteOrg()
    const failure = { ...unavailableFailure, class: 'declined' as const, code: 'payer_blocked' }
    shop.remote.script.charge = () => ({ kind: 'refused', failure })
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'failed', []])
  })
})

test('an attempt that was cancelled at the provider lets the order go when its time is over', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'cancelled' }))
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'unpaid', 'cancelled', []])
  const called = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  const { json: before } = await shop.call(orgId, 'POST', `/orders/${called.id}/cancel`)
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'cancelled', []])
  expect((await shop.getOrder(orgId, called.id)).updated_at).toBe(before.updated_at)
})

test('a bank that takes a part of the money back leaves the order marked, and the rest of it later too', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.tell(orgId, paid(order.payment))
  const part = reportOf(known(order.payment), { state: 'reversed', amountReversed: 15_000, dedupKey: 'part' })
  await shop.tell(orgId, part)
  await shop.tell(orgId, { ...part, dedupKey: 'part again' })
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', ['reversed']])
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(15_000)
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'reversed' }))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'refunded', 'reversed', ['reversed']])
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(25_000)
})

test('a bank that takes the money back leaves the order confirmed and marked, and the books right', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.tell(orgId, paid(order.payment))
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'reversed' }))
  await shop.tell(orgId, paid(order.payment))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'refunded', 'reversed', ['reversed']])
})

test('what a bank took back can be paid again, what was given back on purpose is not owed', async () => {
  const orgId = await remoteOrg()
  const [reversed, refunded] = [await shop.anOrder(orgId), await shop.anOrder(orgId)]
  const open = (order: Json) => shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  for (const order of [reversed, refunded]) await shop.tell(orgId, paid(order.payment))
  await shop.tell(orgId, reportOf(known(reversed.payment), { state: 'reversed' }))
  await shop.call(orgId, 'POST', `/orders/${refunded.id}/refunds`, { json: { amount: 5_000 } })
  await shop.settle()
  const again = await open(reversed)
  expect([again.status, again.json.payment.amount]).toEqual([201, 25_000])
  await shop.tell(orgId, paid(again.json.payment))
  expect((await summaryOf(orgId, reversed)).slice(0, 3)).toEqual(['confirmed', 'paid', 'paid'])
  expect((await open(refunded)).json.code).toBe('order_not_payable')
})

test('what a bank took back can be paid again after a second payment had been given back', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const open = () => shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  const { json } = await open()
  for (const payment of [json.payment, order.payment]) await shop.tell(orgId, paid(payment))
  await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 25_000 } })
  await shop.settle()
  await shop.tell(orgId, reportOf(known(json.payment), { state: 'reversed', dedupKey: 'taken back' }))
  const again = await open()
  expect([again.status, again.json.payment.amount]).toEqual([201, 25_000])
})

test('an order that is paid is not marked as paid once more, although an older attempt by hand ended', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'bank_transfer' })
  await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'cash' } })
  const mark = () => shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: {} })
  expect((await mark()).status).toBe(200)
  const again = await mark()
  expect([again.status, again.json.code]).toEqual([409, 'order_not_manual'])
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(25_000)
})

describe('the sign to send the goods comes once', () => {
  const signs = async (orgId: OrgId) => (await shop.eventTypes(orgId)).filter((type) => type === 'order.paid').length
  const review = (orgId: OrgId, order: Json) =>
    shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
  const open = async (orgId: OrgId, order: Json) =>
    (await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })).json.payment

  test('when somebody took what had come, and the rest comes after all', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.tell(orgId, paid(order.payment, { amountPaid: 24_000 }))
    await review(orgId, order)
    await shop.tell(orgId, paid(await open(orgId, order)))
    expect([await signs(orgId), (await summaryOf(orgId, order))[1]]).toEqual([1, 'paid'])
  })

  test('when an old code is paid as well, with another amount, and somebody accepts that', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.tell(orgId, paid(await open(orgId, order)))
    await shop.tell(orgId, paid(order.payment, { amountPaid: 26_000 }))
    await review(orgId, order)
    expect(await signs(orgId)).toBe(1)
  })
})

test('an attempt that failed before the later end its provider had given it lets the order go then', async () => {
  const orgId = await remoteOrg()
  shop.remote.script.charge = (attempt) => {
    const outcome = payableOutcome(attempt) as Extract<ChargeOutcome, { kind: 'payable' }>
    const expiresAt = new Date((attempt.expiresAt as Date).getTime() + 600_000)
    return { ...outcome, details: { ...outcome.details, expiresAt } }
  }
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 300 } })
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'failed' }))
  await shop.advance(301)
  expect((await shop.getOrder(orgId, order.id)).status).toBe('pending_payment')
  await shop.advance(600)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'failed', []])
})

test('an order on account that was fulfilled can still be paid by a code', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'invoice' })
  await shop.call(orgId, 'POST', `/orders/${order.id}/complete`)
  const opened = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  expect(opened.status).toBe(201)
  await shop.tell(orgId, paid(opened.json.payment))
  expect((await summaryOf(orgId, order)).slice(0, 3)).toEqual(['completed', 'paid', 'paid'])
  expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.paid')
})

describe('refunds', () => {
  const paidOrder = async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.tell(orgId, paid(order.payment))
    return { orgId, order }
  }
  const refund = (orgId: OrgId, order: Json, json: unknown) =>
    shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })

  test('never add up to more than was paid, also when several are asked for at once', async () => {
    const { orgId, order } = await paidOrder()
    const replies = await Promise.all(Array.from({ length: 5 }, () => refund(orgId, order, { amount: 10_000 })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409])
    await shop.settle()
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
    expect((await refund(orgId, order, {})).json.amount).toBe(5000)
    await shop.settle()
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('refunded')
    expect((await refund(orgId, order, {})).json.code).toBe('order_has_no_money')
  })

  test('that the provider takes on are settled by its notice, once', async () => {
    const { orgId, order } = await paidOrder()
    shop.remote.script.refund = () => ({ kind: 'pending', providerRefundId: 'theirs' })
    const { json } = await refund(orgId, order, { amount: 5000 })
    await shop.settle()
    const told = { refundId: null, providerRefundId: 'theirs', amount: 5000, state: 'succeeded' as const }
    for (const key of ['one', 'two']) await shop.tell(orgId, paid(order.payment, { dedupKey: key, refunds: [told] }))
    const after = await shop.getOrder(orgId, order.id)
    expect(after.refunds).toMatchObject([{ id: json.id, status: 'succeeded' }])
    expect([after.payment_status, after.amount_returned]).toEqual(['partially_refunded', 5000])
    expect((await shop.eventTypes(orgId)).slice(-2)).toEqual(['payment.refunded', 'order.refunded'])
  })

  test('that the provider took on and never speaks of again are for a person to look at, once', async () => {
    const { orgId, order } = await paidOrder()
    shop.remote.script.refund = () => ({ kind: 'pending', providerRefundId: 'theirs' })
    await refund(orgId, order, { amount: 5000 })
    await shop.settle()
    const hours = [0.2, 1.1, 6.1, 24.1]
    for (const one of hours) await shop.advance(one * 3600)
    expect((await shop.getOrder(orgId, order.id)).needs_review).toBeNull()
    await shop.advance(48.1 * 3600)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['provider_silent']])
    const told = { refundId: null, providerRefundId: 'theirs', amount: 5000, state: 'succeeded' as const }
    await shop.tell(orgId, paid(order.payment, { dedupKey: 'at last', refunds: [told] }))
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('partially_refunded')
  })

  test('made by hand at the provider are taken into the books', async () => {
    const { orgId, order } = await paidOrder()
    const told = { refundId: null, providerRefundId: 'by-hand', amount: 25_000, state: 'succeeded' as const }
    await shop.tell(orgId, paid(order.payment, { dedupKey: 'refund', refunds: [told] }))
    await shop.checkBooks(orgId)
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('refunded')
  })

  test('told of before the payment was imply that it was paid', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const told = { refundId: null, providerRefundId: 'early', amount: 25_000, state: 'succeeded' as const }
    await shop.tell(orgId, paid(order.payment, { dedupKey: 'early', refunds: [told] }))
    const [, status, payment] = await summaryOf(orgId, order)
    expect([status, payment]).toEqual(['refunded', 'paid'])
  })

  test('that fail say why, leave the money where it was, and a person looks', async () => {
    const { orgId, order } = await paidOrder()
    const failure = { ...unavailableFailure, class: 'rejected' as const, code: 'balance_insufficient' }
    shop.remote.script.refund = () => ({ kind: 'refused', failure })
    await refund(orgId, order, { amount: 5000 })
    await shop.settle()
    const after = await shop.getOrder(orgId, order.id)
    expect(after.refunds).toMatchObject([{ status: 'failed', error: { code: 'balance_insufficient' } }])
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['refund_failed']])
  })

  test('after a lost answer are asked for again under the same id', async () => {
    const { orgId, order } = await paidOrder()
    let calls = 0
    shop.remote.script.refund = () => {
      calls += 1
      return calls === 1 ? { kind: 'unknown', detail: 'lost' } : { kind: 'succeeded', providerRefundId: 'r' }
    }
    const { json } = await refund(orgId, order, {})
    await until(() => calls === 1)
    await shop.advance(10)
    expect(shop.remote.calls.filter((call) => call.startsWith('refund'))).toEqual([
      `refund ${json.id}`,
      `refund ${json.id}`,
    ])
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('refunded')
  })
})

test('the customer changes the method: the old attempt is ended at the provider before the new one is opened', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  shop.remote.calls.length = 0
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'bni' },
  })
  expect(shop.remote.calls).toEqual([
    `status ${order.payment.id}`,
    `cancel ${order.payment.id}`,
    `charge ${json.payment.id}`,
  ])
  expect(json.payments.map((payment: Json) => payment.status)).toEqual(['cancelled', 'pending'])
})

test('a provider that is away keeps the old attempt: nothing is opened beside it', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  shop.remote.script.status = () => ({ kind: 'refused', failure: unavailableFailure })
  const calls: [string, unknown][] = [
    ['/payments', { method: 'cash' }],
    ['/cancel', undefined],
  ]
  for (const [path, json] of calls) {
    const options = json === undefined ? {} : { json }
    const reply = await shop.call(orgId, 'POST', `/orders/${order.id}${path}`, options)
    expect([reply.status, reply.json.code]).toEqual([503, 'payment_provider_unavailable'])
    expect(reply.headers.get('retry-after')).toBe('10')
  }
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
})

test('an order within its time of grace waits for another attempt before it expires', async () => {
  const orgId = await remoteOrg({ order_grace_seconds: 600 })
  const [left, taken] = [
    await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } }),
    await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } }),
  ]
  await shop.advance(61)
  expect(await summaryOf(orgId, left)).toEqual(['pending_payment', 'unpaid', 'expired', []])
  await shop.call(orgId, 'POST', `/orders/${taken.id}/payments`, { json: { method: 'qris' } })
  await shop.advance(601)
  expect((await shop.getOrder(orgId, left.id)).status).toBe('expired')
  expect((await shop.getOrder(orgId, taken.id)).status).toBe('pending_payment')
})
