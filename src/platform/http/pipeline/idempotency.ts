import { hash } from 'node:crypto'
import { ProblemError } from '../../../kernel/errors.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Database, Tx } from '../../database/database.ts'
import { idempotencyKeyInUse, idempotencyKeyReused, valueRefused } from '../http.errors.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import {
  type FreshReply,
  findStoredReply,
  type IdempotencyClaim,
  insertStoredReply,
  lockIdempotencyKey,
  type StoredReply,
} from './idempotency.sql.ts'

/**
 * A POST with an Idempotency-Key happens once. The answer is stored in the transaction of the effect, so a crash leaves
 * either both or neither, and there is no "running" row that could outlive its request.
 *
 *   first request   → lock the key, no stored answer → run → store the answer → commit
 *   repeat          → stored answer, same request    → replayed, byte for byte
 *   another body    → stored answer, other request   → 422, nothing runs
 *   two at once     → the second finds the lock held → 409, nothing runs
 *   refused (409, missing object) → the effect is undone to a savepoint, the refusal is stored and replayed
 *   a value refused → everything is undone, the key is free: the body is mended and sent again
 *   failed (5xx)    → everything is undone, the key is free again
 *   a day later     → the key is free again, and its answers are dropped with the partition of their day
 *
 * No constraint keeps a key unique, because the table is partitioned by day. Requests that look for a stored answer do it
 * under a lock that every other request with the key takes too, and in a statement after it.
 */
export type { FreshReply, IdempotencyClaim, StoredReply } from './idempotency.sql.ts'
export { idempotencyTable, isRemembered } from './idempotency.sql.ts'

export type IdempotentOutcome = { replayed: StoredReply } | { fresh: FreshReply }

/** Thrown by a route of mode `own` when another request with the same key committed first. */
export class IdempotencyRaceLost extends Error {}

/** Only refusals that would come out the same again are kept; whatever the caller can mend under the same key is not. */
const isFinalRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && FINAL_STATUSES.includes(error.status) && error.code !== valueRefused.code

const FINAL_STATUSES = [404, 409, 410]

/** Encrypts stored answers that show a secret: no table holds a secret in plain text. */
export type Vault = { seal(text: string): string; open(text: string): string }

export type RunInTransaction = {
  database: Database
  orgId: OrgId
  claim: IdempotencyClaim | null
  vault: Vault | null
  run: (tx: Tx) => Promise<FreshReply>
  /** As in the options of a transaction. */
  opensWithReads?: boolean
  renderRefusal: (error: ProblemError) => FreshReply
}

export async function runOnce(options: RunInTransaction): Promise<IdempotentOutcome> {
  const { database, claim, opensWithReads = claim !== null } = options
  return database.transaction((tx) => runIn(tx, options), { opensWithReads })
}

/** Opens with reads where there is a key. */
export async function runIn(tx: Tx, options: Omit<RunInTransaction, 'database'>): Promise<IdempotentOutcome> {
  const { orgId, claim, vault, run } = options
  if (claim === null) return { fresh: await run(tx) }
  const [isLocked, stored] = await Promise.all([
    lockIdempotencyKey(tx, orgId, claim),
    findStoredReply(tx, orgId, claim),
  ])
  if (stored !== null) return { replayed: opened(matching(stored, claim), vault) }
  if (!isLocked) throw idempotencyKeyInUse({ headers: { 'Retry-After': '1' } })
  const reply = await runWithSavepoint(tx, options)
  const body = vault === null ? reply.body : vault.seal(reply.body)
  await tx.finish(() => insertStoredReply(tx, orgId, claim, { ...reply, body }))
  return { fresh: reply }
}

async function runWithSavepoint(
  tx: Tx,
  { run, renderRefusal }: Pick<RunInTransaction, 'run' | 'renderRefusal'>,
): Promise<FreshReply> {
  try {
    return await tx.savepoint(run)
  } catch (error) {
    if (isFinalRefusal(error)) return renderRefusal(error)
    throw error
  }
}

