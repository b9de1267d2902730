import { markLostProcesses } from '../cluster/live-processes.sql.ts'
import type { Database } from '../database/database.ts'
import { unparkKeys } from './ack.sql.ts'
import { deleteLostGrants, listLostGrants } from './grants.sql.ts'
import type { ClaimedEntry } from './job.ts'
import { lockFreeLanes } from './outbox.sql.ts'
import {
  deleteExpired,
  keysOf,
  listDriftedLanes,
  listExpiredLanes,
  listSleepers,
  refreshLanes,
  renewLeases,
  returnExpired,
} from './upkeep.sql.ts'

/** What keeps the outbox true when processes die: any process does it for all of them, and doing it twice is harmless. */

export type Reaping = { reaped: number; laneIds: string[]; suspects: number }

/**
 * The reaper. Entries of a process that died go back to waiting. The lanes are found without a lock and looked at again
 * under it, so a lease that was renewed or acknowledged in between is left alone. `suspects` are the processes whose lock
 * was found missing just now: if they are dead, their leases can be had LOST_MS_MAX later.
 */
export async function reapLeases(database: Database, now: Date): Promise<Reaping> {
  const suspects = await markLostProcesses(database)
  const [expired, lost] = await Promise.all([listExpiredLanes(database), listLostGrants(database)])
  const affected = new Set([...expired, ...lost].map((row) => row.lane_id))
  if (affected.size === 0) return { reaped: 0, laneIds: [], suspects }
  return database.transaction(async (tx) => {
    const laneIds = await lockFreeLanes(tx, [...affected])
    const [deleted, returned] = await Promise.all([
      deleteExpired(tx, laneIds),
      returnExpired(tx, laneIds, now),
      deleteLostGrants(tx, laneIds),
    ])
    const rows = [...deleted, ...returned]
    await Promise.all([unparkKeys(tx, keysOf(rows)), refreshLanes(tx, laneIds, now)])
    return { reaped: rows.length, laneIds, suspects }
  })
}

/** Counters move in the transactions that move the leases, so this finds nothing unless somebody edited rows by hand. */
export async function recountLanes(database: Database, now: Date): Promise<number> {
  const drifted = (await listDriftedLanes(database)).map((row) => row.id)
  if (drifted.length === 0) return 0
  return database.transaction(async (tx) => {
    const laneIds = await lockFreeLanes(tx, drifted)
    await refreshLanes(tx, laneIds, now)
    return laneIds.length
  })
}

export type Scouting = { wokenLaneIds: string[]; missingLaneIds: string[] }

/** Finds work nobody was told about: the notification was lost, or the process died between its commit and sending it. */
export async function scoutLanes(database: Database, now: Date): Promise<Scouting> {
  const sleepers = await listSleepers(database, now)
  const missingLaneIds = sleepers.filter((row) => row.is_missing).map((row) => row.lane_id)
  const asleep = sleepers.filter((row) => !row.is_missing).map((row) => row.lane_id)
  if (asleep.length === 0) return { wokenLaneIds: [], missingLaneIds }
  return database.transaction(async (tx) => {
    const wokenLaneIds = await lockFreeLanes(tx, asleep)
    await refreshLanes(tx, wokenLaneIds, now)
    return { wokenLaneIds, missingLaneIds }
  })
}

/** Extends the leases of runs that are still going. Answers with those that are no longer ours. */
export async function renewEntries(database: Database, entries: ClaimedEntry[]): Promise<ClaimedEntry[]> {
  if (entries.length === 0) return []
  const renewed = new Set((await renewLeases(database, entries)).map((row) => row.id))
  return entries.filter((entry) => !renewed.has(entry.id))
}
