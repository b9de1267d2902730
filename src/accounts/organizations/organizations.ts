import type { Clock } from '../../kernel/clock.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { Database, Queries } from '../../platform/database/database.ts'
import { isUniqueViolation } from '../../platform/database/database-errors.ts'
import { organizationNotFound, organizationSlugTaken } from '../accounts.errors.ts'
import {
  findOrganization,
  findOrganizationBySlug,
  insertOrganization,
  listOrganizations as listRows,
  type OrganizationRow,
} from './organizations.sql.ts'

export type Organization = OrganizationRow

export type NewOrganization = {
  name: string
  slug: string
  defaultCountry?: string
  currency?: string
  timezone?: string
  settings?: Record<string, unknown>
}

export const SLUG_PATTERN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

export async function createOrganization(
  database: Database,
  clock: Clock,
  input: NewOrganization,
): Promise<Organization> {
  const now = clock.now()
  const row: OrganizationRow = {
    id: newId('org', now),
    slug: input.slug,
    name: input.name,
    default_country: input.defaultCountry ?? 'ID',
    currency: input.currency ?? 'IDR',
    timezone: input.timezone ?? 'Asia/Jakarta',
    created_at: new Date(now),
  }
  try {
    await database.transaction((tx) => insertOrganization(tx, row, input.settings ?? {}))
  } catch (error) {
    if (isUniqueViolation(error, 'organizations_slug_key'))
      throw organizationSlugTaken({
        says: `Another organization already has the slug "${input.slug}". Choose another.`,
      })
    throw error
  }
  return row
}

export const listOrganizations = (database: Database): Promise<Organization[]> => listRows(database)

export async function getOrganizationBySlug(database: Database, slug: string): Promise<Organization> {
  const row = await findOrganizationBySlug(database, slug)
  if (row === null)
    throw organizationNotFound({ says: `There is no organization with the slug "${slug}".`, params: { slug } })
  return row
}

export const findOrganizationById = (queries: Queries, orgId: OrgId): Promise<Organization | null> =>
  findOrganization(queries, orgId)
