import { type Connection, type Connections, connectionLost } from './connections.ts'
import { copyLines, readCopy } from './copy.ts'
import { isConnectionFailure, isSerializationFailure } from './database-errors.ts'
import { type Queries, queriesOn, type TransactionOptions, type Tx, type WriteAtEnd } from './queries.ts'

/**
 * begin → work → commit, on a connection that no other work uses. Any error rolls it back.
 *
 * Run again: after a serialization failure or deadlock (the database undid it), and after a connection was lost before
 * the commit was sent (nothing was committed). Not run again: a connection lost while committing, because the commit may
 * have held. Once the connection is lost or the work has failed, whatever it still tries is refused: a branch that runs on would
 * write outside of the transaction.
 */
const TRIES_MAX = 8

export type Transaction<Result> = {
  database: object
  connections: Connections
  poke: (channel: string) => void
  isSharded: () => boolean
  work: (tx: Tx) => Promise<Result>
  options: TransactionOptions
}

export async function runTransaction<Result>(transaction: Transaction<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const attempt: Attempt = {
      database: transaction.database,
      isSharded: transaction.isSharded,
      isCommitting: false,
      isFinished: false,
      beginError: null,
      isSpoilt: false,
      kept: newKept(),
      onUndone: [],
    }
    try {
      const result = await runOnce(transaction, attempt)
      for (const channel of attempt.kept.poked) transaction.poke(channel)
      for (const callback of attempt.kept.afterCommit) callback()
      return result
    } catch (error) {
      for (const callback of attempt.onUndone) callback()
      const isSafeToRepeat = isSerializationFailure(error) || (isConnectionFailure(error) && !attempt.isCommitting)
      if (!isSafeToRepeat || tries >= TRIES_MAX) throw error
      await new Promise((resolve) => setTimeout(resolve, 10 * 2 ** tries * (0.5 + Math.random())))
    }
  }
}

/** What waits for the end of a transaction, by what writes it. */
type Ending = Map<WriteAtEnd<unknown>, unknown[]>

function addTo(ending: Ending, write: WriteAtEnd<unknown>, items: readonly unknown[]): void {
  const known = ending.get(write)
  if (known === undefined) ending.set(write, [...items])
  else known.push(...items)
}

/** What a transaction or a savepoint keeps for its end. Undone with it. */
type Kept = { ending: Ending; poked: Set<string>; afterCommit: (() => void)[]; isUndone: boolean }

const newKept = (): Kept => ({ ending: new Map(), poked: new Set(), afterCommit: [], isUndone: false })

function handOver(from: Kept, to: Kept): void {
  for (const [write, items] of from.ending) addTo(to.ending, write, items)
  for (const channel of from.poked) to.poked.add(channel)
  to.afterCommit.push(...from.afterCommit)
}

type Attempt = {
  database: object
  isSharded: () => boolean
  isCommitting: boolean
  /** The commit was sent by `finish`, or the work failed. */
  isFinished: boolean
  /** What `begin` failed with: there is no transaction. */
  beginError: unknown
  /** Its connection cannot be used again; PostgreSQL rolls the transaction back when the connection closes. */
  isSpoilt: boolean
  kept: Kept
  onUndone: (() => void)[]
}

async function runOnce<Result>({ connections, work, options }: Transaction<Result>, attempt: Attempt): Promise<Result> {
  const connection = await connections.borrow()
  try {
    const begun = command(connection, beginStatement(options))
    if (options.opensWithReads)
      begun.catch((error) => {
        attempt.beginError = error
      })
    else await begun
    const result = await work(txOn(connection, attempt))
    await begun
    if (!attempt.isFinished) await finish(connection, attempt, [])
    return result
  } catch (error) {
    attempt.isFinished = true
    if (!connection.isDead && !attempt.isSpoilt)
      await connection.sql
        .unsafe('rollback')
        .simple()
        .catch(() => {})
    throw error
  } finally {
    if (attempt.isSpoilt) connections.discard(connection)
    else connections.release(connection)
  }
}

async function command(connection: Connection, text: string): Promise<void> {
  if (connection.isDead) throw connectionLost()
  await connection.sql.unsafe(text).simple()
}

