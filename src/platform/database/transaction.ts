import { type Connection, type Connections, connectionLost } from './connections.ts'
import { copyLines } from './copy.ts'
import { isConnectionFailure, isSerializationFailure } from './database-errors.ts'
import { type Queries, queriesOn, type TransactionOptions, type Tx } from './queries.ts'

/**
 * begin → work → commit, on a connection of its own. Undone on any error.
 *
 * Run again: after a serialization failure or deadlock (the database undid it), and after a connection was lost before
 * the commit was sent (nothing was committed). Not run again: a connection lost while committing, because the commit may
 * have held. Once the connection is lost, whatever the work still tries is refused.
 */
const TRIES_MAX = 8

export type Transaction<Result> = {
  connections: Connections
  poke: (channel: string) => void
  work: (tx: Tx) => Promise<Result>
  options: TransactionOptions
}

export async function runTransaction<Result>(transaction: Transaction<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const attempt: Attempt = { isCommitting: false, isSpoilt: false, poked: new Set(), afterCommit: [] }
    try {
      const result = await runOnce(transaction, attempt)
      for (const channel of attempt.poked) transaction.poke(channel)
      for (const callback of attempt.afterCommit) callback()
      return result
    } catch (error) {
      const isSafeToRepeat = isSerializationFailure(error) || (isConnectionFailure(error) && !attempt.isCommitting)
      if (!isSafeToRepeat || tries >= TRIES_MAX) throw error
      await new Promise((resolve) => setTimeout(resolve, 10 * 2 ** tries * (0.5 + Math.random())))
    }
  }
}

type Attempt = {
  isCommitting: boolean
  /** Its connection cannot be used again; without it PostgreSQL undoes the transaction by itself. */
  isSpoilt: boolean
  poked: Set<string>
  afterCommit: (() => void)[]
}

async function runOnce<Result>({ connections, work, options }: Transaction<Result>, attempt: Attempt): Promise<Result> {
  const connection = await connections.borrow()
  try {
    await connection.sql.unsafe(freshPlans(connection) + beginStatement(options)).simple()
    const result = await work(txOn(connection, attempt))
    if (connection.isDead) throw connectionLost()
    attempt.isCommitting = true
    await connection.sql.unsafe('commit').simple()
    return result
  } catch (error) {
    if (!connection.isDead && !attempt.isSpoilt)
      await connection.sql
        .unsafe('rollback')
        .simple()
        .catch(() => {})
    throw error
  } finally {
    if (attempt.isSpoilt) connections.discard(connection)
    else connections.giveBack(connection)
  }
}

/**
 * A connection keeps the plans of its statements until a table is analyzed, which a table that fills within seconds is not
 * until the autovacuum comes round: plans made while it was empty walk all of it, for each row of a batch. Made anew,
 * they go by the size that the table has now. Planning all that a connection runs takes a few milliseconds.
 */
const PLANS_KEPT_MS = 2_000

function freshPlans(connection: Connection): string {
  const nowMs = performance.now()
  if (nowMs - connection.plansSinceMs < PLANS_KEPT_MS) return ''
  connection.plansSinceMs = nowMs
  return 'discard plans; '
}

const beginStatement = ({ isolation, readOnly }: TransactionOptions) =>
  `begin isolation level ${isolation ?? 'read committed'}${readOnly ? ' read only' : ''}`

let savepoints = 0

function txOn(connection: Connection, attempt: Attempt): Tx {
  const queries: Queries = queriesOn(() => connection)
  const command = async (text: string) => {
    if (connection.isDead) throw connectionLost()
    await connection.sql.unsafe(text).simple()
  }
  return {
    ...queries,
    poke: (channel) => attempt.poked.add(channel),
    afterCommit: (callback) => attempt.afterCommit.push(callback),
    script: command,
    async copy(text, lines) {
      if (connection.isDead) throw connectionLost()
      attempt.isSpoilt = true
      await copyLines(connection, text, lines)
      attempt.isSpoilt = false
    },
    async savepoint(work) {
      savepoints += 1
      const name = `s${savepoints}`
      await command(`savepoint ${name}`)
      try {
        const result = await work(txOn(connection, attempt))
        await command(`release savepoint ${name}`)
        return result
      } catch (error) {
        if (!connection.isDead) await command(`rollback to savepoint ${name}`)
        throw error
      }
    },
  }
}
