import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { newId } from '../../kernel/ids.ts'
import { type Database, openDatabase } from './database.ts'
import { createGroupCommit, type Outcome } from './group-commit.ts'

const testDatabase = useTestDatabase()

/** Separate connections, so that a test can kill those that write and no others. */
let db: Database

beforeAll(async () => {
  db = openDatabase({ url: testDatabase.url, applicationName: 'group commit test' })
  await db.script(`
    create table notes (
      id text collate "C" constraint notes_pk primary key,
      written integer generated always as identity,
      key text not null,
      number integer not null constraint notes_number_positive check (number >= 0)
    );
    create table counters (
      key text constraint counters_pk primary key,
      total integer not null
    )`)
})

afterAll(() => db.close())

beforeEach(() => db.script(`truncate notes, counters; insert into counters values ('a', 0), ('b', 0), ('c', 0)`))

type Note = { id: string; key: string; number: number }
const aNote = (number: number, key = 'a'): Note => ({ id: newId('msg'), key, number })

/** Makes every insert last this long, so that a test can act while one is under way. */
let insertSeconds = 0

async function insertNotes(notes: Note[]): Promise<Outcome<string>[]> {
  await db.run`
    insert into notes (id, key, number)
    select id, key, number
    from unnest(${notes.map((note) => note.id)}::text[], ${notes.map((note) => note.key)}::text[],
                ${notes.map((note) => note.number)}::integer[]) with ordinality as batch (id, key, number, position),
         pg_sleep(${insertSeconds})
    order by position
    on conflict (id) do nothing`
  return notes.map((note) => ({ ok: true, value: note.id }))
}

const storedNumbers = async (key: string) =>
  (await db.many<{ number: number }>`select number from notes where key = ${key} order by written`).map(
    (row) => row.number,
  )

const terminateInserts = () => testDatabase.database.run`
  select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'group commit test' and datname = current_database() and wait_event = 'PgSleep'`

describe('on PostgreSQL', () => {
  test('one item among 200 that breaks a constraint is refused alone; the other 199 are stored', async () => {
    const engine = createGroupCommit({ name: 'notes', write: insertNotes })
    const notes = Array.from({ length: 200 }, (_, index) => aNote(index === 137 ? -1 : index))
    const settled = await Promise.allSettled(notes.map((note) => engine.submit(note)))
    const rejected = settled.flatMap((result, index) => (result.status === 'rejected' ? [{ index, ...result }] : []))
    expect(rejected).toMatchObject([{ index: 137, reason: { constraint_name: 'notes_number_positive' } }])
    const rows = await db.many<{ id: string }>`select id from notes`
    expect(new Set(rows.map((row) => row.id))).toEqual(
      new Set(notes.filter((note) => note.number >= 0).map((n) => n.id)),
    )
    settled.forEach((result, index) => {
      if (result.status === 'fulfilled') expect(result.value).toBe(notes[index]?.id as string)
    })
  })

  test('5,000 items of 20 keys are stored in the order of each key, with batches side by side', async () => {
    const engine = createGroupCommit({
      name: 'notes',
      write: insertNotes,
      keyOf: (note) => note.key,
      batchItemsMax: 100,
    })
    let batchesInFlightSeen = 0
    const results: Promise<string>[] = []
    for (let number = 0; number < 5_000; number++) {
      results.push(engine.submit(aNote(number, `key ${(number * 7) % 20}`)))
      if (number % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
      batchesInFlightSeen = Math.max(batchesInFlightSeen, engine.stats().batchesInFlight)
    }
    let isSettled = false
    const settled = Promise.all(results).finally(() => {
      isSettled = true
    })
    while (!isSettled) {
      await new Promise((resolve) => setImmediate(resolve))
      batchesInFlightSeen = Math.max(batchesInFlightSeen, engine.stats().batchesInFlight)
    }
    await settled
    expect(batchesInFlightSeen).toBe(2)
    for (let key = 0; key < 20; key++) {
      const expected = Array.from({ length: 5_000 }, (_, number) => number).filter(
        (number) => (number * 7) % 20 === key,
      )
      expect(await storedNumbers(`key ${key}`)).toEqual(expected)
    }
  })

  test('connections killed in the middle of the run cost a repeatable write nothing: every item once, in order', async () => {
    const engine = createGroupCommit({
      name: 'notes',
      write: insertNotes,
      keyOf: (note) => note.key,
      repeatable: true,
      batchItemsMax: 20,
    })
    const killWriters = async () => {
      insertSeconds = 0.3
      await until(async () => (await terminateInserts()) > 0)
      insertSeconds = 0
    }
    const results: Promise<string>[] = []
    for (let number = 0; number < 2_000; number++) {
      results.push(engine.submit(aNote(number, `key ${number % 10}`)))
      if (number % 500 === 250) await killWriters()
    }
    await Promise.all(results)
    expect(engine.stats()).toMatchObject({ itemsWritten: 2_000, itemsFailed: 0 })
    expect(engine.stats().batchesRepeated).toBeGreaterThan(0)
    for (let key = 0; key < 10; key++) {
      const expected = Array.from({ length: 200 }, (_, index) => index * 10 + key)
      expect(await storedNumbers(`key ${key}`)).toEqual(expected)
    }
  })

  test('an item behind a locked row fails by the lock timeout of the writer; its neighbours are stored', async () => {
    const addToCounters = (keys: string[]) =>
      db.transaction(async (tx): Promise<Outcome<string>[]> => {
        await tx.run`set local lock_timeout = '50ms'`
        await tx.run`update counters set total = total + 1 where key = any(${keys})`
        return keys.map((key) => ({ ok: true, value: key }))
      })
    const engine = createGroupCommit({ name: 'counters', write: addToCounters })
    const settled = await db.transaction(async (tx) => {
      await tx.run`update counters set total = 100 where key = 'b'`
      return Promise.allSettled(['a', 'b', 'c'].map((key) => engine.submit(key)))
    })
    expect(settled).toMatchObject([{ value: 'a' }, { reason: { code: '55P03' } }, { value: 'c' }])
    expect(await db.many`select key, total from counters order by key`).toMatchObject([
      { key: 'a', total: 1 },
      { key: 'b', total: 100 },
      { key: 'c', total: 1 },
    ])
  })

  test('more than the queue holds is refused as server_busy, and everything that was accepted is stored', async () => {
    const engine = createGroupCommit({ name: 'notes', write: insertNotes, queueItemsMax: 100, batchItemsMax: 50 })
    const settled = await Promise.allSettled(Array.from({ length: 500 }, (_, number) => engine.submit(aNote(number))))
    const accepted = settled.flatMap((result, number) => (result.status === 'fulfilled' ? [number] : []))
    expect(accepted.length).toBe(100)
    for (const result of settled) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'server_busy', status: 503 })
    }
    expect((await storedNumbers('a')).toSorted((one, other) => one - other)).toEqual(accepted)
  })

  test('after drain everything submitted before it is in the table', async () => {
    const engine = createGroupCommit({ name: 'notes', write: insertNotes, batchItemsMax: 30, waitMsMax: 60_000 })
    const results = Array.from({ length: 1_000 }, (_, number) => engine.submit(aNote(number)))
    await engine.drain()
    expect(await db.one`select count(*) as total from notes`).toMatchObject({ total: 1_000 })
    await Promise.all(results)
  })
})
