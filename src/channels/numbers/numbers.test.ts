import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { aNewNumber, aNumber, createTestChannels, type TestChannels } from '../../../test/support/channels.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { GRAPH_TOKEN } from '../../../test/support/graph-server.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { ProblemError } from '../../kernel/errors.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { createSecretBox } from '../../platform/database/secret-box.ts'
import { laneStatus } from '../../platform/outbox/lanes.ts'
import { inboundLaneOf, mediaLaneOf, sendLaneOf } from './number-lanes.ts'
import { presentNumber } from './number-view.ts'
import type { NewNumberInput, NumberChangeInput } from './numbers.schemas.ts'
import {
  createNumber,
  deleteNumber,
  findByPhoneNumberId,
  getDefaultNumber,
  getNumber,
  listNumbers,
  pauseNumber,
  resumeNumber,
  updateNumber,
} from './numbers.ts'

const db = useTestDatabase()
let channels = {} as TestChannels
let [orgId, otherOrgId] = [] as unknown as [OrgId, OrgId]

beforeAll(async () => {
  channels = await createTestChannels(db.database)
  orgId = (await anOrganization(db.database)).id
  otherOrgId = (await anOrganization(db.database)).id
})
afterAll(() => channels.remove())

const create = (input: NewNumberInput, owner = orgId) =>
  db.database.transaction((tx) => createNumber(channels.context, tx, owner, input))
const update = (id: string, change: NumberChangeInput) =>
  db.database.transaction((tx) => updateNumber(channels.context, tx, orgId, { id, change }))
const pause = (id: string, reason = 'test') =>
  db.database.transaction((tx) => pauseNumber(channels.context, tx, orgId, { id, reason }))
const resume = (id: string) => db.database.transaction((tx) => resumeNumber(channels.context, tx, orgId, { id }))
const remove = (id: string) => db.database.transaction((tx) => deleteNumber(channels.context, tx, orgId, { id }))
const open = (id: string) => channels.numbers.open(orgId, id)
const laneState = async (id: string) =>
  (await laneStatus(db.database, { orgId, id: sendLaneOf(id) }, new Date()))?.state

const problemOf = async (work: Promise<unknown>): Promise<ProblemError> => {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  )
  if (!(error instanceof ProblemError)) throw new Error(`no problem but ${error}`)
  return error
}
const pointersOf = (problem: ProblemError) => problem.options.errors?.map((field) => field.pointer)

