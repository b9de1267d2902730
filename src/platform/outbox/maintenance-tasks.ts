import type { OrgId } from '../../kernel/ids.ts'
import { listDeadProcessIds, markLostProcesses } from '../cluster/live-processes.sql.ts'
import type { Database } from '../database/database.ts'
import { unparkKeys } from './ack.sql.ts'
import { deleteLostGrants, type LaneOfOrg, listLostGrants } from './grants.sql.ts'
import type { ClaimedEntry } from './job.ts'
import { lockFreeLanes } from './lanes.sql.ts'
import { listDueLater, listFarLanes, putAside, recallDue } from './later.sql.ts'
import {
  deleteExpired,
  keysOf,
  type Lost,
  listDriftedLanes,
  listExpiredLanes,
  refreshLanes,
  renewLeases,
  returnExpired,
} from './maintenance.sql.ts'

/** What keeps the outbox true when processes die: any process does it for all of them, and doing it twice is harmless. */

export type Reaping = { reaped: number; orgIds: OrgId[]; suspects: number }

/**
 * The reaper. Entries of a process that died go back to waiting. The lanes are found without a lock and looked at again
 * under it, so a lease that was renewed or acknowledged in between is left alone. `suspects` are the processes whose lock
 * was found missing just now: if they are dead, their leases can be had LOST_MS_MAX later.
 */
export async function reapLeases(database: Database, now: Date): Promise<Reaping> {
  const suspects = await markLostProcesses(database)
  const deadIds = await listDeadProcessIds(database)
  const [expired, lost] = await Promise.all([listExpiredLanes(database, deadIds), listLostGrants(database, deadIds)])
  const affected = byOrganization([...expired, ...lost])
  let reaped = 0
  for (const [orgId, laneIds] of affected) reaped += await reapLanes(database, orgId, { laneIds, deadIds, now })
  return { reaped, orgIds: [...affected.keys()], suspects }
}

const reapLanes = (database: Database, orgId: OrgId, affected: Lost & { now: Date }): Promise<number> =>
  database.transaction(async (tx) => {
    const laneIds = await lockFreeLanes(tx, orgId, affected.laneIds)
    const [deleted, returned] = await Promise.all([
      deleteExpired(tx, orgId, { ...affected, laneIds }),
      returnExpired(tx, orgId, { ...affected, laneIds }),
      deleteLostGrants(tx, orgId, { ...affected, laneIds }),
    ])
    const rows = [...deleted, ...returned]
    await Promise.all([unparkKeys(tx, orgId, keysOf(rows)), refreshLanes(tx, orgId, laneIds)])
    return rows.length
  })

const byOrganization = (lanes: LaneOfOrg[]): Map<OrgId, string[]> =>
  new Map(
    [...Map.groupBy(lanes, (lane) => lane.org_id)].map(([orgId, rows]) => [
      orgId,
      [...new Set(rows.map((row) => row.lane_id))],
    ]),
  )

/** Counters move in the transactions that move the leases, so this finds nothing unless rows were edited by hand. */
export async function recountLanes(database: Database): Promise<number> {
  let recounted = 0
  for (const [orgId, drifted] of byOrganization(await listDriftedLanes(database)))
    recounted += await database.transaction(async (tx) => {
      const laneIds = await lockFreeLanes(tx, orgId, drifted)
      await refreshLanes(tx, orgId, laneIds)
      return laneIds.length
    })
  return recounted
}

/** Extends the leases of runs that are still going. Answers with those that are no longer ours. */
export async function renewEntries(database: Database, entries: ClaimedEntry[]): Promise<ClaimedEntry[]> {
  const lost: ClaimedEntry[] = []
  for (const [orgId, ofOrg] of Map.groupBy(entries, (entry) => entry.orgId)) {
    const renewed = new Set((await renewLeases(database, orgId, ofOrg)).map((row) => row.id))
    lost.push(...ofOrg.filter((entry) => !renewed.has(entry.id)))
  }
  return lost
}

/**
 * Work for a far moment is put aside in a separate table, so that what is in flight and what is vacuumed stays small
 * however many payments and scheduled messages wait for their day. It comes back minutes before it is due; and at once, under the
 * lock of its lane, when its owner wants to change it (entries.ts).
 */
export type LaterPace = { asideAfterMs: number; backBeforeMs: number }

export const LATER_PACE: LaterPace = { asideAfterMs: 15 * 60_000, backBeforeMs: 5 * 60_000 }
const ENTRIES_PER_STEP = 1_000
const STEPS_MAX = 100

/** True when there is more to do than one turn takes. */
export async function moveLater(database: Database, now: Date, pace = LATER_PACE): Promise<boolean> {
  const until = new Date(now.getTime() + pace.backBeforeMs)
  const after = new Date(now.getTime() + pace.asideAfterMs)
  const [due, far] = await Promise.all([listDueLater(database, until), listFarLanes(database, after)])
  let isMore = false
  const step = (orgId: OrgId, laneId: string, move: typeof recallDue | typeof putAside) =>
    database.transaction(async (tx) => {
      if ((await lockFreeLanes(tx, orgId, [laneId])).length === 0) return
      const moved = await move(tx, { orgId, id: laneId }, { until, after, limit: ENTRIES_PER_STEP })
      isMore ||= moved >= ENTRIES_PER_STEP
    })
  for (const { org_id, lane_id } of due) await step(org_id, lane_id, recallDue)
  for (const { org_id, lane_id } of far.slice(0, STEPS_MAX)) await step(org_id, lane_id, putAside)
  return isMore || far.length > STEPS_MAX
}
