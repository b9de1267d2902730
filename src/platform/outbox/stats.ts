import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../database/database.ts'
import type { Disposition } from './job.ts'
import type { Breaker } from './lane-health.ts'
import { countBacklog, findBloat, listBusyLanes, listUnwellLanes } from './stats.sql.ts'

/** What a metrics page asks for: the counters of this process since its start, and the current state of the whole outbox. */
export type OutboxCounters = {
  claims: number
  claimed: number
  /** Of these, born leased here and run without a claim. */
  handedOver: number
  acked: number
  dispositions: Partial<Record<Disposition, number>>
  /** Acknowledgements refused by the fence: another process had the entry by then. */
  lostLeases: number
  reaped: number
  recounted: number
  abandoned: number
  handlerMs: number
}

export type OutboxStats = {
  process: OutboxCounters & { inFlight: number }
  /** Counted up to a limit; `isDueCapped` says it was reached. */
  due: number
  isDueCapped: boolean
  oldestDueAgeMs: number
  inFlight: number
  /** Of the table of entries, as PostgreSQL last counted them. */
  deadRows: number
  /** Of any open transaction in the database. */
  oldestTransactionMs: number
  busyLanes: { laneId: string; orgId: OrgId; kind: string; inFlight: number; slots: number }[]
  unwellLanes: { laneId: string; orgId: OrgId; kind: string; breaker: Breaker; blockedUntil: Date | null }[]
}

const DUE_COUNT_MAX = 100_000

export async function readStats(
  database: Database,
  { counters, running, now }: { counters: OutboxCounters; running: number; now: Date },
): Promise<OutboxStats> {
  const [backlog, bloat, busy, unwell] = await Promise.all([
    countBacklog(database, DUE_COUNT_MAX, now),
    findBloat(database),
    listBusyLanes(database),
    listUnwellLanes(database),
  ])
  return {
    process: { ...counters, inFlight: running },
    due: Math.min(backlog.due, DUE_COUNT_MAX),
    isDueCapped: backlog.due > DUE_COUNT_MAX,
    oldestDueAgeMs: backlog.oldest_due_at ? Math.max(0, now.getTime() - backlog.oldest_due_at.getTime()) : 0,
    inFlight: busy.reduce((sum, lane) => sum + lane.in_flight, 0),
    deadRows: bloat.dead_rows,
    oldestTransactionMs: Math.max(0, bloat.oldest_transaction_ms),
    busyLanes: busy.map((lane) => ({
      laneId: lane.id,
      orgId: lane.org_id,
      kind: lane.kind,
      inFlight: lane.in_flight,
      slots: lane.slots,
    })),
    unwellLanes: unwell.map((lane) => ({
      laneId: lane.id,
      orgId: lane.org_id,
      kind: lane.kind,
      breaker: lane.breaker,
      blockedUntil: lane.blocked_until,
    })),
  }
}
