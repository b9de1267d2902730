import type { AuditContext } from '../../accounts/audit/audit.ts'
import { isId } from '../../kernel/ids.ts'
import { membersOf } from '../../kernel/records.ts'
import type { Scope } from '../../kernel/scopes.ts'
import { isPhoneQuery } from '../../messaging/search/search.ts'
import { agentActOf, type Route } from '../../platform/http/define-route.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import type { Gate, GatedCall } from '../../platform/http/pipeline/exchange.ts'
import { requestFingerprint } from '../../platform/http/pipeline/idempotency.ts'
import type { HeaderList, Reply } from '../../platform/http/pipeline/reply.ts'
import {
  agentNotPermitted,
  agentPaused,
  approvalMismatch,
  approvalNotFound,
  approvalRefused,
} from '../agents.errors.ts'
import {
  type Approval,
  type ApprovalsContext,
  type ApprovedCaller,
  askApproval,
  getApproval,
  presentApproval,
} from '../approvals/approvals.ts'
import { type AgentRow, agentState, findAgentRow } from '../records/records.ts'
import { findTarget, type Judgement, judge, ruleOf, stricter, type Target } from '../rules/rules.ts'
import { hideUnread } from './customer-text.ts'
import { assertAmount, releaseAct, reserveAct } from './limits.ts'
import { countLookup } from './phone-lookups.ts'
import {
  chatIdsIn,
  hidePhones,
  isChatReached,
  isNarrowed,
  isNumberReached,
  isRecent,
  narrowReply,
  ownApprovals,
} from './replies.ts'
import { type AgentSession, noteRead, readAnchors, sessionNameIn } from './sessions.ts'

/**
 * The gate between a valid request of an agent and what it asks for. Key, rate, scope, body were checked before; this decides
 * whether it happens at all:
 *
 *   offered to agents? → not paused → a read:  run → within reach, hidden, noted as read → answer
 *                                   → a write: within reach → done before under its key: the answer of then
 *                                                           → rule, amount, anchor → deny: 403
 *                                                                                  → ask: refused by the handler? 4xx
 *                                                                                         else approval, 202
 *                                                                                  → allow: limits → run → answer
 *
 * Approved requests pass here too, unless their agent was stopped meanwhile, because a person has reviewed them.
 */
type GateContext = ApprovalsContext & { audit: AuditContext }

const isApproved = (caller: Caller): caller is ApprovedCaller => 'approvalId' in caller

/** These show what happened anywhere in the organization, whatever the reach. */
const WIDE_SCOPES: readonly (Scope | null)[] = ['events:read', 'webhooks:read']

export const createAgentGate =
  (context: GateContext): Gate =>
  async (call, run) => {
    const { route, caller } = call
    if (route.agentTool === undefined) throw refuse('operation', 'This is not offered to agents.')
    const agent = await findAgentRow(context.database, caller.orgId, caller.id)
    if (agent === null || agentState(agent, context.clock.now()) === 'ended') throw refuse('operation')
    if (agent.paused_at !== null) throw agentPaused()
    if (isApproved(caller)) return run()
    const session = { orgId: caller.orgId, agentId: agent.id, session: sessionNameIn(call.request) }
    if (route.method === 'GET') return read(context, { call, run, agent, session })
    return write(context, { call, run, agent, session })
  }

const refuse = (reason: string, says?: string) => agentNotPermitted({ ...(says && { says }), params: { reason } })

type Passage = { call: GatedCall; run: () => Promise<Reply>; agent: AgentRow; session: AgentSession }

const readsOf = ({ agentTool }: Route) =>
  typeof agentTool === 'object' && 'reads' in agentTool ? agentTool.reads : null

const scopeOf = ({ access }: Route) => (access.type === 'key' ? access.scope : null)

