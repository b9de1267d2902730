import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { aMember, type Browser, signedIn, type TestPerson } from '../../../../test/support/console.ts'
import { aKey, anOrganization } from '../../../../test/support/makers.ts'
import { until } from '../../../../test/support/until.ts'
import { startWebhookReceiver } from '../../../../test/support/webhook-receivers.ts'
import type { Organization } from '../../../accounts/organizations/organizations.ts'

/** A small shop in which everything happened once. */
const app = useTestApp()
let organization: Organization
let owner: Browser & { person: TestPerson }
let otherOwner: Browser
let token: string
const known = {} as Record<
  'chat' | 'message' | 'order' | 'payment' | 'endpoint' | 'key' | 'request' | 'event' | 'delivery' | 'number',
  string
>

const read = async <Reply>(path: string, by: Browser = owner) => (await (await by.call('GET', path)).json()) as Reply
const post = async <Reply>(path: string, body: object) => (await (await owner.call('POST', path, body)).json()) as Reply

beforeAll(async () => {
  organization = await anOrganization(app.database)
  owner = await signedIn(app, organization.id, 'owner')
  otherOwner = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
  const receiver = await startWebhookReceiver(() => 200)
  known.endpoint = (await post<{ id: string }>('/api/proxy/webhook-endpoints', { url: receiver.url, events: ['*'] })).id
  const number = {
    connector: 'simulator',
    phone_number_id: '100200300',
    display_phone: '+6281200009000',
    settings: { reply_window: false },
  }
  known.number = (await post<{ number: { id: string } }>('/api/console/numbers', number)).number.id
  await post('/api/console/payment-accounts', { provider: 'simulator' })
  const created = await aKey(app.database, organization.id)
  token = created.token
  known.key = created.key.id
  await makeHistory()
  receiver.stop()
})

async function makeHistory() {
  const customer = { number: known.number, from: '081311112222' }
  await post('/api/proxy/simulator/messages', { ...customer, name: 'Dewi', text: 'Halo' })
  const sent = await post<{ id: string }>('/api/proxy/messages', { to: '+6281311112222', type: 'text', body: 'Ya?' })
  known.message = sent.id
  const items = [{ name: 'Kopi', quantity: 1, unit_price: 25_000 }]
  const customerOf = { name: 'Dewi', phone: '+6281311112222' }
  const order = await post<{ id: string; payment: { id: string } }>('/api/proxy/orders', {
    billingType: 'qris',
    items,
    reference: 'INV-77',
    notify: false,
    customer: customerOf,
  })
  known.order = order.id
  known.payment = order.payment.id
  await post(`/api/proxy/simulator/payments/${known.payment}`, { scenario: 'paid' })
  for (const path of ['/me', '/events/evt_01kmz3v7n2e0a8tq9fj6hx5c4d', '/me']) {
    const answer = await app.call(`/api/public/v1${path}`, { token })
    known.request = answer.headers.get('x-request-id') as string
  }
  type Listed = { data: { id: string; status: string }[] }
  await until(async () => (await read<Listed>('/api/proxy/chats')).data.length > 0)
  known.chat = (await read<Listed>('/api/proxy/chats')).data[0]?.id as string
  const delivered = () => read<Listed>('/api/proxy/deliveries?status=succeeded')
  await until(async () => (await delivered()).data.length > 0)
  known.delivery = (await delivered()).data[0]?.id as string
  known.event = (await read<Listed>('/api/proxy/events?limit=1')).data[0]?.id as string
  await until(async () => (await owner.call('GET', `/api/console/request-logs/${known.request}`)).status === 200)
}

type Bucket = Record<string, number>
type Statistics = Record<
  'requests' | 'latency' | 'deliveries' | 'messages' | 'orders',
  (Bucket & { buckets: Bucket[] }) | null
> & {
  is_partial: boolean
  bucket_seconds: number
}

const sumOf = (group: Statistics['requests'], name: string) =>
  group?.buckets.reduce((sum, bucket) => sum + (bucket[name] ?? 0), 0)

