import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import {
  aBrowser,
  type Browser,
  codeOf,
  ORIGIN,
  signedIn,
  type TestPerson,
  testPeople,
} from '../../../test/support/console.ts'
import { quietLog } from '../../../test/support/log.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import {
  aClientId,
  agree,
  aProgram,
  connected,
  exchange,
  letIn,
  organizationOf,
  renew,
  see,
  type Tokens,
  toolsOf,
} from '../../../test/support/oauth.ts'
import { until } from '../../../test/support/until.ts'
import { createOAuthSweep } from '../../accounts/oauth/oauth.ts'
import { addMember, changeRole, removeMember } from '../../accounts/people/people.ts'
import type { OrgId } from '../../kernel/ids.ts'

const app = useTestApp()
let orgId: OrgId
let owner: Browser & { person: TestPerson }

beforeAll(async () => {
  orgId = (await anOrganization(app.database)).id
  owner = await signedIn(app, orgId, 'owner')
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any
const agentOf = async (id: string): Promise<Json> => (await owner.call('GET', `/api/console/agents/${id}`)).json()
const act = (id: string, name: string) => owner.call('POST', `/api/console/agents/${id}/${name}`)
const aRequest = async (person: Browser = owner) =>
  (await see(person, aProgram(await aClientId(app)).query)).json.request

describe('the person who is asked', () => {
  test('sees who asks, by what it calls itself and where the answer goes, and for what', async () => {
    const clientId = await aClientId(app, { client_name: 'Claude', redirect_uris: ['https://claude.ai/callback'] })
    const { json } = await see(owner, aProgram(clientId, { redirect_uri: 'https://claude.ai/callback' }).query)
    expect(json).toMatchObject({
      program: { name: 'Claude', host: 'claude.ai', is_described_there: false, answered_at: 'claude.ai' },
      scopes: ['chats:read', 'messages:send'],
      redirect_url: null,
    })
  })

  test('creates an agent by agreeing: theirs, careful, for 90 days, without a token', async () => {
    const { agent } = await connected(app, owner)
    expect(await agentOf(agent.id)).toMatchObject({
      name: 'Claude',
      purpose: null,
      state: 'active',
      owner: { id: owner.person.id },
      key_prefix: null,
      connection: { client_name: 'Claude', client_host: '127.0.0.1' },
      is_anchored: true,
      rules: [{ decision: 'ask' }, { decision: 'ask' }],
    })
    expect((Date.parse(agent.expires_at) - Date.now()) / 86_400_000).toBeGreaterThan(89)
    expect(await codeOf(await act(agent.id, 'rotate-token'))).toBe('agent_connected')
    const audit = JSON.stringify(await (await owner.call('GET', `/api/console/audit?subject=${agent.id}`)).json())
    expect(audit).toContain('agreeToConnection')
  })

  test.each(['viewer', 'agent'] as const)('as a %s may look, and not agree', async (role) => {
    const person = await signedIn(app, orgId, role)
    const request = await aRequest(person)
    expect(request).toBeString()
    const { status, json } = await agree(person, request)
    expect([status, json.code]).toEqual([403, 'power_missing'])
  })

  test('as a developer may agree', async () => {
    const developer = await signedIn(app, orgId, 'developer')
    expect((await agree(developer, await aRequest(developer))).status).toBe(201)
  })

  test('must be signed in', async () => {
    expect((await see(aBrowser(app), aProgram(await aClientId(app)).query)).status).toBe(401)
  })

  test('leaves scopes out, and what belongs to them is not offered', async () => {
    const { tokens, agent } = await connected(app, owner, { scopes: ['chats:read'] })
    expect(agent.scopes).toEqual(['chats:read'])
    expect(tokens.scope).toBe('chats:read')
    expect(await toolsOf(app, tokens.access_token)).not.toContain('send_message')
  })

  test('cannot give more than was asked for', async () => {
    const { status, json } = await agree(owner, await aRequest(), { scopes: ['chats:read', 'orders:write'] })
    expect([status, json.code]).toEqual([409, 'connection_request_stale'])
  })
})

describe('a request that was prepared', () => {
  const refused = async (person: Browser, request: string, fields: object = {}) => {
    const agents = async () => ((await (await owner.call('GET', '/api/console/agents')).json()) as Json).data.length
    const before = await agents()
    const { status, json } = await agree(person, request, fields)
    expect(await agents()).toBe(before)
    return [status, json.code]
  }
  const STALE = [409, 'connection_request_stale']

  test.each([
    ['another address', 'redirect_uri', 'http://127.0.0.1:7777/other'],
    ['more scopes', 'scope', 'chats:read messages:send orders:write offline_access'],
    ['another resource', 'resource', 'https://other.example/mcp'],
    ['a later end', 'exp', '9999999999'],
    ['another signature', 'sig', 'x'],
  ])('and then given %s is refused, and creates no agent', async (_, name, value) => {
    const forged = new URLSearchParams(await aRequest())
    forged.set(name, value)
    expect(await refused(owner, forged.toString())).toEqual(STALE)
  })

  test('is refused without a session', async () => {
    expect(await refused(owner, aProgram(await aClientId(app)).query.toString())).toEqual(STALE)
  })

  test('and then given to what cannot be a program is refused', async () => {
    const forged = new URLSearchParams(await aRequest())
    forged.set('client_id', 'a\u0000b')
    expect(await refused(owner, forged.toString())).toEqual([422, 'connection_request_invalid'])
  })

  test('for another session is refused, also of the same person', async () => {
    const other = aBrowser(app)
    await other.signIn(owner.person)
    expect(await refused(other, await aRequest())).toEqual(STALE)
    const colleague = await signedIn(app, orgId, 'admin')
    const forged = new URLSearchParams(await aRequest())
    const own = new URLSearchParams(await aRequest(colleague))
    forged.set('ba_pl', own.get('ba_pl') as string)
    expect(await refused(colleague, forged.toString())).toEqual(STALE)
  })

  test('for another organization than the one that is shown is refused', async () => {
    const elsewhere = (await anOrganization(app.database)).id
    expect(await refused(owner, await aRequest(), { organization_id: elsewhere })).toEqual(STALE)
  })

  test('is agreed to from our own page only', async () => {
    const body = { request: await aRequest(), organization_id: orgId, scopes: ['chats:read'] }
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      for (const path of ['/api/console/connections', '/api/console/connections/refuse'])
        expect((await owner.call('POST', path, body, { headers: headers as Record<string, string> })).status).toBe(403)
  })
})

describe('a connection', () => {
  test('is the same agent when it is granted again, with the new scopes and the old settings', async () => {
    const { program, agent, tokens } = await connected(app, owner)
    const rules = [{ operation: 'sendMessage', decision: 'allow' }]
    const change = { rules, name: 'Helper', limits: { messages_per_minute: 3 }, expires_at: '2020-01-01T00:00:00Z' }
    await owner.call('PATCH', `/api/console/agents/${agent.id}`, change)
    expect(await toolsOf(app, tokens.access_token)).toBe(401)
    const again = aProgram(program.clientId)
    expect((await see(owner, again.query)).json.agent_name).toBe('Helper')
    const { code, agent: renewed } = await letIn(owner, again, { scopes: ['messages:send'] })
    expect(renewed).toMatchObject({
      id: agent.id,
      name: 'Helper',
      state: 'active',
      scopes: ['messages:send'],
      limits: { messages_per_minute: 3 },
      rules: [{ operation: 'sendMessage', decision: 'allow' }, {}],
    })
    const fresh = (await (await exchange(app, again, code)).json()) as Tokens
    expect(await toolsOf(app, fresh.access_token)).not.toContain('list_chats')
    // What was agreed to before is no more than what is agreed to now.
    expect(await toolsOf(app, tokens.access_token)).not.toContain('list_chats')
  })

  test('is another agent for another person, in another organization, and after its end', async () => {
    const { program, agent } = await connected(app, owner)
    const admin = await signedIn(app, orgId, 'admin')
    const ids = [agent.id, (await letIn(admin, aProgram(program.clientId))).agent.id]
    const elsewhere = (await anOrganization(app.database)).id
    await addMember(testPeople(app), elsewhere, owner.person.id, 'owner')
    await owner.call('POST', '/api/auth/organization', { id: elsewhere })
    const there = aProgram(program.clientId)
    const { code, agent: other } = await letIn(owner, there)
    const tokens = (await (await exchange(app, there, code)).json()) as Tokens
    const me = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', arguments: {} } }
    const answer = await app.call('/mcp', { token: tokens.access_token, json: me })
    expect(((await answer.json()) as Json).result.structuredContent).toMatchObject({
      tenant: { id: elsewhere },
      agent: { id: other.id },
    })
    await owner.call('POST', '/api/auth/organization', { id: orgId })
    ids.push(other.id)
    await act(agent.id, 'end')
    ids.push((await letIn(owner, aProgram(program.clientId))).agent.id)
    expect(new Set(ids).size).toBe(4)
  })

  test('is felt to be paused, and goes on when it is resumed', async () => {
    const { tokens, agent } = await connected(app, owner)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_chats', arguments: {} } }
    const chats = async () =>
      JSON.stringify(await (await app.call('/mcp', { token: tokens.access_token, json: call })).json())
    await act(agent.id, 'pause')
    expect(await chats()).toContain('agent_paused')
    await act(agent.id, 'resume')
    expect(await chats()).not.toContain('agent_paused')
  })

  test('ends with its agent, at once, and nothing of its tokens is left', async () => {
    const { tokens, agent, program } = await connected(app, owner)
    await act(agent.id, 'end')
    expect(await toolsOf(app, tokens.access_token)).toBe(401)
    expect((await renew(app, program.clientId, tokens.refresh_token)).status).toBe(400)
    for (const rows of [
      await app.database.many`select 1 from oauth_access_tokens where reference like ${`%${agent.id}`}`,
      await app.database.many`select 1 from oauth_refresh_tokens where reference like ${`%${agent.id}`}`,
    ])
      expect(rows.length).toBe(0)
    expect((await agentOf(agent.id)).connection).toMatchObject({ client_name: 'Claude' })
    const later = createOAuthSweep({
      database: app.database,
      clock: { now: () => Date.now() + 172_800_000 },
      log: quietLog,
    })
    await later.sweep()
    expect((await see(owner, program.query)).json.program).toMatchObject({ name: 'Claude' })
  })

  test('has no more than the agent has now', async () => {
    const { tokens, agent } = await connected(app, owner)
    await owner.call('PATCH', `/api/console/agents/${agent.id}`, { scopes: ['messages:send', 'orders:read'] })
    const tools = await toolsOf(app, tokens.access_token)
    expect(tools).toContain('send_message')
    expect(tools).not.toContain('list_chats')
    expect(tools).not.toContain('list_orders')
  })

  test('is not renewed once its agent has expired, so that its program asks the person again', async () => {
    const { tokens, agent, program } = await connected(app, owner)
    await owner.call('PATCH', `/api/console/agents/${agent.id}`, { expires_at: '2020-01-01T00:00:00Z' })
    expect(await toolsOf(app, tokens.access_token)).toBe(401)
    const response = await renew(app, program.clientId, tokens.refresh_token)
    expect([response.status, ((await response.json()) as Json).error]).toEqual([400, 'invalid_grant'])
  })

  test('is paused while the person who granted it may not manage agents, or has left', async () => {
    const admin = await signedIn(app, orgId, 'admin')
    const { tokens, program } = await connected(app, admin)
    const works = async () => (await toolsOf(app, tokens.access_token)) !== 401
    const change = (role: 'viewer' | 'admin') =>
      app.database.transaction((tx) => changeRole(tx, orgId, admin.person.id, role))
    expect(await works()).toBe(true)
    await change('viewer')
    expect([await works(), (await renew(app, program.clientId, tokens.refresh_token)).status]).toEqual([false, 400])
    await change('admin')
    expect(await works()).toBe(true)
    await app.database.transaction((tx) => removeMember(tx, orgId, admin.person.id))
    expect([await works(), (await renew(app, program.clientId, tokens.refresh_token)).status]).toEqual([false, 400])
  })

  test('outlives the session in which it was agreed to', async () => {
    const admin = await signedIn(app, orgId, 'admin')
    const { tokens, program } = await connected(app, admin)
    await admin.call('POST', '/api/auth/logout')
    const renewed = (await (await renew(app, program.clientId, tokens.refresh_token)).json()) as Tokens
    expect(await toolsOf(app, renewed.access_token)).toContain('send_message')
  })

  test('is in the request log under the name of its agent, and was last used when it was', async () => {
    const { tokens, agent } = await connected(app, owner)
    await toolsOf(app, tokens.access_token)
    await until(async () => {
      const response = await owner.call('GET', `/api/console/request-logs?caller=${agent.id}`)
      return JSON.stringify(await response.json()).includes('speakMcp')
    })
    expect((await agentOf(agent.id)).last_used_at).toBeString()
  })
})

test('the address to type into a program is shown to a signed-in person', async () => {
  expect(await (await owner.call('GET', '/api/console/connection-address')).json()).toEqual({ url: `${ORIGIN}/mcp` })
  expect(await organizationOf(owner)).toBe(orgId)
})
