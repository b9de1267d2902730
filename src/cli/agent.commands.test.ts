import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { anOrganization, testAccounts } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { listAuditEntries } from '../accounts/audit/audit-log.ts'
import { createAgent } from '../agents/records/records.ts'
import { agentCommands } from './agent.commands.ts'

const db = useTestDatabase()
useCommandSettings(db)

const run = async (...words: string[]): Promise<string> => (await runCommand(agentCommands, words)).out
const CREATE = ['agent', 'create', '--name', 'Bot', '--scopes', 'chats:read,messages:send']

test('an agent is created, paused, resumed and ended, each in the audit log', async () => {
  const { id: orgId, slug } = await anOrganization(db.database)
  const org = ['--org', slug]
  const created = JSON.parse(await run(...CREATE, ...org, '--allow', 'sendMessage', '--expires-in', '12h', '--json'))
  expect(created).toMatchObject({
    token: expect.stringMatching(/^nxk_live_/),
    state: 'active',
    owner: null,
    created_by: 'cli',
    rules: expect.arrayContaining([{ operation: 'sendMessage', decision: 'allow', ask_above: null }]),
  })
  expect(await run('agent', 'pause', created.id, ...org)).toBe('Agent "Bot" is paused.\n')
  expect(await run('agent', 'list', ...org)).toMatch(/Bot +paused +chats:read,messages:send +sendMessage/)
  await run('agent', 'resume', created.id, ...org)
  expect(await run('agent', 'pause', '--all', ...org)).toBe('One agent is paused.\n')
  const renewed = JSON.parse(await run('agent', 'rotate-token', created.id, ...org, '--json'))
  expect(renewed.token).not.toBe(created.token)
  await run('agent', 'end', created.id, ...org)
  const entries = await listAuditEntries(db.database, orgId, { limit: 10 })
  expect(entries.map(({ act, subject }) => [act, subject])).toEqual([
    ['endAgent', created.id],
    ['rotateAgentToken', created.id],
    ['pauseAllAgents', orgId],
    ['resumeAgent', created.id],
    ['pauseAgent', created.id],
    ['createAgent', created.id],
  ])
  await expect(run('agent', 'resume', created.id, ...org)).rejects.toThrow('This agent was revoked')
})

test('what is allowed up to an amount is listed with it', async () => {
  const { id: orgId, slug } = await anOrganization(db.database)
  const rules = [{ operation: 'createOrder' as const, decision: 'allow' as const, ask_above: 50_000 }]
  await db.database.transaction((tx) =>
    createAgent(testAccounts(db.database), tx, orgId, {
      input: { name: 'Till', scopes: ['orders:write'], rules },
      owner: null,
      by: 'test',
      initiator: null,
    }),
  )
  expect(await run('agent', 'list', '--org', slug)).toMatch(/orders:write +createOrder<=50000 /)
})

test('an agent that a program connected is listed with the program, and has no token to replace', async () => {
  const { id: orgId, slug } = await anOrganization(db.database)
  const created = JSON.parse(await run(...CREATE, '--org', slug, '--json'))
  await db.database.run`
    insert into agent_connections (org_id, agent_id, person_id, client_id, client_name, client_host, person_name, connected_at)
    values (${orgId}, ${created.id}, 'usr_1', 'oau_1', 'Claude', 'claude.ai', 'Sari', now())`
  expect(await run('agent', 'list', '--org', slug)).toMatch(/Bot +active .* Claude \(claude\.ai\)/)
  await expect(run('agent', 'rotate-token', created.id, '--org', slug)).rejects.toThrow('there is no token to rotate')
  expect(await run('agent', 'end', created.id, '--org', slug)).toContain('ended')
})

test.each([
  [[...CREATE, '--org', 'unknown'], 'no organization with the slug "unknown"'],
  [
    ['agent', 'create', '--org', 'x', '--name', 'Bot', '--scopes', 'webhooks:write'],
    'There is no scope "webhooks:write"',
  ],
  [[...CREATE, '--org', 'x', '--allow', 'sendMesage'], 'Did you mean "sendMessage"?'],
  [[...CREATE, '--org', 'x', '--allow', 'sendMessage,createOrder'], '"createOrder" needs the scope orders:write'],
  [
    [...CREATE, '--org', 'x', '--messages-per-minute', '0'],
    '--messages-per-minute must be a whole number from 1 to 100000, or none.',
  ],
  [['agent', 'pause', '--org', 'x'], 'Name an agent'],
  [
    [...CREATE, '--org', 'x', '--allow', 'sendMessage', '--deny', 'cancelMessage,sendMessage'],
    '"sendMessage" has two rules. Name it once',
  ],
])('%p is refused with a sentence', async (words, sentence) => {
  await expect(run(...words)).rejects.toThrow(sentence)
})