describe('statistics', () => {
  test.each([
    ['24h', 24, 3600],
    ['7d', 28, 6 * 3600],
    ['30d', 30, 24 * 3600],
  ])('of %s have every bucket and sum up to what happened', async (range, buckets, seconds) => {
    // Requests are logged and deliveries recorded a little after they happened; a busy database answers with a part.
    const isAllThere = ({ is_partial, requests, messages, deliveries }: Statistics) =>
      !is_partial &&
      messages?.total_out === 1 &&
      (requests?.total ?? 0) >= 3 &&
      (sumOf(deliveries, 'succeeded') ?? 0) > 0
    let statistics = {} as Statistics
    await until(async () => {
      statistics = await read<Statistics>(`/api/console/figures?range=${range}`)
      return isAllThere(statistics)
    })
    expect(statistics.bucket_seconds).toBe(seconds)
    for (const group of [
      statistics.requests,
      statistics.latency,
      statistics.deliveries,
      statistics.messages,
      statistics.orders,
    ])
      expect(group?.buckets).toHaveLength(buckets)
    expect(statistics.requests?.total).toBeGreaterThanOrEqual(3)
    expect(sumOf(statistics.requests, 'client_error')).toBe(1)
    expect(statistics.latency?.p50_ms).toBeGreaterThan(0)
    expect(statistics.latency?.p99_ms).toBeGreaterThanOrEqual(statistics.latency?.p50_ms as number)
    expect(statistics.messages).toMatchObject({ total_in: 1, total_out: 1 })
    expect(statistics.orders).toMatchObject({ paid_count: 1, paid_sum: 25_000 })
    expect(sumOf(statistics.deliveries, 'succeeded')).toBeGreaterThan(0)
  })

  test('count pending deliveries without test deliveries, as the list of deliveries does', async () => {
    const { id } = await anOrganization(app.database)
    const newcomer = await signedIn(app, id, 'owner')
    const receiver = await startWebhookReceiver(() => 200)
    // A new address is tried at once.
    await newcomer.call('POST', '/api/proxy/webhook-endpoints', { url: receiver.url, events: ['key.rotated'] })
    type Listed = { data: { status: string }[] }
    const tests = () => read<Listed>('/api/proxy/deliveries?test=true', newcomer)
    await until(async () => (await tests()).data[0]?.status === 'succeeded')
    receiver.stop()
    expect((await read<Listed>('/api/proxy/deliveries', newcomer)).data).toEqual([])
    const { deliveries } = await read<Statistics>('/api/console/figures', newcomer)
    expect(['succeeded', 'failed', 'pending'].map((name) => sumOf(deliveries, name))).toEqual([0, 0, 0])
  })

  test('leave out what a role may not see, and show nothing of others', async () => {
    const viewer = await signedIn(app, organization.id, 'viewer')
    const seen = await read<Statistics>('/api/console/figures', viewer)
    expect([seen.requests, seen.latency]).toEqual([null, null])
    expect(seen.orders).toMatchObject({ paid_count: 1 })
    const theirs = await read<Statistics>('/api/console/figures', otherOwner)
    expect([theirs.requests?.total, theirs.messages?.total_in, theirs.orders?.paid_count]).toEqual([0, 0, 0])
  })
})

describe('the checklist', () => {
  type Checklist = Record<string, { done: boolean; at: string | null }>

  test('ticks itself from what really happened', async () => {
    await until(async () => Object.values(await read<Checklist>('/api/console/checklist')).every(({ done }) => done))
    const steps = await read<Checklist>('/api/console/checklist')
    expect(Object.values(steps).every(({ at }) => at !== null)).toBe(true)
    const theirs = Object.values(await read<Checklist>('/api/console/checklist', otherOwner))
    expect(theirs.map(({ done }) => done)).toEqual([false, false, false, false])
  })
})

