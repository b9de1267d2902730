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
  test('is told by who decides: itself, a person, or nobody', () => {
    const rules = { markChatRead: { decision: 'allow' }, cancelMessage: { decision: 'deny' } } as const
    expect(sentence(agentPresets.answer, rules)).toBe(
      'Reads chats and messages. By itself: mark chats as read. Asks first: send messages, change labels and status of chats. Never: call off scheduled messages.',
    )
  })

  test('is reading alone where it has no scope to change anything', () => {
    expect(sentence(agentPresets.read)).toBe(
      'Reads chats and messages, orders and payments, events, webhook endpoints.',
    )
  })

  test('is one act for orders where all of it is decided alike', () => {
    expect(sentence(['orders:write'])).toBe('Asks first: make, move, cancel and refund orders.')
  })

  test('names the amount on both sides of it', () => {
    const told = sentence(['orders:write'], { createOrder: { decision: 'allow', ask_above: 200_000 } })
    expect(told).toStartWith('By itself: make orders up to Rp 200.000. Asks first: make orders above Rp 200.000, ')
    expect(told).toContain('give refunds.')
  })

  test('is nothing without a scope', () => {
    expect(sentence([])).toBe('May do nothing yet. Choose at least one right.')
  })
})

test('a rule is told with its amount where it has one', () => {
  expect(ruleWords(say, { operation: 'createOrderRefund', decision: 'allow', ask_above: 50_000 })).toBe(
    'By itself up to Rp 50.000, asks above',
  )
  expect(ruleWords(say, { operation: 'sendMessage', decision: 'deny', ask_above: null })).toBe('Never')
})
