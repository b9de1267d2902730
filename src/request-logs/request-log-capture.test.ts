import { beforeAll, expect, test } from 'bun:test'
import { aFreeAgent } from '../../test/support/agents.ts'
import { useTestApp } from '../../test/support/app.ts'
import { aKey, anOrganization, testAccounts } from '../../test/support/makers.ts'
import { until } from '../../test/support/until.ts'
import { revokeApiKey } from '../accounts/keys/api-keys.ts'
import { endAgent } from '../agents/records/records.ts'
import type { OrgId } from '../kernel/ids.ts'
import { listRequestLogs } from './request-logs.ts'

const app = useTestApp()
let orgId: OrgId
let token: string
let keyId: string
const NO_ORGANIZATION = 'org_none' as OrgId

beforeAll(async () => {
  orgId = (await anOrganization(app.database)).id
  const created = await aKey(app.database, orgId)
  token = created.token
  keyId = created.key.id
})

/** The row of an answer, by the id in its header. */
async function loggedCall(response: Response, asOrg: OrgId) {
  const requestId = response.headers.get('x-request-id') as string
  const find = async () => (await listRequestLogs(app.database, asOrg, { requestId }, { limit: 2 })).logs
  await until(async () => (await find()).length === 1)
  return (await find())[0]
}

test('every call is in the log under the request id of its answer', async () => {
  const headers = { 'user-agent': 'capture/1', 'x-request-id': 'client-9' }
  const me = await app.call('/api/public/v1/me', { token, headers, address: '203.0.113.9' })
  expect(await loggedCall(me, orgId)).toMatchObject({
    caller: { type: 'key', id: keyId },
    auth_result: 'ok',
    method: 'GET',
    operation: 'getMe',
    base_path: '/api/public/v1',
    path: '/me',
    status: 200,
    address: '203.0.113.9',
    user_agent: 'capture/1',
    client_request_id: 'client-9',
  })
  const alias = await app.call('/public/v1/me?x=1', { token })
  expect(await loggedCall(alias, orgId)).toMatchObject({
    base_path: '/public/v1',
    path: '/me',
    query: 'x=1',
    status: 400,
  })
})

test('a call without a credential is logged where no organization sees it', async () => {
  const calls: [Response, object][] = [
    [await app.call('/api/public/v1/me'), { status: 401, auth_result: 'missing', operation: 'getMe' }],
    [await app.call('/api/public/v1/me', { token: 'nonsense' }), { status: 401, auth_result: 'malformed' }],
    [await app.call('/api/public/v1/nowhere'), { status: 404, auth_result: 'none', operation: null }],
    [await app.call('/api/public/v1/me', { method: 'PUT' }), { status: 405, operation: null }],
  ]
  for (const [response, expected] of calls) expect(await loggedCall(response, NO_ORGANIZATION)).toMatchObject(expected)
})

test('a wrong path or method with a good key is in the log of its owner', async () => {
  const [path, method] = [
    await app.call('/api/public/v1/ordres', { token }),
    await app.call('/api/public/v1/me', { token, method: 'PUT' }),
  ]
  const caller = { type: 'key', id: keyId }
  expect(await loggedCall(path, orgId)).toMatchObject({ status: 404, path: '/ordres', operation: null, caller })
  expect(await loggedCall(method, orgId)).toMatchObject({ status: 405, path: '/me', method: 'PUT', caller })
})

test('a call with a revoked key is shown to the owner of the key', async () => {
  const gone = await aKey(app.database, orgId)
  await revokeApiKey(testAccounts(app.database), orgId, { id: gone.key.id, revokedBy: 'test' })
  await until(async () => (await app.call('/api/public/v1/me', { token: gone.token })).status === 401)
  const refused = await app.call('/api/public/v1/me', { token: gone.token })
  expect(await loggedCall(refused, orgId)).toMatchObject({ auth_result: 'revoked', caller: { id: gone.key.id } })
})

test('a call with the token of an agent that has ended is shown as the agent’s', async () => {
  const bearer = await aFreeAgent(app.database, orgId)
  const { agent } = (await (await app.call('/api/public/v1/me', { token: bearer })).json()) as { agent: { id: string } }
  await app.database.transaction((tx) =>
    endAgent(testAccounts(app.database), tx, orgId, { id: agent.id, by: 'test', initiator: null }),
  )
  await until(async () => (await app.call('/api/public/v1/me', { token: bearer })).status === 401)
  const refused = await app.call('/api/public/v1/me', { token: bearer })
  const caller = { type: 'agent', id: agent.id }
  expect(await loggedCall(refused, orgId)).toMatchObject({ auth_result: 'revoked', caller })
})

test('no token is anywhere in the table', async () => {
  const headers = { 'user-agent': `agent ${token}`, 'x-request-id': token }
  const last = await app.call(`/api/public/v1/me?token=${token}`, { token, headers })
  await loggedCall(last, orgId)
  const secretPart = token.slice('nxk_live_'.length + 4)
  const leaks = await app.database.many`
    select id from request_logs where position(${secretPart} in request_logs::text) > 0`
  expect(leaks.length).toBe(0)
})
