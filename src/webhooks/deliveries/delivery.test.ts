import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { answer, type ReceivedRequest } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { verifySignature } from '../../../test/support/webhook-verification.ts'
import { type Json, noteErased, textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { followOnce } from '../../events/followers.ts'
import { recordEvents } from '../../events/recording.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { lockSubscriptions } from '../endpoints/endpoints.sql.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

const first = (requests: ReceivedRequest[]) => requests[0] as ReceivedRequest
const deliveriesOf = async (orgId: OrgId, query = '') =>
  (await bench.call(orgId, 'GET', `/deliveries${query}`)).json.data as Json[]

describe('an event', () => {
  test('arrives at every endpoint that wants it, signed so that a Standard Webhooks library accepts it', async () => {
    const orgId = await bench.anOrg()
    const [wanting, other] = [await aReceiver(), await aReceiver()]
    const endpoint = await bench.anEndpoint(orgId, { url: wanting.url, custom_headers: { 'X-Shop': 'seven' } })
    await bench.anEndpoint(orgId, { url: other.url, events: ['hook_note.erased'] })
    const event = await bench.note(orgId, 'café ☕')
    await until(() => wanting.requests.length === 1)
    const request = first(wanting.requests)
    const body = new Webhook(endpoint.secret).verify(request.body.toString(), request.headers)
    expect(body).toMatchObject({ id: event.id, type: 'hook_note.written', tenant: orgId, data: { text: 'café ☕' } })
    expect(request.headers).toMatchObject({
      'webhook-id': event.id,
      'webhook-attempt': '1',
      'content-type': 'application/json',
      'user-agent': 'Nexkit/0.0.0-test',
      'x-shop': 'seven',
    })
    expect(other.requests).toEqual([])
  })

  test('that happened before the endpoint was created is not sent to it', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.note(orgId, 'before')
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'after')
    await until(() => receiver.requests.length > 0)
    expect(textsOf(receiver.requests)).toEqual(['after'])
  })

  test('of one organization never reaches the endpoint of another', async () => {
    const [one, other] = [await bench.anOrg(), await bench.anOrg()]
    const [ofOne, ofOther] = [await aReceiver(), await aReceiver()]
    await bench.anEndpoint(one, { url: ofOne.url, events: ['*'] })
    await bench.anEndpoint(other, { url: ofOther.url, events: ['*'] })
    await bench.note(one, 'mine')
    await bench.note(other, 'theirs')
    await until(() => ofOne.requests.length > 0 && ofOther.requests.length > 0)
    expect([textsOf(ofOne.requests), textsOf(ofOther.requests)]).toEqual([['mine'], ['theirs']])
  })

  test('reaches its endpoint while another organization has its own locked for a long change', async () => {
    const [busy, other] = [await bench.anOrg(), await bench.anOrg()]
    const receiver = await aReceiver()
    for (const orgId of [busy, other]) await bench.anEndpoint(orgId, { url: receiver.url })
    const done = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const change = bench.database.transaction(async (tx) => {
      await lockSubscriptions(tx, busy, 'alone')
      locked.resolve()
      await done.promise
    })
    await locked.promise
    await bench.note(busy, 'waits')
    expect(await bench.database.many`select 1 from event_backlog where org_id = ${busy}`).toHaveLength(1)
    await bench.note(other, 'arrives')
    await until(() => textsOf(receiver.requests).includes('arrives'))
    expect(textsOf(receiver.requests)).toEqual(['arrives'])
    done.resolve()
    await change
    await until(() => textsOf(receiver.requests).includes('waits'))
  })

  test('has one delivery per endpoint, however often fan-out looks at it', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    const event = await bench.note(orgId, 'once')
    await until(() => receiver.requests.length === 1)
    await bench.database.run`update event_counters set followed_until = 0 where org_id = ${orgId}`
    await followOnce(bench.database, bench.webhooks.follower)
    await bench.note(orgId, 'twice')
    await until(() => receiver.requests.length === 2)
    expect(textsOf(receiver.requests)).toEqual(['once', 'twice'])
    expect(await deliveriesOf(orgId, `?event=${event.id}`)).toHaveLength(1)
  })
})

