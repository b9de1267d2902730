import { describe, expect, test } from 'bun:test'
import { createTestCertificate } from '../../../test/support/certificate.ts'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { type HookReceiver, type Json, textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** What the answers of a receiver do. The clock of this file only goes forward, so every test has its own organization. */
const bench = useWebhooks()
const aReceiver = useReceivers()

async function aShop(reply: Parameters<typeof aReceiver>[0], fields: Record<string, unknown> = {}) {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver(reply)
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, ...fields })
  return { orgId, receiver, endpoint }
}

const deliveriesOf = async (orgId: OrgId) => (await bench.call(orgId, 'GET', '/deliveries')).json.data as Json[]
const deliveryOf = async (orgId: OrgId, index = 0) => {
  const { id } = (await deliveriesOf(orgId))[index]
  return (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json
}
const endpointOf = async (orgId: OrgId, id: string) => (await bench.call(orgId, 'GET', `/webhook-endpoints/${id}`)).json
const typesOf = async (orgId: OrgId) =>
  (await bench.database.many<{ type: string }>`select type from events where org_id = ${orgId} order by sequence`).map(
    (row) => row.type,
  )
const attempted = async (orgId: OrgId, count: number) =>
  until(async () => (await deliveriesOf(orgId))[0]?.attempt_count === count)

describe('410', () => {
  test('disables the endpoint at once, cancels what is pending, and records it', async () => {
    const { orgId, receiver, endpoint } = await aShop((_, nth) => answer(nth === 1 ? 500 : 410))
    await bench.note(orgId, 'first')
    await attempted(orgId, 1)
    await bench.note(orgId, 'second')
    await until(async () => (await endpointOf(orgId, endpoint.id)).state === 'disabled')
    await until(async () => (await deliveriesOf(orgId)).every((delivery) => delivery.next_attempt_at === null))
    expect((await endpointOf(orgId, endpoint.id)).disabled_reason).toBe('gone')
    expect((await deliveriesOf(orgId)).map(({ status, reason }) => ({ status, reason }))).toEqual([
      { status: 'failed', reason: 'gone' },
      { status: 'cancelled', reason: 'endpoint_disabled' },
    ])
    expect(await typesOf(orgId)).toContain('endpoint.disabled')
    bench.advance(60_000)
    await bench.note(orgId, 'third')
    await until(async () => (await deliveriesOf(orgId))[0].status === 'held')
    expect(textsOf(receiver.requests)).toEqual(['first', 'second'])
  })
})

describe('a resume after a 410', () => {
  const statuses = async (orgId: OrgId) => (await deliveriesOf(orgId)).map(({ status }) => status).sort()

  test('sends what the 410 cancelled, with what was held since, when it recovers what was held', async () => {
    let isGone = true
    const { orgId, receiver, endpoint } = await aShop((_, nth) => answer(nth === 1 ? 500 : isGone ? 410 : 200))
    await bench.note(orgId, 'first')
    await attempted(orgId, 1)
    await bench.note(orgId, 'second')
    await until(async () => (await statuses(orgId)).join() === 'cancelled,failed')
    await bench.note(orgId, 'third')
    await until(async () => (await statuses(orgId)).includes('held'))
    isGone = false
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: { mode: 'recover_held' } })
    await until(async () => (await statuses(orgId)).every((status) => status === 'succeeded'))
    expect(textsOf(receiver.requests).slice(2).sort()).toEqual(['first', 'second', 'third'])
  })

  test('leaves cancelled what an earlier 410 cancelled when that was followed by a resume from now', async () => {
    let isGone = true
    const { orgId, endpoint } = await aShop((_, nth) => answer(nth === 1 ? 500 : isGone ? 410 : 200))
    const resume = (mode: string) =>
      bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: { mode } })
    await bench.note(orgId, 'first')
    await attempted(orgId, 1)
    await bench.note(orgId, 'second')
    await until(async () => (await statuses(orgId)).join() === 'cancelled,failed')
    await resume('from_now')
    bench.advance(120_000)
    await bench.note(orgId, 'third')
    await until(async () => (await endpointOf(orgId, endpoint.id)).state === 'disabled')
    isGone = false
    await resume('recover_held')
    await until(async () => (await statuses(orgId)).join() === 'cancelled,failed,succeeded')
  })
})