/** For routes of mode `own`: looks for a stored answer, runs, and looks again if another request was faster. */
export async function runOwnOnce(
  database: Database,
  orgId: OrgId,
  claim: IdempotencyClaim,
  run: () => Promise<FreshReply>,
): Promise<IdempotentOutcome> {
  const earlier = await findEarlierReply(database, orgId, claim)
  if (earlier !== null) return { replayed: earlier }
  try {
    return { fresh: await run() }
  } catch (error) {
    if (!(error instanceof IdempotencyRaceLost)) throw error
    const winner = await findEarlierReply(database, orgId, claim)
    if (winner === null) throw idempotencyKeyInUse({ headers: { 'Retry-After': '1' } })
    return { replayed: winner }
  }
}

/**
 * For routes of mode `after`: the effect commits as it goes, and the answer is stored once it is known. The key is locked by a
 * transaction that stays open meanwhile.
 */
export const runThenStore = (
  database: Database,
  orgId: OrgId,
  claim: IdempotencyClaim,
  run: () => Promise<FreshReply>,
): Promise<IdempotentOutcome> =>
  inTurn(() =>
    database.transaction(async (tx) => {
      const isLocked = await lockIdempotencyKey(tx, orgId, claim)
      const stored = await findStoredReply(tx, orgId, claim)
      if (stored !== null) return { replayed: matching(stored, claim) }
      if (!isLocked) throw idempotencyKeyInUse({ headers: { 'Retry-After': '1' } })
      const fresh = await run()
      await insertStoredReply(tx, orgId, claim, fresh)
      return { fresh }
    }),
  )

let last: Promise<unknown> = Promise.resolve()

/** One at a time in this process: each holds a connection and needs another one, so many at once would wait for each other. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work)
  last = result.catch(() => {})
  return result
}

/** What the same request was answered with under this key, where nothing of it is a secret. */
export async function findEarlierReply(
  database: Database,
  orgId: OrgId,
  claim: IdempotencyClaim,
): Promise<StoredReply | null> {
  const stored = await findStoredReply(database, orgId, claim)
  return stored === null ? null : matching(stored, claim)
}

const opened = (stored: StoredReply, vault: Vault | null): StoredReply =>
  vault === null ? stored : { ...stored, body: vault.open(stored.body) }

function matching(stored: StoredReply, claim: IdempotencyClaim): StoredReply {
  if (stored.fingerprint !== claim.fingerprint)
    throw idempotencyKeyReused({ params: { original_request_id: stored.requestId } })
  return stored
}

export type IdempotencyKeyResult = { ok: true; key: string | null } | { ok: false; detail: string }

const VISIBLE_ASCII = /^[!-~]{1,255}$/
const QUOTED = /^"((?:[!#-[\]-~]|\\["\\])*)"$/

/**
 * The draft defines the value as a quoted string, most clients send it bare; `"abc"` and `abc` are one key.
 * A value that opens with a quote has to be a whole quoted string.
 */
export function readIdempotencyKey(header: string | null): IdempotencyKeyResult {
  if (header === null) return { ok: true, key: null }
  const key = header.startsWith('"') ? unquote(header) : header
  if (key === null) return { ok: false, detail: 'Idempotency-Key begins with a quote but is not one quoted string.' }
  if (VISIBLE_ASCII.test(key)) return { ok: true, key }
  return {
    ok: false,
    detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, such as a UUID.',
  }
}

function unquote(header: string): string | null {
  const match = QUOTED.exec(header)
  return match === null ? null : (match[1] as string).replace(/\\(.)/g, '$1')
}

/** As a header, so that every key is read again as what it is. */
export const writeIdempotencyKey = (key: string): string => `"${key.replace(/["\\]/g, '\\$&')}"`

export type FingerprintParts = {
  operation: string
  /** Undefined where the request had none, here and in the next two; for a body that is not the same as null. */
  pathParameters?: unknown
  query?: unknown
  body?: unknown
}

/** Equal for the same request however its JSON was spelled; SHA-256 in hexadecimal. */
export function requestFingerprint({ operation, pathParameters, query, body }: FingerprintParts): string {
  return hash('sha256', canonicalJson({ operation, pathParameters, query, body }), 'hex')
}