describe('attempts of a delivery', () => {
  test('carry the same bytes under the same id, each with its own timestamp and signature', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth < 3 ? 500 : 200))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    const event = await bench.note(orgId, 'café ☕')
    await until(() => receiver.requests.length === 1)
    await bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json: { payload: 'thin' } })
    for (const attempts of [2, 3]) {
      await until(async () => (await deliveriesOf(orgId))[0].attempt_count === attempts - 1)
      bench.advance(40_000)
      await until(() => receiver.requests.length === attempts)
    }
    const stored = await bench.database.one<{ body: string }>`
      select body from events where org_id = ${orgId} and id = ${event.id}`
    expect(receiver.requests.map((request) => request.body.toString())).toEqual(Array(3).fill(stored.body))
    const headersOf = (name: string) => receiver.requests.map((request) => request.headers[name])
    expect(headersOf('webhook-id')).toEqual(Array(3).fill(event.id))
    expect(headersOf('webhook-attempt')).toEqual(['1', '2', '3'])
    expect(new Set(headersOf('webhook-timestamp')).size).toBe(3)
    expect(new Set(headersOf('webhook-signature')).size).toBe(3)
    for (const { headers, body } of receiver.requests) {
      const sentMs = Number(headers['webhook-timestamp']) * 1000
      expect(verifySignature(headers, body, [endpoint.secret], 0, sentMs)).toEqual({ ok: true })
    }
    await until(async () => (await deliveriesOf(orgId))[0].status === 'succeeded')
  })

  test('are all logged, with timings, both sets of headers and the start of the response', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(201, 'thanks', { 'x-receiver': 'yes' }))
    const endpoint = await bench.anEndpoint(orgId, {
      url: `${receiver.url}?token=not-for-logs`,
      custom_headers: { authorization: 'Bearer not-for-logs' },
    })
    const event = await bench.note(orgId, 'logged')
    await until(async () => (await deliveriesOf(orgId))[0]?.status === 'succeeded')
    const [delivery] = await deliveriesOf(orgId)
    const { json } = await bench.call(orgId, 'GET', `/deliveries/${delivery.id}`)
    expect(json).toMatchObject({
      event_id: event.id,
      endpoint_id: endpoint.id,
      attempt_count: 1,
      next_attempt_at: null,
    })
    expect(json.attempts).toHaveLength(1)
    expect(json.attempts[0]).toMatchObject({
      number: 1,
      trigger: 'auto',
      outcome: 'succeeded',
      ip: '127.0.0.1',
      http_version: '1.1',
      response_status: 201,
      response_body: 'thanks',
      response_truncated: false,
      error_class: null,
      body_sha256: createHash('sha256').update(first(receiver.requests).body).digest('hex'),
    })
    expect(json.attempts[0].response_headers['x-receiver']).toBe('yes')
    expect(json.attempts[0].request_headers).toMatchObject({ 'webhook-id': event.id, authorization: '••••' })
    expect(json.attempts[0].total_ms).toBeGreaterThan(0)
    expect(JSON.stringify(json)).not.toContain('not-for-logs')
  })
})

