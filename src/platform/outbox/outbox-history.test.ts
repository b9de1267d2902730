import { expect, test } from 'bun:test'
import { citusUrl } from '../../../test/support/cluster.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import { History } from './outbox-history.suite.ts'

/** `NEXKIT_OUTBOX_HISTORIES=1000` plays as many of each kind. On a cluster each takes a second and more. */
const HISTORIES = Number(process.env.NEXKIT_OUTBOX_HISTORIES ?? (citusUrl() === null ? 30 : 10))
const STEPS = 25
const PLAYING_MS = 60_000 + HISTORIES * 2_000
/** Two at a time, each in a separate database: as many as a small machine has cores. */
const SIDE_BY_SIDE = 2

/** The seed is in the message, and the steps that led there. */
async function play(history: History, seed: number): Promise<void> {
  try {
    await history.begin()
    for (let step = 0; step < STEPS; step++) await history.step()
    await history.finish()
  } catch (error) {
    throw new Error(`history ${seed}: ${(error as Error).message}\n${history.log.join('\n')}`, { cause: error })
  }
}

async function playMany(
  first: number,
  kind: { isCalm: boolean },
): Promise<{ played: number; handedOver: number; lent: number }> {
  const test = await createTestDatabase()
  let [played, handedOver, lent] = [0, 0, 0]
  try {
    await test.database.script('create table ledger (entry_id text, lease_number int, disposition text)')
    for (let seed = first; seed < HISTORIES; seed += SIDE_BY_SIDE) {
      const history = new History(test.database, seed, kind)
      await play(history, seed)
      played += 1
      handedOver += history.handedOver
      lent += history.lent
    }
  } finally {
    await test.close()
  }
  return { played, handedOver, lent }
}

async function playAll(kind: { isCalm: boolean }) {
  const parts = await Promise.all(Array.from({ length: SIDE_BY_SIDE }, (_, first) => playMany(first, kind)))
  const sum = (member: 'played' | 'handedOver' | 'lent') => parts.reduce((total, part) => total + part[member], 0)
  return { played: sum('played'), handedOver: sum('handedOver'), lent: sum('lent') }
}

const PROMISE = 'nothing is lost, nothing ends twice, no cap is exceeded, every entry is finished'

test(
  `whatever dies whenever: ${PROMISE}`,
  async () => {
    expect((await playAll({ isCalm: false })).played).toBe(HISTORIES)
  },
  PLAYING_MS,
)

test(
  `whatever dies while work is handed over: ${PROMISE}`,
  async () => {
    const { played, handedOver, lent } = await playAll({ isCalm: true })
    expect(played).toBe(HISTORIES)
    expect(handedOver).toBeGreaterThan(2 * HISTORIES)
    expect(lent).toBeGreaterThan(HISTORIES / 2)
  },
  PLAYING_MS,
)