describe('a new number', () => {
  test('can be opened with its credentials, which stand nowhere in clear', async () => {
    const input = aNewNumber({ name: 'Toko', settings: { waba_id: '1022901', messages_per_second: 20 } })
    const { number, generated } = await create(input)
    expect(generated).toEqual({})
    expect(number).toMatchObject({ name: 'Toko', state: 'connected', connector: 'whatsapp-cloud', base_url: null })
    expect((await open(number.id))?.number).toEqual({
      orgId,
      id: number.id,
      phoneNumberId: input.phone_number_id,
      displayPhone: input.display_phone,
      baseUrl: null,
      credentials: input.credentials as Record<string, string>,
      settings: { waba_id: '1022901', messages_per_second: 20 },
    })
    const [row] = await db.database.many<{ text: string }>`
      select channel_numbers::text as text from channel_numbers where org_id = ${orgId} and id = ${number.id}`
    expect(row?.text).not.toContain(GRAPH_TOKEN)
    const view = await presentNumber(channels.context, db.database, number)
    expect(JSON.stringify(view)).not.toContain(GRAPH_TOKEN)
    expect(view).toMatchObject({
      webhook_url: `http://localhost:3900/hooks/whatsapp-cloud/${number.id}`,
      credentials: { access_token: 'set', app_secret: 'set', verify_token: 'set' },
      health: { last_event_at: null, last_error: null, queued: 0 },
    })
  })

  test('has a lane for sending, paced and ordered by chat, one for what comes in and one for files', async () => {
    const { id } = await aNumber(channels, orgId, { settings: { messages_per_second: 20, pair_gap_ms: 250 } })
    const now = new Date()
    const [send, inbound, media] = await Promise.all(
      [sendLaneOf(id), inboundLaneOf(id), mediaLaneOf(id)].map((lane) =>
        laneStatus(db.database, { orgId, id: lane }, now),
      ),
    )
    expect(send?.settings).toMatchObject({ ordering: 'by_key', ratePerSecond: 20, keyGapMs: 250 })
    expect(inbound?.settings).toMatchObject({ ordering: 'none', hasBreaker: false })
    expect(inbound?.settings.concurrencyMax).toBeGreaterThan(1)
    expect(media?.settings).toMatchObject({ ordering: 'none' })
  })

  test('sends more at a time when it may send faster, also one that an older version created', async () => {
    const settings = (messages_per_second: number) => ({ settings: { messages_per_second } })
    const atOnce = async (id: string) =>
      (await laneStatus(db.database, { orgId, id: sendLaneOf(id) }, new Date()))?.settings.concurrencyMax
    const [slow, fast] = [await aNumber(channels, orgId, settings(80)), await aNumber(channels, orgId, settings(1_000))]
    expect([await atOnce(slow.id), await atOnce(fast.id)]).toEqual([32, 64])
    await db.database.run`update outbox_lanes set concurrency_max = 32 where org_id = ${orgId}`
    const migration = join(import.meta.dirname, '../../../migrations/earlier/0055_faster_number_lanes.sql')
    await db.database.script(readFileSync(migration, 'utf8'))
    expect([await atOnce(slow.id), await atOnce(fast.id)]).toEqual([32, 64])
  })

  test('gets a verify token when none is given, shown once', async () => {
    const { number, generated } = await create(
      aNewNumber({ credentials: { access_token: GRAPH_TOKEN, app_secret: 'anAppSecret' } }),
    )
    expect(Object.keys(generated)).toEqual(['verify_token'])
    expect((await open(number.id))?.number.credentials.verify_token).toBe(generated.verify_token as string)
  })

  test('is refused with everything that is wrong at once', async () => {
    const wrong = await problemOf(create(aNewNumber({ phone_number_id: 'a b', display_phone: '0812' })))
    expect([wrong.status, pointersOf(wrong)]).toEqual([422, ['#/phone_number_id', '#/display_phone']])
    const incomplete = await problemOf(
      create(
        aNewNumber({
          credentials: { access_token: 'has blanks in it', app_key: 'x' },
          settings: { graph_version: '25', messages_per_second: -1, colour: 'red' },
        }),
      ),
    )
    expect(pointersOf(incomplete)?.toSorted()).toEqual([
      '#/credentials/access_token',
      '#/credentials/app_key',
      '#/credentials/app_secret',
      '#/settings/colour',
      '#/settings/graph_version',
      '#/settings/messages_per_second',
    ])
    const strange = await problemOf(create(aNewNumber({ connector: 'whatsap-cloud' })))
    expect(strange.options.errors?.[0]?.detail).toContain('whatsapp-cloud')
  })

  test('a phone_number_id that would stand for something else in a path is refused, with what it is', async () => {
    const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8'))
    const collections = Object.keys(paths).map((path) => path.split('/')[1] as string)
    for (const phone_number_id of [...new Set(collections), 'media', 'v1', 'v24', 'v24.0']) {
      const { status, options } = await problemOf(create(aNewNumber({ phone_number_id })))
      const [first, ...others] = options.errors ?? []
      expect([phone_number_id, status, first?.pointer, first?.code, others.length]).toEqual([
        phone_number_id,
        422,
        '#/phone_number_id',
        'reserved',
        0,
      ])
    }
    for (const phone_number_id of ['v', 'v2x', 'chats2']) await create(aNewNumber({ phone_number_id }))
  })

  test('of which there is one already is refused, in this organization and, for a real one, in any other', async () => {
    const input = aNewNumber()
    await create(input)
    expect((await problemOf(create(input))).code).toBe('number_already_connected')
    expect((await problemOf(create(input, otherOrgId))).code).toBe('number_already_connected')
    expect(await listNumbers(db.database, otherOrgId)).toEqual([])
  })

  test('made twice at the same moment is made once', async () => {
    const input = aNewNumber()
    const outcomes = await Promise.allSettled([create(input), create(input), create(input, otherOrgId)])
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled').length).toBe(1)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    expect(refused).toEqual(['number_already_connected', 'number_already_connected'])
  })
})

