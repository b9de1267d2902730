import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { activeSpan, inSpan } from '../telemetry/spans.ts'
import { arrayTypes } from './array-types.ts'
import { type Connection, type Connections, countHosts, createConnections } from './connections.ts'
import { copyLines } from './copy.ts'
import { createNotifications } from './notifications.ts'
import {
  type Listener,
  type ListenSession,
  type Queries,
  queriesOn,
  type TransactionOptions,
  type Tx,
} from './queries.ts'
import { runTransaction } from './transaction.ts'

export type { Ending, Listener, ListenSession, Queries, SqlValue, TransactionOptions, Tx } from './queries.ts'

/**
 * The one way to PostgreSQL. SQL is written by hand in tagged templates; values become parameters, never text.
 *
 * A transaction pipelines its statements: those issued without waiting for each other travel together, so
 * `await Promise.all([tx.run`…`, tx.run`…`])` costs one round trip. Between `begin` and `commit` nothing but
 * statements may happen: no outbound call, no wait for anything else.
 */
export type Database = Queries & {
  transaction<Result>(work: (tx: Tx) => Promise<Result>, options?: TransactionOptions): Promise<Result>
  /**
   * Calls `onMessage` for every notification on the channel. `onConnect` runs each time the listening connection is
   * (re)established: whatever was sent before that moment may have been missed.
   */
  listen(
    channel: string,
    onMessage: (payload: string) => void,
    onConnect?: () => void,
    session?: ListenSession,
  ): Promise<Listener>
  /**
   * Wakes the listeners of the channel without a payload: those of this process right away, others by a notification that many
   * pokes share. It is sent outside of any transaction, because notifying transactions commit one after another.
   */
  poke(channel: string): void
  /** Notifies other processes; sends nothing while no other process listens. */
  notify(channel: string, payload: string): Promise<void>
  /** Whether no other process listens, as far as this one knows. One that starts looks for itself before it relies on others. */
  setAlone(isAlone: boolean): void
  /** Runs text that holds several statements, or one that takes long, on a separate connection. No parameters. */
  script(text: string): Promise<void>
  /**
   * `copy … from stdin`, fed with lines in the text form of COPY: all of them are stored, or none. `set local …;` may
   * precede it in the same text; both are then one transaction. Half the cost of the best multi-row insert.
   */
  copy(text: string, lines: string | Uint8Array): Promise<void>
  /** One connection to itself, for session-level locks. */
  reserve(): Promise<Queries & { release(): void }>
  /** Of several hosts in the URL, finds the one that takes writes. Says nothing when there is none: the next statement does. */
  findPrimary(): Promise<void>
  /** Looks whether the database is a cluster. Statements for one PostgreSQL are sent until then. */
  lookForShards(): Promise<void>
  /** PostgreSQL keeps plans and tables that a connection has seen in its memory: 10 MB after a start, 3 MB in a new one. */
  renewConnections(): void
  close(): Promise<void>
}

/**
 * Reads rows of several tables in one snapshot. Separate statements could see a change in one table and not in another, and one
 * answer would contradict itself.
 */
export const inOneMoment = <Result>(database: Database, read: (tx: Tx) => Promise<Result>): Promise<Result> =>
  database.transaction(read, { isolation: 'repeatable read', readOnly: true, opensWithReads: true })

export type DatabaseOptions = {
  url: string
  applicationName?: string
  connectionsMax?: number
  statementTimeoutMs?: number
  connectTimeoutSeconds?: number
  /** How long a connection may go unused before it is closed. */
  connectionIdleMs?: number
}

export function openDatabase(options: DatabaseOptions): Database {
  const connections = createConnections({
    url: options.url,
    driver: driverOptions(options),
    connectionsMax: options.connectionsMax ?? 10,
    waitMsMax: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    ...(options.connectionIdleMs !== undefined && { idleMs: options.connectionIdleMs }),
  })
  let hasShards = false
  const isSharded = () => hasShards
  const pooled = queriesOn(() => connections.shared(), isSharded)
  let isAlone = false
  const notifications = createNotifications({
    connections,
    send: async (channel, payload) =>
      isAlone ||
      pooled.run`select pg_notify(${channel}, ${payload}) from set_config('synchronous_commit', 'off', true)`,
  })
  const { poke } = notifications
  const database: Database = {
    ...pooled,
    transaction(work, transactionOptions) {
      const run = () =>
        runTransaction({ database, connections, poke, isSharded, work, options: transactionOptions ?? {} })
      return activeSpan() === null ? run() : inSpan('transaction', TRANSACTION_SPAN, run)
    },
    poke,
    listen: (channel, onMessage, onConnect = () => {}, session) =>
      notifications.listen({ channel, onMessage, onConnect, ...(session && { session }) }),
    setAlone(is) {
      isAlone = is
    },
    async notify(channel, payload) {
      if (!isAlone) await pooled.run`select pg_notify(${channel}, ${payload})`
    },
    script: (text) => onItsOwn(connections, (connection) => connection.sql.unsafe(text).simple()),
    copy: (text, lines) => onItsOwn(connections, (connection) => copyLines(connection, text, lines)),
    async reserve() {
      const connection = await connections.borrow()
      return { ...queriesOn(() => connection, isSharded), release: () => connections.release(connection) }
    },
    async findPrimary() {
      const hosts = countHosts(options.url)
      for (let tries = 0; hosts > 1 && tries < TRIES_PER_HOST * hosts; tries++) {
        if (await pooled.run`select 1`.then(isTrue, isFalse)) return
        // A connection that failed is replaced a moment after its statement was rejected.
        await pause(TRY_AGAIN_MS)
      }
    },
    async lookForShards() {
      hasShards = await areTablesDistributed(pooled)
    },
    renewConnections: connections.renew,
    close: connections.close,
  }
  return database
}

const TRIES_PER_HOST = 3
const TRY_AGAIN_MS = 20
const isTrue = () => true
const isFalse = () => false

const STATEMENT_TIMEOUT_MS = 15_000
/** A process that is frozen within a transaction holds its locks no longer than until it counts as dead (live-processes.sql.ts). */
const FROZEN_MS = 15_000
const TRANSACTION_SPAN = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const

/** The catalog of Citus exists only with the extension. */
async function areTablesDistributed(queries: Queries): Promise<boolean> {
  const { has_catalog } = await queries.one<{ has_catalog: boolean }>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null as has_catalog`
  if (!has_catalog) return false
  return (await queries.one<{ count: number }>`select count(*)::int as count from pg_dist_partition`).count > 0
}

const driverOptions = (options: DatabaseOptions): postgres.Options<Record<string, never>> => ({
  connect_timeout: options.connectTimeoutSeconds ?? 10,
  idle_timeout: 0,
  max_lifetime: null,
  onnotice: () => {},
  connection: {
    application_name: options.applicationName ?? 'nexkit',
    statement_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: FROZEN_MS,
    TimeZone: 'UTC',
  },
  types: {
    // Money and counters fit in 2^53; a bigint as text would leak into JSON as a string.
    bigint: { to: 20, from: [20], parse: Number, serialize: String },
    ...arrayTypes,
  } as never,
  fetch_types: false,
})

/** On a lent connection: what takes long there, such as a VACUUM, holds up no statement of others. */
async function onItsOwn(connections: Connections, work: (connection: Connection) => Promise<unknown>): Promise<void> {
  const connection = await connections.borrow()
  try {
    await work(connection)
  } catch (error) {
    connections.discard(connection)
    throw error
  }
  connections.release(connection)
}