describe('rotation', () => {
  test('signs with both secrets during the overlap, and with the new one alone after it', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    const rotate = await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, {
      json: { overlap_seconds: 60 },
    })
    const secrets = [endpoint.secret, rotate.json.secret]
    const accepted = ({ body, headers }: ReceivedRequest) =>
      secrets.map((secret) => verifySignature(headers, body, [secret], 300, bench.clock.now()).ok)
    await bench.note(orgId, 'during')
    await until(() => receiver.requests.length === 1)
    for (const secret of secrets) {
      const { body, headers } = first(receiver.requests)
      // The library goes by the machine's clock, which this file moves ahead of.
      if (bench.clock.now() - Date.now() < 200_000) new Webhook(secret).verify(body.toString(), headers)
    }
    expect(accepted(first(receiver.requests))).toEqual([true, true])
    expect(first(receiver.requests).headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    bench.advance(61_000)
    await bench.note(orgId, 'after')
    await until(() => receiver.requests.length === 2)
    expect(accepted(receiver.requests[1] as ReceivedRequest)).toEqual([false, true])
  })

  test('with no overlap makes the old secret fail from the next attempt on', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'old')
    await until(() => receiver.requests.length === 1)
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, { json: { overlap_seconds: 0 } })
    await bench.note(orgId, 'new')
    await until(() => receiver.requests.length === 2)
    const verdicts = receiver.requests.map(({ headers, body }) =>
      verifySignature(headers, body, [endpoint.secret], 300, bench.clock.now()),
    )
    expect(verdicts).toEqual([{ ok: true }, { ok: false, reason: 'signature_mismatch' }])
  })
})

describe('asymmetric signing', () => {
  test('verifies with the public key of the endpoint, which is also in the JWK set', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, signing: 'both' })
    await bench.note(orgId, 'a')
    await until(() => receiver.requests.length === 1)
    const { headers, body } = first(receiver.requests)
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1a,\S+$/)
    expect(verifySignature(headers, body, endpoint.public_keys, 300, bench.clock.now())).toEqual({ ok: true })
    const { keys } = await bench.webhooks.wellKnownKeys(endpoint.id)
    expect(keys).toEqual([expect.objectContaining({ kty: 'OKP', crv: 'Ed25519', use: 'sig' })])
    expect(Buffer.from(keys[0]?.x ?? '', 'base64url').toString('base64')).toBe(endpoint.public_keys[0].slice(5))
    expect((await bench.webhooks.wellKnownKeys(null)).keys).toContainEqual(keys[0] as never)
  })
})

describe('the body', () => {
  test('of a thin endpoint holds ids only, and is still signed', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, payload: 'thin' })
    const event = await bench.note(orgId, 'secret text', 'note_7')
    await until(() => receiver.requests.length === 1)
    const { headers, body } = first(receiver.requests)
    expect(verifySignature(headers, body, [endpoint.secret], 300, bench.clock.now())).toEqual({ ok: true })
    expect(JSON.parse(body.toString())).toMatchObject({
      id: event.id,
      type: 'hook_note.written',
      self: `/api/public/v1/events/${event.id}`,
      data: { object: 'hook_note', id: 'note_7', author_id: 'author_1' },
    })
    expect(body.toString()).not.toContain('secret text')
  })

  test('that is too large is sent thin and says so', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'x'.repeat(300 * 1024), 'note_8')
    await until(() => receiver.requests.length === 1)
    const body = JSON.parse(first(receiver.requests).body.toString())
    expect(body).toMatchObject({ truncated: true, data: { id: 'note_8' } })
    expect(body.data.text).toBeUndefined()
  })
})

describe('a test event', () => {
  test('goes to its endpoint alone, marked, unwanted and paused as it may be, and is logged apart', async () => {
    const orgId = await bench.anOrg()
    const [receiver, other] = [await aReceiver(), await aReceiver()]
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.anEndpoint(orgId, { url: other.url, events: ['hook_note.*'] })
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    const reply = await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/test`, {
      json: { type: noteErased.name },
    })
    expect(reply.status).toBe(202)
    await until(() => receiver.requests.length === 1)
    expect(JSON.parse(first(receiver.requests).body.toString())).toMatchObject({
      id: reply.json.event_id,
      type: 'hook_note.erased',
      test: true,
      data: noteErased.example,
    })
    await until(
      async () => (await bench.call(orgId, 'GET', `/deliveries/${reply.json.delivery_id}`)).json.status === 'succeeded',
    )
    expect(other.requests).toEqual([])
    expect((await deliveriesOf(orgId)).map((delivery) => delivery.event_id)).not.toContain(reply.json.event_id)
    expect((await deliveriesOf(orgId, '?test=true')).map((delivery) => delivery.id)).toContain(reply.json.delivery_id)
  })

  test('that fails is not tried again and leaves its endpoint as it was', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(410))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    const { json } = await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/test`, {
      json: { type: noteErased.name },
    })
    await until(
      async () => (await bench.call(orgId, 'GET', `/deliveries/${json.delivery_id}`)).json.status === 'failed',
    )
    const after = await bench.call(orgId, 'GET', `/webhook-endpoints/${endpoint.id}`)
    expect(after.json).toMatchObject({ state: 'enabled', health: { failing_since: null } })
  })
})