describe('finding a number', () => {
  test('of another organization, or one that never was, is not found', async () => {
    const { id, phone_number_id } = await aNumber(channels, orgId)
    expect((await problemOf(getNumber(db.database, otherOrgId, id))).code).toBe('number_not_found')
    expect((await problemOf(getNumber(db.database, orgId, newId('num')))).code).toBe('number_not_found')
    expect((await problemOf(getNumber(db.database, orgId, "x' or 1=1"))).code).toBe('number_not_found')
    expect(await channels.numbers.open(otherOrgId, id)).toBeNull()
    expect(await findByPhoneNumberId(db.database, otherOrgId, phone_number_id)).toBeNull()
    expect((await findByPhoneNumberId(db.database, orgId, phone_number_id))?.id).toBe(id)
  })

  test('reads nothing when it was opened at the version that the caller names', async () => {
    const { id } = await aNumber(channels, orgId)
    const { version = 0 } = (await open(id))?.row ?? {}
    await db.database.run`update channel_numbers set version = version + 1 where org_id = ${orgId} and id = ${id}`
    const versionAt = async (known: number) => (await channels.numbers.open(orgId, id, known))?.row.version
    expect(await versionAt(version)).toBe(version)
    expect(await versionAt(version + 1)).toBe(version + 1)
    expect(await channels.numbers.open(otherOrgId, id, version + 1)).toBeNull()
  })

  test('without naming one gives the default, else the oldest connected one, else the oldest that waits', async () => {
    const shop = (await anOrganization(db.database)).id
    expect((await problemOf(getDefaultNumber(db.database, shop))).code).toBe('number_missing')
    const [one, two] = [await aNumber(channels, shop), await aNumber(channels, shop)]
    expect((await getDefaultNumber(db.database, shop)).id).toBe(one.id)
    await db.database.transaction((tx) => pauseNumber(channels.context, tx, shop, { id: one.id, reason: 'test' }))
    expect((await getDefaultNumber(db.database, shop)).id).toBe(two.id)
    await db.database.transaction((tx) => pauseNumber(channels.context, tx, shop, { id: two.id, reason: 'test' }))
    expect((await getDefaultNumber(db.database, shop)).id).toBe(one.id)
    const three = await aNumber(channels, shop, { is_default: true })
    expect((await getDefaultNumber(db.database, shop)).id).toBe(three.id)
    await db.database.transaction((tx) =>
      updateNumber(channels.context, tx, shop, { id: two.id, change: { is_default: true } }),
    )
    expect((await listNumbers(db.database, shop)).map((number) => number.is_default)).toEqual([false, true, false])
    for (const { id } of [one, two])
      await db.database.transaction((tx) => deleteNumber(channels.context, tx, shop, { id }))
    expect((await getDefaultNumber(db.database, shop)).id).toBe(three.id)
  })
})

