import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import type { Callable } from '../support/app.ts'
import { aBrowser, type Browser, ORIGIN } from '../support/console.ts'
import { aClientId, aProgram, exchange, letIn, renew, type Tokens, toolsOf } from '../support/oauth.ts'
import { until } from '../support/until.ts'
import { type ReceivedWebhook, startWebhookReceiver } from '../support/webhook-receivers.ts'
import type { PostgresNode, ServingNode } from '../torture/nodes.ts'
import { type Cluster, command, createKey, openCluster } from './cluster.ts'

/** Two nodes on one PostgreSQL, each call sent to the node after the one that answered the call before it. */
const undo: (() => Promise<unknown>)[] = []
let cluster: Cluster
let database: Database
let nth = 0

const callNode = (node: ServingNode, ...[path, options = {}]: Parameters<Callable['call']>) => {
  const { token, json, address, ...init } = options
  const headers = new Headers(init.headers)
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  if (address !== undefined) headers.set('x-forwarded-for', address)
  if (json !== undefined) headers.set('content-type', 'application/json')
  const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }
  return fetch(`${node.url}${path}`, { ...body, ...init, headers, redirect: 'manual' })
}
const nodes: Callable = {
  call: (path, options) => callNode(cluster.nodes[nth++ % cluster.nodes.length] as ServingNode, path, options),
}

beforeAll(async () => {
  const roster = [
    { name: 'one', role: 'all' },
    { name: 'other', role: 'all' },
  ] as const
  cluster = await openCluster(undo, roster, null, { NEXKIT_PUBLIC_URL: ORIGIN })
  database = openDatabase({ url: (cluster.postgres as PostgresNode).url, connectionsMax: 1 })
  undo.push(() => database.close())
  // A limit is divided by the number of nodes that they have seen.
  await until(async () => (await countNodes()) === 2)
})

afterAll(async () => {
  for (const step of undo.toReversed()) await step()
})

const countNodes = async () =>
  (
    await database.one<{ count: number }>`
    select count(*)::int as count from processes where seen_at > now() - interval '15 s'`
  ).count

/** Signed in at one node. */
async function anOwner(): Promise<Browser> {
  const person = ['person', 'create', '--org', 'toko', '--role', 'owner', '--name', 'Sari']
  const email = `sari-${nth}@example.com`
  const { password } = await command(cluster.installation, ...person, '--email', email)
  const browser = aBrowser(nodes)
  expect((await browser.signIn({ email, password: String(password) })).status).toBe(200)
  return browser
}

test('a key that one node revokes is refused by the other within a second', async () => {
  const owner = await anOwner()
  const created = await owner.call('POST', '/api/console/keys', { name: 'Shared', scopes: ['chats:read'] })
  const key = (await created.json()) as { key: { id: string }; token: string }
  const statuses = () =>
    Promise.all(
      cluster.nodes.map(async (node) => (await callNode(node, '/api/public/v1/me', { token: key.token })).status),
    )
  expect(await statuses()).toEqual([200, 200])
  expect((await owner.call('POST', `/api/console/keys/${key.key.id}/revoke`, {})).ok).toBe(true)
  const revokedMs = performance.now()
  await until(async () => (await statuses()).every((status) => status === 401))
  expect(performance.now() - revokedMs).toBeLessThan(1_000)
})

test('a key has one rate limit when its calls are spread over both nodes', async () => {
  const { token } = await createKey(cluster.installation, '--rate-limit', '10')
  const startedMs = performance.now()
  const answers = await Promise.all(Array.from({ length: 200 }, () => nodes.call('/api/public/v1/me', { token })))
  const seconds = (performance.now() - startedMs) / 1000
  const policy = answers[0]?.headers.get('ratelimit-policy') ?? ''
  const burst = Number(/nx-burst=(\d+)/.exec(policy)?.[1])
  expect([policy.startsWith('"key";q=10;w=1;'), burst > 0]).toEqual([true, true])
  const passed = answers.filter(({ status }) => status === 200).length
  expect(passed + answers.filter(({ status }) => status === 429).length).toBe(200)
  expect(passed).toBeGreaterThan(0)
  expect(passed).toBeLessThanOrEqual(Math.ceil(burst + 10 * seconds))
})

