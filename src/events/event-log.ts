import type { OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { type FollowerProgress, findCounter, findFollower, insertCounter, lockCounter } from './event-log.sql.ts'

/** The log of events for those who deal them out: many at a time, with bodies or without, and where it ends. */
export {
  type EventBody,
  type EventHead,
  type FollowerProgress,
  type IdWindow,
  listEventBodies,
  listEventHeads,
  listEventHeadsById,
} from './event-log.sql.ts'

/** The sequence of the last event, kept still until the commit: nothing gets a number in between. */
export async function lockLastSequence(tx: Tx, orgId: OrgId): Promise<number> {
  await insertCounter(tx, orgId)
  return (await lockCounter(tx, orgId)).last_sequence
}

/** Without holding anyone up: for a line drawn at about this moment. */
export const findLastSequence = async (queries: Queries, orgId: OrgId): Promise<number> =>
  (await findCounter(queries, orgId))?.last_sequence ?? 0

/** How far the events of an organization are followed, and how far there is to go. */
export const findFollowerProgress = async (queries: Queries, orgId: OrgId): Promise<FollowerProgress> =>
  (await findFollower(queries, orgId)) ?? { position: 0, last: 0 }
