import { expect, test } from 'bun:test'
import type { Agent } from '../api/agents.ts'
import { type AgentDraft, agentChangesOf, agentDraftOf, agentInputOf } from './agent-draft.ts'

const OPENED_MS = Date.parse('2026-11-16T10:00:00.000Z')

const anAgent = (fields: Partial<Agent> = {}): Agent => ({
  ...agentInputOf({ ...agentDraftOf(undefined), name: 'Kasir Bot' }, OPENED_MS),
  object: 'agent',
  id: 'agt_1',
  state: 'active',
  owner: null,
  key_prefix: 'nxk_live_AbCd',
  connection: null,
  created_at: '2026-11-16T10:00:00.000Z',
  created_by: 'usr_1',
  last_used_at: null,
  paused_at: null,
  ended_at: null,
  ...fields,
})

const changed = (agent: Agent, change: Partial<AgentDraft>) =>
  agentChangesOf({ ...agentDraftOf(agent), ...change }, agent, OPENED_MS)

test('a new agent asks before it changes anything but the mark of a read chat, and ends in 90 days', () => {
  const input = agentInputOf({ ...agentDraftOf(undefined), name: ' Kasir Bot ' }, OPENED_MS)
  expect(input.name).toBe('Kasir Bot')
  expect(input.rules.map(({ operation, decision }) => [operation, decision])).toEqual([
    ['sendMessage', 'ask'],
    ['cancelMessage', 'ask'],
    ['markChatRead', 'allow'],
    ['updateChat', 'ask'],
  ])
  expect(input.expires_at).toBe('2027-02-14T10:00:00.000Z')
  expect(input.is_anchored).toBe(true)
})

test('rules are sent for what the scopes allow, and an amount only where it acts by itself', () => {
  const draft = agentDraftOf(undefined)
  const rules = {
    ...draft.rules,
    createOrder: { decision: 'allow', askAbove: 200_000 },
    createOrderRefund: { decision: 'ask', askAbove: 50_000 },
  } as const
  const sent = agentInputOf({ ...draft, scopes: ['orders:write'], rules }, OPENED_MS).rules
  expect(sent.map(({ operation }) => operation)).not.toContain('sendMessage')
  expect(sent.find(({ operation }) => operation === 'createOrder')?.ask_above).toBe(200_000)
  expect(sent.find(({ operation }) => operation === 'createOrderRefund')?.ask_above).toBeNull()
})

test('only what was changed is sent, and an expiry only where another was chosen', () => {
  const agent = anAgent({ expires_at: null, purpose: 'Menu' })
  expect(changed(agent, {})).toEqual({})
  expect(changed(agent, { purpose: '', lifetime: '30' })).toEqual({
    purpose: null,
    expires_at: '2026-12-16T10:00:00.000Z',
  })
  expect(changed(agent, { days: 7 })).toEqual({ reach: { numbers: [], labels: [], days: 7, hides_phones: false } })
})

test('a limit that was emptied is none', () => {
  const agent = anAgent()
  const limits = { ...agentDraftOf(agent).limits, messages_per_minute: '' }
  expect(changed(agent, { limits }).limits?.messages_per_minute).toBeNull()
})
