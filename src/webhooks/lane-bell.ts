import type { Database, Listener, Tx } from '../platform/database/database.ts'

/**
 * Tells the outbox which lanes have new work once the transaction that put it there has committed. The lanes are
 * remembered here, the commit pokes a channel, and what comes back on the channel is the sign that they can be told. A
 * transaction that is undone leaves lanes that are told for nothing, which is harmless; a poke that is lost costs the time
 * until the outbox looks by itself.
 */
const CHANNEL = 'nexkit_webhooks'

export type LaneBell = {
  /** In the transaction that enqueues. */
  ringAfterCommit(tx: Tx, laneIds: Iterable<string>): void
  /** After the commit. */
  ring(laneIds: Iterable<string>): void
  start(): Promise<void>
  stop(): Promise<void>
}

export function createLaneBell(database: Database, wake: (laneIds: readonly string[]) => void): LaneBell {
  const waiting = new Set<string>()
  let listener: Listener | null = null
  const tell = () => {
    if (waiting.size === 0) return
    const laneIds = [...waiting]
    waiting.clear()
    wake(laneIds)
  }
  return {
    ringAfterCommit(tx, laneIds) {
      for (const laneId of laneIds) waiting.add(laneId)
      tx.poke(CHANNEL)
    },
    ring: (laneIds) => wake([...laneIds]),
    async start() {
      listener = await database.listen(CHANNEL, tell, tell)
    },
    async stop() {
      await listener?.close().catch(() => {})
    },
  }
}
