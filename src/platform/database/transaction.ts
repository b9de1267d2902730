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
    const attempt: Attempt = {
      isCommitting: false,
      isFinished: false,
      beginError: null,
      isSpoilt: false,
      poked: new Set(),
      afterCommit: [],
    }
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
  /** The commit was sent, by `finish`. */
  isFinished: boolean
  /** What `begin` failed with: there is no transaction. */
  beginError: unknown
  /** Its connection cannot be used again; without it PostgreSQL undoes the transaction by itself. */
  isSpoilt: boolean
  poked: Set<string>
  afterCommit: (() => void)[]
}

async function runOnce<Result>({ connections, work, options }: Transaction<Result>, attempt: Attempt): Promise<Result> {
  const connection = await connections.borrow()
  try {
    const begun = command(connection, freshPlans(connection) + beginStatement(options))
    if (options.opensWithReads)
      begun.catch((error) => {
        attempt.beginError = error
      })
    else await begun
    const result = await work(txOn(connection, attempt))
    await begun
    if (!attempt.isFinished) await commit(connection, attempt)
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

async function command(connection: Connection, text: string): Promise<void> {
  if (connection.isDead) throw connectionLost()
  await connection.sql.unsafe(text).simple()
}

async function commit(connection: Connection, attempt: Attempt): Promise<void> {
  if (connection.isDead) throw connectionLost()
  attempt.isCommitting = true
  return command(connection, 'commit')
}

/**
 * If a statement fails, PostgreSQL undoes the transaction and answers the commit without complaint; the failure of the
 * statement is what tells. A commit that overtook its statements would leave them outside of the transaction, so it is not
 * sent unless they are on their way.
 */
async function finish<Result>(connection: Connection, attempt: Attempt, send: () => Promise<Result>): Promise<Result> {
  const inFlightBefore = connection.inFlight
  const sending = send()
  if (connection.inFlight === inFlightBefore) {
    await sending
    throw new Error('what finishes a transaction has to be sent at once')
  }
  attempt.isFinished = true
  const [sent, committed] = await Promise.allSettled([sending, commit(connection, attempt)])
  if (sent.status === 'rejected') throw sent.reason
  if (committed.status === 'rejected') throw committed.reason
  return sent.value
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
  const choose = () => {
    if (attempt.beginError !== null) throw attempt.beginError
    if (attempt.isFinished) throw new Error('the transaction is over: nothing can be sent any more')
    return connection
  }
  const queries: Queries = queriesOn(choose)
  return {
    ...queries,
    finish: (send) => finish(connection, attempt, send),
    poke: (channel) => attempt.poked.add(channel),
    afterCommit: (callback) => attempt.afterCommit.push(callback),
    script: (text) => command(choose(), text),
    async copy(text, lines) {
      if (choose().isDead) throw connectionLost()
      attempt.isSpoilt = true
      await copyLines(connection, text, lines)
      attempt.isSpoilt = false
    },
    async savepoint(work) {
      savepoints += 1
      const name = `s${savepoints}`
      await command(choose(), `savepoint ${name}`)
      try {
        const result = await work({ ...txOn(connection, attempt), finish: (send) => send() })
        await command(choose(), `release savepoint ${name}`)
        return result
      } catch (error) {
        if (!connection.isDead) await command(connection, `rollback to savepoint ${name}`)
        throw error
      }
    },
  }
}
