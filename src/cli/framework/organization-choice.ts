import {
  getOrganizationBySlug,
  listOrganizations,
  type Organization,
} from '../../accounts/organizations/organizations.ts'
import { StartError } from '../../kernel/start-error.ts'
import type { Database } from '../../platform/database/database.ts'
import { type CommandValues, UsageError } from './command.ts'

/** For commands of a developer on a local machine: the organization need not be named when there is only one. */
export async function chooseOrganization(database: Database, slug: CommandValues[string]): Promise<Organization> {
  if (slug !== undefined) return getOrganizationBySlug(database, String(slug))
  const [only, ...others] = await listOrganizations(database)
  if (only === undefined)
    throw new StartError('There is no organization yet. Make one with "npx nexkit org create --name …".')
  if (others.length === 0) return only
  const slugs = [only, ...others].map((organization) => organization.slug).slice(0, 10)
  throw new UsageError(`There are several organizations; say which one: --org ${slugs.join(' | ')}`)
}
