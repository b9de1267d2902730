import { type AccountsContext, createApiKey } from './accounts/api-keys.ts'
import { createOrganization, listOrganizations } from './accounts/organizations.ts'
import { addMember, createPerson, type PeopleContext, randomPassword } from './accounts/people/people.ts'
import type { ChannelsContext } from './channels/channels-context.ts'
import { createNumber } from './channels/numbers.ts'
import type { OrgId } from './kernel/ids.ts'
import { allScopes } from './kernel/scopes.ts'
import { NewPaymentAccount } from './payments/payment-accounts.schemas.ts'
import { createPaymentAccount, type PaymentAccountsContext } from './payments/payment-accounts.ts'

/** What the first start makes, so that there is something to try at once. */
export type Demo = {
  organizationId: OrgId
  organizationName: string
  token: string
  owner: { email: string; password: string }
}

/** What it takes to play its first hours. */
export type DemoKey = Pick<Demo, 'organizationId' | 'token'>

export type DemoParts = {
  accounts: AccountsContext
  people: PeopleContext
  numbers: ChannelsContext
  paymentAccounts: PaymentAccountsContext
}

const OWNER_EMAIL = 'owner@demo-store.example'

const demoNumber = {
  connector: 'simulator',
  phone_number_id: '100000000000001',
  display_phone: '+62 21 5000 1000',
  name: 'Demo Store',
  is_default: true,
} as const

const DEMO_LOCK = 7_310_002

/** Null when there already is an organization: the demo is made once in the life of a database. */
export async function createDemo({ accounts, people, numbers, paymentAccounts }: DemoParts): Promise<Demo | null> {
  const { database, clock } = accounts
  const connection = await database.reserve()
  try {
    await connection.run`select pg_advisory_lock(${DEMO_LOCK})`
    if ((await listOrganizations(database)).length > 0) return null
    const organization = await createOrganization(database, clock, { name: 'Demo Store', slug: 'demo-store' })
    const { token } = await createApiKey(accounts, organization.id, {
      name: 'Demo key',
      scopes: allScopes,
      createdBy: 'first start',
    })
    const owner = { name: 'Owner', email: OWNER_EMAIL, password: randomPassword() }
    const person = await createPerson(people, owner)
    await addMember(people, organization.id, person.id, 'owner')
    await database.transaction(async (tx) => {
      await createNumber(numbers, tx, organization.id, demoNumber)
      await createPaymentAccount(
        paymentAccounts,
        tx,
        organization.id,
        NewPaymentAccount.parse({ provider: 'simulator' }),
      )
      await createPaymentAccount(paymentAccounts, tx, organization.id, NewPaymentAccount.parse({ provider: 'manual' }))
    })
    return { organizationId: organization.id, organizationName: organization.name, token, owner }
  } finally {
    await connection.run`select pg_advisory_unlock(${DEMO_LOCK})`
    connection.release()
  }
}
