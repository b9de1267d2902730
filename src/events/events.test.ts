import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { inventOrganization } from '../../test/support/invented-organizations.ts'
import './account.events.ts'
import { useTestDatabase } from '../../test/support/database.ts'
import { quietLog } from '../../test/support/log.ts'
import { until } from '../../test/support/until.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { ensurePartitions } from '../platform/database/daily-partitions.ts'
import type { Tx } from '../platform/database/database.ts'
import { allEventTypes, defineEvent, envelopeOf, exampleOf } from './event-catalogue.ts'
import { getEvent, listEvents } from './event-feed.ts'
import type { NumberedEvent } from './events.sql.ts'
import { countParkedEvents, isAnyUnfollowed } from './followers.sql.ts'
import { createFollowers, createPoisonWatch, followOnce } from './followers.ts'
import { recordEvents } from './recording.ts'

const db = useTestDatabase()
const noted = defineEvent({
  name: 'test_note.written',
  description: 'A note was written.',
  data: z.object({ text: z.string() }),
  example: { text: 'x' },
})

beforeAll(() => ensurePartitions(db.database, { table: 'events', idPrefix: 'evt', retentionDays: 30 }, Date.now()))

const note = (orgId: OrgId, text: string) =>
  db.database.transaction((tx) =>
    recordEvents(tx, orgId, [{ type: noted, subject: `note-${text}`, data: { text } }], Date.now()),
  )

const sequences = async (orgId: OrgId) =>
  (await listEvents(db.database, orgId, { after: 0, limit: 1000 })).map((event) => event.sequence)

