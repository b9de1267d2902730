import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { quietLog } from '../../test/support/log.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { until } from '../../test/support/until.ts'
import { type Handle, startWebhookReceiver, type WebhookReceiver } from '../../test/support/webhook-receivers.ts'
import { createWebhookWorker, prepareWebhookTables, type WebhookWorker } from '../../test/support/webhook-worker.ts'
import { allEventTypes, type EventType, findEventType } from '../events/event-catalogue.ts'
import { recordEvents } from '../events/recording.ts'
import { systemClock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import { deliveryCommands } from './delivery.commands.ts'
import { endpointCommands } from './endpoint.commands.ts'
import { erasureCommands } from './erasure.commands.ts'
import { eventCommands } from './event.commands.ts'
import { recoveryCommands } from './recovery.commands.ts'

/** Looking at deliveries and events and getting them back, beside a worker that delivers, on one database. */
const db = useTestDatabase()
useCommandSettings(db, { NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8' })
const commands = [...endpointCommands, ...recoveryCommands, ...deliveryCommands, ...eventCommands, ...erasureCommands]
let [slug, orgId, worker, receiver] = [] as unknown as [string, OrgId, WebhookWorker, WebhookReceiver]
let handle: Handle = () => 200

beforeAll(async () => {
  await prepareWebhookTables(db.database)
  const organization = await anOrganization(db.database)
  ;[slug, orgId] = [organization.slug, organization.id as OrgId]
  worker = createWebhookWorker({ database: db.database, pace: { drainMs: 200 }, log: quietLog })
  await worker.start()
  receiver = await startWebhookReceiver((webhook) => handle(webhook))
})

beforeEach(() => {
  handle = () => 200
})

afterAll(async () => {
  receiver.stop()
  await worker.stop()
})

const run = (words: string) => runCommand(commands, [...words.split(' '), '--org', slug])

const runJson = async (words: string) => JSON.parse((await run(`${words} --json`)).out)
const anEndpoint = (more = ''): Promise<{ id: string }> => runJson(`endpoint create --url ${receiver.url}${more}`)

/** Something that happens; the example of the catalogue does as data. */
async function happen(name: string): Promise<string> {
  const type = findEventType(name) as EventType
  const [event] = await db.database.transaction((tx) =>
    recordEvents(tx, orgId, [{ type, subject: 'key_1', data: type.example }], systemClock.now()),
  )
  return (event as { id: string }).id
}

const deliveryOf = async (eventId: string, endpointId: string, status: string) => {
  let found: { id: string } | undefined
  await until(async () => {
    const { data } = await runJson(`delivery list --event ${eventId} --endpoint ${endpointId}`)
    found = data.find((delivery: { status: string }) => delivery.status === status)
    return found !== undefined
  })
  return found as { id: string }
}

describe('deliveries', () => {
  test('are listed by endpoint, type, status and time, and shown with every attempt and the reason', async () => {
    handle = () => 418
    const { id } = await anEndpoint(' --events key.revoked --retry-delays-seconds 3600')
    const eventId = await happen('key.revoked')
    const delivery = await deliveryOf(eventId, id, 'pending')
    await until(async () => (await runJson(`delivery show ${delivery.id}`)).attempts.length === 1)

    const listed = async (filter: string) =>
      (await runJson(`delivery list --endpoint ${id}${filter}`)).data.map((one: { id: string }) => one.id)
    expect(await listed(' --type key.revoked --status pending,failed --since 1h')).toEqual([delivery.id])
    expect(await listed(' --type key.created')).toEqual([])
    expect(await listed(' --status succeeded')).toEqual([])
    expect(await listed(' --test')).not.toContain(delivery.id)

    const { out } = await run(`delivery show ${delivery.id}`)
    expect(out).toContain('One attempt failed so far. The next attempt is due at')
    expect(out).toMatch(/TOTAL MS/)
    expect(out).toContain('The receiver responded with status 418')
    const shown = await runJson(`delivery show ${delivery.id}`)
    expect(shown).toMatchObject({ id: delivery.id, status: 'pending', attempts: [{ number: 1, response_status: 418 }] })
    expect(shown.says).toContain('One attempt failed so far')
  })

  test.each([
    ['--type key.revokd', 'There is no event "key.revokd"; did you mean "key.revoked"?'],
    ['--type key.*', 'This must be an event name such as order.paid.'],
    ['--endpoint key_1', 'This must be an id that begins with "wep_".'],
    ['--event 4711', 'This must be an id that begins with "evt_".'],
  ])('of what cannot be are refused, as the API does: %s', async (filter, says) => {
    await expect(run(`delivery list ${filter}`)).rejects.toThrow(`${filter.split(' ')[0]}: ${says}`)
  })

  test('are sent again by hand: what comes of it is the exit code', async () => {
    handle = () => 500
    const { id } = await anEndpoint(' --events key.revoked --retry-delays-seconds 3600')
    const delivery = await deliveryOf(await happen('key.revoked'), id, 'pending')
    await until(async () => (await runJson(`delivery show ${delivery.id}`)).attempts.length === 1)
    const failed = await run(`delivery resend ${delivery.id}`)
    expect([failed.out, failed.exitCode]).toEqual([expect.stringContaining('failed (status 500)'), 1])
    handle = () => 200
    const sent = await run(`delivery resend ${delivery.id}`)
    expect([sent.out, sent.exitCode]).toEqual([expect.stringContaining('succeeded (status 200)'), 0])
    expect((await runJson(`delivery show ${delivery.id}`)).status).toBe('succeeded')
  })
})

describe('events', () => {
  test('are listed, shown and explained', async () => {
    const { id } = await anEndpoint(' --events key.created')
    const eventId = await happen('key.rotated')
    const [newest] = (await runJson('event list --types key.* --limit 1')).data
    expect(newest).toMatchObject({ id: eventId, type: 'key.rotated', data: { object: 'api_key' } })
    expect(await runJson(`event show ${eventId}`)).toEqual(newest)
    expect((await run(`event list --after ${newest.sequence - 1} --limit 1`)).out).toContain(eventId)
    expect((await run(`event show ${eventId}`)).out).toContain('"object": "api_key"')

    const { out } = await run(`event explain ${eventId} --endpoint ${id}`)
    expect(out).toContain('not_owed: The endpoint did not subscribe to key.rotated.')
    expect(out).toContain('next: To send it anyway, add "key.rotated" or "key.*"')
    expect(out).toContain('key.rotated was recorded with sequence')
    const explained = await runJson(`event explain ${eventId} --endpoint ${id}`)
    expect(explained).toMatchObject({ event_id: eventId, stories: [{ endpoint_id: id, verdict: 'not_owed' }] })
    expect((await runJson(`event explain ${eventId}`)).stories.length).toBeGreaterThan(1)
  })

  test('of every type can be asked for', async () => {
    for (const { name } of allEventTypes()) expect((await run(`event list --types ${name} --limit 1`)).exitCode).toBe(0)
  })
})

describe('endpoints', () => {
  test('are changed in what is named and nothing else, and shown', async () => {
    const { id } = await anEndpoint(' --events key.created --description Shop --max-per-second 5')
    const { out } = await run(`endpoint update ${id} --events key.* --payload thin --max-per-second=`)
    expect(out).toContain('was updated: events, payload, max_per_second')
    const shown = await runJson(`endpoint show ${id}`)
    expect(shown).toMatchObject({ events: ['key.*'], payload: 'thin', max_per_second: null, description: 'Shop' })
    expect((await run(`endpoint show ${id}`)).out).toMatch(/breaker +closed/)
  })
})

describe('an erasure', () => {
  const erased = async () =>
    (await db.database.many`select from events where org_id = ${orgId} and erased_at is not null`).length

  test('empties one event, or all events that name a person, and records it in the audit log', async () => {
    const eventId = await happen('key.revoked')
    await until(async () => (await run(`event erase ${eventId}`).catch(() => null)) !== null)
    expect(await runJson(`event show ${eventId}`)).toMatchObject({
      id: eventId,
      data: {},
      erased_at: expect.any(String),
    })
    expect((await run(`event show ${eventId}`)).out).toMatch(/^Erased +20\d\d-/m)
    await expect(run('event erase')).rejects.toThrow('Give an event or --subjects')
    await expect(run('event erase --subjects key')).rejects.toThrow('comma list of ids')

    const other = await happen('key.created')
    const { data } = await runJson(`event show ${other}`)
    const before = await erased()
    await until(async () => (await run(`event erase --subjects ${data.id}`)) !== null && (await erased()) > before)
    expect((await runJson(`event erase --subjects ${data.id}`)).erased).toBe(0)
    const acts = await db.database.many<{ act: string; actor_name: string }>`
      select act, actor_name from audit_entries where org_id = ${orgId} and act like 'erase%' order by sequence`
    expect(acts).toEqual(['eraseEventPayload', 'eraseEvents'].map((act) => ({ act, actor_name: 'command line' })))
  })
})

describe('a recovery', () => {
  const aMissedEvent = async () => {
    handle = () => 500
    const { id } = await anEndpoint(` --events key.revoked --retry-delays-seconds none`)
    const eventId = await happen('key.revoked')
    const delivery = await deliveryOf(eventId, id, 'failed')
    handle = () => 200
    return { id, delivery }
  }

  test('is counted first, then run and watched to its end', async () => {
    const { id, delivery } = await aMissedEvent()
    const dry = await run(`endpoint recover ${id} --since 1h --dry-run`)
    expect(dry.out).toContain('1 would be sent (mode failed')
    expect(await runJson(`endpoint recoveries ${id}`)).toEqual({ object: 'list', data: [] })

    const { out, err, exitCode } = await run(`endpoint recover ${id} --since 1h --wait`)
    expect([out, exitCode]).toEqual([expect.stringContaining('is completed: 1 event was sent'), 0])
    expect(err).toContain('counting')
    expect((await runJson(`delivery show ${delivery.id}`)).status).toBe('succeeded')
    expect((await run(`endpoint recoveries ${id}`)).out).toContain('1/1')
    await expect(run(`endpoint cancel-recovery ${id}`)).rejects.toThrow(
      'No recovery of this webhook endpoint is running',
    )
  })

  test('goes on when its watcher is interrupted, who says how to stop it; cancelling stops it', async () => {
    const { id, delivery } = await aMissedEvent()
    await worker.stop()
    const watching = run(`endpoint recover ${id} --since 1h --wait`)
    await until(
      async () => (await db.database.many`select from webhook_recoveries where endpoint_id = ${id}`).length > 0,
    )
    await until(() => process.listenerCount('SIGINT') > 0)
    process.emit('SIGINT')
    const { err, exitCode } = await watching
    expect([err, exitCode]).toEqual([expect.stringContaining(`endpoint cancel-recovery ${id} --org ${slug}`), 130])
    const [recovery] = (await runJson(`endpoint recoveries ${id}`)).data
    expect(recovery.finished_at).toBeNull()
    const cancelled = await runJson(`endpoint cancel-recovery ${id}`)
    expect(cancelled).toMatchObject({ id: recovery.id, status: 'cancelled', reason: 'by_request' })
    expect((await runJson(`delivery show ${delivery.id}`)).status).toBe('failed')
  })
})

test.each([
  ['delivery list --status arrived', 'pending, succeeded'],
  ['delivery list --since yesterday', '2026-11-14T09:30:00Z'],
  ['delivery list --limit 0', 'from 1 to'],
  ['delivery show dlv_1', 'no delivery'],
  ['delivery resend dlv_01k9x3m5q8e0t9v7a2b4c6d8fg', 'no delivery'],
  ['event list --types key.creatd', 'Did you mean "key.created"'],
  ['event list --after now', 'sequence of an event'],
  ['event show evt_1', 'no event'],
  ['event explain evt_01k9x3m5q8e0t9v7a2b4c6d8fg', 'no event'],
  ['event erase evt_01k9x3m5q8e0t9v7a2b4c6d8fg', 'no event'],
  ['endpoint update wep_1', 'Give at least one setting to change'],
  ['endpoint update wep_1 --payload medium', '--payload'],
  ['endpoint update wep_1 --timeout-ms soon', '--timeout-ms'],
  ['endpoint show wep_1', 'no webhook endpoint'],
  ['endpoint recover wep_1 --since 1h --mode some', '--mode'],
  ['endpoint recover wep_01k9x3m5q8e0t9v7a2b4c6d8fg --since 1h', 'no webhook endpoint'],
])('%s is refused with a sentence', async (words, sentence) => {
  await expect(run(words)).rejects.toThrow(sentence)
})
