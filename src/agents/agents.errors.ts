import { defineError } from '../kernel/errors.ts'

export const agentNotFound = defineError({
  code: 'agent_not_found',
  status: 404,
  title: 'There is no such agent',
  says: 'There is no agent with this id in the organization.',
  help: 'Agent ids begin with `agt_`. The agents of an organization are listed in the console.',
})

export const agentEnded = defineError({
  code: 'agent_ended',
  status: 409,
  title: 'The agent was ended',
  says: 'This agent was ended, which is final. Make a new one.',
  help: 'An agent that should stop for a while is paused; one that was ended never works again, and neither does its token.',
})

export const agentConnected = defineError({
  code: 'agent_connected',
  status: 409,
  title: 'The agent has no token',
  says: 'The program of this agent connected by itself and renews what it needs. There is no token to replace; end the agent to disconnect it.',
  help: 'An agent that was made in the console or by a command has a token that is pasted into a program. One whose program was connected by its address has none that a person ever sees.',
})

export const connectionRequestInvalid = defineError({
  code: 'connection_request_invalid',
  status: 422,
  title: 'The program cannot be connected',
  says: 'What this program asks for is not valid, so it cannot be connected. Begin again in the program.',
  help: 'A program that connects opens a page of the console with its request. When that names a program that is not known here, or an address for the answer that is not its own, nothing is sent anywhere. `params.reason` says what is wrong; if it persists, the maker of the program has to look into it.',
})

export const connectionRequestStale = defineError({
  code: 'connection_request_stale',
  status: 409,
  title: 'The request to connect is not valid any more',
  says: 'This request to connect is too old, or was shown to somebody else. Begin again in the program.',
  help: 'A request to connect is shown to one person, in one session and for one organization, and waits for ten minutes.',
})

export const agentPaused = defineError({
  code: 'agent_paused',
  status: 403,
  title: 'The agent is paused',
  says: 'This agent is paused. A person has to resume it in the console before it can do anything.',
  help: 'Whoever manages agents can pause one, or all at once. Nothing is lost: once it is resumed, the same token works again. While an agent is paused, nothing that waits for approval can be approved either.',
})

export const agentNotPermitted = defineError({
  code: 'agent_not_permitted',
  status: 403,
  title: 'Agents are not permitted to do this',
  says: 'This agent is not permitted to do this. Do not try again; tell the person you work for.',
  help: 'An agent may only do what is offered to agents, what its rules do not forbid, and what lies within its reach (business numbers, labels, days). `params.reason` says which it was: `operation`, `rule` or `reach`. A person can change rules and reach in the console.',
})

export const agentAmountExceeded = defineError({
  code: 'agent_amount_exceeded',
  status: 403,
  title: 'The amount is beyond what the agent may move',
  says: 'The amount is beyond what this agent may move. `params.limit` names the limit and `params.amount_max` the most.',
  help: 'Each agent can have a highest amount per order (`order_amount`) and per day (`order_amount_per_day`), set in the console. An order without an amount counts as beyond it.',
})

export const agentLimitReached = defineError({
  code: 'agent_limit_reached',
  status: 429,
  title: 'The agent has reached a limit of its own',
  says: 'This agent has reached one of its limits; `params.limit` names it. Wait for the seconds in Retry-After.',
  help: 'Agents have limits beside the rate limit of their token: messages per minute, different recipients per day, rupiah per day, and at most 50 requests that wait for a decision. They are set in the console.',
})

export const agentSessionInvalid = defineError({
  code: 'agent_session_invalid',
  status: 400,
  title: 'The name of the session cannot be used',
  says: 'Agent-Session must be 1 to 64 visible ASCII characters without spaces, such as a UUID.',
  help: 'The program that runs the agent names each conversation it holds with the header `Agent-Session`, so that what was read in one does not bind the others.',
})

export const approvalNotFound = defineError({
  code: 'approval_not_found',
  status: 404,
  title: 'There is no such approval',
  says: 'There is no approval with this id.',
  help: 'Approval ids begin with `apr_`. An agent sees its own only. Approvals are kept for 30 days.',
})

export const approvalNotPending = defineError({
  code: 'approval_not_pending',
  status: 409,
  title: 'The approval is not waiting any more',
  says: 'This was decided already, or nobody decided in time. `params.status` says which.',
  help: 'A request waits for 15 minutes. Afterwards the agent has to ask again.',
})

export const approvalOutdated = defineError({
  code: 'approval_outdated',
  status: 409,
  title: 'The request means something else by now',
  says: 'Since the agent asked, the amount or the chat that this is about has changed. Refuse it; the agent can ask again.',
  help: 'A request runs exactly as it was asked for, but what it comes to may change: a refund without an amount is all that was paid until then. What is approved is what is shown, so a request that has come to mean something else cannot be approved any more; nor can one that its agent was denied meanwhile.',
})

export const approvalRefused = defineError({
  code: 'approval_refused',
  status: 403,
  title: 'A person refused this',
  says: 'A person refused this request; `params.note` is what they said. Do not ask for the same again.',
  help: 'Answered to a request that names a refused approval in `Approval-Id`, or that is sent again under the `Idempotency-Key` under which it was refused.',
})

export const approvalMismatch = defineError({
  code: 'approval_mismatch',
  status: 422,
  title: 'The approval is for another request',
  says: 'This approval is for another request. Send exactly the request that was asked about, or leave Approval-Id out.',
  help: 'An approval is for one request, to the letter: same operation, same path, same query, same body.',
})
