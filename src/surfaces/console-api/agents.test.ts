import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type Browser, codeOf, signedIn } from '../../../test/support/console.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'

const app = useTestApp()
let owner: Browser

beforeAll(async () => {
  owner = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any
const send = async (method: string, path: string, json?: unknown): Promise<{ status: number; json: Json }> => {
  const response = await owner.call(method, `/api/console${path}`, json)
  return { status: response.status, json: await response.json() }
}
const create = (fields: object = {}) => send('POST', '/agents', { name: 'Bot', scopes: ['orders:write'], ...fields })
const me = async (token: string) => (await app.call('/api/public/v1/me', { token })).status

describe('a new agent', () => {
  test('has a token that is shown once, careful rules and an end', async () => {
    const { status, json } = await create({ purpose: 'Takes orders' })
    expect([status, json.agent]).toMatchObject([
      201,
      {
        state: 'active',
        purpose: 'Takes orders',
        scopes: ['orders:write'],
        reach: { numbers: [], labels: [], days: null, hides_phones: false },
        limits: { messages_per_minute: 10, recipients_per_day: 100, order_amount: null, order_amount_per_day: null },
        is_anchored: true,
      },
    ])
    expect(json.agent.rules.map(({ decision }: Json) => decision)).toEqual(Array(9).fill('ask'))
    const days = (Date.parse(json.agent.expires_at) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(89)
    expect(await me(json.token)).toBe(200)
    const everything = JSON.stringify([(await send('GET', '/agents')).json, (await send('GET', '/keys')).json])
    expect(everything).not.toContain(json.token)
    expect(everything).toContain(json.agent.key_prefix)
  })

  test('is not among the keys, and no key of theirs can be rotated or revoked by hand', async () => {
    const { json } = await create()
    expect((await send('GET', '/keys')).json.data).toEqual([])
    const { id } = await app.database.one<{ id: string }>`select id from api_keys where agent_id = ${json.agent.id}`
    expect(await codeOf(await owner.call('POST', `/api/console/keys/${id}/revoke`))).toBe('api_key_not_found')
    expect(await codeOf(await owner.call('POST', `/api/console/keys/${id}/rotate`, {}))).toBe('api_key_not_found')
  })

  test.each([
    [{ scopes: [] }, '#/scopes'],
    [{ scopes: ['webhooks:write'] }, '#/scopes/0'],
    [{ scopes: ['approvals:decide'] }, '#/scopes/0'],
    [{ name: '' }, '#/name'],
    [{ rules: [{ operation: 'markOrderPaid', decision: 'allow' }] }, '#/rules/0/operation'],
    [{ rules: [{ operation: 'createOrder', decision: 'ask', ask_above: 5 }] }, '#/rules/0/ask_above'],
    [{ rules: [{ operation: 'sendMessage', decision: 'allow', ask_above: 5 }] }, '#/rules/0/ask_above'],
    [{ rules: Array(2).fill({ operation: 'sendMessage', decision: 'allow' }) }, '#/rules'],
    [{ limits: { order_amount: 0 } }, '#/limits/order_amount'],
    [{ reach: { numbers: ['100200300'] } }, '#/reach/numbers/0'],
    [{ colour: 'red' }, '#/colour'],
  ])('with %p is refused at the field', async (fields, pointer) => {
    const { status, json } = await create(fields)
    // What the published schema cannot say is 409.
    const isBeyondSchema = pointer === '#/rules' || pointer === '#/rules/0/ask_above'
    expect([status, json.errors[0].pointer]).toEqual([isBeyondSchema ? 409 : 422, pointer])
  })
})

describe('an agent', () => {
  test('is changed in what is named, and its token feels it', async () => {
    const { json } = await create({ rules: [{ operation: 'createOrder', decision: 'allow', ask_above: 50_000 }] })
    const path = `/agents/${json.agent.id}`
    const change = { scopes: ['orders:read'], limits: { order_amount: 20_000 }, name: 'Reader' }
    const changed = await send('PATCH', path, change)
    expect(changed.json).toMatchObject({
      name: 'Reader',
      scopes: ['orders:read'],
      rules: [],
      limits: { messages_per_minute: 10, order_amount: 20_000 },
    })
    await until(async () => {
      const scopes = (await (await app.call('/api/public/v1/me', { token: json.token })).json()) as { scopes: string[] }
      return scopes.scopes.join() === 'orders:read,approvals:read'
    })
    // What was decided about an operation holds again when its scope comes back.
    const back = await send('PATCH', path, { scopes: ['orders:write'] })
    expect(back.json.rules[0]).toEqual({ operation: 'createOrder', decision: 'allow', ask_above: 50_000 })
    const gone = await send('PATCH', path, { expires_at: '2020-01-01T00:00:00Z' })
    expect(gone.json.state).toBe('expired')
    await until(async () => (await me(json.token)) === 401)
  })

  test('gets a new token and the old one dies; ended, it stays so', async () => {
    const { json } = await create()
    const path = `/agents/${json.agent.id}`
    const renewed = await send('POST', `${path}/rotate-token`)
    expect([renewed.status, await me(renewed.json.token)]).toEqual([201, 200])
    await until(async () => (await me(json.token)) === 401)
    expect((await send('POST', `${path}/end`)).json.state).toBe('ended')
    expect((await send('POST', `${path}/end`)).json.state).toBe('ended')
    await until(async () => (await me(renewed.json.token)) === 401)
    for (const [method, act, body] of [
      ['PATCH', '', { name: 'Again' }],
      ['POST', '/resume', undefined],
      ['POST', '/pause', undefined],
      ['POST', '/rotate-token', undefined],
    ] as const)
      expect((await send(method, `${path}${act}`, body)).json.code).toBe('agent_ended')
  })

  test('was last used when it was, also by a token that it has no more', async () => {
    const { json } = await create()
    const path = `/agents/${json.agent.id}`
    await app.database.run`
      insert into api_key_uses (org_id, key_id, last_used_at, last_used_from)
      select org_id, id, '2026-11-01T00:00:00Z', '127.0.0.1' from api_keys where agent_id = ${json.agent.id}`
    await send('POST', `${path}/rotate-token`)
    const seen = [(await send('GET', path)).json, (await send('GET', '/agents')).json.data[0]]
    expect(seen.map(({ last_used_at }) => last_used_at)).toEqual(Array(2).fill('2026-11-01T00:00:00.000Z'))
  })

  test('is paused with all others by one button', async () => {
    const tokens = [await create(), await create()].map(({ json }) => json.token as string)
    const { json } = await send('POST', '/agents/pause-all')
    expect(json.paused).toBeGreaterThanOrEqual(2)
    for (const token of tokens) expect(await me(token)).toBe(403)
    expect((await send('POST', '/agents/pause-all')).json.paused).toBe(0)
  })
})