describe('a change', () => {
  test('rotates one credential and leaves the others; the next call uses it', async () => {
    const { id } = await aNumber(channels, orgId)
    const before = await open(id)
    await update(id, { credentials: { access_token: 'EAAanother' }, settings: { messages_per_second: 5 } })
    const after = await open(id)
    expect(after?.number.credentials).toEqual({ ...before?.number.credentials, access_token: 'EAAanother' })
    expect((await laneStatus(db.database, { orgId, id: sendLaneOf(id) }, new Date()))?.settings.ratePerSecond).toBe(5)
    await update(id, { settings: { messages_per_second: null }, name: 'Baru' })
    expect((await open(id))?.row).toMatchObject({ name: 'Baru', settings: {} })
    expect((await laneStatus(db.database, { orgId, id: sendLaneOf(id) }, new Date()))?.settings.ratePerSecond).toBe(80)
  })

  test('that would leave a required credential out is refused and changes nothing', async () => {
    const { id } = await aNumber(channels, orgId)
    const before = await open(id)
    expect(pointersOf(await problemOf(update(id, { credentials: { app_secret: null } })))).toEqual([
      '#/credentials/app_secret',
    ])
    expect((await open(id))?.number).toEqual(before?.number as never)
  })

  test('that sends a number elsewhere asks for its credentials again, so that moving it does not reveal them', async () => {
    const { id } = await aNumber(channels, orgId)
    const credentials = (await open(id))?.number.credentials ?? {}
    const { verify_token: made, ...given } = credentials
    const elsewhere = { base_url: 'https://graph.example.com' }
    const refusal = await problemOf(update(id, elsewhere))
    expect(pointersOf(refusal)).toEqual(Object.keys(given).map((name) => `#/credentials/${name}`))
    await update(id, { ...elsewhere, credentials: given })
    await update(id, { base_url: 'https://graph.example.com/v2' })
    expect((await open(id))?.number).toMatchObject({ baseUrl: 'https://graph.example.com/v2', credentials })
    await update(id, { base_url: null })
    expect(made).toBeString()
    expect((await open(id))?.number).toMatchObject({ baseUrl: null, credentials })
  })

  test.each([
    'http://graph.example.com',
    'https://10.1.2.3',
    'http://169.254.169.254/latest',
    'https://metadata.internal',
    'https://graph.example.com:22',
    'https://user@graph.example.com',
    'https://graph.example.com/?a=1',
    'https://graph.example.com?',
    'https://graph.example.com/#',
    'graph',
  ])('to the address %s is refused', async (base_url) => {
    const { id } = await aNumber(channels, orgId)
    expect(pointersOf(await problemOf(update(id, { base_url })))).toEqual(['#/base_url'])
  })

  test('to an address that was pasted with what stands around it is one to the address', async () => {
    const { id } = await aNumber(channels, orgId)
    const { verify_token: _, ...credentials } = (await open(id))?.number.credentials ?? {}
    await update(id, { base_url: ' https://graph.example.com/v2/\n', credentials })
    expect((await open(id))?.number.baseUrl).toBe('https://graph.example.com/v2')
  })

  test('a number whose secret key was lost is shown, and takes its credentials anew', async () => {
    const { id } = await aNumber(channels, orgId)
    const credentials = (await open(id))?.number.credentials ?? {}
    const context = { ...channels.context, secretBox: createSecretBox(new Uint8Array(32).fill(7)) }
    const shown = async () => presentNumber(context, db.database, await getNumber(db.database, orgId, id))
    const change = (given: Record<string, string>) =>
      db.database.transaction((tx) => updateNumber(context, tx, orgId, { id, change: { credentials: given } }))
    expect(Object.values((await shown()).credentials)).not.toContain('set')
    expect(pointersOf(await problemOf(change({ access_token: 'EAAanother' })))).toContain('#/credentials/app_secret')
    await change(credentials)
    expect((await shown()).credentials).toMatchObject({ access_token: 'set', app_secret: 'set' })
  })

  test('an opened number is opened again only after a change', async () => {
    const { id } = await aNumber(channels, orgId)
    const [one, two] = [await open(id), await open(id)]
    expect(two?.number).toBe(one?.number as never)
    await update(id, { name: 'Baru' })
    expect((await open(id))?.number).not.toBe(one?.number as never)
  })
})

