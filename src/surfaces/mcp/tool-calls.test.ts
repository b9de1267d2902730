import { expect, test } from 'bun:test'
import { z } from 'zod'
import { quietLog } from '../../../test/support/log.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { createSecretBox, deriveKey } from '../../platform/database/secret-box.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { createRateLimiter } from '../../platform/http/limits/rate-limit.ts'
import { createCursorCodec } from '../../platform/http/pipeline/cursor.ts'
import type { Exchange } from '../../platform/http/pipeline/exchange.ts'
import { createInternalApi, type PublicApiOptions } from '../../platform/http/pipeline/public-api.ts'
import { createMcpSite } from './mcp-site.ts'

/** What the routes of the product cannot show: how an approval is presented, and what a route sees of the session. */
const shared = { tag: 'Things', summary: 'A thing', description: 'A thing.', agentTool: true } as const
const reply = z.looseObject({ object: z.string() })
const sessions: (string | null)[] = []

const approval = {
  object: 'approval',
  id: 'apr_01k9x3m5q8e0t9v7a2b4c6d8fg',
  status: 'pending',
  expires_at: '2026-11-14T09:45:00.000Z',
}

const routes: Route[] = [
  defineRoute({
    ...shared,
    id: 'changeThing',
    method: 'PATCH',
    path: '/things',
    agentTool: { decision: 'ask', rank: 1, target: 'chat' },
    access: key('chats:write'),
    body: z.strictObject({ name: z.string() }),
    reply: { status: 202, body: reply },
    example: { body: { name: 'a' }, reply: approval },
    handle: () => approval,
  }),
  defineRoute({
    ...shared,
    id: 'getThing',
    method: 'GET',
    path: '/thing',
    access: key('chats:read'),
    reply: { status: 200, body: reply },
    example: { reply: { object: 'thing' } },
    handle({ request }) {
      sessions.push(request.headers.get('agent-session'))
      const { headers } = request
      return { object: 'thing', session: headers.get('agent-session'), authorization: headers.get('authorization') }
    },
  }),
  defineRoute({
    ...shared,
    id: 'breakThing',
    method: 'GET',
    path: '/broken',
    access: key('chats:read'),
    reply: { status: 200, body: reply },
    example: { reply: { object: 'thing' } },
    handle() {
      throw new Error('a bug with a secret in it')
    },
  }),
]

const exchanges: Exchange[] = []
let hidden: string[] = []
const secret = (purpose: string) => deriveKey('a secret for tests', purpose)
const pipeline = {
  routes,
  database: {} as Database,
  authenticate: () => ({
    ok: true,
    caller: {
      type: 'agent',
      id: 'agt_1',
      orgId: 'org_1' as OrgId,
      scopes: ['chats:read', 'chats:write'],
      rateLimit: null,
      expiresAt: null,
    },
  }),
  rateLimiter: createRateLimiter({ clock: systemClock, entriesMax: 10 }),
  cursors: createCursorCodec(secret('cursors')),
  secretBox: createSecretBox(secret('stored replies')),
  clock: systemClock,
  log: quietLog,
  docsUrl: 'http://localhost/docs',
  bodyBytesMax: 256 * 1024,
  bodyTimeoutMs: 5000,
  readClientAddress: (address) => address,
  onExchange: (exchange) => void exchanges.push(exchange),
  /** Lets everything happen. */
  gate: (_, run) => run(),
} satisfies Omit<PublicApiOptions, 'basePaths'>
const site = createMcpSite({
  ...pipeline,
  internalApi: createInternalApi({ ...pipeline, basePath: '/api' }),
  offersTo:
    async () =>
    ({ id }) =>
      !hidden.includes(id),
  publicOrigin: 'http://localhost',
  challenge: 'Bearer realm="mcp"',
  version: '1.0.0',
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
async function say(method: string, params: object, headers: Record<string, string> = {}): Promise<any> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret', ...headers },
    body,
  })
  return (await site.fetch(request, () => '203.0.113.7'))?.json()
}
const call = (name: string, given: object = {}, headers: Record<string, string> = {}) =>
  say('tools/call', { name, arguments: given }, headers)

test('an answer that waits for a person is no error, and says what to do', async () => {
  const { result } = await call('change_thing', { name: 'b' })
  expect(result.isError).toBeUndefined()
  const { object: _, ...shown } = approval
  expect(result.structuredContent).toEqual({ approval: shown })
  const [{ text }] = result.content
  expect(text).toStartWith('Nothing has been done yet: a person has to approve this first.')
  for (const word of [approval.id, approval.expires_at, 'wait_for_approval']) expect(text).toContain(word)
})

test('the session that the program names is handed on, its token is not', async () => {
  const { result } = await call('get_thing', {}, { 'Agent-Session': 'chat-7' })
  await call('get_thing')
  expect(sessions).toEqual(['chat-7', null])
  expect(result.structuredContent).toEqual({ session: 'chat-7' })
})

test('a bug is an error without a word of its cause', async () => {
  const { result } = await call('break_thing')
  expect([result.isError, result.content[0].text]).toEqual([true, expect.stringMatching(/^internal_error: /)])
  expect(JSON.stringify(result)).not.toContain('secret')
})

test('what is not offered is neither listed nor known', async () => {
  hidden = ['getThing']
  const { result } = await say('tools/list', {})
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['change_thing', 'break_thing'])
  expect((await call('get_thing')).error).toEqual({ code: -32_602, message: 'Unknown tool: get_thing' })
  hidden = []
})

test('one entry in the log per call: of a tool as what it calls, of anything else as it is', async () => {
  exchanges.length = 0
  await call('get_thing')
  await say('tools/list', {})
  await call('no_such_tool')
  const seen = exchanges.map(({ route, caller, address, status }) => [route?.id, caller?.id, address, status])
  expect(seen).toEqual([
    ['getThing', 'agt_1', '203.0.113.7', 200],
    ['speakMcp', 'agt_1', '203.0.113.7', 200],
    ['speakMcp', 'agt_1', '203.0.113.7', 200],
  ])
})

test('nothing can be listened to', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  const params = { _meta: meta, notifications: { toolsListChanged: true } }
  const { error } = await say('subscriptions/listen', params, headers)
  expect(error.message).toBe('Subscription limit reached')
})
