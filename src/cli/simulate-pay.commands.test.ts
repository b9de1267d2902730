import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../test/support/app.ts'
import { aKey, anOrganization } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { until } from '../../test/support/until.ts'
import type { Json } from '../../test/support/webhooks.ts'
import { paymentAccountCommands } from './payment-account.commands.ts'
import { simulatePayCommands } from './simulate-pay.commands.ts'

/** Runs the commands beside a running server and checks their output and the effect on the server. */
const nexkit = useTestApp()
useCommandSettings(nexkit)
let [slug, token] = ['', '']

beforeAll(async () => {
  const organization = await anOrganization(nexkit.database)
  slug = organization.slug
  token = (await aKey(nexkit.database, organization.id)).token
  for (const provider of ['simulator', 'manual'])
    await run(['payment-account', 'create', '--org', slug, '--provider', provider])
})

const run = async (words: string[]): Promise<string> =>
  (await runCommand([...paymentAccountCommands, ...simulatePayCommands], words)).out

const pay = async (...words: string[]): Promise<Json> => JSON.parse(await run(['simulate', 'pay', ...words, '--json']))
const refund = async (...words: string[]): Promise<Json> =>
  JSON.parse(await run(['simulate', 'refund', ...words, '--json']))

async function api(method: string, path: string, json?: unknown): Promise<Json> {
  const reply = await nexkit.call(`/api/public/v1${path}`, { method, token, ...(json !== undefined && { json }) })
  return reply.json()
}
const anOrder = (fields: Record<string, unknown> = {}) =>
  api('POST', '/orders', { billingType: 'qris', amount: 25_000, ...fields })

describe('simulate pay', () => {
  test('pays an order by its id, by its number or as the latest, and prints its new status', async () => {
    const order = await anOrder()
    const output = await pay('--order', order.id)
    expect(output).toMatchObject({
      ...{ object: 'simulation', org: slug, scenario: 'paid', applied: true },
      notices: [{ status: 200, answer: 'ok' }],
      order: { id: order.id, status: 'confirmed', payment_status: 'paid' },
      payment: { status: 'paid', amount_paid: 25_000 },
    })
    const other = await anOrder()
    const printed = await run(['simulate', 'pay', '--order', other.number, '--org', slug])
    expect(printed).toContain(`Order ${other.number} is confirmed and paid. Its payment is paid.`)
    const { id: latest } = await anOrder()
    expect((await pay('--order', 'latest')).order).toMatchObject({ id: latest, payment_status: 'paid' })
  })

  test('short and excess amounts, and any amount for an open one', async () => {
    const short = await pay('--order', (await anOrder()).id, '--scenario', 'short')
    expect(short.payment.amount_paid).toBe(24_000)
    const excess = await pay('--order', (await anOrder()).id, '--amount', '30.000')
    expect(excess.payment.amount_paid).toBe(30_000)
    const open = await pay('--order', (await anOrder({ amount: undefined })).id, '--amount', '12000')
    expect(open.order.payment_status).toBe('paid')
  })

  test('a reversal leaves the debt, in full or in part', async () => {
    for (const [scenario, remaining] of [
      ['reversed', 25_000],
      ['partly_reversed', 1_000],
    ] as const) {
      const order = await anOrder()
      expect((await pay('--order', order.id, '--scenario', scenario)).order.payment_status).toBe('reversed')
      expect((await api('GET', `/orders/${order.id}`)).amount_remaining).toBe(remaining)
    }
  })

  test('a payment counts once when its notice arrives three times', async () => {
    const output = await pay('--order', (await anOrder()).id, '--scenario', 'duplicate')
    expect([output.notices.length, output.payment.amount_paid]).toEqual([3, 25_000])
  })

  test('a late payment is expired first, then paid, and needs review', async () => {
    const order = await anOrder()
    const output = await pay('--order', order.id, '--scenario', 'late')
    expect(output.order.status).toBe('expired')
    expect((await api('GET', `/orders/${order.id}`)).needs_review.reason).toBe('late_payment')
  })

  test('forged and tampered notices are refused and change nothing', async () => {
    const order = await anOrder()
    for (const scenario of ['forged', 'tampered']) {
      const output = await pay('--order', order.id, '--scenario', scenario)
      expect([output.notices[0].status, output.order.payment_status]).toEqual([401, 'pending'])
    }
  })

  test('what cannot be simulated is refused with what to do instead', async () => {
    const cash = await anOrder({ billingType: 'cash' })
    await expect(pay('--order', cash.id)).rejects.toThrow(/mark-paid/)
    await expect(pay('--order', 'ord_nobody')).rejects.toThrow(/There is no order/)
    const order = await anOrder()
    await expect(pay('--order', order.id, '--scenario', 'perhaps')).rejects.toThrow(/must be one of paid, duplicate/)
    await expect(pay('--order', order.id, '--amount', '12,5')).rejects.toThrow(/whole rupiah/)
    await expect(pay('--order', order.id, '--payment', 'pay_x')).rejects.toThrow(/has no payment pay_x/)
  })
})

describe('simulate refund', () => {
  test('finishes a refund that waits, or lets it fail', async () => {
    for (const [flags, status] of [
      [[], 'succeeded'],
      [['--failed'], 'failed'],
    ] as const) {
      const order = await anOrder({ amount: 200_000 })
      await pay('--order', order.id)
      await expect(refund('--order', order.id)).rejects.toThrow(/no pending refund/)
      const asked = await api('POST', `/orders/${order.id}/refunds`, { amount: 90_201, reason: 'sold out' })
      const refundOf = async () => (await api('GET', `/orders/${order.id}`)).refunds[0]
      await until(async () => (await refundOf()).status === 'pending')
      await refund('--order', order.id, ...flags)
      expect(await refundOf()).toMatchObject({ id: asked.id, status })
    }
  })
})
