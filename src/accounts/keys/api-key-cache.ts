import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database, Listener } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
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
 *   notified   a change was announced: the keys of that organization are dropped at once, and all when an announcement
 *              before it was missed
 *   polled     every 300 ms the account revision is compared; a missed notification is caught here
 *   unproven   no comparison succeeded for 800 ms (database away, process stalled): the cache is not used at all and
 *              every request asks the database
 *   quiet      no request came for 10 s: nothing is compared; the next request asks the database and starts the polls again
 *
 * An answer that was in flight when a change arrived is used for its request but not cached, because it may be
 * outdated. Unknown tokens are cached too, until any key changes. Only tokens with a valid checksum get here, and the
 * table is bounded: the least recently used entry is dropped first.
 */
const POLL_MS = 300
const PROOF_MS_MAX = 800
const QUIET_MS = 10_000
const ENTRIES_MAX = 20_000

export type ApiKeyCache = {
  /** Undefined when the token is not cached, or the cache is not proven. */
  peek(hashText: string): ApiKeyWithOrganizationRow | null | undefined
  load(hashText: string): Promise<ApiKeyWithOrganizationRow | null>
  /** Drops all entries now. Called by the process that changed the key. */
  drop(): void
  start(): Promise<void>
  stop(): Promise<void>
  stats(): { entries: number; hits: number; misses: number; isProven: boolean }
}

export type ApiKeyCacheOptions = { database: Database; log: Log; quietMs?: number }

export function createApiKeyCache({ database, log, quietMs = QUIET_MS }: ApiKeyCacheOptions): ApiKeyCache {
  const entries = new RecentMap<string, ApiKeyWithOrganizationRow | null>({ sizeMax: ENTRIES_MAX })
  let epoch = 0
  let revision = -1
  let provenAt = Number.NEGATIVE_INFINITY
  let hits = 0
  let misses = 0
  let peekedAt = performance.now()
  let isPolling = false
  let timer: ReturnType<typeof setTimeout> | null = null
  let listener: Listener | null = null
  let isStopped = true

  const dropAll = () => {
    epoch += 1
    entries.clear()
  }

  /** Another version of the program announces only the revision. */
  const onChange = (announced: string) => {
    const [announcedRevision, orgId] = announced.split(' ')
    const isNext = orgId !== undefined && Number(announcedRevision) <= revision + 1
    if (!isNext) return dropAll()
    epoch += 1
    revision = Math.max(revision, Number(announcedRevision))
    entries.deleteWhere((row) => row === null || row.org_id === orgId)
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
    isPolling = true
    try {
      await compareRevision()
    } catch (error) {
      log.debug({ err: error }, 'account revision could not be compared')
    }
    isPolling = !isStopped && performance.now() - peekedAt < quietMs
    if (isPolling) timer = setTimeout(poll, POLL_MS)
  }

  const isProven = () => performance.now() - provenAt < PROOF_MS_MAX

  const load = async (hashText: string) => {
    misses += 1
    const epochBefore = epoch
    const row = await findApiKeyByHash(database, hashBytes(hashText))
    if (epoch === epochBefore) entries.set(hashText, row)
    return row
  }

  return {
    peek(hashText) {
      peekedAt = performance.now()
      if (!isPolling && !isStopped) void poll()
      const known = peekedAt - provenAt < PROOF_MS_MAX ? entries.get(hashText) : undefined
      if (known !== undefined) hits += 1
      return known
    },
    load,
    drop: dropAll,
    async start() {
      listener = await database.listen(KEY_CHANGES_CHANNEL, onChange, dropAll)
      isStopped = false
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
