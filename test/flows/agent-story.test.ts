import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { runCommandHere } from '../support/run-command.ts'
import {
  anInstallation,
  type Installation,
  type Running,
  startServer,
  tokenIn,
  untilReady,
  untilSaid,
} from '../support/server.ts'
import { until } from '../support/until.ts'

/**
 * An AI agent at a shop, as its owner sees it: from the command that creates it to an order that is paid, and through a
 * crash.
 */
let installation: Installation
let server: Running
let shopToken: string
let agentToken: string

const CUSTOMER = '+6281399998888'
const ORG = ['--org', 'demo-store']

beforeAll(async () => {
  installation = await anInstallation()
  server = startServer(installation)
  await untilReady(installation, server)
  await untilSaid(server, 'curl')
  shopToken = tokenIn(server.stdout())
  const scopes = 'chats:read,messages:send,orders:read,orders:write'
  const created = await runCommandHere(
    installation,
    'agent',
    'create',
    ...ORG,
    '--name',
    'Front desk',
    '--scopes',
    scopes,
  )
  agentToken = tokenIn(created.stdout)
})

afterAll(async () => {
  await server.stop()
  await installation.remove()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any
async function call(
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; json: Json }> {
  const reply = await fetch(`${installation.url}/api/public/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: reply.status, json: await reply.json() }
}
const approve = (id: string) => call(shopToken, 'POST', `/approvals/${id}/approve`)
const approvalOf = async (id: string): Promise<Json> => (await call(agentToken, 'GET', `/approvals/${id}`)).json
const thread = async (): Promise<Json[]> =>
  (await call(shopToken, 'GET', `/chats/${encodeURIComponent(CUSTOMER)}?limit=100`)).json.messages?.data ?? []

test('a customer asks, the agent proposes an order, a person agrees, and it is paid', async () => {
  const client = new Client({ name: 'story', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${agentToken}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${installation.url}/mcp`), { requestInit }))
  const tool = async (name: string, given: object): Promise<Json> =>
    (await client.callTool({ name, arguments: { ...given } })).structuredContent
  await runCommandHere(installation, 'simulate', 'message', '--from', CUSTOMER, '--text', 'Dua kopi susu, ya')
  await until(async () => (await thread()).length > 0)

  const chat = await tool('get_chat', { phone: CUSTOMER })
  expect(chat.messages.data[0].body).toBe('⟦Dua kopi susu, ya⟧')
  const items = [{ name: 'Kopi susu', quantity: 2, unit_price: 18_000 }]
  const { approval } = await tool('create_order', { billingType: 'qris', items, chat_id: chat.id })
  expect(approval).toMatchObject({ status: 'pending', amount: 36_000, chat_id: chat.id })
  expect((await call(shopToken, 'GET', `/orders?chat_id=${chat.id}`)).json.data).toEqual([])

  expect((await approve(approval.id)).status).toBe(200)
  await until(async () => (await tool('get_approval', { id: approval.id })).status === 'done')
  const { result } = await tool('get_approval', { id: approval.id })
  expect(result).toMatchObject({ status: 201, body: { total: 36_000, chat_id: chat.id } })
  await until(async () =>
    (await thread()).some(({ type, order_id }) => type === 'image' && order_id === result.body.id),
  )
  await runCommandHere(installation, 'simulate', 'pay', '--order', result.body.id)
  await until(async () => (await tool('get_order', { id: result.body.id })).payment_status === 'paid')
  await client.close()
})

test('what was approved runs once, also when the server is killed right after', async () => {
  const asked: { id: string; text: string }[] = []
  for (let nth = 0; nth < 12; nth++) {
    const text = `Pesan ke-${nth}`
    asked.push({ id: (await call(agentToken, 'POST', '/messages', { to: CUSTOMER, body: text })).json.id, text })
  }
  const answered: string[] = []
  const deciding = asked.map(async ({ id }) => {
    const reply = await approve(id).catch(() => null)
    if (reply?.status === 200) answered.push(id)
  })
  await until(() => answered.length > 0)
  await server.kill()
  await Promise.all(deciding)
  server = startServer(installation)
  await untilReady(installation, server)
  await until(async () => (await Promise.all(answered.map(approvalOf))).every(({ status }) => status === 'done'))
  // Others may have been decided without anybody hearing of it; they run all the same.
  await until(async () =>
    (await Promise.all(asked.map(({ id }) => approvalOf(id)))).every(({ status }) => status !== 'approved'),
  )
  const sent = (await thread()).map(({ body }) => body)
  for (const { id, text } of asked) {
    const { status } = await approvalOf(id)
    expect([status, sent.filter((body) => body === text).length]).toEqual([status, status === 'done' ? 1 : 0])
  }
  expect(answered.length).toBeGreaterThan(0)
})