async function commit(connection: Connection, attempt: Attempt): Promise<void> {
  if (connection.isDead) throw connectionLost()
  attempt.isCommitting = true
  const { command: tag } = await connection.sql.unsafe('commit').simple()
  if (tag !== 'COMMIT') throw new Error(`the transaction was undone: PostgreSQL answered its commit with ${tag}`)
}

/**
 * The commit, right behind the last statements and what was kept for the end. If one of them fails, PostgreSQL undoes the
 * transaction and answers the commit with ROLLBACK; the failure of the statement is thrown, because it says why.
 */
async function finish<Result>(connection: Connection, attempt: Attempt, sends: (() => Promise<Result>)[]) {
  const queries = queriesOn(() => connection, attempt.isSharded)
  const ending = {
    database: attempt.database,
    poke: (channel: string) => attempt.kept.poked.add(channel),
    afterCommit: (callback: () => void) => attempt.kept.afterCommit.push(callback),
    afterRollback: (callback: () => void) => attempt.onUndone.push(callback),
  }
  const endings = [...attempt.kept.ending].map(
    ([write, items]) =>
      () =>
        write(queries, items, ending),
  )
  const sent = [...sends, ...endings].map((send) => sendAtOnce<unknown>(connection, send))
  const answers = Promise.all(sent.map(({ answer }) => answer))
  if (!sent.every(({ isUnderWay }) => isUnderWay)) {
    await answers
    throw new Error('what finishes a transaction has to be sent at once')
  }
  attempt.isFinished = true
  const [answered, committed] = await Promise.allSettled([answers, commit(connection, attempt)])
  if (answered.status === 'rejected') throw answered.reason
  if (committed.status === 'rejected') throw committed.reason
  return answered.value[0] as Result
}

/** A commit that overtook its statements would leave them outside of the transaction, so it is looked at whether they left. */
function sendAtOnce<Result>(connection: Connection, send: () => Promise<Result>) {
  const inFlightBefore = connection.inFlight
  const answer = send()
  return { answer, isUnderWay: connection.inFlight > inFlightBefore }
}

const beginStatement = ({ isolation, readOnly }: TransactionOptions) =>
  `begin isolation level ${isolation ?? 'read committed'}${readOnly ? ' read only' : ''}`

let savepoints = 0

function txOn(connection: Connection, attempt: Attempt, kept: Kept = attempt.kept): Tx {
  const choose = () => {
    if (attempt.beginError !== null) throw attempt.beginError
    if (attempt.isFinished || kept.isUndone) throw new Error('the transaction is over: nothing can be sent any more')
    return connection
  }
  const queries: Queries = queriesOn(choose, attempt.isSharded)
  return {
    ...queries,
    finish: (send) => finish(connection, attempt, [send]),
    atEnd: (write, ...items) => addTo(kept.ending, write as WriteAtEnd<unknown>, items),
    poke: (channel) => kept.poked.add(channel),
    afterCommit: (callback) => kept.afterCommit.push(callback),
    afterRollback: (callback) => attempt.onUndone.push(callback),
    script: (text) => command(choose(), text),
    async copy(text, lines) {
      if (choose().isDead) throw connectionLost()
      attempt.isSpoilt = true
      await copyLines(connection, text, lines)
      attempt.isSpoilt = false
    },
    async *readCopy(text) {
      if (choose().isDead) throw connectionLost()
      attempt.isSpoilt = true
      yield* readCopy(connection, text)
      attempt.isSpoilt = false
    },
    async savepoint(work) {
      savepoints += 1
      const name = `s${savepoints}`
      // Neither is waited for: where one of them fails, every statement behind it does, and so does the commit.
      command(choose(), `savepoint ${name}`).catch(() => {})
      const own = newKept()
      try {
        const result = await work({ ...txOn(connection, attempt, own), finish: (send) => send() })
        command(choose(), `release savepoint ${name}`).catch(() => {})
        handOver(own, kept)
        return result
      } catch (error) {
        own.isUndone = true
        if (!connection.isDead) await command(connection, `rollback to savepoint ${name}`)
        throw error
      }
    },
  }
}
