import { createAgent } from '../../src/agents/records/records.ts'
import { agentOperationNames } from '../../src/agents/rules/rules.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import { agentScopes } from '../../src/kernel/scopes.ts'
import type { Database } from '../../src/platform/database/database.ts'
import type { TestApp } from './app.ts'
import { type Browser, signedIn, type TestPerson } from './console.ts'
import { aKey, anOrganization, testAccounts } from './makers.ts'
import { until } from './until.ts'

/** A shop with simulated customers and payments, an owner at the console, and agents that are let loose on it. */
export type AgentShop = {
  orgId: OrgId
  owner: Browser & { person: TestPerson }
  /** Of a key that may do everything. */
  token: string
  numberId: string
  anAgent(fields?: Record<string, unknown>): Promise<TestAgent>
  /** A customer writes; answers with their chat. */
  aChat(phone: string, text?: string): Promise<string>
  /** As a key with every scope. */
  call(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<AgentReply>
  messagesTo(
    chatId: string,
  ): Promise<{ direction: string; body: string | null; sender: { type: string; id: string } }[]>
  aNumber(phoneNumberId: string): Promise<string>
}

export type AgentReply = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  json: any
}

export type TestAgent = {
  id: string
  token: string
  call(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<AgentReply>
}

const BASE = '/api/public/v1'

export type AgentScope = (typeof agentScopes)[number]

/** The token of an agent that may do without approval whatever its scopes allow. */
export async function aFreeAgent(database: Database, orgId: OrgId, scopes: readonly AgentScope[] = agentScopes) {
  const input = {
    name: 'Free agent',
    scopes: [...scopes],
    rules: agentOperationNames.map((operation) => ({ operation, decision: 'allow' as const })),
    limits: { messages_per_minute: null, recipients_per_day: null },
    is_anchored: false,
  }
  const created = await database.transaction((tx) =>
    createAgent(testAccounts(database), tx, orgId, { input, owner: null, by: 'test', initiator: null }),
  )
  return created.token
}

export async function anAgentShop(app: TestApp): Promise<AgentShop> {
  const { id: orgId } = await anOrganization(app.database)
  const owner = await signedIn(app, orgId, 'owner')
  const { token } = await aKey(app.database, orgId)
  const as =
    (bearer: string): TestAgent['call'] =>
    async (method, path, json, headers = {}) => {
      const response = await app.call(`${BASE}${path}`, {
        method,
        token: bearer,
        headers,
        ...(json !== undefined && { json }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) }
    }
  const call = as(token)
  const aNumber = async (phoneNumberId: string) => {
    const number = {
      connector: 'simulator',
      phone_number_id: phoneNumberId,
      display_phone: `+628120000${phoneNumberId.slice(-4)}`,
      settings: { reply_window: false },
    }
    const created = (await (await owner.call('POST', '/api/console/numbers', number)).json()) as {
      number: { id: string }
    }
    return created.number.id
  }
  const numberId = await aNumber('100200300')
  await owner.call('POST', '/api/console/payment-accounts', { provider: 'simulator', default_methods: ['qris'] })
  await owner.call('POST', '/api/console/payment-accounts', { provider: 'manual', default_methods: ['cash'] })
  return {
    orgId,
    owner,
    token,
    numberId,
    aNumber,
    call,
    async anAgent(fields = {}) {
      const created = await owner.call('POST', '/api/console/agents', { name: 'Bot', scopes: agentScopes, ...fields })
      if (created.status !== 201) throw new Error(await created.text())
      const { agent, token: bearer } = (await created.json()) as { agent: { id: string }; token: string }
      return { id: agent.id, token: bearer, call: as(bearer) }
    },
    async aChat(phone, text = 'Halo') {
      await owner.call('POST', '/api/proxy/simulator/messages', { number: numberId, from: phone, text })
      await until(async () => (await call('GET', `/chats/${encodeURIComponent(phone)}`)).status === 200)
      return (await call('GET', `/chats/${encodeURIComponent(phone)}`)).json.id
    },
    messagesTo: async (chatId) => (await call('GET', `/chats/${chatId}?limit=50`)).json.messages.data,
  }
}
