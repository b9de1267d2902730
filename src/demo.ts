import { type AccountsContext, createApiKey } from './accounts/api-keys.ts'
import { createOrganization, listOrganizations } from './accounts/organizations.ts'
import { allScopes } from './kernel/scopes.ts'

/** What the first start makes, so that there is something to try at once. */
export type Demo = { organizationName: string; token: string }

const DEMO_LOCK = 7_310_002

/** Null when there already is an organization: the demo is made once in the life of a database. */
export async function createDemo(context: AccountsContext): Promise<Demo | null> {
  const { database, clock } = context
  const connection = await database.reserve()
  try {
    await connection.run`select pg_advisory_lock(${DEMO_LOCK})`
    if ((await listOrganizations(database)).length > 0) return null
    const organization = await createOrganization(database, clock, { name: 'Demo Store', slug: 'demo-store' })
    const { token } = await createApiKey(context, organization.id, {
      name: 'Demo key',
      scopes: allScopes,
      createdBy: 'first start',
    })
    return { organizationName: organization.name, token }
  } finally {
    await connection.run`select pg_advisory_unlock(${DEMO_LOCK})`
    connection.release()
  }
}
