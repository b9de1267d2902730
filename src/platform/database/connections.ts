import postgres from 'postgres'

/**
 * Connections, each a driver instance of exactly one, thrown away when its socket closes.
 *
 * The driver's own pool is not used, because of what it does when PostgreSQL restarts (seen with 3.4.9, and reported in
 * its issues 1066, 1133, 1154, 1208 and 1216): a connection that dies with bytes still to be written takes the process
 * down from a timer callback or hangs for ever after it reconnects, and the remaining statements of a transaction whose
 * connection died are run on the next connection, outside of any transaction. Here a dead connection is never used
 * again, not even by the driver:
 *
 *   unopened → open → dead → replaced by a new one when the next statement needs it
 *                 └→ idle for half a minute → closed, likewise
 *
 * Some connections are shared: single statements are pipelined on the one with the least to do. The others are lent out
 * whole, to one transaction at a time.
 */
export type Connection = {
  sql: postgres.Sql
  isDead: boolean
  inFlight: number
  /** When it was last lent or released. */
  usedMs: number
}

/**
 * A connection that was not used for this long is closed, except one shared and one lent: each takes PostgreSQL 3 to 15 MB,
 * and a new one is open within milliseconds.
 */
const IDLE_MS = 30_000
/** A host that is gone without a word must not keep requests from the others. */
const SEVERAL_CONNECT_SECONDS = 3

export type Connections = {
  /** The shared connection with the least to do. */
  shared(): Connection
  /** Waits until a connection can be lent out, in the order of asking. */
  borrow(): Promise<Connection>
  release(connection: Connection): void
  /** Closes those that have nothing to do; the next statement opens one anew. */
  renew(): void
  /** Closes a connection instead of releasing it, because its state is unknown. */
  discard(connection: Connection): void
  /** An extra connection outside of the count, for listening. */
  open(extra: { onNotify: (channel: string, payload: string) => void; onClose: () => void }): Connection
  close(): Promise<void>
}

/** The error that the driver throws for a lost connection, for statements that are issued after the loss. */
export const connectionLost = () =>
  Object.assign(new Error('the connection to the database was lost'), { code: 'CONNECTION_CLOSED' })

type DriverOptions = postgres.Options<Record<string, never>>

/** One driver instance with one connection. It reports its death once and never reconnects. */
function openConnection(url: string, driver: DriverOptions, onDeath: () => void): Connection {
  const connection: Connection = { sql: null as never, isDead: false, inFlight: 0, usedMs: performance.now() }
  const sql = postgres(url, {
    ...driver,
    max: 1,
    onclose() {
      if (connection.isDead) return
      connection.isDead = true
      onDeath()
      // Later, so that the driver first rejects what was under way.
      setTimeout(() => connection.sql.end({ timeout: 0 }).catch(() => {}), 0)
    },
  })
  connection.sql = sql as unknown as postgres.Sql
  return connection
}

/** The first place that is empty, or whose connection is dead or has nothing to do; else the one with the least to do. */
function placeOfLeastBusy(connections: readonly (Connection | undefined)[]): number {
  let best = 0
  for (let index = 0; index < connections.length; index++) {
    const connection = connections[index]
    if (connection === undefined || connection.isDead) return index
    if (connection.inFlight < (connections[best]?.inFlight ?? 0)) best = index
    if (connection.inFlight === 0) break
  }
  return best
}

function retire(connection: Connection, all: Set<Connection>): void {
  connection.isDead = true
  connection.sql
    .end({ timeout: 5 })
    .catch(() => {})
    .finally(() => all.delete(connection))
}

/** Marked as dead first: a connection that is closed on purpose is not lost, and other pools of the process stay on its host. */
async function endAll(all: Set<Connection>): Promise<void> {
  for (const connection of all) connection.isDead = true
  await Promise.all([...all].map((connection) => connection.sql.end({ timeout: 5 }).catch(() => {})))
}

type Pool = { sharedOnes: readonly (Connection | undefined)[]; idleOnes: Connection[]; all: Set<Connection> }

/** The first place is where a server with little to do runs its statements; of the lent ones the last to come back goes out first. */
function retireIdle({ sharedOnes, idleOnes, all }: Pool, idleMs: number): void {
  const hasIdled = ({ isDead, inFlight, usedMs }: Connection) =>
    !isDead && inFlight === 0 && performance.now() - usedMs > idleMs
  const [kept, ...lent] = idleOnes.toReversed()
  for (const connection of [...sharedOnes.slice(1), ...lent])
    if (connection !== undefined && hasIdled(connection)) retire(connection, all)
  const living = lent.filter(({ isDead }) => !isDead).toReversed()
  idleOnes.splice(0, idleOnes.length, ...living, ...(kept === undefined ? [] : [kept]))
}

function renewIdle({ sharedOnes, idleOnes, all }: Pool): void {
  for (const connection of [...sharedOnes, ...idleOnes])
    if (connection !== undefined && !connection.isDead && connection.inFlight === 0) retire(connection, all)
}

