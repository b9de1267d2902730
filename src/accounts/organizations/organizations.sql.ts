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
}

export const insertOrganization = (tx: Tx, row: OrganizationRow, settings: Record<string, unknown>) =>
  tx.run`
    insert into organizations (id, slug, name, default_country, currency, timezone, settings, created_at, updated_at)
    values (${row.id}, ${row.slug}, ${row.name}, ${row.default_country}, ${row.currency}, ${row.timezone},
      ${JSON.stringify(settings)}::text::jsonb, ${row.created_at}, ${row.created_at})`

export const findOrganizationBySlug = (queries: Queries, slug: string) =>
  queries.maybeOne<OrganizationRow>`
    select id, slug, name, default_country, currency, timezone, created_at from organizations where slug = ${slug}`

export const findOrganization = (queries: Queries, orgId: OrgId) =>
  queries.maybeOne<OrganizationRow>`
    select id, slug, name, default_country, currency, timezone, created_at from organizations where id = ${orgId}`

export const listOrganizations = (queries: Queries) =>
  queries.many<OrganizationRow>`
    select id, slug, name, default_country, currency, timezone, created_at from organizations order by id`
