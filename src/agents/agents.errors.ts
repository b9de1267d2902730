import { defineError } from '../kernel/errors.ts'

export const agentNotFound = defineError({
  code: 'agent_not_found',
  status: 404,
  title: 'Agent not found',
  says: 'There is no agent with this id in the organization. Check the id in the console.',
  cause: 'No agent of the organization has this id. Agent ids begin with `agt_`.',
  fix: 'Look up the id in the list of agents in the console.',
})

export const agentEnded = defineError({
  code: 'agent_ended',
  status: 409,
  title: 'Agent revoked',
  says: 'This agent was revoked, which is final. Create a new one.',
  cause: 'The agent was revoked or has expired. A revoked agent never works again, and neither does its token.',
  fix: 'Create a new agent. To stop an agent for a while only, pause it.',
  example: { params: { ended_at: '2026-11-14T09:30:00.000Z' } },
})

export const agentConnected = defineError({
  code: 'agent_connected',
  status: 409,
  title: 'Agent has no token',
  says: 'The program of this agent connected with OAuth and renews its access automatically, so there is no token to rotate. Revoke the agent to disconnect it.',
  cause:
    'Agents created in the console or by a command have a token that you paste into a program. Agents that a program connected with OAuth have none that a person sees.',
  fix: 'To disconnect the program, revoke the agent. To get a token, create an agent in the console.',
})

export const connectionRequestInvalid = defineError({
  code: 'connection_request_invalid',
  status: 422,
  title: 'Connection request invalid',
  says: 'The connection request of this program is not valid, so it cannot be connected. Start again in the program.',
  cause:
    'The request names a program that is not registered here, or a redirect address that the program did not register. `params.reason` says which. Nothing was sent to the program.',
  fix: 'Start the connection again in the program. If it keeps failing, report `params.reason` to the developer of the program.',
  example: { params: { reason: 'The redirect address is not one that the program registered.' } },
})

export const connectionRequestStale = defineError({
  code: 'connection_request_stale',
  status: 409,
  title: 'Connection request expired',
  says: 'This connection request has expired, or was opened by another person. Start again in the program.',
  cause: 'A connection request is valid for ten minutes, for one person, one session and one organization.',
  fix: 'Start the connection again in the program.',
})

export const agentPaused = defineError({
  code: 'agent_paused',
  status: 403,
  title: 'Agent paused',
  says: 'This agent is paused. A person has to resume it in the console before it can do anything.',
  cause:
    'A person paused this agent, or all agents at once. While it is paused, its requests cannot be approved either.',
  fix: 'Ask a person who manages agents to resume it in the console. The same token works again afterwards.',
})

export const agentNotPermitted = defineError({
  code: 'agent_not_permitted',
  status: 403,
  title: 'Not permitted for this agent',
  says: 'This agent is not permitted to do this. Do not retry; inform the person you work for.',
  cause:
    '`params.reason` says why: `operation` (agents cannot do this), `rule` (a rule of the agent forbids it) or `reach` (outside its business numbers, labels or days).',
  fix: 'Ask a person to change the rules or the reach of the agent in the console. Repeating the request does not help.',
  example: { params: { reason: 'rule' } },
})

export const agentAmountExceeded = defineError({
  code: 'agent_amount_exceeded',
  status: 403,
  title: 'Amount above the limit of the agent',
  says: 'The amount is above a limit of this agent. `params.limit` names the limit, `params.amount_max` is the highest amount. Use a lower amount, or ask a person to raise the limit.',
  cause:
    'An agent can have a highest amount per order (`order_amount`) and per day (`order_amount_per_day`). An order without an amount counts as above it.',
  fix: 'Use a lower amount, or ask a person to raise the limit in the console.',
  example: { params: { limit: 'order_amount', amount_max: 500_000, amount: 650_000 } },
})

export const agentLimitReached = defineError({
  code: 'agent_limit_reached',
  status: 429,
  title: 'Agent limit reached',
  says: 'This agent has reached one of its limits; `params.limit` names it. Wait for the number of seconds in Retry-After.',
  cause:
    'Besides the rate limit of its token, an agent has limits for messages per minute, different recipients per day, rupiah per day, and at most 50 pending approvals. They are set in the console.',
  fix: 'Wait for the number of seconds in `Retry-After`, or ask a person to raise the limit.',
  example: { params: { limit: 'messages_per_minute' } },
})

export const agentSessionInvalid = defineError({
  code: 'agent_session_invalid',
  status: 400,
  title: 'Agent-Session invalid',
  says: 'Agent-Session must be 1 to 64 visible ASCII characters without spaces, such as a UUID.',
  cause:
    'The header `Agent-Session` names one conversation of the agent, so that what it read in one conversation does not restrict the others. This value is empty, too long, or contains other characters.',
  fix: 'Send 1 to 64 visible ASCII characters without spaces, such as a UUID, or leave the header out.',
})

export const approvalNotFound = defineError({
  code: 'approval_not_found',
  status: 404,
  title: 'Approval not found',
  says: 'There is no approval with this id, or it is older than 30 days. Check the id.',
  cause:
    'No approval has this id, it belongs to another agent, or it is older than 30 days. Approval ids begin with `apr_`.',
  fix: 'Use the id from the response 202 or from `GET /approvals`.',
})

export const approvalNotPending = defineError({
  code: 'approval_not_pending',
  status: 409,
  title: 'Approval no longer pending',
  says: 'This approval was already decided, or has expired. `params.status` says which. The agent can ask again.',
  cause: 'An approval is pending for 15 minutes. `params.status` is its current status.',
  fix: 'Nothing can be decided any more. The agent sends its request again to ask again.',
  example: { params: { status: 'expired' } },
})

export const approvalOutdated = defineError({
  code: 'approval_outdated',
  status: 409,
  title: 'Request has a different effect now',
  says: 'The amount or the chat of this request has changed since the agent asked. Refuse it; the agent can ask again.',
  cause:
    'A request runs exactly as the agent sent it, but its effect can change: a refund without an amount refunds all that was paid so far. The effect is no longer the one shown, or the agent has lost the permission.',
  fix: 'Refuse it. The agent can send the request again, and you see its current effect.',
})

export const approvalRefused = defineError({
  code: 'approval_refused',
  status: 403,
  title: 'Request refused',
  says: 'A person refused this request; `params.note` is their reason. Do not ask for the same again.',
  cause:
    'The request names a refused approval in `Approval-Id`, or repeats the `Idempotency-Key` of a refused request.',
  fix: 'Read `params.note` and do not repeat the request. A different request may be asked for with a new `Idempotency-Key`.',
  example: { params: { note: 'The customer has not returned the goods yet.' } },
})

export const approvalMismatch = defineError({
  code: 'approval_mismatch',
  status: 422,
  title: 'Approval is for another request',
  says: 'This approval is for another request. Send exactly the approved request, or leave Approval-Id out.',
  cause: 'An approval is for one request: the same operation, path, query and body.',
  fix: 'Send exactly the approved request, or leave `Approval-Id` out.',
  example: { params: { approval_id: 'apr_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})
