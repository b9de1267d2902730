import { type AccountsContext, createApiKey, listApiKeys, revokeApiKey } from '../accounts/keys/keys.ts'
import {
  changeOrganization,
  createOrganization,
  getProfile,
  listOrganizations,
  type Organization,
} from '../accounts/organizations/organizations.ts'
import {
  addMember,
  createPerson,
  findPersonByEmail,
  listMembershipsOf,
  type PeopleContext,
  randomPassword,
  replacePassword,
} from '../accounts/people/people.ts'
import type { ChannelsContext } from '../channels/channels-context.ts'
import { createNumber, listNumbers } from '../channels/numbers/numbers.ts'
import type { OrgId } from '../kernel/ids.ts'
import { allScopes } from '../kernel/scopes.ts'
import { NewPaymentAccount } from '../payments/accounts/accounts.schemas.ts'
import { createPaymentAccount, type PaymentAccountsContext } from '../payments/accounts/accounts.ts'
import { type Database, openDatabase } from '../platform/database/database.ts'

/** The organization that the first start creates, so that there is something to try at once. */
export type Demo = {
  organizationId: OrgId
  organizationName: string
  token: string
  owner: { email: string; password: string }
  /** Releases the lock that keeps other starts from the demo. PostgreSQL releases it when the process is killed. */
  release(): Promise<void>
}

/** The credentials that playing the demo content needs. */
export type DemoKey = Pick<Demo, 'organizationId' | 'token'>

export type DemoParts = {
  accounts: AccountsContext
  people: PeopleContext
  numbers: ChannelsContext
  paymentAccounts: PaymentAccountsContext
  databaseUrl: string
}

const OWNER_EMAIL = 'owner@demo-store.example'

const demoNumber = {
  connector: 'simulator',
  phone_number_id: '100000000000001',
  display_phone: '+62 21 5000 1000',
  name: 'Demo Store',
  is_default: true,
  // Lenient, so that a first message to anyone is delivered.
  settings: { reply_window: false },
} as const

const DEMO_SLUG = 'demo-store'
const DEMO_LOCK = 7_310_002

/** The creator of its key; a start that completes an unseen demo recognizes the key by it. */
const FIRST_START = 'first start'

/** Among the settings of the organization, from its first row until its credentials were printed. */
const UNSEEN = 'demo_unseen'

/**
 * Returns null when an organization exists: the demo is created once in the life of a database. When the start that created it
 * was killed before it printed the credentials, the next start completes the demo and prints new ones. Of several starts at
 * once, the one that holds the lock creates the demo.
 */
export async function createDemo(parts: DemoParts): Promise<Demo | null> {
  const release = await holdDemo(parts.databaseUrl)
  if (release === null) return null
  const created = await buildDemo(parts).catch(async (error) => {
    await release()
    throw error
  })
  if (created === null) await release()
  return created && { ...created, release }
}

/** Returns null when another start holds the lock. Uses a separate connection, so that creating the demo has all others. */
async function holdDemo(url: string): Promise<Demo['release'] | null> {
  const holder = openDatabase({ url, connectionsMax: 1 })
  const { is_held } = await holder.one<{ is_held: boolean }>`select pg_try_advisory_lock(${DEMO_LOCK}) as is_held`
  if (is_held) return holder.close
  await holder.close()
  return null
}

async function buildDemo(parts: DemoParts): Promise<Omit<Demo, 'release'> | null> {
  const { accounts, people } = parts
  const organization = await takeOrganization(accounts)
  if (organization === null) return null
  const token = await createKey(accounts, organization.id)
  const owner = await createOwner(people, organization.id)
  await connectSimulators(parts, accounts.database, organization.id)
  return { organizationId: organization.id, organizationName: organization.name, token, owner }
}

/** Marks the demo as seen: the operator has its credentials. */
export async function noteDemoSeen(database: Database, { organizationId, release }: Demo): Promise<void> {
  await database.transaction((tx) => changeOrganization(tx, organizationId, { settings: { [UNSEEN]: false } }))
  await release()
}

async function takeOrganization({ database, clock }: AccountsContext): Promise<Organization | null> {
  const organizations = await listOrganizations(database)
  if (organizations.length === 0)
    return createOrganization(database, clock, { name: 'Demo Store', slug: DEMO_SLUG, settings: { [UNSEEN]: true } })
  const demo = organizations.find(({ slug }) => slug === DEMO_SLUG)
  if (demo === undefined) return null
  const { settings } = await getProfile(database, demo.id)
  return settings[UNSEEN] === true ? demo : null
}

async function createKey(accounts: AccountsContext, orgId: OrgId): Promise<string> {
  const keys = await listApiKeys(accounts.database, orgId)
  for (const { id, created_by } of keys)
    if (created_by === FIRST_START) await revokeApiKey(accounts, orgId, { id, revokedBy: FIRST_START })
  const created = await createApiKey(accounts, orgId, { name: 'Demo key', scopes: allScopes, createdBy: FIRST_START })
  return created.token
}

async function createOwner(people: PeopleContext, orgId: OrgId): Promise<Demo['owner']> {
  const owner = { email: OWNER_EMAIL, password: randomPassword() }
  const known = await findPersonByEmail(people.database, owner.email)
  if (known !== null) await replacePassword(people, known.id, owner.password)
  const { id } = known ?? (await createPerson(people, { ...owner, name: 'Owner' }))
  const memberships = await listMembershipsOf(people.database, id)
  if (!memberships.some(({ org_id }) => org_id === orgId)) await addMember(people, orgId, id, 'owner')
  return owner
}

async function connectSimulators(
  { numbers, paymentAccounts }: Pick<DemoParts, 'numbers' | 'paymentAccounts'>,
  database: Database,
  orgId: OrgId,
): Promise<void> {
  await database.transaction(async (tx) => {
    if ((await listNumbers(tx, orgId)).length > 0) return
    await createNumber(numbers, tx, orgId, demoNumber)
    for (const provider of ['simulator', 'manual'])
      await createPaymentAccount(paymentAccounts, tx, orgId, NewPaymentAccount.parse({ provider }))
  })
}
