import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from './queries.ts'

type Part = ReturnType<Queries['part']>

/**
 * What org_id is compared with, where a plain parameter would mislead the planner of one PostgreSQL: it knows the value, and for an
 * organization that the statistics do not know every index that begins with org_id looks alike. `hidden` is the same value in a
 * form that it cannot know, such as a column of the wanted rows. A cluster needs the plain parameter to find the shard, and plans
 * there for each call.
 */
export const orgAs = (queries: Queries, orgId: OrgId, hidden: Part): Part =>
  queries.isSharded() ? queries.part`${orgId}::text` : hidden

export const hiddenOrg = (queries: Queries, orgId: OrgId): Part =>
  orgAs(queries, orgId, queries.part`(select ${orgId}::text)`)

/** For an index that does not begin with org_id: the comparison that keeps the planner from all those that do. */
export const isOrgApart = (queries: Queries, orgId: OrgId): Part =>
  queries.isSharded() ? queries.part`org_id = ${orgId}` : queries.part`org_id || '' = ${orgId}`

/**
 * `insert into … select ${homeOrg} … from ${fromHome} unnest(…)`: an insert of listed rows. A cluster sends an insert whose rows come from a
 * table of the organization to its shard and runs it there. Rows from anywhere else it collects on the coordinator, copies them to every
 * node and commits in two phases. A statement of several parts ends with a select: of one that ends with an insert Citus sends the other
 * parts along, which cannot run there. The table is organization_homes: each organization has its row there from its creation on. Without
 * the row nothing would be inserted, so the statement fails then: the cast of a text with words in it.
 */
export const homeOrg = (queries: Queries, orgId: OrgId): Part =>
  queries.isSharded() ? queries.part`home.org_id` : queries.part`${orgId}::text`

export const fromHome = (queries: Queries, orgId: OrgId): Part =>
  queries.isSharded()
    ? queries.part`(select org_id from organization_homes where org_id = ${orgId} and ${isAtHome(queries, orgId)}) home cross join`
    : queries.part``

const isAtHome = (queries: Queries, orgId: OrgId): Part => queries.part`1 = (
  select case when count(*) = 1 then 1 else (${orgId}::text || ' has ' || count(*) || ' rows in organization_homes')::int end
  from organization_homes where org_id = ${orgId})`
