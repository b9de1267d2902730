import { type AccountsContext, createApiKey, listApiKeys, revokeApiKey } from './accounts/api-keys.ts'
import { changeOrganization, getProfile } from './accounts/organization-profiles.ts'
import { createOrganization, listOrganizations, type Organization } from './accounts/organizations.ts'
import {
  addMember,
  createPerson,
  findPersonByEmail,
  listMembershipsOf,
  type PeopleContext,
  randomPassword,
  replacePassword,
} from './accounts/people/people.ts'
import type { ChannelsContext } from './channels/channels-context.ts'
import { createNumber, listNumbers } from './channels/numbers.ts'
import type { OrgId } from './kernel/ids.ts'
import { allScopes } from './kernel/scopes.ts'
import { NewPaymentAccount } from './payments/payment-accounts.schemas.ts'
import { createPaymentAccount, type PaymentAccountsContext } from './payments/payment-accounts.ts'
import { type Database, openDatabase } from './platform/database/database.ts'

/** What the first start makes, so that there is something to try at once. */
export type Demo = {
  organizationId: OrgId
  organizationName: string
  token: string
  owner: { email: string; password: string }
  /** Until then no other start touches it. PostgreSQL lets go for one that is killed. */
  letGo(): Promise<void>
}

/** What it takes to play its first hours. */
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
} as const

const DEMO_SLUG = 'demo-store'
const DEMO_LOCK = 7_310_002

/** Who makes its key; a start that goes on with an unseen demo knows the key by it. */
const FIRST_START = 'first start'

/** Among the settings of the organization, from its first row until its credentials were printed. */
const UNSEEN = 'demo_unseen'

/**
 * Null when there already is an organization: the demo is made once in the life of a database. One whose maker was killed
 * before it could print the credentials is no use to anybody, so the next start completes it and prints new ones. While its
 * maker lives it is the maker's: of several that start at once, one makes the demo and the others none.
 */
export async function createDemo(parts: DemoParts): Promise<Demo | null> {
  const letGo = await holdDemo(parts.databaseUrl)
  if (letGo === null) return null
  const made = await makeDemo(parts).catch(async (error) => {
    await letGo()
    throw error
  })
  if (made === null) await letGo()
  return made && { ...made, letGo }
}

/** Null when another start holds it. On a connection of its own: one of few would be missed by what the demo is made with. */
async function holdDemo(url: string): Promise<Demo['letGo'] | null> {
  const holder = openDatabase({ url, connectionsMax: 1 })
  const { is_held } = await holder.one<{ is_held: boolean }>`select pg_try_advisory_lock(${DEMO_LOCK}) as is_held`
  if (is_held) return holder.close
  await holder.close()
  return null
}

async function makeDemo(parts: DemoParts): Promise<Omit<Demo, 'letGo'> | null> {
  const { accounts, people } = parts
  const organization = await takeOrganization(accounts)
  if (organization === null) return null
  const token = await makeKey(accounts, organization.id)
  const owner = await makeOwner(people, organization.id)
  await connectSimulators(parts, accounts.database, organization.id)
  return { organizationId: organization.id, organizationName: organization.name, token, owner }
}

/** From here on its credentials are with whoever started the server. */
export async function noteDemoSeen(database: Database, { organizationId, letGo }: Demo): Promise<void> {
  await database.transaction((tx) => changeOrganization(tx, organizationId, { settings: { [UNSEEN]: false } }))
  await letGo()
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

async function makeKey(accounts: AccountsContext, orgId: OrgId): Promise<string> {
  const keys = await listApiKeys(accounts.database, orgId)
  for (const { id, created_by } of keys)
    if (created_by === FIRST_START) await revokeApiKey(accounts, orgId, { id, revokedBy: FIRST_START })
  const made = await createApiKey(accounts, orgId, { name: 'Demo key', scopes: allScopes, createdBy: FIRST_START })
  return made.token
}

async function makeOwner(people: PeopleContext, orgId: OrgId): Promise<Demo['owner']> {
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