async function read(context: GateContext, { call, run, agent, session }: Passage): Promise<Reply> {
  const { route } = call
  const reads = readsOf(route)
  if (isNarrowed(agent) && WIDE_SCOPES.includes(scopeOf(route)) && reads !== 'catalogue')
    throw refuse('reach', 'What happens in the whole organization is beyond the reach of this agent.')
  if (agent.hides_phones && reads === 'people' && (await isPhoneSearch(context, call)))
    throw refuse('reach', 'Phones are hidden from this agent, so it cannot search by them. Search by name instead.')
  await countLookup(context, agent, call)
  const reply = await run()
  if (reply.status !== 200 || reply.body === null) return reply
  const nowMs = context.clock.now()
  const whole: Record<string, unknown> = JSON.parse(reply.body)
  const body = await narrowReply({ database: context.database, nowMs, named: call }, agent, ownApprovals(agent, whole))
  const isReading = reads === 'customer_text'
  if (agent.is_anchored && isReading) await noteRead(context.database, session, { chatIds: chatIdsIn(body), nowMs })
  const isEnded = whole.next_cursor !== body.next_cursor
  const headers = isEnded ? withoutLink(reply.headers) : reply.headers
  return showing({ ...reply, headers }, hidden(agent, body, isReading ? 'read' : 'unread'))
}

/** Names and values take turns. */
function withoutLink(headers: HeaderList): HeaderList {
  const at = headers.indexOf('Link')
  return at === -1 ? headers : headers.toSpliced(at, 2)
}

/** Ten searches per digit would reveal a hidden phone. */
async function isPhoneSearch({ messaging }: GateContext, { caller, query }: GatedCall): Promise<boolean> {
  const { q } = membersOf(query)
  return typeof q === 'string' && isPhoneQuery(q, await messaging.context.homeCountry(caller.orgId))
}

type Kind = 'read' | 'own' | 'unread'

function hidden(agent: AgentRow, body: Record<string, unknown>, kind: Kind): unknown {
  const shown = kind === 'read' ? body : hideUnread(body, hiddenOf(agent, kind))
  return agent.hides_phones ? hidePhones(shown) : shown
}

const hiddenOf = ({ is_anchored: isAnchored }: AgentRow, kind: 'own' | 'unread') =>
  kind === 'own' ? 'names' : isAnchored ? 'words' : 'texts'

const showing = (reply: Reply, body: unknown): Reply => ({ ...reply, body: JSON.stringify(body), rendered: undefined })

async function write(context: GateContext, { call, run, agent, session }: Passage): Promise<Reply> {
  const { caller, params, query, body, exchange, route } = call
  const operation = route.id
  // A tag covers the whole resource, of which agents see a part: it would not match, and it would let an agent test
  // guesses of what is hidden.
  if (call.request.headers.has('if-match'))
    throw refuse('operation', 'Agents cannot tell what they saw by a tag. Leave If-Match out.')
  await countLookup(context, agent, call)
  const named = call.request.headers.get('approval-id')
  if (named !== null) return answerOf(context, { call, agent, id: named })
  const target = await findTarget(context, caller.orgId, { operation, params, query, body })
  assertReached(agent, target, context.clock.now())
  const earlier = await call.replay()
  if (earlier !== null) return shown(agent, route, earlier)
  assertAmount(agent, target.amount)
  const judgement = await judgeWrite(context, { agent, session, operation, target })
  if (judgement.decision === 'deny') throw refuse('rule')
  if (judgement.decision === 'ask') {
    const request = {
      ...requestOf(call, operation),
      ...placeOf(target),
      amount: target.amount,
      reason: judgement.reason,
    }
    const { requestId } = exchange
    const { rehearse } = call
    return waiting(context, call, await askApproval(context, caller.orgId, { agent, request, requestId, rehearse }))
  }
  const isMessage = agentActOf(route)?.isMessage === true
  const { recipient, amount } = target
  const hasRecipient = isMessage && recipient !== null
  await reserveAct(context, agent, { requestId: exchange.requestId, isMessage: hasRecipient, recipient, amount })
  return runReserved(context, { call, agent, run })
}

/** A failed or replayed request is not counted. */
async function runReserved(
  { database }: GateContext,
  { call: { exchange, route }, agent, run }: Omit<Passage, 'session'>,
): Promise<Reply> {
  try {
    const reply = await run()
    if (reply.status >= 400 || exchange.isReplayed) await releaseAct(database, agent, exchange.requestId)
    return shown(agent, route, reply)
  } catch (error) {
    await releaseAct(database, agent, exchange.requestId)
    throw error
  }
}

