import { beforeAll, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type Browser, PASSWORD, signedIn } from '../../../test/support/console.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import { startWebhookReceiver } from '../../../test/support/webhook-receivers.ts'

type Detail = {
  log: Record<'request' | 'response', { headers: Record<string, string> | null }>
  caused: {
    events: { id: string; type: string }[]
    deliveries: { event_id: string; endpoint_id: string; status: string }[]
  }
}

const app = useTestApp()
let owner: Browser
let token: string

beforeAll(async () => {
  const { id } = await anOrganization(app.database)
  owner = await signedIn(app, id, 'owner')
  token = (await aKey(app.database, id)).token
  const number = {
    connector: 'simulator',
    phone_number_id: '100200301',
    display_phone: '+6281200009001',
    settings: { reply_window: false },
  }
  await owner.call('POST', '/api/console/numbers', number)
  await owner.call('POST', '/api/console/payment-accounts', { provider: 'simulator' })
})

const call = async (path: string, body: object) => {
  const answer = await app.call(`/api/public/v1${path}`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(201)
  return { requestId: answer.headers.get('x-request-id') as string, created: (await answer.json()) as { id: string } }
}

const detailOf = async (requestId: string) => {
  const path = `/api/console/request-logs/${requestId}`
  await until(async () => (await owner.call('GET', path)).status === 200)
  return (await (await owner.call('GET', path)).json()) as Detail
}

test('an API call shows the events it caused, and none of the calls that ran beside it', async () => {
  const sent = await Promise.all(
    ['+6281311110001', '+6281311110002', '+6281311110003'].map((to) => call('/messages', { to, body: 'Halo' })),
  )
  const ordered = await call('/orders', { billingType: 'qris', amount: 15_000, notify: false })
  const details = await Promise.all(sent.map(({ requestId }) => detailOf(requestId)))
  expect(details.map(({ caused }) => caused.events.map(({ type }) => type))).toEqual([
    ['chat.created'],
    ['chat.created'],
    ['chat.created'],
  ])
  expect(new Set(details.map(({ caused }) => caused.events[0]?.id)).size).toBe(3)
  const types = (await detailOf(ordered.requestId)).caused.events.map(({ type }) => type)
  expect(types).toContain('order.created')
  expect(types).not.toContain('chat.created')
})

test('an API call shows where the events it caused were delivered', async () => {
  const receiver = await startWebhookReceiver(() => 200)
  const endpoint = (await (
    await owner.call('POST', '/api/proxy/webhook-endpoints', { url: receiver.url, events: ['order.created'] })
  ).json()) as { id: string }
  const { requestId } = await call('/orders', { billingType: 'qris', amount: 15_000, notify: false })
  const delivered = async () => (await detailOf(requestId)).caused.deliveries
  await until(async () => (await delivered()).some(({ status }) => status === 'succeeded'))
  expect((await delivered()).map(({ endpoint_id }) => endpoint_id)).toEqual([endpoint.id])
  receiver.stop()
})

test('an API call shows its headers without the credential', async () => {
  const { requestId } = await call('/messages', { to: '+6281311110009', body: 'Halo' })
  const { log } = await detailOf(requestId)
  expect(log.request.headers).toMatchObject({ authorization: '[masked]', 'content-type': 'application/json' })
  expect(log.response.headers).toMatchObject({ 'x-request-id': requestId, 'content-type': 'application/json' })
})

test('matching API calls are counted and timed over time, and counted by what they share', async () => {
  const path = '/api/console/request-log-facets?operation=sendMessage'
  const read = async () => (await owner.call('GET', path)).json() as Promise<Facets>
  type Facets = {
    total: number
    from: string
    covered_from: string
    buckets: { ok: number; p50_ms: number | null; p95_ms: number | null }[]
    facets: { name: string; values: { value: string; count: number }[] }[]
  }
  await until(async () => (await read()).total >= 4)
  const { total, from, covered_from, buckets, facets } = await read()
  expect(buckets.reduce((sum, { ok }) => sum + ok, 0)).toBe(total)
  expect(covered_from).toBe(from)
  for (const { ok, p50_ms, p95_ms } of buckets)
    expect([ok > 0, ok > 0]).toEqual([(p50_ms ?? 0) > 0, (p95_ms ?? 0) >= (p50_ms ?? 1)])
  expect(facets.find(({ name }) => name === 'status')?.values).toEqual([{ value: '201', count: total }])
  expect(facets.find(({ name }) => name === 'operation')?.values).toEqual([{ value: 'sendMessage', count: total }])
})

test('the secret of an endpoint is shown again only after the password was entered', async () => {
  const created = await owner.call('POST', '/api/proxy/webhook-endpoints', { url: 'https://shop.example.com/hooks' })
  const { id, secret } = (await created.json()) as { id: string; secret: string }
  const path = `/api/console/webhook-endpoints/${id}/reveal-secret`
  const wrong = await owner.call('POST', path, { password: 'not the password' })
  expect([wrong.status, await wrong.text()]).toEqual([expect.any(Number), expect.not.stringContaining(secret)])
  expect(wrong.status).toBeGreaterThanOrEqual(400)
  const right = await owner.call('POST', path, { password: PASSWORD })
  expect([right.status, await right.json()]).toEqual([200, { secret }])
  const statistics = await owner.call('GET', `/api/console/webhook-endpoints/${id}/statistics?range=7d`)
  expect(((await statistics.json()) as { buckets: unknown[] }).buckets).toHaveLength(28)
})