describe('pausing', () => {
  test('stops the lane for sending and keeps the first reason; resuming opens it', async () => {
    const { id } = await aNumber(channels, orgId)
    expect(await pause(id, 'credentials_refused')).toMatchObject({
      state: 'paused',
      state_reason: 'credentials_refused',
    })
    expect(await pause(id, 'another')).toMatchObject({ state_reason: 'credentials_refused' })
    expect(await laneState(id)).toBe('paused')
    expect((await open(id))?.row.state).toBe('paused')
    expect(await resume(id)).toMatchObject({ state: 'connected', state_reason: null })
    expect(await laneState(id)).toBe('open')
  })

  test('and changing at the same moment wait for each other without a deadlock', async () => {
    const { id } = await aNumber(channels, orgId)
    const rounds = Array.from({ length: 8 }, (_, index) => [
      pause(id),
      update(id, { name: `N ${index}` }),
      resume(id),
    ]).flat()
    expect((await Promise.allSettled(rounds)).map((outcome) => outcome.status)).toEqual(rounds.map(() => 'fulfilled'))
  })
})

describe('a deleted number', () => {
  test('loses its credentials, lets go what waits, and can no longer be opened, changed or paused', async () => {
    const { id } = await aNumber(channels, orgId)
    await pause(id)
    expect(await remove(id)).toMatchObject({ state: 'disconnected', sealed_credentials: null })
    expect(await laneState(id)).toBe('open')
    expect(await open(id)).toBeNull()
    expect(await channels.numbers.openById(id)).toBeNull()
    for (const work of [() => update(id, { name: 'x' }), () => pause(id), () => resume(id)])
      expect((await problemOf(work())).code).toBe('number_disconnected')
    expect((await getNumber(db.database, orgId, id)).id).toBe(id)
  })

  test('comes back under its old id, with the settings given then', async () => {
    const input = aNewNumber({ settings: { ambiguous: 'resend' } })
    const { number } = await create(input)
    await remove(number.id)
    const { number: again } = await create({ ...input, name: 'Lagi', settings: {} })
    expect(again).toMatchObject({ id: number.id, name: 'Lagi', state: 'connected', settings: {} })
    expect((await open(number.id))?.number.credentials).toEqual(input.credentials as Record<string, string>)
  })

  test('is free for another organization', async () => {
    const input = aNewNumber()
    await remove((await create(input)).number.id)
    expect((await create(input, otherOrgId)).number.org_id).toBe(otherOrgId)
    expect((await problemOf(create(input))).code).toBe('number_already_connected')
  })
})

describe('health', () => {
  test('is written together, and an older sign never replaces a newer one', async () => {
    const [one, two] = [await aNumber(channels, orgId), await aNumber(channels, orgId)]
    channels.health.heardOf(orgId, one.id)
    channels.health.failed(orgId, one.id, { code: 'throttled', detail: 'first' })
    channels.health.failed(orgId, one.id, { code: 'credentials_refused', detail: 'x'.repeat(2000) })
    channels.health.failed(orgId, two.id, { code: 'throttled', detail: 'only' })
    await channels.health.flush()
    const row = await getNumber(db.database, orgId, one.id)
    expect(row.last_event_at).toBeInstanceOf(Date)
    expect([row.last_error_code, row.last_error?.length]).toEqual(['credentials_refused', 500])
    expect(await getNumber(db.database, orgId, two.id)).toMatchObject({ last_error: 'only', last_event_at: null })
    await db.database.run`
      update channel_numbers set last_error_at = now() + interval '1 hour', last_event_at = now() + interval '1 hour'
      where org_id = ${orgId} and id = ${one.id}`
    channels.health.failed(orgId, one.id, { code: 'late', detail: 'late' })
    await channels.health.flush()
    expect((await getNumber(db.database, orgId, one.id)).last_error_code).toBe('credentials_refused')
  })
})
