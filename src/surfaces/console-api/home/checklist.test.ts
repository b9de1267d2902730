import { beforeAll, describe, expect, test } from 'bun:test'
import { testAppOptions, useTestApp } from '../../../../test/support/app.ts'
import { aBrowser, type Browser, testPeople } from '../../../../test/support/console.ts'
import { until } from '../../../../test/support/until.ts'
import { paymentAccountsContext } from '../../../boot/capabilities.ts'
import { accountsContext, numbersContext } from '../../../boot/contexts.ts'
import { createDemo, type Demo } from '../../../boot/demo.ts'
import { systemClock } from '../../../kernel/clock.ts'

/** Runs a first start as the server does, until everything of the demo has happened. */
const app = useTestApp()
let demo: Demo
let owner: Browser

type Order = { id: string; payment_status: string; metadata: Record<string, string>; payment: { id: string } }
type Steps = Record<string, { done: boolean; at: string | null }>

const read = async <Reply>(path: string) => (await (await owner.call('GET', path)).json()) as Reply
const orders = async () => (await read<{ data: Order[] }>('/api/proxy/orders')).data
const done = async () =>
  Object.entries(await read<Steps>('/api/console/checklist'))
    .filter(([, step]) => step.done)
    .map(([name]) => name)
const sentCount = async () => (await read<{ data: unknown[] }>('/api/proxy/events?types=message.sent')).data.length

beforeAll(async () => {
  const options = { clock: systemClock, ...testAppOptions(app) }
  const created = await createDemo({
    accounts: accountsContext(app.database, systemClock),
    people: testPeople(app),
    numbers: numbersContext(options),
    paymentAccounts: paymentAccountsContext(options),
    databaseUrl: app.url,
  })
  demo = created as Demo
  await demo.release()
  await app.app.playDemo(demo)
  owner = aBrowser(app)
  await owner.signIn(demo.owner)
  await until(async () => (await orders()).some(({ payment_status }) => payment_status === 'paid'))
  await until(async () => (await sentCount()) > 2)
})

describe('the checklist of the demo', () => {
  test('has no step done by the demo: not its messages and orders, nor the order that is paid automatically', async () => {
    expect(await done()).toEqual([])
  })

  test('has no step done by a test event of an endpoint', async () => {
    const url = 'https://shop.example.com/hooks'
    const created = await owner.call('POST', '/api/proxy/webhook-endpoints', { url, events: ['order.*'] })
    const { id } = (await created.json()) as { id: string }
    for (const type of ['order.paid', 'message.received'])
      expect((await owner.call('POST', `/api/proxy/webhook-endpoints/${id}/test`, { type })).status).toBe(202)
    expect(await done()).toEqual([])
  })

  test('marks the message as received when a customer writes', async () => {
    const numbers = await read<{ data: { id: string }[] }>('/api/console/numbers')
    const message = { number: numbers.data[0]?.id, from: '+6281377778888', text: 'Masih buka?' }
    await owner.call('POST', '/api/proxy/simulator/messages', message)
    await until(async () => (await done()).includes('message_received'))
    expect(await done()).toEqual(['message_received'])
  })

  test('marks the payment as done when a person pays the open example order', async () => {
    const waiting = (await orders()).find(({ payment_status }) => payment_status !== 'paid') as Order
    await owner.call('POST', `/api/proxy/simulator/payments/${waiting.payment.id}`, { scenario: 'paid' })
    await until(async () => (await done()).includes('order_paid'))
    expect(await done()).toEqual(['message_received', 'order_paid'])
  })

  test('marks the order as created when a person creates one, names it, and keeps its time', async () => {
    const create = async () =>
      (await (await owner.call('POST', '/api/proxy/orders', { billingType: 'qris', amount: 10_000 })).json()) as Order
    const { id } = await create()
    await until(async () => (await done()).includes('order_created'))
    const first = await read<Steps>('/api/console/checklist')
    expect(first.order_created).toMatchObject({ order_id: id })
    await create()
    expect(await read<Steps>('/api/console/checklist')).toEqual(first)
  })
})
