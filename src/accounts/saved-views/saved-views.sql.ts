import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

/** Filters under a name. */
export type SavedView = { name: string; filters: Record<string, string> }

type Owner = { personId: string; page: string }

/** The views that a person saved for a page of the console. */
export const listSavedViews = async (
  queries: Queries,
  orgId: OrgId,
  { personId, page }: Owner,
): Promise<SavedView[]> => {
  const row = await queries.maybeOne<{ views: SavedView[] }>`
    select views from saved_views where org_id = ${orgId} and person_id = ${personId} and page = ${page}`
  return row?.views ?? []
}

const LOCK_SPACE = 7_315

/** One edit of a person at a time. */
export const lockSavedViews = (tx: Tx, orgId: OrgId, personId: string) =>
  tx.run`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${`${orgId} ${personId}`}))`

/** All of them at once: a person has few, and edits them alone. */
export const replaceSavedViews = (
  tx: Tx,
  orgId: OrgId,
  { personId, page, views, now }: Owner & { views: readonly SavedView[]; now: Date },
) => tx.run`
  insert into saved_views (org_id, person_id, page, views, updated_at)
  values (${orgId}, ${personId}, ${page}, ${JSON.stringify(views)}::text::jsonb, ${now})
  on conflict (org_id, person_id, page) do update set views = excluded.views, updated_at = excluded.updated_at`
