import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid, summary } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import {
  holdCharges,
  payableOutcome,
  reportOf,
  scriptedCode,
  scriptedNotice,
  unavailableFailure,
} from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { NoticeAnswer } from '../../payments/notifications/notifications.ts'
import type { ChargeOutcome } from '../../payments/payment-connector.ts'

/** The hard cases of receiving payments, against a scripted provider. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf, untilCharged } = casesOf(shop)

test('a verified notice pays the order and records order.paid once', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  expect(await shop.sendNotice(orgId, paid(order.payment))).toMatchObject({ status: 200 })
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  expect(await shop.eventTypes(orgId)).toEqual(['order.created', 'payment.pending', 'payment.paid', 'order.paid'])
})

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

test('an order expires on time after the provider was asked, and records an event', async () => {
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

test('a payment without a notice is found when the time of the attempt is over', async () => {
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

test('an order is paid when money is received in the moment of expiry', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  shop.remote.script.expire = (attempt) => ({ kind: 'overtaken', report: reportOf(attempt, { state: 'paid' }) })
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
})

test('an order is flagged for review when its provider is asked with back-off for a day and gives no answer', async () => {
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

describe('a charge', () => {
  test('is queried under the same id before it is created again when its answer was lost', async () => {
    const orgId = await remoteOrg()
    const asked = new Set<string>()
    shop.remote.script.charge = (attempt): ChargeOutcome => {
      if (asked.has(attempt.id)) return payableOutcome(attempt)
      asked.add(attempt.id)
      return { kind: 'unknown', detail: 'timed out' }
    }
    const request = shop.anOrder(orgId)
    await untilCharged(orgId)
    await shop.advance(2)
    const order = await request
    expect(order.payment.status).toBe('pending')
    const { id } = order.payment
    const calls = shop.remote.calls.filter((call) => call.endsWith(id))
    expect(calls).toEqual([`charge ${id}`, `status ${id}`, `charge ${id}`])
  })

  test('is adopted instead of created again when it exists at the provider', async () => {
    const orgId = await remoteOrg()
    shop.remote.script.charge = () => ({ kind: 'unknown', detail: 'timed out' })
    const request = shop.anOrder(orgId)
    await untilCharged(orgId)
    shop.remote.script.status = (attempt) => {
      const outcome = payableOutcome({ ...attempt, expiresAt: null })
      const details = outcome.kind === 'payable' ? outcome.details : null
      return { kind: 'known', report: reportOf(attempt), details }
    }
    await shop.advance(2)
    const order = await request
    expect([order.payment.status, order.payment.qris.string]).toEqual(['pending', scriptedCode(order.payment)])
    expect(shop.remote.calls.filter((call) => call.startsWith('charge'))).toHaveLength(1)
  })

  test('fails the attempt and leaves the order open for another when it is refused', async () => {
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

  test('is ended at the provider when it is answered after the order was cancelled', async () => {
    const orgId = await remoteOrg()
    const answer = holdCharges(shop.remote)
    const request = shop.anOrder(orgId)
    await untilCharged(orgId)
    const { id } = await shop.database.one<{ id: string }>`select id from orders where org_id = ${orgId}`
    const { json } = await shop.call(orgId, 'POST', `/orders/${id}/cancel`)
    expect(summary(json)).toEqual(['cancelled', 'unpaid', 'failed', []])
    answer()
    const order = await request
    await until(() => shop.remote.calls.includes(`cancel ${order.payment.id}`))
    expect((await shop.getOrder(orgId, id)).status).toBe('cancelled')
  })

  test('lets the order expire when it failed for good and its time is over', async () => {
    const orgId = await remoteOrg()
    const failure = { ...unavailableFailure, class: 'declined' as const, code: 'payer_blocked' }
    shop.remote.script.charge = () => ({ kind: 'refused', failure })
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'failed', []])
  })
})

test('an order expires when its attempt was cancelled at the provider and its time is over', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'cancelled' }))
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'unpaid', 'cancelled', []])
  const called = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  const { json: before } = await shop.call(orgId, 'POST', `/orders/${called.id}/cancel`)
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'cancelled', []])
  expect((await shop.getOrder(orgId, called.id)).updated_at).toBe(before.updated_at)
})

test('an order expires at the later end that the provider gave its attempt when the attempt failed before', async () => {
  const orgId = await remoteOrg()
  shop.remote.script.charge = (attempt) => {
    const outcome = payableOutcome(attempt) as Extract<ChargeOutcome, { kind: 'payable' }>
    const expiresAt = new Date((attempt.expiresAt as Date).getTime() + 600_000)
    return { ...outcome, details: { ...outcome.details, expiresAt } }
  }
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 300 } })
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'failed' }))
  await shop.advance(301)
  expect((await shop.getOrder(orgId, order.id)).status).toBe('pending_payment')
  await shop.advance(600)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'failed', []])
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

test('the old attempt is ended at the provider before a new one is opened when the customer changes the method', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  shop.remote.calls.length = 0
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'bni' },
  })
  const ids = json.payments.map(({ id }: Json) => id)
  const calls = shop.remote.calls.filter((call) => ids.some((id: string) => call.endsWith(id)))
  expect(calls).toEqual([`status ${order.payment.id}`, `cancel ${order.payment.id}`, `charge ${json.payment.id}`])
  expect(json.payments.map((payment: Json) => payment.status)).toEqual(['cancelled', 'pending'])
})

test('no second attempt is opened when the provider of the old one is unavailable', async () => {
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

test('an order awaits another attempt within its grace period before it expires', async () => {
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
