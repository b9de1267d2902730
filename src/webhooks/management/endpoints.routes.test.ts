import { describe, expect, test } from 'bun:test'
import { createTestCertificate } from '../../../test/support/certificate.ts'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

const URL = 'https://shop.example.com/hooks'
const create = (orgId: OrgId, json: unknown, headers: Record<string, string> = {}) =>
  bench.call(orgId, 'POST', '/webhook-endpoints', { json, headers })
const problemsOf = (reply: {
  status: number
  json: { code?: string; errors?: { pointer: string; code: string }[] }
}) => ({
  status: reply.status,
  code: reply.json.code,
  errors: reply.json.errors?.map(({ pointer, code }) => `${pointer} ${code}`),
})

describe('201', () => {
  test('a URL alone is enough: everything is subscribed to, the secret is shown, the ping is on its way', async () => {
    const orgId = await bench.anOrg()
    const { status, json, headers } = await create(orgId, { url: URL })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/api/public/v1/webhook-endpoints/${json.id}`)
    expect(json).toMatchObject({
      object: 'webhook_endpoint',
      url: URL,
      events: ['*'],
      state: 'enabled',
      payload: 'full',
      ordering: 'none',
      signing: 'v1',
      timeout_ms: 15_000,
      last_ping: { status: 'pending' },
      health: { breaker: 'closed', backlog: 0, held: 0, failing_since: null },
    })
    expect(json.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(json.secret_hint).toBe(`whsec_…${json.secret.slice(-4)}`)
    expect(json.retry_delays_seconds).toHaveLength(11)
  })

  test('a ping can be asked for at any time, and what comes of it is shown as the last', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, events: ['hook_note.erased'] })
    const { status, json } = await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/ping`)
    expect([status, json]).toMatchObject([202, { endpoint_id: endpoint.id, type: 'endpoint.pinged' }])
    expect(json.delivery_id).not.toBe(endpoint.last_ping.delivery_id)
    const lastPing = async () => (await bench.call(orgId, 'GET', `/webhook-endpoints/${endpoint.id}`)).json.last_ping
    await until(async () => (await lastPing()).status === 'succeeded')
    expect(await lastPing()).toMatchObject({ delivery_id: json.delivery_id, response_status: 200 })
    expect((await bench.call(orgId, 'GET', `/deliveries/${json.delivery_id}`)).json.test).toBe(true)
  })

  test('the result of the ping is shown and does not keep the endpoint from being made', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const good = await bench.anEndpoint(orgId, { url: receiver.url })
    const gone = await aReceiver()
    gone.stop()
    const bad = await bench.anEndpoint(orgId, { url: gone.url })
    const pingOf = async (id: string) => (await bench.call(orgId, 'GET', `/webhook-endpoints/${id}`)).json.last_ping
    await until(
      async () => (await pingOf(good.id)).status === 'succeeded' && (await pingOf(bad.id)).status === 'failed',
    )
    expect(await pingOf(good.id)).toMatchObject({ response_status: 200, error_class: null })
    expect(await pingOf(bad.id)).toMatchObject({ response_status: null, error_class: 'refused' })
  })

  test('the same Idempotency-Key makes one endpoint and shows the same secret', async () => {
    const orgId = await bench.anOrg()
    const [first, again] = [
      await create(orgId, { url: URL }, { 'idempotency-key': 'k1' }),
      await create(orgId, { url: URL }, { 'idempotency-key': 'k1' }),
    ]
    expect(again.json).toEqual(first.json)
    expect((await bench.call(orgId, 'GET', '/webhook-endpoints')).json.data).toHaveLength(1)
  })
})

