import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { until } from '../../../test/support/until.ts'
import { createDatabaseClock } from '../database/database-clock.ts'
import { listenForWakeUps, openWakeUps, readWakeUp, type WakeUp } from './wake-ups.ts'

const db = useTestDatabase()

async function listen() {
  const wakeUps: WakeUp[] = []
  const listener = await listenForWakeUps(db.database, {
    onWakeUp: (wakeUp) => wakeUps.push(wakeUp),
    onMissed: () => {},
  })
  return { wakeUps, listener }
}

test('many wake-ups become a few notifications that together name every organization', async () => {
  const { wakeUps, listener } = await listen()
  const sender = openWakeUps({ database: db.database, processId: 'prc_one', log: quietLog, coalesceMs: 20 })
  for (let index = 0; index < 100; index++) sender.send([`org_${index % 50}`])
  await sender.close()
  await until(() => new Set(wakeUps.flatMap((wakeUp) => wakeUp.orgIds)).size === 50)
  expect(wakeUps.length).toBeLessThan(5)
  expect(wakeUps.every((wakeUp) => wakeUp.processId === 'prc_one' && !wakeUp.isEveryOrg)).toBe(true)
  await listener.close()
})

test('more organizations than a notification can name become a wake-up for all', async () => {
  const { wakeUps, listener } = await listen()
  const sender = openWakeUps({ database: db.database, processId: 'prc_one', log: quietLog })
  sender.send(Array.from({ length: 1_000 }, (_, index) => `org_with_a_rather_long_name_${index}` as const))
  await sender.close()
  await until(() => wakeUps.length === 1)
  expect(wakeUps).toEqual([{ processId: 'prc_one', orgIds: [], isEveryOrg: true }])
  await listener.close()
})

test('a wake-up without names is for all', () => {
  expect(readWakeUp('prc_one\n*')).toEqual({ processId: 'prc_one', orgIds: [], isEveryOrg: true })
})

test('a poke is for all', () => {
  expect(readWakeUp('')).toEqual({ processId: '', orgIds: [], isEveryOrg: true })
})

test('the database clock shows the time of the database', async () => {
  const clock = createDatabaseClock(db.database)
  await clock.start()
  const before = clock.now()
  const { ms } = await db.database.one<{
    ms: number
  }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
  expect(ms).toBeWithin(before - 250, clock.now() + 250)
  await clock.stop()
})