describe('Retry-After', () => {
  const pausesFor120 = (status: number) =>
    test(`with ${status} holds up the whole endpoint, to the second`, async () => {
      const { orgId, receiver } = await aShop((_, nth) =>
        nth === 1 ? answer(status, 'wait', { 'retry-after': '120' }) : answer(),
      )
      await bench.note(orgId, 'first')
      await attempted(orgId, 1)
      const { next_attempt_at: nextAt, attempts } = await deliveryOf(orgId)
      expect(attempts[0]).toMatchObject({ retry_after_ms: 120_000, error_class: 'status', next_attempt_at: nextAt })
      const askedMs = Date.parse(nextAt) - Date.parse(attempts[0].started_at) - attempts[0].total_ms
      // Times are kept in whole milliseconds, durations are not.
      expect(askedMs).toBeGreaterThan(119_998)
      expect(askedMs).toBeLessThan(121_000)
      await bench.note(orgId, 'second')
      bench.advance(119_000 - (bench.clock.now() - Date.parse(nextAt) + 120_000))
      await until(async () => (await deliveriesOf(orgId)).length === 2)
      await bench.claimsPass()
      expect(receiver.requests).toHaveLength(1)
      bench.advance(1_100)
      await until(() => receiver.requests.length === 3)
      expect(textsOf(receiver.requests).sort()).toEqual(['first', 'first', 'second'])
    })
  pausesFor120(429)
  pausesFor120(503)

  test('with another status delays that delivery alone', async () => {
    const { orgId, receiver } = await aShop((_, nth) =>
      nth === 1 ? answer(500, 'wait', { 'retry-after': '120' }) : answer(),
    )
    await bench.note(orgId, 'first')
    await attempted(orgId, 1)
    await bench.note(orgId, 'second')
    await until(() => receiver.requests.length === 2)
    expect(textsOf(receiver.requests)).toEqual(['first', 'second'])
    const waitMs = Date.parse((await deliveryOf(orgId, 1)).next_attempt_at) - bench.clock.now()
    expect(waitMs).toBeGreaterThan(100_000)
  })
})

describe('a redirect', () => {
  test('is not followed, is retried, and the log advises to change the URL', async () => {
    const target = await aReceiver()
    const { orgId, receiver } = await aShop(() => answer(307, '', { location: target.url }))
    await bench.note(orgId, 'moved')
    await attempted(orgId, 1)
    const { status, attempts } = await deliveryOf(orgId)
    expect(status).toBe('pending')
    expect(attempts[0]).toMatchObject({ error_class: 'redirect', response_status: 307 })
    expect(attempts[0].error_detail).toContain(target.url)
    expect(attempts[0].error_detail).toContain('change the URL')
    expect([receiver.requests.length, target.requests.length]).toEqual([1, 0])
  })

  test.each([
    ['to a URL', (url: string) => `${url}?token=s3cret`, '?token=***'],
    ['to a path', () => '/elsewhere?token=s3cret', '/elsewhere?token=***'],
    ['to another host', () => '//user:s3cret@shop.example.com/a', '***@shop.example.com/a'],
  ])('%s leaves no secret of it in the log', async (_name, locate, shown) => {
    const { orgId } = await aShop((request) =>
      answer(307, '', { location: locate(`http://${request.headers.host}/b`) }),
    )
    await bench.note(orgId, 'moved')
    await attempted(orgId, 1)
    const [attempt] = (await deliveryOf(orgId)).attempts
    expect(attempt.error_detail).toContain(shown)
    expect(attempt.response_headers.location).toContain(shown)
    expect(JSON.stringify(attempt)).not.toContain('s3cret')
  })
})