function shown(agent: AgentRow, route: Route, reply: Reply): Reply {
  if (reply.status >= 300 || reply.body === null) return reply
  const kind = agentActOf(route)?.answersOwnWords === true ? 'own' : 'unread'
  return showing(reply, hidden(agent, JSON.parse(reply.body), kind))
}

function assertReached(agent: AgentRow, { places, numberId, thing }: Target, nowMs: number): void {
  if (!isNarrowed(agent)) return
  const isOpen = numberId !== null && isNumberReached(agent, numberId) && agent.reach_labels.length === 0
  const isReached = places.every((place) => (place === null ? isOpen : isChatReached(agent, place, nowMs)))
  const isSeen = thing === null || (thing.hasChat && isRecent(agent, thing.createdAt, nowMs))
  if (places.length === 0 || !isReached || !isSeen) throw refuse('reach', 'This is beyond the reach of this agent.')
}

type Writing = { agent: AgentRow; session: AgentSession; operation: string; target: Target }

/**
 * The anchor takes precedence over every other reason, because the person who decides must know that a conversation may
 * have caused the request.
 */
async function judgeWrite(
  { database, clock }: GateContext,
  { agent, session, operation, target }: Writing,
): Promise<Judgement> {
  const { amount, alsoDoes } = target
  const own = judge(ruleOf(agent.rules, operation), amount)
  const judgement = alsoDoes === null ? own : stricter(own, judge(ruleOf(agent.rules, alsoDoes), amount))
  if (judgement.decision === 'deny' || !agent.is_anchored) return judgement
  const anchors = await readAnchors(database, session, clock.now())
  return isWithin(anchors, target) ? judgement : { decision: 'ask', reason: 'anchor' }
}

/** True when the request reaches only the customer whose conversation was read. */
function isWithin(anchors: readonly string[], { people, isAboutUnknown }: Target): boolean {
  if (anchors.length === 0) return true
  if (anchors.length > 1 && (people.length > 0 || isAboutUnknown)) return false
  return !isAboutUnknown && people.every((chats) => chats.some(({ id }) => id === anchors[0]))
}

function requestOf({ params, query, body, exchange }: GatedCall, operation: string) {
  const hash = requestFingerprint({ operation, pathParameters: params, query, body })
  const { path, query: queryText, requestBody, idempotencyKey } = exchange
  return { operation, path, query: queryText, body: requestBody, hash, params, idempotencyKey }
}

const placeOf = ({ places, orderId }: Target) => ({ chatId: places[0]?.id ?? null, orderId })

/** Answers a request that is repeated with its approval id: with the state of the approval, or with the result. */
async function answerOf(
  context: GateContext,
  { call, agent, id }: { call: GatedCall; agent: AgentRow; id: string },
): Promise<Reply> {
  if (!isId('apr', id)) throw approvalNotFound({ params: { id } })
  const approval = await getApproval(context.database, call.caller, id)
  const { hash } = requestOf(call, approval.operation)
  if (approval.operation !== call.route.id || approval.request_hash !== hash || approval.agent_id !== agent.id)
    throw approvalMismatch({ params: { approval_id: approval.id } })
  const { status } = presentApproval(approval, context.clock.now())
  if (status === 'refused') throw approvalRefused({ params: { note: approval.note } })
  const { result_status: ran, result_body: body } = approval
  if (ran === null) return waiting(context, call, approval)
  const reply = { ...replyTo(call), status: ran, body, isProblem: ran >= 400 }
  return body === null || body === ''
    ? { ...reply, body: null }
    : showing(reply, hidden(agent, JSON.parse(body), 'unread'))
}

const replyTo = ({ exchange, headers }: GatedCall) => ({
  requestId: exchange.requestId,
  headers,
  isProblem: false,
  isSecret: false,
})

/** Accepted, and nothing more: a person decides. */
function waiting({ clock }: GateContext, call: GatedCall, approval: Approval): Reply {
  const { fullPath, path } = call.exchange
  call.headers.push('Location', `${fullPath.slice(0, fullPath.length - path.length)}/approvals/${approval.id}`)
  return { ...replyTo(call), status: 202, body: JSON.stringify(presentApproval(approval, clock.now())) }
}
