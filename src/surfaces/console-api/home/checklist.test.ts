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
}, 60_000)

describe('the checklist of the demo', () => {
  test('is ticked by nothing that the demo brought: not its key, its message, its notices or the order that pays itself', async () => {
    // Written out every few seconds otherwise.
    await app.database.run`update api_keys set last_used_at = now() where created_by = 'first start'`
    expect(await done()).toEqual([])
  })

  test('is not ticked by what a test of an endpoint says: no order was paid, no message sent', async () => {
    const url = 'https://shop.example.com/hooks'
    const created = await owner.call('POST', '/api/proxy/webhook-endpoints', { url, events: ['order.*'] })
    const { id } = (await created.json()) as { id: string }
    for (const type of ['order.paid', 'message.sent'])
      expect((await owner.call('POST', `/api/proxy/webhook-endpoints/${id}/test`, { type })).status).toBe(202)
    expect(await done()).toEqual([])
  })

  test('is ticked by a message that a person sends with the key of the demo', async () => {
    const message = { to: '+6281311112222', body: 'Halo' }
    await app.call('/api/public/v1/messages', { token: demo.token, json: message })
    await until(async () => (await done()).includes('message_sent'))
    expect(await done()).toEqual(['message_sent'])
  })

  test('is ticked when a person pays the open example order', async () => {
    const waiting = (await orders()).find(({ payment_status }) => payment_status !== 'paid') as Order
    await owner.call('POST', `/api/console/simulator/payments/${waiting.payment.id}`, { scenario: 'paid' })
    await until(async () => (await done()).includes('order_paid'))
    expect(await done()).toEqual(['message_sent', 'order_paid'])
  })

  test('is ticked by a key that a person creates, and stays ticked', async () => {
    await owner.call('POST', '/api/console/keys', { name: 'Till', scopes: ['chats:read'] })
    expect(await done()).toEqual(['key_made', 'message_sent', 'order_paid'])
    const first = await read<Steps>('/api/console/checklist')
    await app.call('/api/public/v1/messages', { token: demo.token, json: { to: '+6281311112222', body: 'Lagi' } })
    expect(await read<Steps>('/api/console/checklist')).toEqual(first)
  })
})
