import { describe, expect, test } from 'bun:test'
import { describedRoutes } from '../../boot/public-routes.ts'
import { unreachableStates } from '../../kernel/states.ts'
import { agentActOf, defineRoute, key } from '../../platform/http/define-route.ts'
import { approvalStates } from '../approvals/approvals.states.ts'
import { agentOperationNames, factsOf, judge, ruleOf } from './rules.ts'
import { finderNames, finderOf } from './targets.ts'

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
  expect(withAmount).toEqual(['createOrder', 'updateOrder', 'createOrderRefund'])
})

test('every state of an approval is reached, and those that end it are meant to', () => {
  expect(unreachableStates(approvalStates)).toEqual([])
  expect(approvalStates.final).toEqual(['refused', 'expired', 'done', 'failed'])
})

test('every route that changes something for agents declares its rule, a distinct rank and a target', () => {
  const acts = describedRoutes().filter(({ agentTool, method }) => agentTool !== undefined && method !== 'GET')
  expect(acts.map(({ id }) => id).sort()).toEqual([...agentOperationNames].sort())
  const declared = acts.map((route) => agentActOf(route))
  expect(new Set(declared.map((act) => act?.rank)).size).toBe(acts.length)
  for (const act of declared) expect(finderOf(act?.target ?? 'none')).toBeFunction()
  for (const name of finderNames) expect(declared.map((act) => act?.target)).toContain(name)
})

test('a route that agents are offered cannot leave out what it changes', () => {
  const route = {
    id: 'changeThing',
    method: 'DELETE',
    path: '/things',
    tag: 'Things',
    summary: 'Change a thing',
    description: 'Changes it.',
    access: key('chats:write'),
    reply: { status: 204, body: null },
    example: { reply: null },
    handle: () => undefined,
  } as const
  expect(() => defineRoute({ ...route, agentTool: true })).toThrow('route changeThing')
  expect(() =>
    defineRoute({ ...route, method: 'GET', agentTool: { decision: 'ask', rank: 1, target: 'chat' } }),
  ).toThrow()
})
