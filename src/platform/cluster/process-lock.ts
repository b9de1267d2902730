import type { Database, ListenSession } from '../database/database.ts'
import { noteAlive, releaseProcessLock, takeProcessLock } from './live-processes.sql.ts'

/**
 * The lock that shows that a process lives, for the connection it listens on. PostgreSQL drops it with the connection.
 * While the connection is down the process gives a sign of life twice a second by another one, so that only a process that
 * cannot reach the database at all is taken for dead.
 */
const ALIVE_EVERY_MS = 500

export function createProcessLock(database: Database, processId: string): ListenSession {
  let timer: ReturnType<typeof setInterval> | null = null
  const stopTimer = () => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  const sayAlive = () => void noteAlive(database, processId).catch(() => {})
  return {
    setup: takeProcessLock(processId),
    teardown: releaseProcessLock(processId),
    /** Another process that looked just before the lock was back may have noted the loss after the last sign of life. */
    onOpen() {
      if (timer !== null) sayAlive()
      stopTimer()
    },
    onLost() {
      if (timer !== null) return
      timer = setInterval(sayAlive, ALIVE_EVERY_MS)
      timer.unref()
      sayAlive()
    },
    onClosed: stopTimer,
  }
}
