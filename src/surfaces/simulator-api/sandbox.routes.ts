import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { sandboxRequired } from '../../sandbox/sandbox.errors.ts'
import { advanceClock, resetSandbox, type SandboxContext } from '../../sandbox/sandbox.ts'
import { ClockAdvance } from './simulator-api.schemas.ts'

/** Time and data of a sandbox. A key of a live organization is refused. */
export type SandboxRouteParts = { sandbox: SandboxContext }

const shared = {
  tag: 'Simulator',
  method: 'POST',
  access: key('messages:send'),
  idempotency: 'after',
  errors: [sandboxRequired],
} as const

export const sandboxRoutes = ({ sandbox }: SandboxRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'advanceSimulatorClock',
    path: '/simulator/clock',
    summary: 'Move the clock of the sandbox',
    description:
      'Everything that waits comes nearer by that time: expiry of payments, reply windows, scheduled messages, retries. What is due then happens at once. Only with a key of a sandbox.',
    body: ClockAdvance,
    reply: { status: 204, body: null, description: 'Moved.' },
    example: { body: { advance_seconds: 86_400 }, reply: null },
    async handle({ body, caller: { orgId } }) {
      await advanceClock(sandbox, orgId, body.advance_seconds)
      return undefined
    },
  }),
  defineRoute({
    ...shared,
    id: 'resetSimulator',
    path: '/simulator/reset',
    summary: 'Delete the data of the sandbox',
    description:
      'Deletes chats, messages, orders, events, rules and everything else, and keeps keys, numbers, payment accounts and webhook endpoints. Only with a key of a sandbox.',
    reply: { status: 204, body: null, description: 'Reset.' },
    example: { reply: null },
    async handle({ caller: { orgId } }) {
      await resetSandbox(sandbox, orgId)
      return undefined
    },
  }),
]
