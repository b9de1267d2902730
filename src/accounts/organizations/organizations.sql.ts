import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type OrganizationRow = {
  id: OrgId
  slug: string
  name: string
  default_country: string
  currency: string
  timezone: string
  created_at: Date
  /** The live organization that this one is the sandbox of. */
  sandbox_of: OrgId | null
  suspended_at: Date | null
  suspended_reason: string | null
}

export const insertOrganization = (
  tx: Tx,
  row: OrganizationRow,
  { settings, platformKeyId }: { settings: Record<string, unknown>; platformKeyId: string | null },
) =>
  tx.run`
    insert into organizations (id, slug, name, default_country, currency, timezone, settings, created_at, updated_at,
      sandbox_of, platform_key_id)
    values (${row.id}, ${row.slug}, ${row.name}, ${row.default_country}, ${row.currency}, ${row.timezone},
      ${JSON.stringify(settings)}::text::jsonb, ${row.created_at}, ${row.created_at},
      ${row.sandbox_of}, ${platformKeyId})`

/** Inserts into tables of an organization depend on it in a cluster: `fromHome`. */
export const insertHome = (tx: Tx, orgId: OrgId) => tx.run`insert into organization_homes (org_id) values (${orgId})`

/** Of organizations that a process of an earlier version created. */
export const insertMissingHomes = (queries: Queries) => queries.run`
  insert into organization_homes (org_id) select id from organizations on conflict (org_id) do nothing`

export const isAnyHomeMissing = async (queries: Queries): Promise<boolean> =>
  (
    await queries.one<{ is_missing: boolean }>`
      select (select count(*) from organizations) > (select count(org_id) from organization_homes) as is_missing`
  ).is_missing

const columns = (queries: Queries) =>
  queries.part`id, slug, name, default_country, currency, timezone, created_at, sandbox_of, suspended_at, suspended_reason`

export const findOrganizationBySlug = (queries: Queries, slug: string) =>
  queries.maybeOne<OrganizationRow>`
    select ${columns(queries)} from organizations where slug = ${slug}`

export const findOrganization = (queries: Queries, orgId: OrgId) =>
  queries.maybeOne<OrganizationRow>`
    select ${columns(queries)} from organizations where id = ${orgId}`

/** The sandbox of a live organization, and of a sandbox the sandbox itself. */
export const findSandbox = (queries: Queries, orgId: OrgId) =>
  queries.maybeOne<OrganizationRow>`
    select ${columns(queries)} from organizations
    where sandbox_of = ${orgId} or (id = ${orgId} and sandbox_of is not null)`

export const listOrganizations = (queries: Queries) =>
  queries.many<OrganizationRow>`
    select ${columns(queries)} from organizations order by id`

/** The first suspension keeps its time. */
export const saveSuspension = (
  tx: Tx,
  orgId: OrgId,
  { at, reason }: { at: Date | null; reason: string | null },
) => tx.run`
  update organizations
  set suspended_at = case when ${at}::timestamptz is null then null else coalesce(suspended_at, ${at}::timestamptz) end,
    suspended_reason = ${reason}, updated_at = now()
  where id = ${orgId}`

export type ProfileRow = {
  id: OrgId
  name: string
  default_country: string
  timezone: string
  settings: Record<string, unknown>
}

export const findProfile = (queries: Queries, orgId: OrgId) => queries.maybeOne<ProfileRow>`
  select id, name, default_country, timezone, settings from organizations where id = ${orgId}`

/** The lock does not block transactions that only refer to the organization. */
export const lockProfile = (tx: Tx, orgId: OrgId) => tx.run`
  select from organizations where id = ${orgId} for no key update`

/** Members that are not named stay as they are. */
export const mergeSettings = (queries: Queries, orgId: OrgId, settings: Record<string, unknown>) => queries.run`
  update organizations set settings = settings || ${JSON.stringify(settings)}::text::jsonb, updated_at = now()
  where id = ${orgId}`

export type OrganizationDetails = { name: string | null; default_country: string | null; timezone: string | null }

/** A null member stays unchanged. */
export const updateOrganizationDetails = (tx: Tx, orgId: OrgId, details: OrganizationDetails) => tx.run`
  update organizations set name = coalesce(${details.name}, name),
    default_country = coalesce(${details.default_country}, default_country),
    timezone = coalesce(${details.timezone}, timezone), updated_at = now()
  where id = ${orgId}`