describe('a receiver that repeats what it was sent', () => {
  const token = 'c2VjcmV0L29m/dGhlK3Nob3A='
  const headers = { authorization: `Bearer ${token}`, 'x-inner-key': 'not-for-logs', 'x-stage': 'prod' }

  test.each([
    ['in a page', (said: string) => `prod: ${said}`, 'prod: ***'],
    ['in JSON', (said: string) => JSON.stringify({ said }).replaceAll('/', '\\/'), '{"said":"***"}'],
    ['among bytes that are no text', (said: string) => `\0${said}`, '\0***'],
    ['where its page is cut', (said: string) => `${'x'.repeat(16_370)} ${said}`, `${'x'.repeat(16_370)} ***`],
  ])('%s leaves no custom header in the log', async (_name, page, shown) => {
    const { orgId } = await aShop(
      ({ headers: got }) => answer(500, page(got.authorization ?? ''), { 'x-echo': `key=${got['x-inner-key']}` }),
      { custom_headers: headers },
    )
    await bench.note(orgId, 'echoed')
    await attempted(orgId, 1)
    const [attempt] = (await deliveryOf(orgId)).attempts
    const kept = Buffer.from(attempt.response_body, attempt.response_encoding)
    expect(kept.toString()).toBe(shown)
    expect(attempt.response_headers['x-echo']).toBe('key=***')
    const { rows } = await bench.database.one<{ rows: string }>`
      select json_agg(attempt)::text as rows from webhook_attempts attempt where org_id = ${orgId}`
    for (const secret of [token, 'not-for-logs']) expect(rows).not.toContain(secret)
  })

  test('and its own settings leaves no signing secret in the log', async () => {
    const { orgId, endpoint } = await aShop(() => answer(500, `WEBHOOK_SECRET=${endpointSecret} TZ=UTC`))
    const endpointSecret = endpoint.secret
    await bench.note(orgId, 'dumped')
    await attempted(orgId, 1)
    expect((await deliveryOf(orgId)).attempts[0].response_body).toBe('WEBHOOK_SECRET=*** TZ=UTC')
  })
})

describe('other failures', () => {
  test('are tried again on the schedule, with every wait between 80 and 120 per cent of its step', async () => {
    const steps = [5, 30, 120]
    const { orgId } = await aShop(() => answer(404))
    await bench.note(orgId, 'again')
    for (const [index, step] of steps.entries()) {
      await attempted(orgId, index + 1)
      const { next_attempt_at: nextAt, attempts } = await deliveryOf(orgId)
      const waitMs = Date.parse(nextAt) - Date.parse(attempts.at(-1).started_at)
      expect(waitMs).toBeGreaterThan(step * 800 - 10)
      expect(waitMs).toBeLessThan(step * 1200 + 1000)
      bench.advance(Date.parse(nextAt) - bench.clock.now() + 1)
    }
    await attempted(orgId, 4)
  })

  test('end with the schedule of the endpoint: failed, recorded, and without effect on others', async () => {
    const { orgId, receiver } = await aShop(() => answer(500), { retry_delays_seconds: [1] })
    const watcher = await aReceiver()
    await bench.anEndpoint(orgId, { url: watcher.url, events: ['delivery.exhausted'] })
    await bench.note(orgId, 'doomed')
    await attempted(orgId, 1)
    bench.advance(1_500)
    await until(async () => (await deliveriesOf(orgId)).some((delivery) => delivery.status === 'failed'))
    const delivery = (await deliveriesOf(orgId)).find(({ status }) => status === 'failed')
    expect(delivery).toMatchObject({ reason: 'exhausted', attempt_count: 2, next_attempt_at: null })
    await until(() => watcher.requests.length === 1)
    const event = JSON.parse((watcher.requests[0] as HookReceiver['requests'][0]).body.toString())
    expect(event).toMatchObject({ type: 'delivery.exhausted', data: { id: delivery.id, status: 'failed' } })
    expect(receiver.requests).toHaveLength(2)
  })

  test('to connect are recorded by class, without the words of the socket', async () => {
    const { orgId, receiver } = await aShop(() => answer())
    receiver.stop()
    await bench.note(orgId, 'no one home')
    await attempted(orgId, 1)
    const [attempt] = (await deliveryOf(orgId)).attempts
    expect(attempt).toMatchObject({ error_class: 'refused', response_status: null, ip: '127.0.0.1' })
    expect(attempt.error_detail).not.toContain('ECONN')
  })
})

