import type { Clock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { updateLastUsed } from './api-keys.sql.ts'

/**
 * When and from where each key was last used. Uses are kept in memory and written together every few seconds, because
 * an update per request would turn every busy key into a hot row. A crash loses a few seconds of them, which is
 * acceptable.
 */
export type LastUsed = {
  note(orgId: OrgId, keyId: Id<'key'>, address: string): void
  /** What this process has seen but perhaps not yet written. */
  peek(keyId: Id<'key'>): Date | null
  flush(): Promise<void>
  start(): void
  stop(): Promise<void>
}

const FLUSH_MS = 10_000

type Use = { orgId: OrgId; id: Id<'key'>; at: Date; from: string }

export function createLastUsed({ database, clock, log }: { database: Database; clock: Clock; log: Log }): LastUsed {
  const latest = new Map<string, Use>()
  let unwritten = new Set<string>()
  let timer: ReturnType<typeof setInterval> | null = null

  const flush = async () => {
    if (unwritten.size === 0) return
    const ids = unwritten
    unwritten = new Set()
    const uses = [...ids].flatMap((id) => latest.get(id) ?? [])
    try {
      await updateLastUsed(database, uses)
    } catch (error) {
      for (const id of ids) unwritten.add(id)
      log.warn({ err: error, keys: ids.size }, 'last use of keys could not be written; will try again')
    }
  }

  return {
    note(orgId, keyId, address) {
      const at = clock.now()
      const known = latest.get(keyId)
      // One record per key and second is precise enough.
      if (known !== undefined && at - known.at.getTime() < 1000) return
      latest.set(keyId, { orgId, id: keyId, at: new Date(at), from: address })
      unwritten.add(keyId)
    },
    peek: (keyId) => latest.get(keyId)?.at ?? null,
    flush,
    start() {
      timer = setInterval(flush, FLUSH_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
      await flush()
    },
  }
}
