import type { Database, Tx } from './database.ts'

class Undone extends Error {}

/** Runs work in a transaction and undoes it. What the work throws is thrown; what it wrote is gone, and no one is notified. */
export async function rehearse(database: Database, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  try {
    await database.transaction(async (tx) => {
      await work(tx)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}