test('a live stream at one node shows what happens at the other', async () => {
  const [watching, working] = cluster.nodes as [ServingNode, ServingNode]
  const owner = await anOwner()
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const leave = new AbortController()
  const stream = await callNode(watching, '/api/console/live', { headers: { cookie }, signal: leave.signal })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  let heard = ''
  const reading = (async () => {
    for await (const chunk of stream.body as ReadableStream<Uint8Array>) heard += new TextDecoder().decode(chunk)
  })().catch(() => {})
  const { token } = await createKey(cluster.installation)
  await until(async () => {
    const order = { billingType: 'cash', amount: 25_000 }
    expect((await callNode(working, '/api/public/v1/orders', { token, json: order })).status).toBe(201)
    return heard.includes('order.created')
  })
  leave.abort()
  await reading
})

test('a program connects by OAuth when each step is answered by another node', async () => {
  const owner = await anOwner()
  const program = aProgram(await aClientId(nodes))
  const { code } = await letIn(owner, program)
  const exchanged = await exchange(nodes, program, code)
  expect(exchanged.status).toBe(200)
  const tokens = (await exchanged.json()) as Tokens
  expect(await toolsOf(nodes, tokens.access_token)).toContain('send_message')
  const renewed = (await (await renew(nodes, program.clientId, tokens.refresh_token)).json()) as Tokens
  for (const _ of cluster.nodes) expect(await toolsOf(nodes, renewed.access_token)).toContain('send_message')
})

test('a node that is frozen delays new work for seconds, loses its delivery with the lease, and cannot settle it later', async () => {
  const { token } = await createKey(cluster.installation)
  let isHeld = true
  const held = Promise.withResolvers<void>()
  const isOrder = ({ body }: ReceivedWebhook) => JSON.parse(body.toString()).type === 'order.created'
  const receiver = await startWebhookReceiver(async (webhook) => {
    if (!isOrder(webhook) || !isHeld) return 204
    isHeld = false
    await held.promise
    return 500
  })
  undo.push(async () => receiver.stop())
  const endpoint = { url: receiver.url, events: ['order.created'] }
  expect((await nodes.call('/api/public/v1/webhook-endpoints', { token, json: endpoint })).status).toBe(201)
  const sell = (node: ServingNode) =>
    callNode(node, '/api/public/v1/orders', { token, json: { billingType: 'cash', amount: 25_000 } })
  expect((await sell(cluster.nodes[0] as ServingNode)).status).toBe(201)
  await until(() => !isHeld)

  const arrivals = () => receiver.received.filter(isOrder)
  const firstId = String(arrivals()[0]?.headers['webhook-id'])
  const frozen = await findHolder(firstId)
  const other = cluster.nodes.find((node) => node !== frozen) as ServingNode
  frozen.freeze()
  undo.push(async () => frozen.thaw())
  expect((await sell(other)).status).toBe(201)
  // Also when it was frozen within a transaction that holds the lock of the organization.
  await until(() => arrivals().some(({ headers }) => headers['webhook-id'] !== firstId))
  await database.run`
    update outbox_entries set lease_until = now() - interval '1 s' where job = 'webhooks.deliver' and state = 'leased'`
  await until(() => arrivals().filter(({ headers }) => headers['webhook-id'] === firstId).length === 2)
  const copies = arrivals().filter(({ headers }) => headers['webhook-id'] === firstId)
  expect(copies[0]?.body).toEqual(copies[1]?.body as Buffer)

  // The answer that the frozen node finds is a failure: settled by it, the delivery would be repeated.
  const stateOf = () =>
    database.many<{ status: string; attempts: number }>`
      select status, attempts from webhook_deliveries where event_id = ${firstId}`
  await until(async () => (await stateOf())[0]?.status === 'succeeded')
  const before = await stateOf()
  held.resolve()
  frozen.thaw()
  await frozen.untilReady()
  expect((await sell(frozen)).status).toBe(201)
  await until(() => new Set(arrivals().map(({ headers }) => headers['webhook-id'])).size === 3)
  expect(await stateOf()).toEqual(before)
  expect(arrivals()).toHaveLength(4)
})

/** The node whose process has the lease of the delivery of an event. */
async function findHolder(eventId: string): Promise<ServingNode> {
  const { pid } = await database.one<{ pid: number }>`
    select process.pid from webhook_deliveries delivery
    join outbox_entries entry on entry.org_id = delivery.org_id and entry.id = delivery.id
    join processes process on process.id = entry.leased_by
    where delivery.event_id = ${eventId}`
  return cluster.nodes.find((node) => node.pid() === pid) as ServingNode
}
