import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { TEST_SECRET_KEY } from '../../test/support/secret-key.ts'
import { auditContext, listAuditEntries } from '../accounts/audit/audit-log.ts'
import { verifyChain } from '../accounts/audit/audit-verification.ts'
import { systemClock } from '../kernel/clock.ts'
import { readEventFilters } from './framework/flags.ts'
import { keyCommands } from './key.commands.ts'

const db = useTestDatabase()
useCommandSettings(db)

const run = async (...words: string[]): Promise<string> => (await runCommand(keyCommands, words)).out

test('a mistake is answered with what may be given instead, in a whole sentence', async () => {
  const create = ['key', 'create', '--org', 'shop', '--name', 'ERP', '--scopes', 'all']
  const rate = run(...create, '--rate-limit', 'many')
  await expect(rate).rejects.toThrow('--rate-limit must be a whole number from 1 to 1000000, or none.')
  await expect(run(...create, '--qqqqqq')).rejects.toThrow(/^There is no option --qqqqqq\.$/)
  expect(() => readEventFilters('qqqqqq.*')).toThrow(/^There is no event "qqqqqq\.\*"\.$/)
})

test('what a command does to a key is in the audit log, and the chain holds', async () => {
  const { id: orgId, slug } = await anOrganization(db.database)
  const created = JSON.parse(await run('key', 'create', '--org', slug, '--name', 'ERP', '--scopes', 'all', '--json'))
  const rotated = JSON.parse(await run('key', 'rotate', created.id, '--org', slug, '--json'))
  await run('key', 'revoke', rotated.id, '--org', slug)
  const entries = await listAuditEntries(db.database, orgId, { limit: 10 })
  expect(entries.map(({ act, actor_type }) => [act, actor_type])).toEqual([
    ['revokeKey', 'command'],
    ['rotateKey', 'command'],
    ['createKey', 'command'],
  ])
  expect(entries.at(-1)?.subject).toBe(created.id)
  const context = auditContext({ database: db.database, clock: systemClock, secretKey: TEST_SECRET_KEY })
  expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: true, entries: 3 })
})

test('control characters in a name are printed as escapes', async () => {
  const { slug } = await anOrganization(db.database)
  const name = 'ERP\u001b[2J\u001b]0;title\u0007\r\u009b31m\nkey_made_up'
  const created = JSON.parse(await run('key', 'create', '--org', slug, '--name', name, '--scopes', 'all', '--json'))
  const shown = 'ERP\\u001b[2J\\u001b]0;title\\u0007\\u000d\\u009b31m\\u000akey_made_up'
  const lines = (await run('key', 'list', '--org', slug)).trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(`${created.id}  ${shown}  `)
  expect(await run('key', 'revoke', created.id, '--org', slug)).toContain('ERP\\u001b[2J')
})

test.each([
  ['key create --org unknown', '--name is required'],
  ['key create --org unknown --name x --scopes orders:reed', 'Did you mean "orders:read"?'],
  ['key create --org unknown --nmae x', 'Did you mean --name?'],
  [`key create --org unknown --name ${'x'.repeat(201)} --scopes all`, '--name must have 1 to 200 characters'],
  ['key create --org unknown --name \u200b --scopes all', 'not be blank'],
  ['key create --org unknown --name x --scopes all --expires-in 00d', '--expires-in must be a time'],
  ['key list --org unknown', 'no organization with the slug "unknown"'],
])('%s is refused with a sentence', async (words, sentence) => {
  await expect(run(...words.split(' '))).rejects.toThrow(sentence)
})
