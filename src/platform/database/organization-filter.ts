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
