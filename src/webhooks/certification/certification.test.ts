import { afterAll, beforeAll, expect, test } from 'bun:test'
import '../../events/account.events.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { openDeliveryBench } from '../../../test/support/delivery.ts'
import { loopbackEgress } from '../../../test/support/egress.ts'
import { quietLog } from '../../../test/support/log.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { noCloudApi } from '../../../test/support/no-cloud-api.ts'
import { createTestApi } from '../../../test/support/public-api.ts'
import { TEST_SECRET_KEY } from '../../../test/support/secret-key.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'
import {
  byTheBook,
  type Handle,
  startWebhookReceiver,
  type WebhookReceiver,
  withoutVerification,
} from '../../../test/support/webhook-receivers.ts'
import { findLastSequence } from '../../events/event-feed.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scopes.ts'
import { ensurePartitions } from '../../platform/database/daily-partitions.ts'
import { createSecretBox, deriveKey } from '../../platform/database/secret-box.ts'
import { createOutbox, type Outbox } from '../../platform/outbox/outbox.ts'
import { NewWebhookEndpoint } from '../endpoints/endpoints.schemas.ts'
import { createHandshake } from '../endpoints/endpoints.ts'
import { deleteEndpoint, pauseEndpoint, rotateSecret } from '../management/endpoint-actions.ts'
import { createEndpoint } from '../management/endpoint-settings.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { certifyJob } from './certification.jobs.ts'
import { certificationRoutes } from './certification.routes.ts'

/** Certifications through the API and the outbox; what the probes find is tested beside them. */
const db = useTestDatabase()
const bench = openDeliveryBench()
const receivers: WebhookReceiver[] = []
const secretBox = createSecretBox(deriveKey(TEST_SECRET_KEY, 'webhooks'))
let [api, outbox, context, orgId, otherOrgId] = [] as unknown as [
  ReturnType<typeof createTestApi>,
  Outbox,
  WebhooksContext,
  OrgId,
  OrgId,
]

beforeAll(async () => {
  const { database } = db
  await ensurePartitions(database, { table: 'events', idPrefix: 'evt', retentionDays: 1 }, systemClock.now())
  orgId = (await anOrganization(database)).id
  otherOrgId = (await anOrganization(database)).id
  context = {
    database,
    clock: systemClock,
    secretBox,
    egress: loopbackEgress,
    wake: () => {},
    shakeHands: createHandshake({ egress: loopbackEgress, clock: systemClock, userAgent: 'Nexkit/0.0.0-test' }),
    findNumber: noCloudApi.findNumber,
  }
  outbox = createOutbox({
    database,
    jobs: [certifyJob({ database, clock: systemClock, secretBox, client: bench.client() })],
    clock: systemClock,
    log: quietLog,
    processId: 'prc_test',
    pace: { drainMs: 200 },
  })
  await outbox.start()
  api = createTestApi({ database, clock: systemClock, routes: certificationRoutes(context) })
})

afterAll(async () => {
  await outbox.stop()
  bench.close()
  for (const receiver of receivers) receiver.stop()
})

/** The receiver learns the secret after it was made, as a person would paste it in. */
async function anEndpoint(handle: (secret: string) => Handle, fields: object = {}) {
  let current: Handle = () => 503
  const receiver = await startWebhookReceiver((webhook) => current(webhook))
  receivers.push(receiver)
  const input = NewWebhookEndpoint.parse({ url: receiver.url, ...fields })
  const { endpoint, secret } = await db.database.transaction((tx) => createEndpoint(context, tx, orgId, input))
  current = handle(secret)
  return { endpoint, receiver, secret }
}

async function call(
  method: string,
  path: string,
  { org = orgId, scope = 'webhooks:write' }: { org?: OrgId; scope?: Scope } = {},
) {
  const response = await api(method, path, { orgId: org, scopes: [scope] })
  return { status: response.status, location: response.headers.get('location'), json: await response.json() }
}

const read = (location: string) => call('GET', location.replace('/api/public/v1', ''), { scope: 'webhooks:read' })

