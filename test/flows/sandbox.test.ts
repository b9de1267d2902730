import { beforeAll, describe, expect, test } from 'bun:test'
import type { OrgId } from '../../src/kernel/ids.ts'
import { useTestApp } from '../support/app.ts'
import { type Browser, codeOf, signedIn } from '../support/console.ts'
import { anOrganization } from '../support/makers.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/** A live organization and its sandbox, side by side, as their people and programs use them. */
const app = useTestApp()
const API = '/api/public/v1'
const DAY_SECONDS = 86_400
const PHONE = '+6281311112222'

type Side = { orgId: OrgId; token: string }
let owner: Browser
let developer: Browser
let live: Side
let sandbox: Side

type Reply = Record<string, unknown>
const asPerson = async <Body = Reply>(method: string, path: string, json?: unknown, by = owner): Promise<Body> => {
  const response = await by.call(method, path, json)
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Body
}
const enter = (orgId: string, by = owner) => asPerson('POST', '/api/auth/organization', { id: orgId }, by)

const get = async <Body>(side: Side, path: string): Promise<Body> =>
  (await (await app.call(`${API}${path}`, { token: side.token })).json()) as Body
const post = async <Body>(side: Side, path: string, json: unknown): Promise<Body> => {
  const response = await app.call(`${API}${path}`, { token: side.token, json })
  if (response.status >= 300) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Body
}

const writeAs = (side: Side, from: string, text: string) => post(side, '/simulator/messages', { from, text })

type Listed = { data: { id: string; status?: string; body?: string }[] }
const chatOf = async (side: Side, phone = PHONE) =>
  get<{ code?: string; reply_window: { state: string }; messages: { data: { body: string }[] } }>(
    side,
    `/chats/${encodeURIComponent(phone)}`,
  )
const hasWritten = (side: Side, phone: string) =>
  until(async () => (await app.call(`${API}/chats/${encodeURIComponent(phone)}`, { token: side.token })).status === 200)

async function sideOf(orgId: OrgId): Promise<Side> {
  await enter(orgId)
  const key = { name: 'Shop', scopes: ['chats:read', 'messages:send', 'orders:read', 'orders:write', 'events:read'] }
  const { token } = await asPerson<{ token: string }>('POST', '/api/console/keys', key)
  return { orgId, token }
}

beforeAll(async () => {
  const { id } = await anOrganization(app.database, { name: 'Toko Budi', slug: 'toko-budi' })
  owner = await signedIn(app, id, 'owner')
  developer = await signedIn(app, id, 'developer')
  const number = { connector: 'simulator', phone_number_id: '100000000000001', display_phone: '+62 21 5000 1000' }
  await asPerson('POST', '/api/console/numbers', number)
  await asPerson('POST', '/api/console/payment-accounts', { provider: 'simulator', default_methods: ['qris'] })
  const created = await asPerson<{ id: OrgId; slug: string }>('POST', '/api/console/sandbox')
  expect(created).toMatchObject({ name: 'Toko Budi', slug: 'toko-budi-sandbox' })
  live = await sideOf(id)
  sandbox = await sideOf(created.id)
})

