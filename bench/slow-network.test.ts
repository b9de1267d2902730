import { expect, test } from 'bun:test'
import { openDatabase } from '../src/platform/database/database.ts'
import { testPostgresUrl } from '../test/support/postgres.ts'
import { ONE_WAY_MS, startSlowNetwork } from './slow-network.ts'

test('a statement takes a round trip longer over the slow network, and statements sent together share it', async () => {
  const network = await startSlowNetwork(await testPostgresUrl())
  const database = openDatabase({ url: network.url, connectionsMax: 1 })
  try {
    const timed = async (work: () => Promise<unknown>) => {
      const startedMs = performance.now()
      await work()
      return performance.now() - startedMs
    }
    const look = (nth: number) => database.one<{ nth: number }>`select ${nth}::int as nth`
    await look(0)
    const oneByOneMs = await timed(async () => {
      for (let nth = 0; nth < 20; nth++) await look(nth)
    })
    expect(oneByOneMs).toBeGreaterThan(20 * 2 * ONE_WAY_MS)
    let answers: { nth: number }[] = []
    const togetherMs = await timed(async () => {
      answers = await Promise.all(Array.from({ length: 20 }, (_, nth) => look(nth)))
    })
    expect(answers.map(({ nth }) => nth)).toEqual(Array.from({ length: 20 }, (_, nth) => nth))
    expect(togetherMs).toBeLessThan(oneByOneMs)
  } finally {
    await database.close()
    await network.stop()
  }
})
