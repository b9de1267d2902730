import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { copyText, copyValue } from './copy.ts'
import { databaseCode } from './database-errors.ts'

const db = useTestDatabase()
const COPY = 'set local synchronous_commit = off; copy scratch (id, note) from stdin'
const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `${from + index}\t${'note '.repeat(10)}\n`).join('')

beforeAll(() => db.database.script('create table scratch (id integer primary key, note text)'))
beforeEach(() => db.database.script('truncate scratch'))

const count = async () => (await db.database.one<{ count: number }>`select count(*) from scratch`).count
const codeOf = (copying: Promise<void>) =>
  copying.then(
    () => 'stored',
    (error) => databaseCode(error) ?? String(error),
  )

test('lines arrive as rows, with whatever characters they hold', async () => {
  await db.database.copy(COPY, '1\tpanjang 🙂 \\\\ \\t\\n\n2\t\\N\n')
  const rows = await db.database.many<{ note: string | null }>`select note from scratch order by id`
  expect(rows.map((row) => row.note)).toEqual(['panjang 🙂 \\ \t\n', null])
})

test('a copy rejects with an error at any moment, stores nothing, and leaves the next copy working', async () => {
  const refused: [string, string][] = [
    ['seven\tnot a number\n', '22P02'],
    [`${lines(5000)}seven\tnot a number at the end\n`, '22P02'],
    ['7\ta\n7\tthe same again\n', '23505'],
    ['7\tNUL \u0000\n', '22021'],
    ['7\ttoo\tmany\n', '22P04'],
  ]
  for (const [text, code] of refused) {
    expect(await codeOf(db.database.copy(COPY, text))).toBe(code)
    expect(await count()).toBe(0)
  }
  expect(await codeOf(db.database.copy('copy missing from stdin', '1\n'))).toBe('42P01')
  await db.database.copy(COPY, lines(1))
  expect(await count()).toBe(1)
})

test('copies in close succession do not disturb each other', async () => {
  for (let round = 0; round < 300; round++) await db.database.copy(COPY, lines(3, round * 3))
  await Promise.all(Array.from({ length: 30 }, (_, index) => db.database.copy(COPY, lines(3, 1000 + index * 3))))
  expect(await count()).toBe(990)
})

test('a connection that dies on the way fails that copy and no later one', async () => {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holder = db.database.transaction(async (tx) => {
    await tx.run`lock table scratch in access exclusive mode`
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const copying = codeOf(db.database.copy(COPY, lines(10)))
  const cut = async () =>
    (await db.database.run`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = ${COPY} and wait_event_type = 'Lock'`) === 1
  await until(cut)
  expect(['57P01', 'CONNECTION_CLOSED', 'ECONNRESET']).toContain(await copying)
  released.resolve()
  await holder
  await db.database.copy(COPY, lines(10))
  expect(await count()).toBe(10)
})

test('a copy inside a transaction commits or rolls back with it and leaves connections usable', async () => {
  const copyAnd = (id: number, text: string, fails = false) =>
    db.database.transaction(async (tx) => {
      await tx.run`insert into scratch (id, note) values (${id}, 'beside it')`
      await tx.copy('copy scratch (id, note) from stdin', text)
      if (fails) throw new Error('after the copy')
    })
  expect(await codeOf(copyAnd(100, lines(3)))).toBe('stored')
  expect(await count()).toBe(4)
  expect(await codeOf(copyAnd(101, lines(3)))).toBe('23505')
  expect(await codeOf(copyAnd(102, lines(3, 10), true))).toContain('after the copy')
  expect(await count()).toBe(4)
  expect(await codeOf(copyAnd(103, lines(3, 20)))).toBe('stored')
})

test('text is written so that it is read back the same', async () => {
  const texts = ['', 'plain', 'tab\t', 'line\nfeed\r', 'back\\slash', '\\N', '{"json":"\\"quoted\\""}', '🙂']
  await db.database.copy(COPY, texts.map((text, index) => `${copyValue(index)}\t${copyText(text)}\n`).join(''))
  const rows = await db.database.many<{ note: string }>`select note from scratch order by id`
  expect(rows.map((row) => row.note)).toEqual(texts)
})

test('lines are read as they arrive, however slowly, and the next statement is answered', async () => {
  await db.database.copy(COPY, lines(20_000))
  const read = await db.database.transaction(async (tx) => {
    const found: number[] = []
    for (const limit of [0, 1, 20_000]) {
      let count = 0
      for await (const part of tx.readCopy(`copy (select id, note from scratch limit ${limit}) to stdout`)) {
        expect(part.at(-1)).toBe(10)
        count += part.filter((byte) => byte === 10).length
        if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      found.push(count, (await tx.one<{ one: number }>`select 1 as one`).one)
    }
    return found
  })
  expect(read).toEqual([0, 1, 1, 1, 20_000, 1])
})

test('a read of lines rejects with the error that ends it, and undoes its transaction', async () => {
  await db.database.copy(COPY, lines(5_000))
  const reading = db.database.transaction(async (tx) => {
    await tx.run`insert into scratch (id) values (-1)`
    const rows = 'select 1 / (4000 - id) from scratch where id >= 0 order by id'
    for await (const _ of tx.readCopy(`copy (${rows}) to stdout`)) {
      // Only its end matters.
    }
  })
  expect(await codeOf(reading)).toBe('22012')
  expect(await count()).toBe(5_000)
})
