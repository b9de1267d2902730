import type { Connection } from './connection.ts'

/**
 * Idle connections by what they lead to, newest first, because the newest is the least likely to have been closed by
 * the receiver. One timer for all: it is set for the first connection that will be too old, and for nothing when there
 * is none.
 */
export type ConnectionPool = {
  take(poolKey: string): Connection | null
  /** `limitMs` is the receiver's own idea of how long it keeps an idle connection. */
  release(connection: Connection, limitMs: number | null): void
  readonly idleCount: number
  /** Closes all idle connections; later releases are closed at once. */
  close(): void
}

export type PoolLimits = { idleMs: number; idlePerOriginMax: number; idleMax: number }

/** The receiver's clock started when its last byte left, ours when it arrived; and the next request is still to travel. */
const SAFETY_MS = 1000

export function createConnectionPool(limits: PoolLimits): ConnectionPool {
  const idle = new Map<string, Connection[]>()
  let idleCount = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  let isClosed = false

  const isFresh = (connection: Connection, nowMs: number) =>
    nowMs - connection.idleSinceMs < connection.idleLimitMs && connection.isUsable

  function forget(connection: Connection): void {
    const connections = idle.get(connection.poolKey)
    // The newest is at the end, and mostly it is the newest that is taken.
    const index = connections?.lastIndexOf(connection) ?? -1
    if (connections === undefined || index === -1) return
    connections.splice(index, 1)
    idleCount -= 1
    if (connections.length === 0) idle.delete(connection.poolKey)
  }

  function sweep(): void {
    timer = null
    const nowMs = performance.now()
    for (const connection of [...idle.values()].flat()) if (!isFresh(connection, nowMs)) connection.close()
    schedule()
  }

  function schedule(): void {
    if (timer !== null || idleCount === 0) return
    const nowMs = performance.now()
    const dueMs = Math.min(...[...idle.values()].flat().map((each) => each.idleSinceMs + each.idleLimitMs))
    timer = setTimeout(sweep, Math.max(1, dueMs - nowMs))
    timer.unref()
  }

  function keep(connection: Connection, idleLimitMs: number): void {
    connection.idleSinceMs = performance.now()
    connection.idleLimitMs = idleLimitMs
    connection.onClosed = forget
    const connections = idle.get(connection.poolKey)
    if (connections === undefined) idle.set(connection.poolKey, [connection])
    else connections.push(connection)
    idleCount += 1
    schedule()
  }

  return {
    get idleCount() {
      return idleCount
    },
    take(poolKey) {
      const nowMs = performance.now()
      for (let connection = idle.get(poolKey)?.at(-1); connection; connection = idle.get(poolKey)?.at(-1)) {
        forget(connection)
        connection.onClosed = null
        if (isFresh(connection, nowMs)) return connection
        connection.close()
      }
      return null
    },
    release(connection, limitMs) {
      const idleLimitMs = limitMs === null ? limits.idleMs : Math.min(limits.idleMs, limitMs - SAFETY_MS)
      const isFull =
        idleCount >= limits.idleMax || (idle.get(connection.poolKey)?.length ?? 0) >= limits.idlePerOriginMax
      if (isClosed || isFull || idleLimitMs <= 0 || !connection.isUsable) connection.close()
      else keep(connection, idleLimitMs)
    },
    close() {
      isClosed = true
      for (const connection of [...idle.values()].flat()) connection.close()
      if (timer !== null) clearTimeout(timer)
    },
  }
}
