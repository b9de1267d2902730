import type { OrgId } from '../../kernel/ids.ts'
import { epochMs, shiftTime } from '../cluster/time-shifts.ts'
import type { Queries } from '../database/database.ts'

export type Advance = { seconds: number; now: Date }

/** Statements on all lanes and entries of one organization. */
export const lockAllLanes = async (tx: Queries, orgId: OrgId): Promise<string[]> =>
  (
    await tx.many<{ id: string }>`
      select id from outbox_lanes where org_id = ${orgId} order by id for update`
  ).map(({ id }) => id)

export const deleteAllEntries = (tx: Queries, orgId: OrgId) => tx.run`
  delete from outbox_entries where org_id = ${orgId}`

export const deleteAllLater = (tx: Queries, orgId: OrgId) => tx.run`delete from outbox_later where org_id = ${orgId}`

export const deleteAllGrants = (tx: Queries, orgId: OrgId) => tx.run`delete from outbox_grants where org_id = ${orgId}`

export const deleteAllKeyGaps = (tx: Queries, orgId: OrgId) => tx.run`
  delete from outbox_key_gaps where org_id = ${orgId}`

/** A lane that its owner paused or closed stays so. */
export const healAllLanes = (tx: Queries, orgId: OrgId) => tx.run`
  update outbox_lanes set breaker = 'closed', slots = concurrency, health = '{}', blocked_until = null, blocked_reason = null
  where org_id = ${orgId}`

type Time = 'due_at' | 'blocked_until' | 'free_at'

const timeOf = ({ part }: Queries, name: Time) => {
  if (name === 'due_at') return part`due_at`
  return name === 'free_at' ? part`free_at` : part`blocked_until`
}

const earlier = (queries: Queries, name: Time, seconds: number) =>
  shiftTime(queries, timeOf(queries, name), queries.part`${-seconds}::float8 * interval '1 second'`)

/** The place of an entry within its key may be its time in milliseconds, and then it moves with it. */
const movedPosition = (queries: Queries, seconds: number) => queries.part`
  case when position = ${epochMs(queries, timeOf(queries, 'due_at'))} then position - ${seconds * 1000}::bigint else position end`

export const hastenAllEntries = (tx: Queries, orgId: OrgId, { seconds, now }: Advance) => tx.run`
  update outbox_entries
  set due_at = ${earlier(tx, 'due_at', seconds)}, position = ${movedPosition(tx, seconds)}
  where org_id = ${orgId} and state <> 'leased' and due_at > ${now}`

export const hastenAllLater = (tx: Queries, orgId: OrgId, { seconds }: Advance) => tx.run`
  update outbox_later
  set due_at = ${earlier(tx, 'due_at', seconds)}, position = ${movedPosition(tx, seconds)}
  where org_id = ${orgId}`

/** An endpoint that fails for too long is disabled: that time is part of the health. */
export const hastenAllLanes = (tx: Queries, orgId: OrgId, { seconds, now }: Advance) => tx.run`
  update outbox_lanes
  set blocked_until = ${earlier(tx, 'blocked_until', seconds)},
      health = health || (
        select coalesce(jsonb_object_agg(key, value::text::float8 - ${seconds * 1000}::float8), '{}') from jsonb_each(health)
        where key in ('failingSinceMs', 'leftAloneUntilMs') and jsonb_typeof(value) = 'number')
  where org_id = ${orgId} and (blocked_until > ${now} or health ->> 'failingSinceMs' is not null)`

export const hastenAllKeyGaps = (tx: Queries, orgId: OrgId, { seconds }: Advance) => tx.run`
  update outbox_key_gaps set free_at = ${earlier(tx, 'free_at', seconds)} where org_id = ${orgId}`
