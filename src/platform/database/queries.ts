import postgres from 'postgres'
import { ARRAY_OF_BOOLEANS, ARRAY_OF_BYTES, ARRAY_OF_TIMES } from './array-types.ts'
import { type Connection, connectionLost } from './connections.ts'

/** Statements as tagged templates, on whichever connection they are meant for. */
export type SqlValue =
  | postgres.SerializableParameter
  | postgres.PendingQuery<postgres.Row[]>
  | postgres.Helper<never>
  | unknown

type Statement<Result> = (strings: TemplateStringsArray, ...values: SqlValue[]) => Result

export type Queries = {
  /** All rows. */
  many: <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) => Promise<Row[]>
  /** Exactly one row; anything else is a bug. */
  one: <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) => Promise<Row>
  /** One row or null. */
  maybeOne: <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) => Promise<Row | null>
  /** How many rows were touched. */
  run: Statement<Promise<number>>
  /** Whether the tables are spread over the nodes of a Citus cluster, as `Database.lookForShards` found. */
  isSharded: () => boolean
  /** A piece of SQL to be placed inside another statement. */
  part: Statement<postgres.PendingQuery<postgres.Row[]>>
}

export type Tx = Queries & {
  /** Runs the work so that its failure undoes only the work, not the transaction around it. */
  savepoint<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Runs text that holds several statements (migrations). No parameters. */
  script(text: string): Promise<void>
  /** As in Database; alone, not together with other statements. A copy that fails takes the transaction with it. */
  copy(text: string, lines: string | Uint8Array): Promise<void>
  /** `copy … to stdout`: whole lines as they arrive. Alone, as above. Unless all are read, the transaction is undone. */
  readCopy(text: string): AsyncGenerator<Uint8Array>
  /** Pokes the channel once the transaction has committed, and not at all when it is undone. */
  poke(channel: string): void
  /**
   * Sends the statements of `send` and the commit in one go, for work that has nothing to decide after them: a round trip
   * less. Nothing can follow. `send` must issue all its statements before it waits for anything. Within a savepoint there
   * is nothing to commit, and it only sends.
   */
  finish<Result>(send: () => Promise<Result>): Promise<Result>
  /**
   * Keeps an item for the end: all items that were given for the same `write` are handed to it right before the commit, and
   * its statements travel with that. For rows that many transactions lock: the lock is then held for the time that
   * PostgreSQL needs, without the time of this process. `write` must issue all its statements before it waits for anything.
   */
  atEnd<Item>(write: WriteAtEnd<Item>, ...items: Item[]): void
  /** Runs once the transaction has committed, in this process only: what must not be lost is a row instead. */
  afterCommit(callback: () => void): void
  /** Runs when the transaction is undone, or its outcome is unknown. */
  afterRollback(callback: () => void): void
}

/** What a write at the end may know and ask for. */
export type Ending = {
  /** The database of the transaction: what belongs to a process and a database is found by it. */
  database: object
  /** As in Tx, both. */
  poke(channel: string): void
  afterCommit(callback: () => void): void
  /** Runs when the transaction is undone, or its outcome is unknown. */
  afterRollback(callback: () => void): void
}

export type WriteAtEnd<Item> = (queries: Queries, items: Item[], ending: Ending) => Promise<unknown>

export type TransactionOptions = {
  isolation?: 'read committed' | 'repeatable read' | 'serializable'
  readOnly?: boolean
  /**
   * The work begins with statements that change nothing (locks may be taken), and waits for them: `begin` then travels
   * with these, which saves a round trip. Should it fail, they ran outside of the transaction, and nothing after them runs.
   */
  opensWithReads?: boolean
}

export type Listener = { close(): Promise<void> }

/**
 * What the listening connection carries for one listener besides its notifications: `setup` runs whenever the connection is
 * opened, `teardown` when this listener closes and others go on.
 */
export type ListenSession = { setup: string; teardown: string; onOpen(): void; onLost(): void; onClosed(): void }

/** Without a stated type the driver treats an array of times, booleans or bytes as a single such value. */
function typedValue(value: SqlValue): SqlValue {
  if (!Array.isArray(value)) return value
  const sample = value.find((item) => item !== null)
  const type = arrayTypeOf(sample)
  return type === null ? value : parts.typed(value as never, type)
}

function arrayTypeOf(sample: unknown): number | null {
  if (sample instanceof Date) return ARRAY_OF_TIMES
  if (typeof sample === 'boolean') return ARRAY_OF_BOOLEANS
  return sample instanceof Uint8Array ? ARRAY_OF_BYTES : null
}

/** The driver's type of a value leaves out what it accepts. */
const typedValues = (values: SqlValue[]) =>
  values.map((value) => typedValue(value)) as postgres.ParameterOrFragment<never>[]

/** A part belongs to no connection; the driver only reads its text and values when it is placed inside a statement. */
const parts = postgres({ max: 0 })

export function queriesOn(choose: () => Connection, isSharded: () => boolean): Queries {
  const query = async (strings: TemplateStringsArray, values: SqlValue[]) => {
    const connection = choose()
    if (connection.isDead) throw connectionLost()
    const typed = typedValues(values)
    connection.inFlight += 1
    try {
      return await connection.sql(strings, ...typed)
    } finally {
      connection.inFlight -= 1
    }
  }
  const wrongCount = (expected: string, rows: { length: number }, strings: TemplateStringsArray) =>
    new Error(`expected ${expected}, got ${rows.length}: ${strings.join('?').trim().slice(0, 200)}`)
  return {
    many: async <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) =>
      (await query(strings, values)) as unknown as Row[],
    one: async <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) => {
      const rows = await query(strings, values)
      if (rows.length !== 1) throw wrongCount('one row', rows, strings)
      return rows[0] as Row
    },
    maybeOne: async <Row>(strings: TemplateStringsArray, ...values: SqlValue[]) => {
      const rows = await query(strings, values)
      if (rows.length > 1) throw wrongCount('at most one row', rows, strings)
      return (rows[0] as Row | undefined) ?? null
    },
    run: async (strings, ...values) => (await query(strings, values)).count,
    isSharded,
    part: (strings, ...values) => parts(strings, ...typedValues(values)),
  }
}

/**
 * From here on no statement of the transaction waits for a lock longer than that. A plain `set local`, and no call of
 * `set_config`: Citus passes only the former on to the node where the lock is.
 */
export const limitLockWaits = (tx: Tx, lockMs: number): Promise<void> =>
  tx.script(`set local lock_timeout = ${Math.round(lockMs)}`)
