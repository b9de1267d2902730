import { beforeAll, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import type { Tx } from './database.ts'
import { createSweep } from './sweep.ts'

const db = useTestDatabase()

beforeAll(() => db.database.script('create table leaves (id int primary key, fell_at timestamptz not null)'))

const deleteOld = (tx: Tx, rowsMax: number) => tx.run`
  delete from leaves using (
    select id from leaves where fell_at < now() order by fell_at limit ${rowsMax} for update skip locked) old
  where leaves.id = old.id`

const aSweep = (deleteBite = deleteOld) =>
  createSweep({
    database: db.database,
    what: 'leaves',
    everyMs: 60_000,
    biteRows: 10,
    deleteBites: [deleteBite],
    log: quietLog,
  })

test('a sweep deletes all old rows in bites, and younger ones stay', async () => {
  await db.database.run`
    insert into leaves select n, now() + interval '1 hour' * (case when n > 25 then 1 else -1 end)
    from generate_series(1, 30) n`
  expect(await aSweep().sweep()).toBe(25)
  const left = await db.database.many<{ id: number }>`select id from leaves order by id`
  expect(left.map(({ id }) => id)).toEqual([26, 27, 28, 29, 30])
})

test('a sweep deletes nothing while another process sweeps the same', async () => {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = aSweep(async () => {
    begun.resolve()
    await over.promise
    return 1
  }).sweep()
  await begun.promise
  const looked: number[] = []
  const second = aSweep(async () => looked.push(1))
  expect([await second.sweep(), looked]).toEqual([0, []])
  over.resolve()
  expect(await first).toBe(1)
  expect(await second.sweep()).toBe(1)
})