describe('200', () => {
  test('a list is newest first, pages by cursor, and shows no secret and no header value', async () => {
    const orgId = await bench.anOrg()
    for (const description of ['one', 'two', 'three'])
      await create(orgId, { url: URL, description, custom_headers: { Authorization: 'Basic c2VjcmV0' } })
    const page = await bench.call(orgId, 'GET', '/webhook-endpoints?limit=2')
    expect(page.json.data.map((endpoint: { description: string }) => endpoint.description)).toEqual(['three', 'two'])
    const rest = await bench.call(orgId, 'GET', `/webhook-endpoints?limit=2&cursor=${page.json.next_cursor}`)
    expect(rest.json).toMatchObject({
      has_more: false,
      data: [{ description: 'one', custom_headers: { authorization: '••••' } }],
    })
    expect(JSON.stringify([page.json, rest.json])).not.toMatch(/c2VjcmV0|whsec_[A-Za-z0-9+/]{10}/)
  })

  test('a change touches the given members only', async () => {
    const orgId = await bench.anOrg()
    const { json } = await create(orgId, { url: URL, description: 'before', custom_headers: { 'x-a': '1' } })
    const path = `/webhook-endpoints/${json.id}`
    const changed = await bench.call(orgId, 'PATCH', path, {
      json: { description: null, events: ['hook_note.written'], max_per_second: 5, ordering: 'strict' },
    })
    expect(changed.json).toMatchObject({
      url: URL,
      description: null,
      events: ['hook_note.written'],
      max_per_second: 5,
      ordering: 'strict',
      custom_headers: { 'x-a': '••••' },
    })
    expect(changed.json.secret).toBeUndefined()
    const lane = await bench.database.one<object>`
      select ordering, rate_per_second from outbox_lanes where id = ${json.id}`
    expect(lane).toEqual({ ordering: 'by_key', rate_per_second: 5 })
  })

  test('a change to the current value changes nothing and records no event', async () => {
    const orgId = await bench.anOrg()
    const settings = {
      url: `${URL}?token=one`,
      description: 'as it is',
      retry_delays_seconds: null,
      retry_delays_by_event: { 'order.*': [5], 'message.received': [7] },
      custom_headers: { 'X-A': '1', 'x-b': '2' },
      tls: { ca: createTestCertificate({ subject: 'Test Authority', isAuthority: true }).cert },
    }
    const { json } = await create(orgId, settings)
    const path = `/webhook-endpoints/${json.id}`
    const recorded = async () =>
      (await bench.database.many`select id from events where org_id = ${orgId} and type = 'endpoint.updated'`).length
    bench.advance(1_000)
    for (const change of [{}, settings]) {
      const same = await bench.call(orgId, 'PATCH', path, { json: change })
      expect([same.status, same.json.updated_at, await recorded()]).toEqual([200, json.updated_at, 0])
    }
    // A change of a member that events mask is a change all the same.
    await bench.call(orgId, 'PATCH', path, { json: { url: `${URL}?token=two` } })
    await bench.call(orgId, 'PATCH', path, { json: { custom_headers: { 'x-a': '2', 'x-b': '2' } } })
    expect(await recorded()).toBe(2)
  })

  test('a new URL is used from the next attempt on and pinged', async () => {
    const orgId = await bench.anOrg()
    const [old, young] = [await aReceiver(() => answer(500)), await aReceiver()]
    const endpoint = await bench.anEndpoint(orgId, { url: old.url })
    await bench.note(orgId, 'moves')
    await until(() => old.requests.length === 1)
    const { json } = await bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json: { url: young.url } })
    expect(json.last_ping.delivery_id).not.toBe(endpoint.last_ping.delivery_id)
    await until(async () => (await bench.call(orgId, 'GET', '/deliveries')).json.data[0].attempt_count === 1)
    bench.advance(10_000)
    await until(() => young.requests.length === 1)
    expect(old.requests).toHaveLength(1)
  })
})

describe('403', () => {
  test.each([
    ['GET', '/webhook-endpoints', 'webhooks:read'],
    ['POST', '/webhook-endpoints', 'webhooks:write'],
    ['GET', '/deliveries', 'webhooks:read'],
  ] as const)('%s %s needs the scope %s', async (method, path, scope) => {
    const orgId = await bench.anOrg()
    const others = (['webhooks:read', 'webhooks:write', 'events:read'] as const).filter((other) => other !== scope)
    const reply = await bench.call(orgId, method, path, {
      scopes: others,
      ...(method === 'POST' && { json: { url: URL } }),
    })
    expect([reply.status, reply.json.params.required]).toEqual([403, scope])
  })
})

