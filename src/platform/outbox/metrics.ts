import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../database/database.ts'
import type { Metric } from '../telemetry/metrics.ts'
import { createSnapshot } from '../telemetry/snapshot.ts'
import type { Disposition } from './job.ts'
import type { Breaker } from './lane-health.ts'
import { countBacklog, findBloat, listBusyLanes, listUnwellLanes } from './maintenance.sql.ts'

/**
 * Metrics of the outbox. Gauges count due and running entries in the database, over all processes; counters cover this process.
 * One snapshot serves a whole scrape. When the database does not answer in time, the scrape omits these metrics instead of failing.
 */
export function outboxMetrics(outbox: { stats(): Promise<OutboxStats> }): Metric[] {
  const readStats = createSnapshot({ read: () => outbox.stats() })
  const metric: DescribeMetric = (kind, name, help, of) => ({
    kind,
    name: `nexkit_outbox_${name}`,
    help,
    read: async () => {
      const stats = await readStats()
      return stats === null ? null : of(stats)
    },
  })
  return [
    metric(
      'gauge',
      'due',
      'Entries that are due and not running, in all processes, counted up to 100,000',
      ({ due }) => due,
    ),
    metric(
      'gauge',
      'oldest_due_age_seconds',
      'Age of the oldest due entry',
      ({ oldestDueAgeMs }) => oldestDueAgeMs / 1000,
    ),
    metric('gauge', 'in_flight', 'Entries that are running, in all processes', ({ inFlight }) => inFlight),
    metric(
      'gauge',
      'process_in_flight',
      'Entries that are running, in this process',
      (stats) => stats.process.inFlight,
    ),
    metric('gauge', 'lanes_busy', 'Lanes with running entries', ({ busyLanes }) => busyLanes.length),
    {
      kind: 'gauges',
      name: 'nexkit_outbox_lane_in_flight',
      help: `Running entries by lane (a webhook endpoint, a number, a payment account), in all processes: the ${LANES_SHOWN_MAX} busiest`,
      read: async () => {
        const stats = await readStats()
        return stats === null ? null : busiestLanes(stats)
      },
    },
    metric('gauge', 'dead_rows', 'Finished rows of the outbox that are not vacuumed yet', ({ deadRows }) => deadRows),
    metric(
      'gauge',
      'oldest_transaction_seconds',
      'Age of the oldest open transaction in the database; until it ends, nothing is vacuumed',
      ({ oldestTransactionMs }) => oldestTransactionMs / 1000,
    ),
    metric('gauge', 'lanes_full', 'Lanes with as many running entries as they may have', countFull),
    metric('gauge', 'breakers_open', 'Lanes that kept failing and wait for a probe', (stats) =>
      countBreakers(stats, 'open'),
    ),
    metric('gauge', 'breakers_half_open', 'Lanes whose probe succeeded once', (stats) =>
      countBreakers(stats, 'half_open'),
    ),
    ...processCounters(metric),
  ]
}

type DescribeMetric = (
  kind: 'gauge' | 'counter',
  name: string,
  help: string,
  of: (stats: OutboxStats) => number,
) => Metric

const processCounters = (metric: DescribeMetric): Metric[] => [
  metric('counter', 'claimed_total', 'Entries started by this process', (stats) => stats.process.claimed),
  metric(
    'counter',
    'handed_over_total',
    'Entries that this process recorded and ran without a claim',
    (stats) => stats.process.handedOver,
  ),
  metric('counter', 'acked_total', 'Entries acknowledged by this process', (stats) => stats.process.acked),
  metric(
    'counter',
    'leases_lost_total',
    'Runs whose entry another process had taken by the end; their effect may happen twice',
    (stats) => stats.process.lostLeases,
  ),
  metric(
    'counter',
    'leases_reaped_total',
    'Leases of dead or hanging processes that this process took over',
    (stats) => stats.process.reaped,
  ),
]

/** Bounds the number of label values. Every lane that is not shown has at most as many entries in flight as those shown. */
const LANES_SHOWN_MAX = 20

const busiestLanes = ({ busyLanes }: OutboxStats) =>
  busyLanes
    .toSorted((one, other) => other.inFlight - one.inFlight || (one.laneId < other.laneId ? -1 : 1))
    .slice(0, LANES_SHOWN_MAX)
    .map(({ laneId, kind, inFlight }) => ({ labels: { lane: laneId, kind }, value: inFlight }))

const countFull = ({ busyLanes }: OutboxStats) => busyLanes.filter(({ inFlight, slots }) => inFlight >= slots).length

const countBreakers = ({ unwellLanes }: OutboxStats, state: 'open' | 'half_open') =>
  unwellLanes.filter(({ breaker }) => breaker === state).length

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