describe('a process that dies in the middle of the only attempt there is', () => {
  /** Its first request is never answered. */
  async function aHangingEndpoint(fields: object = {}) {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => (nth === 1 ? null : answer()))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, ...fields })
    return { orgId, receiver, endpoint }
  }

  /** As if the leases had run out and another process had the entries. Nothing is claimed between the two changes. */
  async function loseLeases(orgId: OrgId) {
    await bench.database.transaction(async (tx) => {
      await tx.run`update outbox_lanes set in_flight = 0 where org_id = ${orgId}`
      await tx.run`
        update outbox_entries set state = 'waiting', lease_until = null, leased_by = null, lease_number = lease_number + 1
        where org_id = ${orgId} and state = 'leased'`
    })
    bench.outbox.wake()
  }

  test('leaves an event that another one delivers', async () => {
    const { orgId, receiver } = await aHangingEndpoint({ retry_delays_seconds: [] })
    await bench.note(orgId, 'once')
    await until(() => receiver.requests.length === 1)
    await loseLeases(orgId)
    await until(async () => (await deliveriesOf(orgId))[0].status === 'succeeded')
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('leaves a test that another one sends', async () => {
    const { orgId, receiver, endpoint } = await aHangingEndpoint()
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/test`, { json: { type: noteErased.name } })
    await until(() => receiver.requests.length === 1)
    await loseLeases(orgId)
    await until(async () => (await deliveriesOf(orgId, '?test=true&status=succeeded')).length === 2)
  })

  test('leaves a resend that another one sends, under the id that was answered', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => (nth === 2 ? null : answer()))
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'again')
    await until(async () => (await deliveriesOf(orgId, '?status=succeeded')).length === 1)
    const [{ id }] = (await deliveriesOf(orgId)) as [Json]
    const { json } = await bench.call(orgId, 'POST', `/deliveries/${id}/resend`)
    await until(() => receiver.requests.length === 2)
    await loseLeases(orgId)
    const attempts = async () => (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json.attempts as Json[]
    await until(async () => (await attempts()).some((attempt) => attempt.id === json.attempt_id))
    expect(receiver.requests).toHaveLength(3)
  })
})

describe('events about webhooks', () => {
  test('are never delivered to the endpoint they are about', async () => {
    const orgId = await bench.anOrg()
    const [subject, watcher] = [await aReceiver(), await aReceiver()]
    const endpoint = await bench.anEndpoint(orgId, { url: subject.url, events: ['*'] })
    await bench.anEndpoint(orgId, { url: watcher.url, events: ['endpoint.*'] })
    await bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json: { description: 'changed' } })
    await until(() => watcher.requests.some((request) => request.body.includes('endpoint.updated')))
    await bench.database.transaction((tx) =>
      recordEvents(tx, orgId, [{ type: noteErased, subject: 'n', data: { id: 'last' } }], bench.clock.now()),
    )
    await until(() => subject.requests.some((request) => request.body.includes('hook_note.erased')))
    const received = subject.requests.map((request) => JSON.parse(request.body.toString()))
    expect(received.filter((event) => event.type.startsWith('endpoint.') && event.data.id === endpoint.id)).toEqual([])
  })
})