async function reportOf(endpointId: Id<'wep'>) {
  const started = await call('POST', `/webhook-endpoints/${endpointId}/certify`)
  expect([started.status, started.json.status]).toEqual([202, 'pending'])
  let report = await read(started.location as string)
  await until(async () => {
    report = await read(started.location as string)
    return report.json.completed_at !== null
  })
  return report.json
}

test('a receiver on the official library gets an A, with every exchange in the report', async () => {
  const { endpoint } = await anEndpoint(byTheBook)
  const report = await reportOf(endpoint.id)
  expect([report.status, report.grade, report.likely_bugs]).toEqual(['completed', 'A', []])
  expect(report.probes.length).toBe(16)
  const [plain] = report.probes
  expect(plain.exchanges[0].received).toMatchObject({ status: 204, error_class: null })
  expect(plain.exchanges[0].sent.body).toStartWith('{"object":"event","id":"evt_')
  expect(plain.exchanges[0].sent.signed_headers['webhook-signature']).toMatch(/^v1,/)
})

test('a receiver that verifies nothing gets an F with the reason', async () => {
  const { endpoint } = await anEndpoint(() => withoutVerification)
  const report = await reportOf(endpoint.id)
  expect([report.grade, report.likely_bugs[0].code]).toEqual(['F', 'does_not_verify'])
  expect(report.summary).toContain('does not verify')
})

test('a certification names order_assumed when the receiver refuses an event older than the newest it has seen', async () => {
  let newest = ''
  const { endpoint } = await anEndpoint((secret) => (webhook) => {
    const status = byTheBook(secret)(webhook)
    const { created_at: createdAt } = JSON.parse(webhook.body.toString())
    if (status !== 204 || createdAt >= newest) newest = status === 204 ? createdAt : newest
    else return 409
    return status
  })
  const report = await reportOf(endpoint.id)
  expect(report.likely_bugs.map(({ code }: { code: string }) => code)).toEqual(['order_assumed'])
})

test('every probe says that it is a test and carries no sequence when an endpoint is certified', async () => {
  const { endpoint, receiver } = await anEndpoint(byTheBook)
  const before = await findLastSequence(db.database, orgId)
  await reportOf(endpoint.id)
  const bodies = receiver.received.map(({ body }) => JSON.parse(body.toString()))
  expect(bodies.map(({ test, sequence }) => ({ test, sequence }))).toEqual(
    bodies.map(() => ({ test: true, sequence: null })),
  )
  expect(await findLastSequence(db.database, orgId)).toBe(before)
})

test('a paused endpoint, and one whose secret was just rotated, can be certified', async () => {
  const { endpoint } = await anEndpoint(byTheBook)
  await db.database.transaction((tx) => pauseEndpoint(context, tx, orgId, { id: endpoint.id }))
  await db.database.transaction((tx) => rotateSecret(context, tx, orgId, { id: endpoint.id, overlapSeconds: 3600 }))
  const report = await reportOf(endpoint.id)
  expect([
    report.grade,
    report.probes[0].exchanges[0].sent.signed_headers['webhook-signature'].split(' ').length,
  ]).toEqual(['A', 2])
})

test('custom headers are sent and stay out of the report, as do secrets', async () => {
  const { endpoint, receiver, secret } = await anEndpoint(byTheBook, {
    custom_headers: { 'x-inner-token': 'hush-hush' },
  })
  const report = await reportOf(endpoint.id)
  expect(receiver.received[0]?.headers['x-inner-token']).toBe('hush-hush')
  expect(JSON.stringify(report)).not.toContain('hush-hush')
  expect(JSON.stringify(report)).not.toContain(secret.slice('whsec_'.length))
})

test('nothing of a certification is recorded as event, delivery or failure of the endpoint', async () => {
  const { endpoint } = await anEndpoint(() => () => 500)
  const counts = () => db.database.one<{ events: number; deliveries: number }>`
    select (select count(*)::int from events where org_id = ${orgId}) as events,
      (select count(*)::int from webhook_deliveries where org_id = ${orgId}) as deliveries`
  const before = await counts()
  expect((await reportOf(endpoint.id)).likely_bugs[0].code).toBe('handler_fails')
  expect(await counts()).toEqual(before)
  const lane = await db.database.one<{ breaker: string; health: { failuresSinceSuccess?: number } }>`
    select breaker, health from outbox_lanes where id = ${`${endpoint.id}:by-hand`}`
  expect([lane.breaker, lane.health.failuresSinceSuccess ?? 0]).toEqual(['closed', 0])
})

