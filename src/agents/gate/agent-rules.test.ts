import { describe, expect, test } from 'bun:test'
import { describedRoutes } from '../../boot/public-routes.ts'
import type { Scope } from '../../kernel/scopes.ts'
import { unreachableStates } from '../../kernel/states.ts'
import { approvalStates } from '../approvals/approvals.states.ts'
import { agentOperationNames, factsOf, isAgentOperation, judge, ruleOf } from './agent-rules.ts'

describe('without a custom rule', () => {
  test('everything that changes something is asked, but for marking as read', () => {
    const decisions = agentOperationNames.map((operation) => [operation, ruleOf({}, operation).decision])
    expect(decisions.filter(([, decision]) => decision !== 'ask')).toEqual([['markChatRead', 'allow']])
  })
})

describe('a rule', () => {
  test.each([
    ['allow', null, 1_000_000_000, { decision: 'allow' }],
    ['allow', 50_000, 50_000, { decision: 'allow' }],
    ['allow', 50_000, 50_001, { decision: 'ask', reason: 'amount' }],
    ['allow', 50_000, 'open', { decision: 'ask', reason: 'open_amount' }],
    ['allow', 50_000, null, { decision: 'allow' }],
    ['allow', null, 'open', { decision: 'allow' }],
    ['ask', null, 1, { decision: 'ask', reason: 'rule' }],
    ['deny', null, 1, { decision: 'deny' }],
  ] as const)('%s above %p, for %p', (decision, ask_above, amount, judgement) => {
    expect(judge({ decision, ask_above }, amount)).toEqual(judgement)
  })
})

test('only what moves money has an amount', () => {
  const withAmount = agentOperationNames.filter((operation) => factsOf(operation).hasAmount)
  expect(withAmount).toEqual(['createOrder', 'createOrderRefund'])
})

test('every state of an approval is reached, and those that end it are meant to', () => {
  expect(unreachableStates(approvalStates)).toEqual([])
  expect(approvalStates.final).toEqual(['refused', 'expired', 'done', 'failed'])
})

test('every operation that is offered to agents and changes something has its rule, and the scope of its route', () => {
  const offered = describedRoutes().filter(({ agentTool, method }) => agentTool === true && method !== 'GET')
  expect(offered.map(({ id }) => id).sort()).toEqual([...agentOperationNames].sort())
  for (const { id, access } of offered) {
    if (!isAgentOperation(id) || access.type !== 'key') throw new Error(`${id} is not for agents`)
    expect([id, factsOf(id).scope as Scope | null]).toEqual([id, access.scope])
  }
})