describe('sequence', () => {
  test('rises by one without gaps under forty concurrent writers, some of which fail', async () => {
    const orgId = inventOrganization()
    const writes = Array.from({ length: 40 }, (_, index) =>
      db.database.transaction(async (tx) => {
        await recordEvents(tx, orgId, [{ type: noted, subject: 's', data: { text: `${index}` } }], Date.now())
        if (index % 4 === 0) throw new Error('undone')
      }),
    )
    await Promise.allSettled(writes)
    expect(await sequences(orgId)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
  })

  test('is per organization', async () => {
    const [one, other] = [inventOrganization(), inventOrganization()]
    await note(one, 'a')
    await note(one, 'b')
    await note(other, 'c')
    expect([await sequences(one), await sequences(other)]).toEqual([[1, 2], [1]])
  })

  test('becomes visible in order: a reader never sees a number before all lower ones', async () => {
    const orgId = inventOrganization()
    let isWriting = true
    const writing = Promise.all(Array.from({ length: 60 }, (_, index) => note(orgId, `${index}`))).then(() => {
      isWriting = false
    })
    while (isWriting) {
      const seen = await sequences(orgId)
      expect(seen).toEqual(seen.map((_, index) => index + 1))
    }
    await writing
  })
})

describe('body', () => {
  test('is stored as the exact bytes, with the sequence in it, and satisfies its schema', async () => {
    const orgId = inventOrganization()
    const [prepared] = await note(orgId, 'café ☕ "quoted"')
    const event = await getEvent(db.database, orgId, prepared?.id ?? '')
    const body = JSON.parse(event.body)
    expect(body).toMatchObject({
      object: 'event',
      id: event.id,
      type: 'test_note.written',
      sequence: 1,
      tenant: orgId,
      data: { text: 'café ☕ "quoted"' },
    })
    expect(envelopeOf(noted).safeParse(body).success).toBe(true)
  })

  test('of another organization is not found', async () => {
    const [prepared] = await note(inventOrganization(), 'mine')
    await expect(getEvent(db.database, inventOrganization(), prepared?.id ?? '')).rejects.toThrow('no event')
  })
})

describe('catalogue', () => {
  test.each(allEventTypes().map((type) => [type.name, type] as const))(
    'the example of %s satisfies its schema',
    (_, type) => {
      const result = envelopeOf(type).safeParse(exampleOf(type))
      expect(result.success ? [] : result.error.issues).toEqual([])
    },
  )
})

describe('a follower', () => {
  const collect = (seen: number[]) => ({
    name: `collector-${newId('job')}`,
    async handle(_: Tx, __: OrgId, events: readonly NumberedEvent[]) {
      seen.push(
        ...events
          .filter((event) => event.type === noted.name && event.org_id === followed)
          .map((event) => event.sequence),
      )
    },
  })
  let followed: OrgId

  beforeEach(async () => {
    await db.database.run`delete from event_backlog`
    await db.database.run`update event_counters set followed_until = last_sequence`
  })

  test('sees every event once and in order, with four workers at it', async () => {
    followed = inventOrganization()
    for (let index = 0; index < 30; index++) await note(followed, `${index}`)
    const seen: number[] = []
    const follower = collect(seen)
    await Promise.all(Array.from({ length: 4 }, () => followOnce(db.database, follower)))
    await note(followed, 'late')
    await followOnce(db.database, follower)
    expect(seen).toEqual(Array.from({ length: 31 }, (_, index) => index + 1))
  })

  test('that fails for one organization follows the others all the same', async () => {
    const orgs = [inventOrganization(), inventOrganization(), inventOrganization()] as const
    for (const orgId of orgs) await note(orgId, 'one')
    const seen: OrgId[] = []
    const failing = {
      name: `failing-${newId('job')}`,
      async handle(_: Tx, orgId: OrgId) {
        if (orgId === orgs[1]) throw new Error('crash')
        seen.push(orgId)
      },
    }
    expect((await followOnce(db.database, failing)).failures).toEqual([new Error('crash')])
    expect(seen).toEqual(expect.arrayContaining([orgs[0], orgs[2]]))
  })

  test('that fails for one organization delays no other that has more than a page of events', async () => {
    const [long, failed] = [inventOrganization(), inventOrganization()]
    const notes = Array.from({ length: 501 }, (_, index) => ({
      type: noted,
      subject: `note-${index}`,
      data: { text: `${index}` },
    }))
    await db.database.transaction((tx) => recordEvents(tx, long, notes, Date.now()))
    await note(failed, 'one')
    let handled = 0
    const failing = {
      name: `failing-${newId('job')}`,
      async handle(_: Tx, orgId: OrgId, events: readonly NumberedEvent[]) {
        if (orgId === failed) throw new Error('crash')
        if (orgId === long) handled += events.length
      },
    }
    expect(await followOnce(db.database, failing)).toMatchObject({ hasMore: true, failures: [new Error('crash')] })
    expect(await followOnce(db.database, failing)).toMatchObject({ hasMore: false, failures: [new Error('crash')] })
    expect(handled).toBe(501)
  })

  test('parks the one event on which it goes on failing and handles those around it', async () => {
    followed = inventOrganization()
    for (const text of ['one', 'poison', 'three']) await note(followed, text)
    const seen: number[] = []
    const follower = collect(seen)
    const failing = {
      ...follower,
      async handle(tx: Tx, orgId: OrgId, events: readonly NumberedEvent[]) {
        if (events.some(({ org_id, sequence }) => org_id === followed && sequence === 2)) throw new Error('crash')
        await follower.handle(tx, orgId, events)
      },
    }
    let nowMs = 0
    const limits = { pageEvents: 500, triesMax: 3, failingMsMin: 1000 }
    const watch = createPoisonWatch({ now: () => nowMs }, limits)
    const before = await countParkedEvents(db.database)
    const rounds = []
    for (; rounds.length < 20 && seen.length < 2; nowMs += 400)
      rounds.push((await followOnce(db.database, failing, '', watch)).parked)
    await followOnce(db.database, failing, '', watch)
    expect(rounds.flat()).toEqual([{ org_id: followed, sequence: 2, event_id: expect.stringMatching(/^evt_/) }])
    expect(rounds.length).toBeGreaterThan(limits.triesMax)
    expect(seen).toEqual([1, 3])
    expect(await countParkedEvents(db.database)).toBe(before + 1)
  })

  test('does not park an event while the database is in trouble', () => {
    const watch = createPoisonWatch({ now: () => 0 }, { pageEvents: 500, triesMax: 1, failingMsMin: 0 })
    const trouble = Object.assign(new Error('too many connections'), { code: '53300' })
    const answers = Array.from({ length: 5 }, () => watch.failed('follower', inventOrganization(), trouble))
    expect(answers).not.toContain(true)
  })

  test('keeps a day while an event of it is not followed', async () => {
    followed = inventOrganization()
    const follower = collect([])
    await followOnce(db.database, follower)
    await note(followed, 'unseen')
    const day = { from: new Date(Date.now() - 3_600_000), before: new Date(Date.now() + 3_600_000) }
    const earlier = { from: new Date(0), before: day.from }
    expect(await isAnyUnfollowed(db.database, day)).toBe(true)
    expect(await isAnyUnfollowed(db.database, earlier)).toBe(false)
    await followOnce(db.database, follower)
    expect(await isAnyUnfollowed(db.database, day)).toBe(false)
  })

  test('that fails has moved nothing and starts again from the same event', async () => {
    followed = inventOrganization()
    await note(followed, 'one')
    const seen: number[] = []
    const follower = collect(seen)
    const failing = { ...follower, handle: () => Promise.reject(new Error('crash')) }
    expect((await followOnce(db.database, failing)).failures).toContainEqual(new Error('crash'))
    await followOnce(db.database, follower)
    expect(seen).toEqual([1])
  })

  test('that fails for ever for hundreds of organizations still follows those after them', async () => {
    for (let index = 0; index < 13; index++)
      await Promise.all(Array.from({ length: 32 }, () => note(inventOrganization(), 'doomed')))
    const healthy = inventOrganization()
    const seen: number[] = []
    const failing = {
      name: `failing-${newId('job')}`,
      async handle(_: Tx, orgId: OrgId, events: readonly NumberedEvent[]) {
        if (orgId !== healthy) throw new Error('crash')
        seen.push(...events.map((event) => event.sequence))
      },
    }
    const followers = createFollowers({
      database: db.database,
      clock: systemClock,
      log: quietLog,
      follower: failing,
    })
    await note(healthy, 'one')
    await followers.start()
    await until(() => seen.length === 1)
    await note(healthy, 'two')
    await until(() => seen.length === 2)
    await followers.stop()
    expect(seen).toEqual([1, 2])
  })
})
