import type { OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'

export type FanOutProgress = { position: number; last: number }

/** How far fan-out has come in an organization, and how far there is to go. */
export const findFanOutProgress = async (queries: Queries, orgId: OrgId, follower: string): Promise<FanOutProgress> =>
  (await queries.maybeOne<FanOutProgress>`
    select coalesce(follower.last_sequence, 0) as position, counter.last_sequence as last
    from event_counters counter
    left join event_followers follower on follower.org_id = counter.org_id and follower.follower = ${follower}
    where counter.org_id = ${orgId}`) ?? { position: 0, last: 0 }
