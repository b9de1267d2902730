import type { Database, Listener } from '../platform/database/database.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { hashBytes } from './api-key-token.ts'
import {
  type ApiKeyWithOrganizationRow,
  findApiKeyByHash,
  getAccountRevision,
  KEY_CHANGES_CHANNEL,
} from './api-keys.sql.ts'

/**
 * Keys in memory, so that a request costs no query, and still never trusted more than a second after a revocation:
 *
 *   notified   a change was announced: everything is dropped at once (changes are rare, refilling is cheap)
 *   polled     every 300 ms the account revision is compared; a missed notification is caught here
 *   unproven   no comparison succeeded for 800 ms (database away, process stalled): the cache is not used at all and
 *              every request asks the database
 *
 * An answer that was on its way while a change came in is used for its request but not kept: it may be the old truth.
 * Unknown tokens are remembered too, but only those with a good checksum get here, and the table is bounded.
 */
const POLL_MS = 300
const PROOF_MS_MAX = 800
const ENTRIES_MAX = 20_000

export type ApiKeyCache = {
  /** Undefined when it is not known here, or not known to be still true. */
  peek(hashText: string): ApiKeyWithOrganizationRow | null | undefined
  load(hashText: string): Promise<ApiKeyWithOrganizationRow | null>
  /** Forgets everything now: for the process that made the change itself. */
  drop(): void
  start(): Promise<void>
  stop(): Promise<void>
  stats(): { entries: number; hits: number; misses: number; isProven: boolean }
}

export function createApiKeyCache({ database, log }: { database: Database; log: Log }): ApiKeyCache {
  const entries = new Map<string, ApiKeyWithOrganizationRow | null>()
  let epoch = 0
  let revision = -1
  let provenAt = Number.NEGATIVE_INFINITY
  let hits = 0
  let misses = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  let listener: Listener | null = null
  let isStopped = false

  const dropAll = () => {
    epoch += 1
    entries.clear()
  }

  // The proof holds from the moment before the question was asked, not from when the answer came.
  const compareRevision = async () => {
    const askedAt = performance.now()
    const current = await getAccountRevision(database)
    if (current !== revision) dropAll()
    revision = current
    provenAt = askedAt
  }

  const poll = async () => {
    try {
      await compareRevision()
    } catch (error) {
      log.debug({ err: error }, 'account revision could not be compared')
    }
    if (!isStopped) timer = setTimeout(poll, POLL_MS)
  }

  const isProven = () => performance.now() - provenAt < PROOF_MS_MAX

  const load = async (hashText: string) => {
    misses += 1
    const epochBefore = epoch
    const row = await findApiKeyByHash(database, hashBytes(hashText))
    if (epoch === epochBefore) remember(hashText, row)
    return row
  }

  const remember = (hashText: string, row: ApiKeyWithOrganizationRow | null) => {
    if (entries.size >= ENTRIES_MAX) entries.delete(entries.keys().next().value as string)
    entries.set(hashText, row)
  }

  return {
    peek(hashText) {
      const known = isProven() ? entries.get(hashText) : undefined
      if (known !== undefined) hits += 1
      return known
    },
    load,
    drop: dropAll,
    async start() {
      listener = await database.listen(KEY_CHANGES_CHANNEL, dropAll, dropAll)
      await poll()
    },
    async stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      await listener?.close().catch(() => {})
    },
    stats: () => ({ entries: entries.size, hits, misses, isProven: isProven() }),
  }
}