describe('200', () => {
  test('an act with nothing to say beyond its defaults needs no body', async () => {
    const orgId = await bench.anOrg()
    const { json } = await create(orgId, { url: URL })
    const path = `/webhook-endpoints/${json.id}`
    await bench.call(orgId, 'POST', `${path}/pause`)
    const resumed = await bench.call(orgId, 'POST', `${path}/resume`)
    expect([resumed.status, resumed.json.state]).toEqual([200, 'enabled'])
    const rotated = await bench.call(orgId, 'POST', `${path}/rotate-secret`)
    expect([rotated.status, rotated.json.secret.slice(0, 6)]).toEqual([200, 'whsec_'])
  })

  test('an empty body is no body, and the same call as one that says the defaults', async () => {
    const orgId = await bench.anOrg()
    const { json } = await create(orgId, { url: URL })
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'resume-once' }
    const path = `/webhook-endpoints/${json.id}/resume`
    expect((await bench.call(orgId, 'POST', path, { headers })).status).toBe(200)
    const again = await bench.call(orgId, 'POST', path, { headers, json: { mode: 'recover_held' } })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  })
})

describe('404', () => {
  test("another organization's endpoint is not there, whatever is asked of it", async () => {
    const [owner, otherOrg] = [await bench.anOrg(), await bench.anOrg()]
    const { json } = await create(owner, { url: URL })
    const path = `/webhook-endpoints/${json.id}`
    const replies = await Promise.all([
      bench.call(otherOrg, 'GET', path),
      bench.call(otherOrg, 'PATCH', path, { json: { description: 'mine' } }),
      bench.call(otherOrg, 'DELETE', path),
      bench.call(otherOrg, 'POST', `${path}/pause`),
      bench.call(otherOrg, 'POST', `${path}/resume`, { json: {} }),
      bench.call(otherOrg, 'POST', `${path}/rotate-secret`, { json: {} }),
      bench.call(otherOrg, 'POST', `${path}/test`, { json: { type: 'hook_note.written' } }),
    ])
    expect(replies.map((reply) => reply.status)).toEqual(Array(7).fill(404))
    expect((await bench.call(owner, 'GET', path)).json).toMatchObject({ description: null, state: 'enabled' })
    expect((await bench.call(otherOrg, 'GET', '/webhook-endpoints')).json.data).toEqual([])
  })
})

describe('409', () => {
  test('the fifty-first endpoint is refused, also when several are made at once', async () => {
    const orgId = await bench.anOrg()
    const replies = await Promise.all(Array.from({ length: 53 }, () => create(orgId, { url: URL })))
    const refused = replies.filter((reply) => reply.status !== 201)
    expect(refused.map((reply) => [reply.status, reply.json.code, reply.json.params.max])).toEqual(
      Array(3).fill([409, 'webhook_endpoint_limit_reached', 50]),
    )
  })
})

describe('422 for a URL that is not called', () => {
  test.each([
    ['http://shop.example.com/', 'url_scheme_not_allowed'],
    ['https://10.0.0.1/', 'url_address_not_allowed'],
    ['https://[::ffff:169.254.169.254]/', 'url_address_not_allowed'],
    ['https://0x7f.1.1.1.1.1/', 'url_malformed'],
    ['https://metadata.internal/', 'url_host_not_allowed'],
    ['https://shop.example.com:22/', 'url_port_not_allowed'],
  ])('the URL %s has the right form and is refused as %s', async (url, code) => {
    const orgId = await bench.anOrg()
    expect(problemsOf(await create(orgId, { url }))).toEqual({
      status: 422,
      code: 'validation_failed',
      errors: [`#/url ${code}`],
    })
  })

  test('a URL that was refused is mended under the same Idempotency-Key', async () => {
    const orgId = await bench.anOrg()
    const headers = { 'idempotency-key': 'mended' }
    expect((await create(orgId, { url: 'https://10.0.0.1/' }, headers)).status).toBe(422)
    expect((await create(orgId, { url: URL }, headers)).status).toBe(201)
  })

  test('a refusal stays short, however long the host is', async () => {
    const orgId = await bench.anOrg()
    const reply = await create(orgId, { url: `https://${'a'.repeat(1500)}.example.com/` })
    expect([reply.status, reply.json.errors[0].detail.length < 300]).toEqual([422, true])
  })
})

