import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { until } from '../../../test/support/until.ts'
import { createDatabaseClock } from './database-clock.ts'
import { listenForRings, openDoorbell, type Ring, readRing } from './doorbell.ts'

const db = useTestDatabase()

async function listen() {
  const rings: Ring[] = []
  const listener = await listenForRings(db.database, { onRing: (ring) => rings.push(ring), onMissed: () => {} })
  return { rings, listener }
}

test('many wake-ups become a few notifications that together name every organization', async () => {
  const { rings, listener } = await listen()
  const bell = openDoorbell({ database: db.database, processId: 'prc_one', log: quietLog, coalesceMs: 20 })
  for (let index = 0; index < 100; index++) bell.ring([`org_${index % 50}`])
  await bell.close()
  await until(() => new Set(rings.flatMap((ring) => ring.orgIds)).size === 50)
  expect(rings.length).toBeLessThan(5)
  expect(rings.every((ring) => ring.processId === 'prc_one' && !ring.isEveryOrg)).toBe(true)
  await listener.close()
})

test('more organizations than a notification can name become a wake-up for all', async () => {
  const { rings, listener } = await listen()
  const bell = openDoorbell({ database: db.database, processId: 'prc_one', log: quietLog })
  bell.ring(Array.from({ length: 1_000 }, (_, index) => `org_with_a_rather_long_name_${index}`))
  await bell.close()
  await until(() => rings.length === 1)
  expect(rings).toEqual([{ processId: 'prc_one', orgIds: [], isEveryOrg: true }])
  await listener.close()
})

test('a wake-up without names is for all', () => {
  expect(readRing('prc_one\n*')).toEqual({ processId: 'prc_one', orgIds: [], isEveryOrg: true })
})

test('a poke is for all', () => {
  expect(readRing('')).toEqual({ processId: '', orgIds: [], isEveryOrg: true })
})

test('the database clock tells the time of the database', async () => {
  const clock = createDatabaseClock(db.database)
  await clock.start()
  const { ms } = await db.database.one<{
    ms: number
  }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
  expect(Math.abs(clock.now() - ms)).toBeLessThan(250)
  await clock.stop()
})
