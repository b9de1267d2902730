import { ProblemError } from '../../../kernel/errors.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { itemAt, storedValue } from '../../../kernel/lists.ts'
import type { Database, Tx } from '../../database/database.ts'
import { isDatabaseUnavailable, isLockTimeout } from '../../database/database-errors.ts'
import { serverBusy } from '../../database/group-commit.errors.ts'
import { limitLockWaits } from '../../database/queries.ts'
import { activeSpan, beginSpan, runIn as runInSpan, type Span, within } from '../../telemetry/spans.ts'
import { type IdempotentOutcome, type RunInTransaction, runIn, runOnce } from './idempotency.ts'

/**
 * Requests of one organization that arrive at the same time share a transaction: one commit, one flush and one turn at the counters of
 * the organization for all of them. Without that each request holds the counter of events until its own flush is done, and the
 * organization changes no faster than the disk flushes.
 *
 *   nothing under way      → the request runs alone, at once
 *   something is under way → requests gather, and the next transaction takes all of them
 *
 * Requests about the same thing run one after another within the transaction, the others side by side on its connection. A request that
 * is refused before it wrote anything is refused alone. Any other failure undoes the transaction, and each of its requests runs again
 * alone: it is as if they had never met.
 */
export type SharedRun = Omit<RunInTransaction, 'database'> & {
  /** What the request changes, by name. */
  subject: string
}

export type SharedTransactions = { run(request: SharedRun): Promise<IdempotentOutcome> }

const REQUESTS_MAX = 64
/** Requests of an organization beyond this are refused: the database does not keep up. */
const WAITING_MAX = 10_000
/** One transaction reads while another is flushed. */
const IN_FLIGHT_MAX = 2
/** A row that another transaction holds for longer keeps back only the request that needs it. */
const LOCK_WAIT_MS_MAX = 250

type Waiting = {
  request: SharedRun
  span: Span | null
  resolve: (outcome: IdempotentOutcome) => void
  reject: (error: unknown) => void
}

type Queue = { waiting: Waiting[]; inFlight: number }

export function createSharedTransactions(database: Database): SharedTransactions {
  const queues = new Map<OrgId, Queue>()

  async function work(orgId: OrgId, queue: Queue): Promise<void> {
    queue.inFlight += 1
    while (queue.waiting.length > 0) await settle(database, queue.waiting.splice(0, REQUESTS_MAX))
    queue.inFlight -= 1
    if (queue.inFlight === 0) queues.delete(orgId)
  }

  return {
    run(request) {
      const queue = queues.get(request.orgId) ?? { waiting: [], inFlight: 0 }
      if (queue.waiting.length >= WAITING_MAX) return Promise.reject(serverBusy({ headers: { 'Retry-After': '1' } }))
      queues.set(request.orgId, queue)
      const { promise, resolve, reject } = Promise.withResolvers<IdempotentOutcome>()
      queue.waiting.push({ request, span: activeSpan(), resolve, reject })
      if (queue.inFlight < IN_FLIGHT_MAX) void work(request.orgId, queue)
      return promise
    },
  }
}

/** Never throws. */
async function settle(database: Database, batch: readonly Waiting[]): Promise<void> {
  const alone = () => Promise.all(batch.map((one) => settleAlone(database, one)))
  if (batch.length === 1) {
    await alone()
    return
  }
  try {
    const options = { opensWithReads: true }
    const outcomes = await traceTogether(batch, () => database.transaction((tx) => runTogether(tx, batch), options))
    for (const [index, outcome] of outcomes.entries()) answer(itemAt(batch, index), outcome)
  } catch (error) {
    // After a lost connection the commit may have held; without capacity more transactions would only add load.
    if (isDatabaseUnavailable(error) && !isLockTimeout(error)) for (const { reject } of batch) reject(error)
    else await alone()
  }
}

async function settleAlone(database: Database, { request, span, resolve, reject }: Waiting): Promise<void> {
  await within(span, () => runOnce({ ...request, database })).then(resolve, reject)
}

