import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { ChannelFailure } from '../channel-connector.ts'
import { noteNumberSigns } from './numbers.sql.ts'

/**
 * When a number was last heard of and what last went wrong with it. Kept in memory and written about once a second, in one
 * statement for all numbers of an organization: a busy number is heard of hundreds of times a second, and a second of it may be lost.
 */
export type NumberHealth = {
  heardOf(orgId: OrgId, numberId: string): void
  failed(orgId: OrgId, numberId: string, failure: Pick<ChannelFailure, 'code' | 'detail'>): void
  flush(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

type Sign = { orgId: OrgId; eventAt: Date | null; error: { code: string; detail: string; at: Date } | null }

const FLUSH_MS = 1_000
const DETAIL_CHARACTERS_MAX = 500

export function createNumberHealth(options: { database: Database; clock: Clock; log: Log }): NumberHealth {
  const { database, clock, log } = options
  const signs = new Map<string, Sign>()
  let timer: ReturnType<typeof setTimeout> | null = null
  let isStarted = false

  const signOf = (orgId: OrgId, numberId: string): Sign => {
    const sign = signs.get(numberId) ?? { orgId, eventAt: null, error: null }
    signs.set(numberId, sign)
    if (isStarted) flushLater()
    return sign
  }

  /** Sorted, so that two processes take the rows in the same order. */
  const flush = async () => {
    const batch = [...signs].toSorted(([one], [other]) => (one < other ? -1 : 1))
    signs.clear()
    if (batch.length === 0) return
    for (const [orgId, ofOrg] of Map.groupBy(batch, ([, sign]) => sign.orgId))
      await noteNumberSigns(database, orgId, {
        ids: ofOrg.map(([id]) => id),
        eventTimes: ofOrg.map(([, sign]) => sign.eventAt),
        errorCodes: ofOrg.map(([, sign]) => sign.error?.code ?? null),
        errors: ofOrg.map(([, sign]) => sign.error?.detail ?? null),
        errorTimes: ofOrg.map(([, sign]) => sign.error?.at ?? null),
      })
  }
  const flushQuietly = () => flush().catch((error) => log.warn({ err: error }, 'number health could not be written'))

  const flushLater = () => {
    timer ??= setTimeout(() => {
      timer = null
      void flushQuietly()
    }, FLUSH_MS)
  }

  return {
    heardOf(orgId, numberId) {
      signOf(orgId, numberId).eventAt = new Date(clock.now())
    },
    failed(orgId, numberId, { code, detail }) {
      signOf(orgId, numberId).error = {
        code,
        detail: detail.slice(0, DETAIL_CHARACTERS_MAX),
        at: new Date(clock.now()),
      }
    },
    flush,
    async start() {
      isStarted = true
      if (signs.size > 0) flushLater()
    },
    async stop() {
      isStarted = false
      if (timer !== null) clearTimeout(timer)
      await flushQuietly()
    },
  }
}
