import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'

export type EventBodyRow = {
  org_id: OrgId
  id: Id<'evt'>
  type: string
  subject: string
  sequence: number
  is_test: boolean
  body: string
}

/** For a batch of attempts over several organizations. Ids are unique everywhere; the organization still has to match. */
export const listEventBodies = (queries: Queries, orgIds: OrgId[], ids: string[]) => queries.many<EventBodyRow>`
  select org_id, id, type, subject, sequence, is_test, body from events where org_id = any(${orgIds}) and id = any(${ids})`

/** The same without their bodies, oldest first. */
export const listEventHeadsById = (queries: Queries, orgId: OrgId, ids: string[]) =>
  queries.many<Omit<EventBodyRow, 'body'>>`
    select org_id, id, type, subject, sequence, is_test from events
    where org_id = ${orgId} and id = any(${ids}) order by sequence`
