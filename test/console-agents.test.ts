import { expect, test } from 'bun:test'
import { agentDraftOf, agentInputOf } from '../console/app/forms/agent-draft.ts'
import { NewAgent } from '../src/agents/records/agents.schemas.ts'

test('what the form proposes is taken by the server as it is', () => {
  const input = agentInputOf({ ...agentDraftOf(undefined), name: 'Kasir Bot' }, Date.parse('2026-11-16T10:00:00.000Z'))
  expect(NewAgent.parse(input)).toMatchObject({ ...input, expires_at: expect.anything() })
})