function startRetiring(pool: Pool, idleMs: number): ReturnType<typeof setInterval> {
  const timer = setInterval(() => retireIdle(pool, idleMs), idleMs / 4)
  timer.unref()
  return timer
}

type Hosts = {
  count: number
  current(): number
  urlOf(host: number): string
  /** The next connection tries the next host. */
  leave(host: number): void
}

/** By URL: what one pool of this process has found out, the others know. */
const knownHosts = new Map<string, Hosts>()

/**
 * Several hosts in a URL (`postgres://user@one,two:5433/name`) are a primary and its standbys. The driver would try the first one only,
 * so each host gets a URL. A connection that is lost, or that was refused because its host is a standby, makes the next one try the next host.
 */
function hostsOf(url: string): Hosts {
  const known = knownHosts.get(url)
  if (known !== undefined) return known
  const [, start = '', names = '', end = ''] = /^(\w+:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  const urls = names.includes(',') ? names.split(',').map((name) => `${start}${name}${end}`) : [url]
  let current = 0
  const hosts: Hosts = {
    count: urls.length,
    current: () => current,
    urlOf: (host) => urls[host] as string,
    leave(host) {
      if (host === current) current = (current + 1) % urls.length
    },
  }
  knownHosts.set(url, hosts)
  return hosts
}

function openOnPrimary(url: string, driver: DriverOptions, onDeath: () => void): Connection {
  const hosts = hostsOf(url)
  const host = hosts.current()
  const several = { target_session_attrs: 'primary' as const, connect_timeout: SEVERAL_CONNECT_SECONDS }
  return openConnection(hosts.urlOf(host), hosts.count > 1 ? { ...driver, ...several } : driver, () => {
    hosts.leave(host)
    onDeath()
  })
}

export const countHosts = (url: string): number => hostsOf(url).count

export function createConnections(options: {
  url: string
  driver: DriverOptions
  connectionsMax: number
  waitMsMax: number
  idleMs?: number
}): Connections {
  const sharedMax = Math.max(1, Math.floor(options.connectionsMax * 0.4))
  const lentMax = Math.max(1, options.connectionsMax - sharedMax)
  const sharedOnes: (Connection | undefined)[] = Array.from({ length: sharedMax })
  const idleOnes: Connection[] = []
  const all = new Set<Connection>()
  const waiting: {
    lend: (connection: Connection) => void
    fail: (error: Error) => void
    timer: ReturnType<typeof setTimeout>
  }[] = []
  let lent = 0
  let isClosed = false

  const connect = (extra: Partial<DriverOptions> = {}, onClose: () => void = () => {}): Connection => {
    if (isClosed) throw Object.assign(new Error('the database was closed'), { code: 'CONNECTION_ENDED' })
    const connection = openOnPrimary(options.url, { ...options.driver, ...extra }, () => {
      all.delete(connection)
      onClose()
    })
    all.add(connection)
    return connection
  }

  const lendNext = () => {
    while (waiting.length > 0 && lent < lentMax) {
      const next = waiting.shift()
      if (next === undefined) return
      clearTimeout(next.timer)
      lent += 1
      next.lend(takeIdle())
    }
  }

  const takeIdle = (): Connection => {
    for (let idle = idleOnes.pop(); idle !== undefined; idle = idleOnes.pop()) if (!idle.isDead) return idle
    return connect()
  }

  const retiring = startRetiring({ sharedOnes, idleOnes, all }, options.idleMs ?? IDLE_MS)

  return {
    shared() {
      const best = placeOfLeastBusy(sharedOnes)
      const chosen = sharedOnes[best]
      if (chosen !== undefined && !chosen.isDead) {
        chosen.usedMs = performance.now()
        return chosen
      }
      const fresh = connect()
      sharedOnes[best] = fresh
      return fresh
    },
    async borrow() {
      if (waiting.length === 0 && lent < lentMax) {
        const connection = takeIdle()
        lent += 1
        return connection
      }
      return new Promise((lend, fail) => {
        const entry = { lend, fail, timer: setTimeout(() => giveUp(), options.waitMsMax) }
        const giveUp = () => {
          waiting.splice(waiting.indexOf(entry), 1)
          fail(Object.assign(new Error('every database connection is busy'), { code: '53300' }))
        }
        waiting.push(entry)
      })
    },
    release(connection) {
      lent -= 1
      connection.usedMs = performance.now()
      if (!connection.isDead && !isClosed) idleOnes.push(connection)
      lendNext()
    },
    renew: () => renewIdle({ sharedOnes, idleOnes, all }),
    discard(connection) {
      lent -= 1
      connection.isDead = true
      all.delete(connection)
      connection.sql.end({ timeout: 0 }).catch(() => {})
      lendNext()
    },
    open: ({ onNotify, onClose }) => connect({ onnotify: onNotify } as never, onClose),
    async close() {
      isClosed = true
      clearInterval(retiring)
      for (const { fail, timer } of waiting.splice(0)) {
        clearTimeout(timer)
        fail(connectionLost())
      }
      await endAll(all)
    },
  }
}