test('a second certification while one runs is refused and names it, and is possible afterwards', async () => {
  const gate = Promise.withResolvers<void>()
  const { endpoint } = await anEndpoint((secret) => async (webhook) => {
    await gate.promise
    return byTheBook(secret)(webhook)
  })
  const first = await call('POST', `/webhook-endpoints/${endpoint.id}/certify`)
  await until(async () => (await read(first.location as string)).json.status === 'running')
  const second = await call('POST', `/webhook-endpoints/${endpoint.id}/certify`)
  expect([second.status, second.json.code, second.json.params.certification_id]).toEqual([
    409,
    'certification_running',
    first.json.id,
  ])
  gate.resolve()
  await until(async () => (await read(first.location as string)).json.status === 'completed')
  expect((await reportOf(endpoint.id)).grade).toBe('A')
})

test('another organization, another endpoint and a read-only key get nowhere', async () => {
  const { endpoint } = await anEndpoint(byTheBook)
  const other = await anEndpoint(byTheBook)
  const { id } = await reportOf(endpoint.id)
  const path = (endpointId: string) => `/webhook-endpoints/${endpointId}/certifications/${id}`
  const foreign = { org: otherOrgId, scope: 'webhooks:read' as const }
  expect((await call('GET', path(endpoint.id), foreign)).json.code).toBe('webhook_endpoint_not_found')
  expect((await call('GET', path(other.endpoint.id), { scope: 'webhooks:read' })).json.code).toBe(
    'certification_not_found',
  )
  const certify = `/webhook-endpoints/${endpoint.id}/certify`
  expect((await call('POST', certify, { org: otherOrgId })).status).toBe(404)
  expect((await call('POST', certify, { scope: 'webhooks:read' })).status).toBe(403)
})

test('the certification of an endpoint that is deleted before its turn is never sent', async () => {
  const { endpoint } = await anEndpoint(byTheBook)
  await outbox.stop()
  const started = await call('POST', `/webhook-endpoints/${endpoint.id}/certify`)
  await db.database.transaction((tx) => deleteEndpoint(context, tx, orgId, { id: endpoint.id }))
  expect((await read(started.location as string)).json.code).toBe('webhook_endpoint_not_found')
  const entries = await db.database.many`select id from outbox_entries where id = ${started.json.id}`
  expect(entries.length).toBe(0)
})

test('a certification that is asked for while its endpoint is being deleted finds none', async () => {
  const { endpoint } = await anEndpoint(byTheBook)
  const { asked } = await db.database.transaction(async (tx) => {
    await deleteEndpoint(context, tx, orgId, { id: endpoint.id })
    const asked = call('POST', `/webhook-endpoints/${endpoint.id}/certify`)
    await untilLockIsAwaited(db.database)
    return { asked }
  })
  const { status, json } = await asked
  expect([status, json.code]).toEqual([404, 'webhook_endpoint_not_found'])
})

test('only the last twenty of an endpoint are kept', async () => {
  const { endpoint } = await anEndpoint(byTheBook)
  await db.database.run`
    insert into webhook_certifications (org_id, id, endpoint_id, status, failure, created_at, completed_at)
    select ${orgId}, 'job_0' || lpad(number::text, 25, '0'), ${endpoint.id}, 'failed', 'test', now(), now()
    from generate_series(1, 30) number`
  await call('POST', `/webhook-endpoints/${endpoint.id}/certify`)
  const kept = await db.database.many<{ id: string }>`
    select id from webhook_certifications where org_id = ${orgId} and endpoint_id = ${endpoint.id} order by id`
  expect([kept.length, kept[0]?.id.endsWith('12')]).toEqual([20, true])
})
