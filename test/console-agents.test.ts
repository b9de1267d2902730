import { expect, test } from 'bun:test'
import { agentScopes, isPriced, type Operation, scopeOf } from '../console/app/api/agents.ts'
import { agentDraftOf, agentInputOf } from '../console/app/forms/agent-draft.ts'
import { NewAgent } from '../src/agents/records/agents.schemas.ts'
import { agentOperationNames, factsOf } from '../src/agents/rules/rules.ts'
import { agentScopes as serverScopes } from '../src/kernel/scopes.ts'

/** The console knows by itself which operations agents have; here it is compared with what the routes declare. */
test('what an agent can change, by which scope, and what is proposed for it, is what the server knows', () => {
  expect([...agentScopes]).toEqual([...serverScopes])
  const { rules } = agentDraftOf(undefined)
  const here = (Object.keys(scopeOf) as Operation[]).map((name): [string, object] => [
    name,
    { scope: scopeOf[name], decision: rules[name].decision, hasAmount: isPriced(name) },
  ])
  const there = agentOperationNames.map((name): [string, object] => {
    const { scope, decision, hasAmount = false } = factsOf(name)
    return [name, { scope, decision, hasAmount }]
  })
  expect(here).toEqual(there)
})

test('what the form proposes is taken by the server as it is', () => {
  const input = agentInputOf({ ...agentDraftOf(undefined), name: 'Kasir Bot' }, Date.parse('2026-11-16T10:00:00.000Z'))
  expect(NewAgent.parse(input)).toMatchObject({ ...input, expires_at: expect.anything() })
})