describe('a sandbox', () => {
  test('is created once, however often it is asked for, from either side', async () => {
    for (const side of [live, sandbox]) {
      await enter(side.orgId)
      expect(await asPerson('POST', '/api/console/sandbox')).toMatchObject({ id: sandbox.orgId })
      expect(await asPerson('GET', '/api/console/sandbox')).toMatchObject({ sandbox: { id: sandbox.orgId } })
    }
  })

  test('has the people and roles of the live organization, and lets no one manage them', async () => {
    const session = await asPerson<{ organizations: Reply[] }>('GET', '/api/auth/session', undefined, developer)
    expect(session.organizations).toMatchObject([
      { id: live.orgId, role: 'developer', sandbox_of: null },
      { id: sandbox.orgId, role: 'developer', sandbox_of: live.orgId },
    ])
    await enter(sandbox.orgId)
    const team = await asPerson<{ members: { role: string }[] }>('GET', '/api/console/people')
    expect(team.members.map(({ role }) => role)).toEqual(['owner', 'developer'])
    const invited = await owner.call('POST', '/api/console/invitations', { email: 'a@example.com', role: 'viewer' })
    expect(invited.status).toBe(403)
    const stranger = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    expect((await stranger.call('POST', '/api/auth/organization', { id: sandbox.orgId })).status).toBe(404)
  })

  test('has keys that begin with nxk_test_, and /me says which kind of organization a key belongs to', async () => {
    for (const [side, kind] of [
      [live, 'live'],
      [sandbox, 'test'],
    ] as const) {
      expect(side.token).toStartWith(`nxk_${kind}_`)
      const me = await get<{ key: { key_prefix: string }; tenant: Reply }>(side, '/me')
      expect(me.key.key_prefix).toBe(side.token.slice(0, 13))
      expect(me.tenant).toMatchObject({ id: side.orgId, sandbox: kind === 'test' })
    }
  })

  test('refuses a live token under the prefix of a sandbox, and the other way round', async () => {
    for (const [side, lead] of [
      [live, 'nxk_test_'],
      [sandbox, 'nxk_live_'],
    ] as const) {
      const response = await app.call(`${API}/me`, { token: lead + side.token.slice(lead.length) })
      expect([response.status, await codeOf(response)]).toEqual([401, 'unauthenticated'])
    }
  })

  test('gives agents tokens of its kind', async () => {
    await enter(sandbox.orgId)
    const { token } = await asPerson<{ token: string }>('POST', '/api/console/agents', {
      name: 'Helper',
      scopes: ['chats:read'],
    })
    expect(token).toStartWith('nxk_test_')
  })

  test('refuses real numbers and payment providers', async () => {
    await enter(sandbox.orgId)
    const credentials = { access_token: 'x'.repeat(20), app_secret: 'y'.repeat(32), verify_token: 'z'.repeat(20) }
    const number = { connector: 'whatsapp-cloud', phone_number_id: '106540352242922', display_phone: '+6281200009000' }
    const refused = [
      await owner.call('POST', '/api/console/numbers', { ...number, credentials }),
      await owner.call('POST', '/api/console/payment-accounts', {
        provider: 'midtrans',
        credentials: { server_key: 'SB-Mid-server-0123456789' },
      }),
      await owner.call('POST', '/api/console/payment-accounts', {
        provider: 'xendit',
        credentials: { secret_key: 'xnd_development_0123456789', callback_token: 'c'.repeat(30) },
      }),
    ]
    for (const response of refused)
      expect([response.status, await codeOf(response)]).toEqual([409, 'sandbox_simulators_only'])
    expect((await owner.call('POST', '/api/console/payment-accounts', { provider: 'manual' })).status).toBe(201)
    expect(await asPerson('GET', '/api/console/connectors')).toMatchObject({
      channels: [{ kind: 'simulator' }],
      payments: [{ provider: 'simulator' }, { provider: 'manual' }],
    })
  })

  test('shares no chat, order or event with the live organization, although the phones are the same', async () => {
    for (const side of [live, sandbox]) {
      await enter(side.orgId)
      await writeAs(side, PHONE, `Halo ${side.orgId}`)
      await hasWritten(side, PHONE)
      await post(side, '/orders', { billingType: 'qris', amount: 10_000, reference: `A-${side.orgId}` })
    }
    for (const [side, other] of [
      [live, sandbox],
      [sandbox, live],
    ] as const) {
      expect((await chatOf(side)).messages.data.map(({ body }) => body)).toEqual([`Halo ${side.orgId}`])
      const [order] = (await get<Listed>(side, '/orders')).data
      const foreign = await app.call(`${API}/orders/${order?.id}`, { token: other.token })
      expect(foreign.status).toBe(404)
      expect((await get<Listed>(other, `/orders?reference=A-${side.orgId}`)).data).toEqual([])
    }
  })
})

describe('the clock of a sandbox', () => {
  const advance = (seconds: number, by = owner) => asPerson('POST', '/api/console/sandbox/advance', { seconds }, by)

  test('expires an order, closes a reply window and sends a scheduled message, and leaves the live ones alone', async () => {
    const waiting = [live, sandbox].map(async (side) => {
      const order = await post<{ id: string }>(side, '/orders', { billingType: 'qris', amount: 25_000 })
      const sendAt = new Date(Date.now() + DAY_SECONDS * 1500).toISOString()
      const message = await post<{ id: string }>(side, '/messages', { to: PHONE, body: 'Besok', send_at: sendAt })
      return { side, order: order.id, message: message.id }
    })
    const [ofLive, ofSandbox] = (await Promise.all(waiting)) as [Waiting, Waiting]
    const look = async ({ side, order, message }: Waiting) => [
      (await get<{ status: string }>(side, `/orders/${order}`)).status,
      (await get<{ status: string }>(side, `/messages/${message}`)).status === 'scheduled',
    ]
    const windowOf = async (side: Side) => (await chatOf(side)).reply_window.state
    expect([await look(ofLive), await look(ofSandbox)]).toEqual([
      ['pending_payment', true],
      ['pending_payment', true],
    ])

    await enter(live.orgId, developer)
    await advance(2 * DAY_SECONDS, developer)

    await until(async () => JSON.stringify(await look(ofSandbox)) === '["expired",false]')
    expect(await look(ofLive)).toEqual(['pending_payment', true])
    expect([await windowOf(live), await windowOf(sandbox)]).toEqual(['open', 'closed'])
    const refused = await app.call(`${API}/messages`, { token: sandbox.token, json: { to: PHONE, body: 'Halo' } })
    expect([refused.status, await codeOf(refused)]).toEqual([409, 'reply_window_closed'])
  })
  type Waiting = { side: Side; order: string; message: string }

  test('expires a key', async () => {
    await enter(sandbox.orgId)
    const expires = new Date(Date.now() + 3_600_000).toISOString()
    const { token } = await asPerson<{ token: string }>('POST', '/api/console/keys', {
      name: 'Short',
      scopes: ['chats:read'],
      expires_at: expires,
    })
    expect((await app.call(`${API}/me`, { token })).status).toBe(200)
    await advance(3_601)
    await until(async () => (await app.call(`${API}/me`, { token })).status === 401)
  })

  test('moves only forward, and only where there is a sandbox', async () => {
    for (const seconds of [0, -1, 1.5, 400 * DAY_SECONDS])
      expect((await owner.call('POST', '/api/console/sandbox/advance', { seconds })).status).toBe(422)
    const other = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
    for (const [path, body] of [['advance', { seconds: 1 }], ['reset']] as const) {
      const response = await other.call('POST', `/api/console/sandbox/${path}`, body)
      expect([response.status, await codeOf(response)]).toEqual([409, 'sandbox_required'])
    }
  })
})

