import { beforeAll, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../../test/support/run-command.ts'
import { TEST_SECRET_KEY } from '../../../test/support/secret-key.ts'
import { auditContext, listAuditEntries } from '../../accounts/audit/audit-log.ts'
import { verifyChain } from '../../accounts/audit/audit-verification.ts'
import { getOrganizationBySlug, type Organization } from '../../accounts/organizations/organizations.ts'
import { systemClock } from '../../kernel/clock.ts'
import { endpointCommands } from '../endpoint.commands.ts'
import { numberCommands } from '../number.commands.ts'
import { orgCommands } from '../org.commands.ts'
import { paymentAccountCommands } from '../payment-account.commands.ts'
import { personCommands } from '../person.commands.ts'
import { recoveryCommands } from '../recovery.commands.ts'
import type { Command } from './command.ts'

const db = useTestDatabase()
useCommandSettings(db)
let organization: Organization

beforeAll(async () => {
  organization = await anOrganization(db.database)
})

const commands: Command[] = [
  ...endpointCommands,
  ...numberCommands,
  ...orgCommands,
  ...paymentAccountCommands,
  ...personCommands,
  ...recoveryCommands,
]

const run = async (words: string): Promise<{ id: string }> =>
  JSON.parse((await runCommand(commands, [...words.split(' '), '--json'])).out)

const entriesOf = async (orgId = organization.id) =>
  (await listAuditEntries(db.database, orgId, { limit: 50 }))
    .toReversed()
    .map(({ actor_type, actor_name, actor_id, act, subject }) => [actor_type, actor_name, actor_id, act, subject])

const byCommand = (command: string, act: string, subject: string) => ['command', 'command line', command, act, subject]

/** Runs each command in turn on what the first one created, and expects an entry for each, in this order. */
async function expectEntered(create: string, createAct: string, then: [command: string, act: string, more?: string][]) {
  const before = (await entriesOf()).length
  const { id } = await run(`${create} --org ${organization.slug}`)
  for (const [command, , more = ''] of then)
    await run(`${command} ${id} --org ${organization.slug}${more === '' ? '' : ` ${more}`}`)
  const name = create.split(' ').slice(0, 2).join(' ')
  expect((await entriesOf()).slice(before)).toEqual([
    byCommand(name, createAct, id),
    ...then.map(([command, act]) => byCommand(command, act, id)),
  ])
}

test('what a command does to a business number is entered', () =>
  expectEntered(
    'number create --connector simulator --phone-number-id 1001 --display-phone +622150001000',
    'createNumber',
    [
      ['number update', 'updateNumber', '--name Till'],
      ['number pause', 'pauseNumber'],
      ['number resume', 'resumeNumber'],
      ['number delete', 'deleteNumber'],
    ],
  ))

test('what a command does to a payment account is entered', () =>
  expectEntered('payment-account create --provider simulator', 'createPaymentAccount', [
    ['payment-account update', 'updatePaymentAccount', '--state paused'],
    ['payment-account ask-again', 'askPaymentAccountAgain'],
    ['payment-account disable', 'updatePaymentAccount'],
  ]))

test('what a command does to a webhook endpoint is entered', () =>
  expectEntered('endpoint create --url https://hooks.example.com/nexkit', 'createWebhookEndpoint', [
    ['endpoint update', 'updateWebhookEndpoint', '--description Till'],
    ['endpoint pause', 'pauseWebhookEndpoint'],
    ['endpoint resume', 'resumeWebhookEndpoint'],
    ['endpoint rotate-secret', 'rotateWebhookSecret'],
    ['endpoint recover', 'recoverWebhookEndpoint', '--since 1h'],
    ['endpoint cancel-recovery', 'cancelWebhookRecovery'],
    ['endpoint delete', 'deleteWebhookEndpoint'],
  ]))

test('looking is not entered, and neither is what was refused', async () => {
  const before = await entriesOf()
  await run(`number list --org ${organization.slug}`)
  await run(`payment-account list --org ${organization.slug}`)
  const missing = run(`number pause num_01kmz3v7n2e0a8tq9fj6hx5c4d --org ${organization.slug}`)
  await expect(missing).rejects.toThrow()
  expect(await entriesOf()).toEqual(before)
})

test('the audit log of an organization begins with its creation', async () => {
  await run('org create --name Warung --slug warung')
  const { id } = await getOrganizationBySlug(db.database, 'warung')
  expect(await entriesOf(id)).toEqual([byCommand('org create', 'createOrganization', id)])
})

test('an organization is refused in a country without phone numbers', async () => {
  await expect(run('org create --name Nowhere --slug nowhere --country ZZ')).rejects.toThrow('--country')
  await expect(run(`org create --name ${'x'.repeat(201)} --slug nowhere`)).rejects.toThrow('1 to 200 characters')
  await expect(getOrganizationBySlug(db.database, 'nowhere')).rejects.toThrow()
})

test('a link to a new password is entered wherever the person is a member', async () => {
  const other = await anOrganization(db.database)
  const { id } = await run(`person create --org ${organization.slug} --name Sari --email sari@example.com`)
  await run(`person create --org ${other.slug} --name Sari --email sari@example.com`)
  await run('person reset-password --email sari@example.com')
  const expected = byCommand('person reset-password', 'requestPasswordReset', id)
  expect([(await entriesOf()).at(-1), (await entriesOf(other.id)).at(-1)]).toEqual([expected, expected])
  const context = auditContext({ database: db.database, clock: systemClock, secretKey: TEST_SECRET_KEY })
  expect(await verifyChain(context, organization.id)).toMatchObject({ isIntact: true })
})