describe('409', () => {
  test.each(['host', 'Webhook-Id'])('the header %s is ours to set', async (name) => {
    const orgId = await bench.anOrg()
    expect(problemsOf(await create(orgId, { url: URL, custom_headers: { [name]: 'a' } }))).toEqual({
      status: 409,
      code: 'value_refused',
      errors: [`#/custom_headers/${name} header_name_reserved`],
    })
  })

  const authority = createTestCertificate({ subject: 'Test Authority', isAuthority: true })
  const garbled = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'

  test.each([
    ['a private key', authority.key, 'tls_private_key'],
    ['a private key beside its certificate', `${authority.cert}${authority.key}`, 'tls_private_key'],
    ['a certificate that cannot be read', garbled, 'tls_unreadable'],
    ['one that cannot be read after one that can', `${authority.cert}${garbled}`, 'tls_unreadable'],
    ['a certificate that was cut off', authority.cert.slice(0, 200), 'tls_unreadable'],
    ['no certificate', '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----', 'tls_unreadable'],
  ])('%s as an authority to trust is refused at its field, and nothing is kept', async (_, ca, code) => {
    const orgId = await bench.anOrg()
    const refused = { status: 409, code: 'value_refused', errors: [`#/tls/ca ${code}`] }
    expect(problemsOf(await create(orgId, { url: URL, tls: { ca } }))).toEqual(refused)
    expect((await bench.call(orgId, 'GET', '/webhook-endpoints')).json.data).toEqual([])
    const { json } = await create(orgId, { url: URL, tls: { ca: `${authority.cert}\n${authority.cert}` } })
    expect(json.tls).toEqual({ ca: true, client_certificate: false })
    const change = await bench.call(orgId, 'PATCH', `/webhook-endpoints/${json.id}`, { json: { tls: { ca } } })
    expect(problemsOf(change)).toEqual(refused)
  })

  test('TLS material that cannot be read is refused', async () => {
    const orgId = await bench.anOrg()
    const tls = { client_certificate: '-----BEGIN CERTIFICATE-----\nx', client_key: '-----BEGIN PRIVATE KEY-----\nx' }
    expect(problemsOf(await create(orgId, { url: URL, tls }))).toEqual({
      status: 409,
      code: 'value_refused',
      errors: ['#/tls tls_unreadable'],
    })
  })
})

describe('422', () => {
  test.each([
    ['https://user:pass@shop.example.com/', 'url_has_credentials'],
    ['https://shop.example.com/#x', 'url_has_fragment'],
    ['https://', 'url_malformed'],
  ])('the URL %s has the wrong form and is refused as %s', async (url, code) => {
    const orgId = await bench.anOrg()
    expect(problemsOf(await create(orgId, { url }))).toEqual({
      status: 422,
      code: 'validation_failed',
      errors: [`#/url ${code}`],
    })
  })

  test('an unknown event is refused with the name that was likely meant', async () => {
    const orgId = await bench.anOrg()
    const reply = await create(orgId, { url: URL, events: ['hook_note.writen', 'hook_nots.*', 'hook_note.erased'] })
    expect(problemsOf(reply).errors).toEqual(['#/events/0 event_unknown', '#/events/1 event_unknown'])
    expect(reply.json.errors.map((error: { params: object }) => error.params)).toEqual([
      { suggestion: 'hook_note.written' },
      { suggestion: 'hook_note.*' },
    ])
    const endpoint = await bench.anEndpoint(orgId, { url: URL })
    const tested = await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/test`, {
      json: { type: 'hook_note.eraced' },
    })
    expect(problemsOf(tested).errors).toEqual(['#/type event_unknown'])
    expect(tested.json.errors[0].params).toEqual({ suggestion: 'hook_note.erased' })
  })

  test.each([
    ['x y', 'a', 'header_name_malformed'],
    ['x-a', 'a\r\nx-b: c', 'header_value_malformed'],
  ])('the header %p with %p is refused', async (name, value, code) => {
    const orgId = await bench.anOrg()
    const pointer = `#/custom_headers/${encodeURIComponent(name)}`
    expect(problemsOf(await create(orgId, { url: URL, custom_headers: { [name]: value } }))).toEqual({
      status: 422,
      code: 'validation_failed',
      errors: [`${pointer} ${code}`],
    })
  })

  test('a client certificate without its key is refused', async () => {
    const orgId = await bench.anOrg()
    const tls = { client_certificate: '-----BEGIN CERTIFICATE-----\nx' }
    expect(problemsOf(await create(orgId, { url: URL, tls }))).toEqual({
      status: 422,
      code: 'validation_failed',
      errors: ['#/tls/client_key required'],
    })
  })

  test('a misspelt field is refused with the nearest known one', async () => {
    const orgId = await bench.anOrg()
    const reply = await create(orgId, { url: URL, event: ['*'] })
    expect(reply.json.errors[0]).toMatchObject({ pointer: '#/event', params: { suggestion: 'events' } })
  })
})
