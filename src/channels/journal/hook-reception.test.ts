import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  aNumber,
  createTestChannels,
  createTestChannelsAt,
  journalOf,
  TEST_APP_SECRET,
  TEST_VERIFY_TOKEN,
  type TestChannels,
} from '../../../test/support/channels.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { aBatch, signedWebhook } from '../../../test/support/graph-server.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { fixedClock, systemClock } from '../../kernel/clock.ts'
import { isId, newId, type OrgId } from '../../kernel/ids.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { isDatabaseUnavailable } from '../../platform/database/database-errors.ts'
import type { RawHook } from '../channel-connector.ts'
import { inboundLaneOf } from '../numbers/number-lanes.ts'
import { type BusinessNumber, deleteNumber, getNumber, pauseNumber } from '../numbers/numbers.ts'
import { APPLY_JOB, listJournaled, markApplied } from './journal.ts'

const db = useTestDatabase()
let channels = {} as TestChannels
let orgId = '' as OrgId
let number = {} as BusinessNumber

beforeAll(async () => {
  channels = await createTestChannels(db.database)
  orgId = (await anOrganization(db.database)).id
  number = await aNumber(channels, orgId)
})
afterAll(() => channels.remove())

const aHook = (text: string, secret = TEST_APP_SECRET): RawHook => {
  const messages = [{ from: '62812', id: `wamid.${text}`, timestamp: '1790000000', type: 'text', text: { body: text } }]
  const { body, headers } = signedWebhook(aBatch(number.phone_number_id, { messages }), secret)
  return { method: 'POST', query: new URLSearchParams(), headers, body }
}
const receive = (hook: RawHook, id: string = number.id) => channels.receiveHook('whatsapp-cloud', id, hook)
const journaled = () => journalOf(db.database, orgId, number.id)
const entries = () =>
  db.database.many<{ id: string; job: string; payload: object }>`
    select id, job, payload from outbox_entries where lane_id = ${inboundLaneOf(number.id)} order by id`

test('a genuine batch is journaled byte by byte, with the work of applying it, before the answer', async () => {
  const hook = aHook('é 😀')
  const before = (await journaled()).length
  expect(await receive(hook)).toMatchObject({ status: 200, owner: { orgId, id: number.id } })
  const rows = await journaled()
  expect(rows.length).toBe(before + 1)
  const [row] = rows
  expect(Buffer.from(row?.body ?? []).equals(Buffer.from(hook.body))).toBe(true)
  expect(isId('jrn', row?.id ?? '')).toBe(true)
  expect((await entries()).at(-1)).toEqual({
    id: row?.id ?? '',
    job: APPLY_JOB,
    payload: { number_id: number.id },
  })
  expect(channels.wokenOrgs).toContain(number.org_id)
  await channels.health.flush()
  expect((await getNumber(db.database, orgId, number.id)).last_event_at).not.toBeNull()
})

test('many at once are all kept, also one of three megabytes', async () => {
  const before = (await journaled()).length
  const hooks = [...Array.from({ length: 40 }, (_, index) => aHook(`m${index}`)), aHook('x'.repeat(2_900_000))]
  const answers = await Promise.all(hooks.map((hook) => receive(hook)))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  expect((await journaled()).length).toBe(before + hooks.length)
})

test('a forged batch leaves no trace', async () => {
  const [rows, work] = [(await journaled()).length, (await entries()).length]
  expect(await receive(aHook('forged', 'anotherSecret'))).toMatchObject({
    status: 401,
    detail: 'the signature is wrong',
  })
  expect([(await journaled()).length, (await entries()).length]).toEqual([rows, work])
})

test('the handshake is answered with the challenge, and a wrong word with 403', async () => {
  const ask = (token: string) => {
    const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': '42', 'hub.verify_token': token })
    return receive({ method: 'GET', query, headers: new Headers(), body: new Uint8Array(0) })
  }
  expect(await ask(TEST_VERIFY_TOKEN)).toMatchObject({ status: 200, body: '42' })
  expect(await ask('guess')).toMatchObject({ status: 403 })
})

test('an unknown number, a disconnected one and one of another connector are not found', async () => {
  const gone = await aNumber(channels, orgId)
  await db.database.transaction((tx) => deleteNumber(channels.context, tx, orgId, { id: gone.id }))
  expect((await receive(aHook('x'), newId('num'))).status).toBe(404)
  expect((await receive(aHook('x'), gone.id)).status).toBe(404)
  expect((await receive(aHook('x'), "num_' or 1=1")).status).toBe(404)
  expect((await channels.receiveHook('simulator', number.id, aHook('x'))).status).toBe(404)
})

test('a paused number still receives', async () => {
  const paused = await aNumber(channels, orgId)
  await db.database.transaction((tx) => pauseNumber(channels.context, tx, orgId, { id: paused.id, reason: 'test' }))
  expect((await receive(aHook('x'), paused.id)).status).toBe(200)
})

test('a transaction that is undone leaves neither journal nor work, and wakes no one', async () => {
  const [rows, work, rings] = [(await journaled()).length, (await entries()).length, channels.wokenOrgs.length]
  const target = { orgId, id: number.id }
  const undone = db.database.transaction(async (tx) => {
    await channels.appendToJournal(tx, target, new Uint8Array([1, 2, 3]))
    throw new Error('undone')
  })
  expect(await undone.catch((error) => error.message)).toBe('undone')
  expect([(await journaled()).length, (await entries()).length, channels.wokenOrgs.length]).toEqual([rows, work, rings])
  await db.database.transaction((tx) => channels.appendToJournal(tx, target, new Uint8Array([1, 2, 3])))
  expect([(await journaled()).length, (await entries()).length]).toEqual([rows + 1, work + 1])
  expect(channels.wokenOrgs.at(-1)).toBe(number.org_id)
})

test('what was applied is marked, with the problem when there was one', async () => {
  await receive(aHook('applied'))
  const [row] = await journaled()
  const now = new Date()
  await markApplied(db.database, orgId, [{ id: row?.id ?? '', problem: '1 of 2 could not be read' }], now)
  const read = (orgId: OrgId) => listJournaled(db.database, orgId, [row?.id ?? ''])
  expect(await read(orgId)).toMatchObject([{ applied_at: now, problem: '1 of 2 could not be read' }])
  const other = (await anOrganization(db.database)).id
  expect(await read(other)).toEqual([])
})

test('a process that slept past the days it prepared makes the missing one', async () => {
  const clock = fixedClock(systemClock.now())
  const later = createTestChannelsAt(db.database, clock)
  clock.advance(20 * 24 * 3600 * 1000)
  expect((await later.receiveHook('whatsapp-cloud', number.id, aHook('late'))).status).toBe(200)
  later.remove()
})

test('while the database is away nothing is answered as taken', async () => {
  const away = openDatabase({ url: 'postgres://postgres@127.0.0.1:1/nowhere', connectTimeoutSeconds: 1 })
  const cut = createTestChannelsAt(away, systemClock)
  const error = await cut.receiveHook('whatsapp-cloud', number.id, aHook('x')).catch((thrown) => thrown)
  expect(isDatabaseUnavailable(error)).toBe(true)
  await away.close()
  cut.remove()
})
