import {
  type AccountsContext,
  type CreatedApiKey,
  createApiKey,
  type NewApiKey,
} from '../../src/accounts/keys/api-keys.ts'
import { createOrganization, type Organization } from '../../src/accounts/organizations/organizations.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import { allScopes } from '../../src/kernel/scopes.ts'
import type { Database } from '../../src/platform/database/database.ts'

/** Accounts without the wiring: changes to keys are recorded nowhere. */
export const testAccounts = (database: Database, clock: Clock = systemClock): AccountsContext => ({
  database,
  clock,
  recordChange: async () => {},
})

/** Makers: they fill in what a test does not care about and really insert it. */
let counter = 0

export const anOrganization = (
  database: Database,
  fields: Partial<{ name: string; slug: string }> = {},
): Promise<Organization> => {
  counter += 1
  return createOrganization(database, systemClock, {
    name: fields.name ?? `Shop ${counter}`,
    slug: fields.slug ?? `shop-${process.pid}-${counter}`,
  })
}

export const aKey = (database: Database, orgId: OrgId, fields: Partial<NewApiKey> = {}): Promise<CreatedApiKey> =>
  createApiKey(testAccounts(database), orgId, { name: 'Test key', scopes: allScopes, createdBy: 'test', ...fields })