/** The transaction is in the trace of the first request; the others link to it, and it links to them. */
function traceTogether<Result>(batch: readonly Waiting[], work: () => Promise<Result>): Promise<Result> {
  const [first, ...others] = batch.flatMap(({ span }) => span ?? [])
  if (first === undefined) return work()
  const shared = beginSpan('shared transaction', { kind: 'internal', parent: first })
  shared?.describe({ 'db.operation.batch.size': batch.length })
  for (const other of others) {
    shared?.link(other.traceparent)
    if (shared !== null) other.link(shared.traceparent)
  }
  return runInSpan(shared, work)
}

type Outcome = { ok: true; value: IdempotentOutcome } | { ok: false; error: ProblemError }

const answer = ({ resolve, reject }: Waiting, outcome: Outcome) =>
  outcome.ok ? resolve(outcome.value) : reject(outcome.error)

async function runTogether(tx: Tx, batch: readonly Waiting[]): Promise<Outcome[]> {
  const requests = batch.map(({ request }) => request)
  const spans = new Map(batch.map(({ request, span }) => [request, span]))
  const limited = limitLockWaits(tx, LOCK_WAIT_MS_MAX)
  const lastOf = new Map<string, Promise<unknown>>()
  const running = new Map<SharedRun, Promise<Outcome>>()
  // Rows are locked in one order, so that the transactions of two processes do not wait for each other.
  for (const request of requests.toSorted(bySubject)) {
    const names = namesOf(request)
    const outcome = Promise.all(names.map((name) => lastOf.get(name))).then(() =>
      within(spans.get(request) ?? null, () => runShared(tx, request)),
    )
    const ended = outcome.catch(() => {})
    for (const name of names) lastOf.set(name, ended)
    running.set(request, outcome)
  }
  // All of them have to have ended before the transaction is undone for one.
  await Promise.allSettled([limited, ...running.values()])
  await limited
  return Promise.all(requests.map((request) => storedValue(running, request)))
}

const bySubject = ({ subject: one }: SharedRun, { subject: other }: SharedRun) =>
  Number(one > other) - Number(one < other)

/** Requests with a name in common run one after another: the lock on an Idempotency-Key does not part those of one transaction. */
const namesOf = ({ subject, claim }: SharedRun): string[] =>
  claim === null ? [subject] : [subject, `${claim.operation} ${claim.key}`]

/** Throws what undoes the transaction for all. */
async function runShared(tx: Tx, request: SharedRun): Promise<Outcome> {
  const own = watched(tx)
  try {
    return { ok: true, value: await runIn(own.tx, request) }
  } catch (error) {
    if (error instanceof ProblemError && !own.hasWritten()) return { ok: false, error }
    throw error
  }
}

/** Notes whether anything was written through it. Statements that begin with `select` read or lock. */
function watched(tx: Tx): { tx: Tx; hasWritten: () => boolean } {
  let isWritten = false
  const note = (strings: TemplateStringsArray): TemplateStringsArray => {
    isWritten ||= !(strings[0] ?? '').trimStart().startsWith('select')
    return strings
  }
  const writing = <Args extends unknown[], Result>(write: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      isWritten = true
      return write(...args)
    }
  }
  const own: Tx = {
    ...tx,
    many: (strings, ...values) => tx.many(note(strings), ...values),
    one: (strings, ...values) => tx.one(note(strings), ...values),
    maybeOne: (strings, ...values) => tx.maybeOne(note(strings), ...values),
    run: (strings, ...values) => tx.run(note(strings), ...values),
    script: writing(tx.script),
    copy: writing(tx.copy),
    poke: writing(tx.poke),
    atEnd(write, ...items) {
      isWritten = true
      tx.atEnd(write, ...items)
    },
    afterCommit: writing(tx.afterCommit),
    finish: (send) => send(),
    // Requests that share a transaction cannot have savepoints. A request that has written nothing needs no rollback.
    async savepoint(work) {
      try {
        return await work(own)
      } catch (error) {
        throw isWritten ? new Error('cannot be undone alone', { cause: error }) : error
      }
    },
  }
  return { tx: own, hasWritten: () => isWritten }
}
