import { expect, test } from 'bun:test'
import { testAppOptions, useTestApp } from '../../test/support/app.ts'
import { aBrowser, testPeople } from '../../test/support/console.ts'
import { listApiKeys } from '../accounts/keys/api-keys.ts'
import { listOrganizations } from '../accounts/organizations/organizations.ts'
import { listNumbers } from '../channels/numbers/numbers.ts'
import { systemClock } from '../kernel/clock.ts'
import { listPaymentAccounts } from '../payments/accounts/accounts.ts'
import { openDatabase } from '../platform/database/database.ts'
import { paymentAccountsContext } from './capabilities.ts'
import { accountsContext, numbersContext } from './contexts.ts'
import { createDemo, type Demo, noteDemoSeen } from './demo.ts'

const app = useTestApp()

const start = (database = app.database) => {
  const { url, migrations, close } = app
  const options = { clock: systemClock, ...testAppOptions({ database, url, migrations, close }) }
  return createDemo({
    accounts: accountsContext(database, systemClock),
    people: testPeople({ ...app, database }),
    numbers: numbersContext(options),
    paymentAccounts: paymentAccountsContext(options),
    databaseUrl: url,
  })
}

const statusWith = async (token: string) => (await app.call('/api/public/v1/me', { token })).status

test('one of several concurrent first starts creates the demo, and its credentials work', async () => {
  const created = (await Promise.all([start(), start()])).filter((demo) => demo !== null)
  expect(await start()).toBeNull()
  expect(await Promise.all(created.map(({ token }) => statusWith(token)))).toEqual([200])
  await created[0]?.release()
})

test('the demo can be created with the smallest number of connections', async () => {
  const few = openDatabase({ url: app.url, connectionsMax: 2, statementTimeoutMs: 3_000 })
  const created = (await start(few)) as Demo
  expect(await statusWith(created.token)).toBe(200)
  await created.release()
  await few.close()
})

test('a start completes an unseen demo with new credentials, and the old ones stop working', async () => {
  const unseen = (await start()) as Demo
  await unseen.release()
  const shown = (await start()) as Demo
  expect(shown.organizationId).toBe(unseen.organizationId)
  expect([await statusWith(unseen.token), await statusWith(shown.token)]).toEqual([401, 200])
  await aBrowser(app).signIn(shown.owner)

  const { database } = app
  const orgId = shown.organizationId
  expect(await listOrganizations(database)).toHaveLength(1)
  expect(await listNumbers(database, orgId)).toHaveLength(1)
  expect(await listPaymentAccounts(database, orgId)).toHaveLength(2)
  expect((await listApiKeys(database, orgId)).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1)
  await shown.release()
})

test('a demo whose credentials were seen is left alone', async () => {
  const shown = (await start()) as Demo
  await noteDemoSeen(app.database, shown)
  expect(await start()).toBeNull()
  expect(await statusWith(shown.token)).toBe(200)
})
