import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../database/database.ts'
import { lockFreeLanes } from './lanes.sql.ts'
import { listDueLater, listFarLanes, putAside, recallDue } from './later.sql.ts'

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
