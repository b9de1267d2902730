import { describe, expect, test } from 'bun:test'
import { agentPresets, type Operation, operationsWithin, type Rule } from '../api/agents.ts'
import { english } from '../text/en.ts'
import type { Say } from '../text/text.tsx'
import { agentSentence, ruleWords } from './agent-words.ts'

const say: Say = (key, values = {}) => english[key].replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))
const rulesFor = (scopes: readonly string[], rules: Partial<Record<Operation, Partial<Rule>>> = {}): Rule[] =>
  operationsWithin(scopes).map((operation) => ({ operation, decision: 'ask', ask_above: null, ...rules[operation] }))
const sentence = (scopes: readonly string[], rules?: Partial<Record<Operation, Partial<Rule>>>) =>
  agentSentence(say, { scopes, rules: rulesFor(scopes, rules) })

describe('what an agent may do', () => {
  test('is grouped by the decision: allowed, needs approval, never', () => {
    const rules = { markChatRead: { decision: 'allow' }, cancelMessage: { decision: 'deny' } } as const
    expect(sentence(agentPresets.answer, rules)).toBe(
      'Reads chats and messages. Allowed: mark chats as read. Needs approval: send messages, update labels and status of chats. Never: cancel scheduled messages.',
    )
  })

  test('is reading alone where it has no scope to change anything', () => {
    expect(sentence(agentPresets.read)).toBe(
      'Reads chats and messages, orders and payments, products, events, webhook endpoints.',
    )
  })

  test('is one act for orders where all of it is decided alike', () => {
    expect(sentence(['orders:write'])).toBe('Needs approval: create, update, cancel and refund orders.')
  })

  test('names the amount on both sides of it', () => {
    const text = sentence(['orders:write'], { createOrder: { decision: 'allow', ask_above: 200_000 } })
    expect(text).toStartWith(
      'Allowed: create orders up to Rp 200.000. Needs approval: create orders above Rp 200.000, ',
    )
    expect(text).toContain('refund orders.')
  })

  test('is nothing without a scope', () => {
    expect(sentence([])).toBe('No permissions yet. Select at least one scope.')
  })
})

test('a rule is shown with its amount when it has one', () => {
  expect(ruleWords(say, { operation: 'createOrderRefund', decision: 'allow', ask_above: 50_000 })).toBe(
    'Allowed up to Rp 50.000, needs approval above',
  )
  expect(ruleWords(say, { operation: 'sendMessage', decision: 'deny', ask_above: null })).toBe('Never')
})
