import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../database/database.ts'
import { recallDue } from './later.sql.ts'
import { refreshLanes } from './maintenance.sql.ts'
import {
  type Advance,
  deleteAllEntries,
  deleteAllGrants,
  deleteAllKeyGaps,
  deleteAllLater,
  hastenAllEntries,
  hastenAllKeyGaps,
  hastenAllLanes,
  hastenAllLater,
  healAllLanes,
  lockAllLanes,
} from './organization-work.sql.ts'

/** All work of one organization at once, for its sandbox. Both lock its lanes first, as an acknowledgement does. */

/**
 * Deletes all work. A run that is under way finishes, finds its lease gone, and records nothing. The lanes stay, as healthy
 * as new ones.
 */
export async function clearWork(tx: Tx, orgId: OrgId): Promise<void> {
  const laneIds = await lockAllLanes(tx, orgId)
  await deleteAllEntries(tx, orgId)
  await deleteAllLater(tx, orgId)
  await deleteAllGrants(tx, orgId)
  await deleteAllKeyGaps(tx, orgId)
  await healAllLanes(tx, orgId)
  await refreshLanes(tx, orgId, laneIds)
}

/** Brings everything that waits for a moment nearer by this many seconds. Wake the outbox after the commit. */
export async function hastenWork(tx: Tx, orgId: OrgId, advance: Advance): Promise<void> {
  const laneIds = await lockAllLanes(tx, orgId)
  await hastenAllEntries(tx, orgId, advance)
  await hastenAllLater(tx, orgId, advance)
  await hastenAllLanes(tx, orgId, advance)
  await hastenAllKeyGaps(tx, orgId, advance)
  for (const id of laneIds) await recallDue(tx, { orgId, id }, { until: advance.now, limit: RECALLED_MAX })
}

/** What is left comes with the next look at entries that were put aside, within a minute. */
const RECALLED_MAX = 10_000