describe('a reset', () => {
  test('deletes all data and keeps keys, numbers and the live organization, in the middle of traffic', async () => {
    await enter(sandbox.orgId)
    const receiver = await startReceiver({
      onRequest: (socket) => void setTimeout(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), 5),
    })
    const endpoint = await asPerson<{ id: string }>('POST', '/api/proxy/webhook-endpoints', {
      url: receiver.url,
      events: ['*'],
    })
    const before = (await get<Listed>(live, '/orders')).data.length
    let isOver = false
    const statuses: number[] = []
    const keepBusy = async (customer: number) => {
      for (let count = 0; !isOver; count++) {
        const to = `+62813200${customer}${String(count % 7).padStart(4, '0')}`
        const wrote = await app.call(`${API}/simulator/messages`, {
          token: sandbox.token,
          json: { from: to, text: `q${count}` },
        })
        const sent = await app.call(`${API}/messages`, { token: sandbox.token, json: { to, body: `n${count}` } })
        const sold = await app.call(`${API}/orders`, {
          token: sandbox.token,
          json: { billingType: 'qris', amount: 1000 + count, customer: { phone: to } },
        })
        statuses.push(wrote.status, sent.status, sold.status)
      }
    }
    const traffic = [1, 2, 3].map(keepBusy)
    for (let round = 0; round < 3; round++) {
      await until(() => statuses.length > 30 * (round + 1))
      await asPerson('POST', '/api/console/sandbox/reset')
    }
    isOver = true
    await Promise.all(traffic)
    // A reply window may be closed; nothing else is refused, and nothing fails.
    expect(statuses.filter((status) => ![201, 409, 429].includes(status))).toEqual([])
    expect(statuses).toContain(201)

    await asPerson('POST', '/api/console/sandbox/reset')
    for (const path of ['/orders', '/chats', '/contacts', '/events'])
      expect([path, (await get<Listed>(sandbox, path)).data]).toEqual([path, []])
    expect((await get<Listed>(live, '/orders')).data.length).toBe(before)
    expect((await get<{ tenant: Reply }>(sandbox, '/me')).tenant.id).toBe(sandbox.orgId)
    const { data: endpoints } = await asPerson<Listed>('GET', '/api/proxy/webhook-endpoints')
    expect(endpoints.map(({ id }) => id)).toEqual([endpoint.id])

    // All goes on afterwards: the lanes are free, and events are delivered.
    const order = await post<{ id: string; number: string }>(sandbox, '/orders', { billingType: 'qris', amount: 5_000 })
    await until(() => receiver.requests.some(({ body }) => body.includes(order.id)))
    await writeAs(sandbox, PHONE, 'Halo lagi')
    await hasWritten(sandbox, PHONE)
    const { id } = await post<{ id: string }>(sandbox, '/messages', { to: PHONE, body: 'Halo' })
    await until(async () => (await get<{ status: string }>(sandbox, `/messages/${id}`)).status === 'delivered')
    receiver.stop()
  })

  test('leaves no lane that believes to be busy, and the numbers and accounts', async () => {
    await asPerson('POST', '/api/console/sandbox/reset')
    await until(async () => {
      const busy = await app.database.many`
        select id from outbox_lanes where org_id = ${sandbox.orgId} and (in_flight > 0 or breaker <> 'closed')`
      return busy.length === 0
    })
    for (const kept of ['/api/console/numbers', '/api/console/payment-accounts'])
      expect((await asPerson<Listed>('GET', kept)).data.length).toBeGreaterThan(0)
  })

  test('belongs to owners and admins, and is in the audit log', async () => {
    await enter(sandbox.orgId, developer)
    expect((await developer.call('POST', '/api/console/sandbox/reset')).status).toBe(403)
    const { data } = await asPerson<{ data: { act: string }[] }>('GET', '/api/console/audit')
    expect(data.map(({ act }) => act)).toContain('resetSandbox')
    expect(data.map(({ act }) => act)).toContain('advanceSandbox')
  })
})
