import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../database/database.ts'
import { fromHome, homeOrg } from '../database/organization-filter.ts'
import { allWorkingLanes, waitingByLane } from './claim.sql.ts'
import { type EntryInsert, traceColumn } from './entries.sql.ts'
import type { LaneOfOrg } from './grants.sql.ts'
import { type Lane, ofLane } from './lanes.sql.ts'

/** Statements on work that is put aside until its time is near: see moveLater in maintenance-tasks.ts. Who writes has locked the lane. */
const columns = (db: Queries, org = db.part`org_id`) =>
  db.part`${org}, id, lane_id, job, class, order_key, position, due_at, enqueued_at, attempt, lease_number, reason, payload, traceparent`

/**
 * Lanes with entries that are due after that moment. Steps from lane to lane through the index of waiting entries, and asks
 * each for its last.
 */
export const listFarLanes = (db: Queries, after: Date) =>
  db.isSharded() ? listFarLanesOfShards(db, after) : listFarByLane(db, after)

const listFarLanesOfShards = (db: Queries, after: Date) => db.many<LaneOfOrg>`
  select waiting.org_id, waiting.lane_id from ${waitingByLane(db)} waiting where waiting.last_due_at > ${after}`

const listFarByLane = (db: Queries, after: Date) => db.many<LaneOfOrg>`
  with recursive ${allWorkingLanes(db)}
  select working.org_id, working.lane_id from working
  where exists (
    select from (values (0), (1)) as classes(class) cross join lateral (
      select e.due_at from outbox_entries e
      where e.org_id = working.org_id and e.lane_id = working.lane_id and e.class = classes.class and e.state = 'waiting'
      order by e.due_at desc limit 1) last
    where last.due_at > ${after})`

/**
 * What has a key is put aside only where its place among the entries of the key is its time: any other holds up those behind
 * it. Bulk stays: recoveries count on finding it.
 */
export const putAside = (tx: Queries, { orgId, id }: Lane, { after, limit }: { after: Date; limit: number }) => tx.run`
  with aside as (
    delete from outbox_entries
    where org_id = ${orgId} and id = any(array(
      select far.id from (values (0), (1)) as classes(class) cross join lateral (
        select e.id from outbox_entries e
        where e.org_id = ${orgId} and e.lane_id = ${id} and e.class = classes.class and e.state = 'waiting'
          and e.due_at > ${after}
          and (e.order_key is null or e.position = (extract(epoch from e.due_at) * 1000)::bigint)
        order by e.due_at desc limit ${limit}) far))
    returning ${columns(tx)}),
  added as (
    insert into outbox_later as later (${columns(tx)})
    select ${columns(tx, homeOrg(tx, orgId))} from ${fromHome(tx, orgId)} aside
    on conflict (org_id, id) do nothing returning later.id)
  select id from added`

export const insertLater = (tx: Queries, orgId: OrgId, entries: EntryInsert[]) => {
  const trace = traceColumn(tx, entries)
  return tx.run`
  insert into outbox_later (org_id, id, lane_id, job, class, position, due_at, enqueued_at, attempt, lease_number, payload${trace.name})
  select ${homeOrg(tx, orgId)}, id, lane_id, job, class, position, due_at, now(), attempt, 0, payload::jsonb${trace.name}
  from ${fromHome(tx, orgId)} unnest(
    ${entries.map((entry) => entry.id)}::text[], ${entries.map((entry) => entry.laneId)}::text[],
    ${entries.map((entry) => entry.job)}::text[], ${entries.map((entry) => entry.class)}::smallint[],
    ${entries.map((entry) => entry.position)}::bigint[], ${entries.map((entry) => entry.dueAt)}::timestamptz[],
    ${entries.map((entry) => entry.attempt)}::int[], ${entries.map((entry) => entry.payload)}::text[]${trace.list}
  ) as entry(id, lane_id, job, class, position, due_at, attempt, payload${trace.name})
  where not exists (select from outbox_entries near where near.org_id = ${orgId} and near.id = entry.id)
  on conflict (org_id, id) do nothing`
}

export const listDueLater = (db: Queries, until: Date) => db.many<LaneOfOrg>`
  select distinct org_id, lane_id from outbox_later where due_at <= ${until} limit 1000`

/** Whether something that was put aside should be back by now: the clock jumped, or no process was running. */
export const isAnyLate = async (db: Queries, now: Date): Promise<boolean> =>
  (await db.many`select org_id from outbox_later where due_at <= ${now} limit 1`).length > 0

/** One that was enqueued again meanwhile is there already. */
const comeBack = (tx: Queries, { orgId }: Lane) => tx.part`
  added as (
    insert into outbox_entries as entry (${columns(tx)})
    select ${columns(tx, homeOrg(tx, orgId))} from ${fromHome(tx, orgId)} back
    on conflict (org_id, id) do nothing returning entry.id)
  select id from added`

export const recallDue = (tx: Queries, lane: Lane, { until, limit }: { until: Date; limit: number }) => tx.run`
  with back as (
    delete from outbox_later
    where ${ofLane(tx, lane)} and id = any(array(
      select id from outbox_later where ${ofLane(tx, lane)} and due_at <= ${until} order by due_at limit ${limit}))
    returning ${columns(tx)}),
  ${comeBack(tx, lane)}`

export const recallIds = (tx: Queries, lane: Lane, ids: readonly string[]) => tx.run`
  with back as (
    delete from outbox_later where ${ofLane(tx, lane)} and id = any(${[...ids]}::text[]) returning ${columns(tx)}),
  ${comeBack(tx, lane)}`

/** The earliest first. */
export const recallSome = (tx: Queries, lane: Lane, limit: number) => tx.run`
  with back as (
    delete from outbox_later
    where ${ofLane(tx, lane)} and id = any(array(
      select id from outbox_later where ${ofLane(tx, lane)} order by due_at limit ${limit}))
    returning ${columns(tx)}),
  ${comeBack(tx, lane)}`

export const deleteLater = (tx: Queries, lane: Lane) => tx.run`delete from outbox_later where ${ofLane(tx, lane)}`

export const countLater = async (db: Queries, lane: Lane, countMax: number): Promise<number> =>
  (
    await db.one<{ count: number }>`
      select count(*)::int as count from (select from outbox_later where ${ofLane(db, lane)} limit ${countMax}) counted`
  ).count

export type LaterRow = {
  id: string
  lane_id: string
  job: string
  class: number
  order_key: string | null
  position: number
  due_at: Date
  enqueued_at: Date
  attempt: number
  lease_number: number
  reason: string | null
  payload: unknown
}

export const findLater = (db: Queries, orgId: OrgId, id: string) => db.maybeOne<LaterRow>`
  select ${columns(db)} from outbox_later where org_id = ${orgId} and id = ${id}`
