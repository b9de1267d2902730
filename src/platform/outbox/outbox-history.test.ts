import { expect, test } from 'bun:test'
import { createTestDatabase } from '../../../test/support/database.ts'
import { History } from './outbox-history.suite.ts'

const HISTORIES = 100
const STEPS = 25
/** Two at a time, each in a database of its own: as many as a small machine has cores. */
const SIDE_BY_SIDE = 2

/** The seed is in the message, and the steps that led there. */
async function tell(history: History, seed: number): Promise<void> {
  try {
    await history.begin()
    for (let step = 0; step < STEPS; step++) await history.step()
    await history.finish()
  } catch (error) {
    throw new Error(`history ${seed}: ${(error as Error).message}\n${history.log.join('\n')}`, { cause: error })
  }
}

async function tellMany(first: number): Promise<number> {
  const test = await createTestDatabase()
  let told = 0
  try {
    await test.database.script('create table ledger (entry_id text, lease_number int, disposition text)')
    for (let seed = first; seed < HISTORIES; seed += SIDE_BY_SIDE) {
      await tell(new History(test.database, seed), seed)
      told += 1
    }
  } finally {
    await test.close()
  }
  return told
}

test('whatever dies whenever: nothing is lost, nothing ends twice, no cap is exceeded, everything comes to its end', async () => {
  const told = await Promise.all(Array.from({ length: SIDE_BY_SIDE }, (_, first) => tellMany(first)))
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(HISTORIES)
}, 120_000)