describe('search', () => {
  type Found = { data: { type: string; id: string; title: string; path: string }[] }
  const find = async (words: string, by: Browser = owner) =>
    (await read<Found>(`/api/console/search?q=${encodeURIComponent(words)}`, by)).data

  test.each([
    ['chat', '/chats?open='],
    ['message', '/chats?open='],
    ['order', '/orders/'],
    ['payment', '/orders/'],
    ['endpoint', '/webhooks/'],
    ['key', '/keys/'],
    ['request', '/logs?open='],
    ['event', '/events?open='],
    ['delivery', '/deliveries?open='],
    ['number', '/settings?tab=numbers'],
  ] as const)('finds by its id: %s, and only in its own organization', async (type, path) => {
    const [found, ...others] = await find(known[type])
    expect(found).toMatchObject({ type, id: known[type] })
    expect([found?.path.startsWith(path), others]).toEqual([true, []])
    expect(await find(known[type], otherOwner)).toEqual([])
  })

  test.each(['+6281311112222', '0813-1111-2222', '6281311112222', '0813 1111 2222'])(
    'finds the chat and the orders of %s',
    async (phone) => {
      const found = await find(phone)
      expect(found.map(({ type, id }) => [type, id])).toEqual([
        ['chat', known.chat],
        ['order', known.order],
      ])
    },
  )

  test('finds an order by its number, its reference and the name of who ordered', async () => {
    const { number } = await read<{ number: string }>(`/api/proxy/orders/${known.order}`)
    for (const words of [number, `#${number}`, 'INV-77', 'dewi'])
      expect((await find(words)).map(({ id }) => id)).toContain(known.order)
  })

  test('finds the chat and the customer by any word of the name, for those who may read chats', async () => {
    const { data } = await read<{ data: { contact: { name: string | null } }[] }>('/api/proxy/chats')
    const name = data.find(({ contact }) => contact.name !== null)?.contact.name as string
    for (const words of [name, name.toUpperCase(), name.slice(0, 3)]) {
      const found = (await find(words)).filter(({ type }) => type !== 'order')
      expect(found[0]).toMatchObject({ type: 'chat', title: name })
      expect(found[1]).toMatchObject({ type: 'contact', title: name, path: `${found[0]?.path}&pane=person` })
    }
    expect(await find(name, otherOwner)).toEqual([])
  })

  test('finds people by their email', async () => {
    expect(await find(owner.person.email.toUpperCase())).toMatchObject([{ type: 'person', id: owner.person.id }])
    expect(await find(owner.person.email, otherOwner)).toEqual([])
  })

  test('finds an agent and what it asks for, for those who may manage and decide', async () => {
    const input = { name: 'Bot', scopes: ['messages:send'] }
    const { agent, token: bearer } = await post<{ agent: { id: string }; token: string }>('/api/console/agents', input)
    const json = { to: '+6281311112222', body: 'Boleh?' }
    const { id } = (await (await app.call('/api/public/v1/messages', { token: bearer, json })).json()) as { id: string }
    expect(await find(agent.id)).toMatchObject([{ type: 'agent', title: 'Bot', path: `/agents/${agent.id}` }])
    expect(await find(id)).toMatchObject([{ type: 'approval', title: 'Bot', path: `/approvals/${id}` }])
    expect([await find(agent.id, otherOwner), await find(id, otherOwner)]).toEqual([[], []])
    const viewer = await signedIn(app, organization.id, 'viewer')
    expect([await find(agent.id, viewer), await find(id, viewer)]).toEqual([[], []])
  })

  test('finds only what the role may see', async () => {
    const agent = await signedIn(app, organization.id, 'agent')
    expect(await find(known.key, agent)).toEqual([])
    expect(await find(known.request, agent)).toEqual([])
    expect((await find(known.order, agent)).length).toBe(1)
  })

  test('finds nothing for nonsense, and says so without failing', async () => {
    for (const words of [
      'x',
      'evt_nonsense',
      'ord_01kmz3v7n2e0a8tq9fj6hx5c4d',
      '%',
      "'; drop table orders",
      '999999999999999',
    ])
      expect(await find(words)).toEqual([])
    await aMember(app, organization.id, 'viewer')
    expect((await owner.call('GET', '/api/console/search')).status).toBe(400)
  })
})