describe('the webhook-delivery header', () => {
  const authority = createTestCertificate({ subject: 'Test Authority', isAuthority: true })
  const certificate = createTestCertificate({ subject: 'hook', addresses: ['127.0.0.1'], issuer: authority })
  const secureShop = async (reply: Parameters<typeof aReceiver>[0]) => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(reply, { tls: { cert: certificate.cert, key: certificate.key } })
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, tls: { ca: authority.cert } })
    return { orgId, receiver, endpoint }
  }

  test('abort-message ends the attempts of this delivery and of no other', async () => {
    const { orgId, receiver, endpoint } = await secureShop((_, nth) =>
      nth === 1 ? answer(500, '', { 'webhook-delivery': 'abort-message' }) : answer(),
    )
    await bench.note(orgId, 'unwanted')
    await attempted(orgId, 1)
    expect(await deliveryOf(orgId)).toMatchObject({ status: 'failed', reason: 'aborted_by_receiver' })
    await bench.note(orgId, 'wanted')
    await until(() => receiver.requests.length === 2)
    expect((await endpointOf(orgId, endpoint.id)).state).toBe('enabled')
  })

  test('abort-message ends the attempts also when it answers a resend by hand', async () => {
    const { orgId, receiver } = await secureShop((_, nth) =>
      answer(500, '', nth === 1 ? {} : { 'webhook-delivery': 'abort-message' }),
    )
    await bench.note(orgId, 'unwanted')
    await attempted(orgId, 1)
    const { id } = await deliveryOf(orgId)
    await bench.call(orgId, 'POST', `/deliveries/${id}/resend`)
    await attempted(orgId, 2)
    expect(await deliveryOf(orgId)).toMatchObject({ status: 'failed', reason: 'aborted_by_receiver' })
    bench.advance(60_000)
    await bench.claimsPass()
    expect(receiver.requests).toHaveLength(2)
  })

  test('abort-message ends a delivery that is held, when a resend by hand is answered by it', async () => {
    const { orgId, receiver, endpoint } = await secureShop(() =>
      answer(500, '', { 'webhook-delivery': 'abort-message' }),
    )
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    await bench.note(orgId, 'unwanted')
    await until(async () => (await deliveriesOf(orgId))[0]?.status === 'held')
    await bench.call(orgId, 'POST', `/deliveries/${(await deliveryOf(orgId)).id}/resend`)
    await attempted(orgId, 1)
    expect(await deliveryOf(orgId)).toMatchObject({ status: 'failed', reason: 'aborted_by_receiver' })
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: { mode: 'recover_held' } })
    await bench.claimsPass()
    expect(receiver.requests).toHaveLength(1)
  })

  test('disable stops the endpoint and keeps pending deliveries', async () => {
    const { orgId, receiver, endpoint } = await secureShop((_, nth) =>
      nth === 1 ? answer(500, '', { 'webhook-delivery': 'disable' }) : answer(),
    )
    await bench.note(orgId, 'first')
    await until(async () => (await endpointOf(orgId, endpoint.id)).disabled_reason === 'receiver_wish')
    await bench.note(orgId, 'second')
    await until(async () => (await deliveriesOf(orgId)).length === 2)
    bench.advance(60_000)
    await bench.claimsPass()
    expect(receiver.requests).toHaveLength(1)
    const held = { status: 'held', reason: 'endpoint_disabled', next_attempt_at: null }
    expect(await deliveriesOf(orgId)).toMatchObject([held, held])
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: {} })
    await until(() => receiver.requests.length === 3)
    expect(textsOf(receiver.requests).sort()).toEqual(['first', 'first', 'second'])
  })

  test('is not obeyed over plain http, where anyone on the way could write it', async () => {
    const { orgId, endpoint } = await aShop(() => answer(500, '', { 'webhook-delivery': 'disable' }))
    await bench.note(orgId, 'x')
    await attempted(orgId, 1)
    expect((await endpointOf(orgId, endpoint.id)).state).toBe('enabled')
    expect((await deliveryOf(orgId)).status).toBe('pending')
  })
})
