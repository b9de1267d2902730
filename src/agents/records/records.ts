import {
  type AccountsContext,
  type ApiKey,
  createApiKeyIn,
  currentKeysOfAgents,
  type KeyInitiator,
  type LastUsed,
  revokeAgentKeys,
  updateAgentKeys,
} from '../../accounts/keys/keys.ts'
import { endTokensOf } from '../../accounts/oauth/oauth.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { agentScopes, type Scope } from '../../kernel/scopes.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { momentOf } from '../../platform/http/schemas.ts'
import { agentConnected, agentEnded, agentNotFound } from '../agents.errors.ts'
import { agentOperationNames, factsOf, type Rules, ruleOf } from '../rules/rules.ts'
import type { AgentChangeInput, AgentView, NewAgentInput, OwnAgentView } from './agents.schemas.ts'
import {
  type AgentRow,
  type AgentSettings,
  type ConnectionRow,
  deleteTraces,
  endAgentRow,
  endConnection,
  findAgent,
  insertAgent,
  listConnections,
  listAgents as listRows,
  lockAgent,
  pauseAgentRow,
  pauseAllAgents,
  resumeAgentRow,
  updateAgentSettings,
} from './records.sql.ts'

export { type AgentRow, claimConnection, findLivingConnection, lockAgent } from './records.sql.ts'

/**
 * The life of an agent. Its key carries scopes and expiry, so that what is refused for these is refused like any key's; all
 * else is asked of the agent's own row with every call.
 *
 *   active ⇄ paused          a person's switch, felt by the very next call
 *   active, paused → expired by its date; a later date reactivates it
 *   any → ended              final: its key is revoked, and a program that connected as it is disconnected
 */
/** `lastUsed` knows the uses that are not written yet. */
export type AgentsContext = AccountsContext & { lastUsed?: Pick<LastUsed, 'peek'> }

export type AgentInitiator = { by: string; initiator: KeyInitiator | null }
export type AgentOwner = { id: string; name: string; email: string }
type State = AgentView['state']

const EXPIRES_AFTER_MS = 90 * 24 * 3600 * 1000
const MESSAGES_PER_MINUTE = 10
const RECIPIENTS_PER_DAY = 100

export function agentState(row: Pick<AgentRow, 'ended_at' | 'expires_at' | 'paused_at'>, nowMs: number): State {
  if (row.ended_at !== null) return 'ended'
  if (row.expires_at !== null && row.expires_at.getTime() <= nowMs) return 'expired'
  return row.paused_at === null ? 'active' : 'paused'
}

export type CreatedAgent = { agent: AgentView; token: string }

export async function createAgent(
  context: AgentsContext,
  tx: Tx,
  orgId: OrgId,
  {
    id,
    input,
    owner,
    by,
    initiator,
  }: { id?: Id<'agt'>; input: NewAgentInput; owner: AgentOwner | null } & AgentInitiator,
): Promise<CreatedAgent> {
  const now = context.clock.now()
  const row: AgentRow = {
    ...settingsWith(firstSettings(now), input),
    org_id: orgId,
    id: id ?? newId('agt', now),
    owner_id: owner?.id ?? null,
    owner_name: owner?.name ?? null,
    owner_email: owner?.email ?? null,
    created_by: by,
    created_at: new Date(now),
    paused_at: null,
    ended_at: null,
  }
  await insertAgent(tx, orgId, row)
  return issueKey(context, tx, row, { by, initiator })
}

async function issueKey(
  context: AgentsContext,
  tx: Tx,
  row: AgentRow,
  { by, initiator }: AgentInitiator,
): Promise<CreatedAgent> {
  const { key, token } = await createApiKeyIn(context, tx, row.org_id, {
    name: row.name,
    scopes: keyScopesOf(row),
    createdBy: by,
    expiresAt: row.expires_at,
    agentId: row.id,
    ...(initiator !== null && { initiator }),
  })
  return { agent: presentAgent(context, row, { key, connection: null }), token }
}

/** Every agent may read the state of its approval requests. */
const keyScopesOf = ({ scopes }: Pick<AgentRow, 'scopes'>): Scope[] => [...scopes, 'approvals:read']

const firstSettings = (now: number): AgentSettings => ({
  name: '',
  purpose: null,
  scopes: [],
  reach_numbers: [],
  reach_labels: [],
  reach_days: null,
  hides_phones: false,
  messages_per_minute: MESSAGES_PER_MINUTE,
  recipients_per_day: RECIPIENTS_PER_DAY,
  order_amount: null,
  order_amount_per_day: null,
  rules: {},
  is_anchored: true,
  expires_at: agentLifeEnd(now),
})

/** The default expiry of an agent that starts now. */
export const agentLifeEnd = (now: number): Date => new Date(now + EXPIRES_AFTER_MS)

const either = <Value>(given: Value | undefined, before: Value): Value => (given === undefined ? before : given)

/** Members that are not named stay unchanged. */
function settingsWith(before: AgentSettings, input: AgentChangeInput): AgentSettings {
  const { reach = {}, limits = {}, scopes, rules } = input
  return {
    name: either(input.name, before.name),
    purpose: either(input.purpose, before.purpose),
    scopes: scopes === undefined ? before.scopes : agentScopes.filter((scope) => scopes.includes(scope)),
    reach_numbers: either(reach.numbers, before.reach_numbers),
    reach_labels: either(reach.labels, before.reach_labels),
    reach_days: either(reach.days, before.reach_days),
    hides_phones: either(reach.hides_phones, before.hides_phones),
    messages_per_minute: either(limits.messages_per_minute, before.messages_per_minute),
    recipients_per_day: either(limits.recipients_per_day, before.recipients_per_day),
    order_amount: either(limits.order_amount, before.order_amount),
    order_amount_per_day: either(limits.order_amount_per_day, before.order_amount_per_day),
    rules: rules === undefined ? before.rules : { ...before.rules, ...rulesOf(rules) },
    is_anchored: either(input.is_anchored, before.is_anchored),
    expires_at: input.expires_at === undefined ? before.expires_at : timeOf(input.expires_at),
  }
}

const timeOf = (text: string | null) => (text === null ? null : momentOf(text))

const rulesOf = (rules: NonNullable<AgentChangeInput['rules']>): Rules =>
  Object.fromEntries(rules.map(({ operation, decision, ask_above = null }) => [operation, { decision, ask_above }]))

export async function listAgents(context: AgentsContext, orgId: OrgId): Promise<AgentView[]> {
  const { database } = context
  const rows = await listRows(database, orgId)
  const holdings = await holdingsOf(
    database,
    orgId,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => presentAgent(context, row, holdings(row.id)))
}

export async function getAgent(context: AgentsContext, queries: Queries, orgId: OrgId, id: string): Promise<AgentView> {
  const row = await findAgent(queries, orgId, id)
  if (row === null) throw agentNotFound({ params: { id } })
  return present(context, queries, row)
}

export async function holdAgent(tx: Tx, orgId: OrgId, id: string): Promise<AgentRow> {
  const row = await lockAgent(tx, orgId, id)
  if (row === null) throw agentNotFound({ params: { id } })
  return row
}

async function holdLiving(tx: Tx, orgId: OrgId, id: string): Promise<AgentRow> {
  const row = await holdAgent(tx, orgId, id)
  if (row.ended_at !== null) throw agentEnded({ params: { ended_at: row.ended_at.toISOString() } })
  return row
}

export async function updateAgent(
  context: AgentsContext,
  tx: Tx,
  orgId: OrgId,
  { id, input }: { id: string; input: AgentChangeInput },
): Promise<AgentView> {
  const before = await holdLiving(tx, orgId, id)
  const row = await updateAgentSettings(tx, orgId, { ...settingsWith(before, input), id: before.id })
  const { name, expires_at: expiresAt } = row
  await updateAgentKeys(tx, orgId, { agentId: row.id, name, scopes: keyScopesOf(row), expiresAt })
  return present(context, tx, row)
}

export async function pauseAgent(context: AgentsContext, tx: Tx, orgId: OrgId, id: string): Promise<AgentView> {
  await holdLiving(tx, orgId, id)
  return present(context, tx, await pauseAgentRow(tx, orgId, { id, at: new Date(context.clock.now()) }))
}

export async function resumeAgent(context: AgentsContext, tx: Tx, orgId: OrgId, id: string): Promise<AgentView> {
  await holdLiving(tx, orgId, id)
  return present(context, tx, await resumeAgentRow(tx, orgId, id))
}

/** Pauses all agents at once. */
export async function pauseEveryAgent({ clock }: AgentsContext, tx: Tx, orgId: OrgId): Promise<number> {
  return (await pauseAllAgents(tx, orgId, new Date(clock.now()))).length
}

/** Ending twice is no error: the second finds it done. */
export async function endAgent(
  context: AgentsContext,
  tx: Tx,
  orgId: OrgId,
  { id, by, initiator }: { id: string } & AgentInitiator,
): Promise<AgentView> {
  const before = await holdAgent(tx, orgId, id)
  if (before.ended_at !== null) return present(context, tx, before)
  const at = new Date(context.clock.now())
  await revokeAgentKeys(context, tx, orgId, { agentId: before.id, by, initiator })
  await endTokensOf(tx, orgId, before.id)
  await endConnection(tx, orgId, { agentId: before.id, at })
  await deleteTraces(tx, orgId, before.id)
  return present(context, tx, await endAgentRow(tx, orgId, { id, at }))
}

/** The old token ends now, because a request for a new one suggests that the old one leaked. */
export async function rotateAgentToken(
  context: AgentsContext,
  tx: Tx,
  orgId: OrgId,
  { id, by, initiator }: { id: string } & AgentInitiator,
): Promise<CreatedAgent> {
  const row = await holdLiving(tx, orgId, id)
  if ((await listConnections(tx, orgId, [row.id])).length > 0) throw agentConnected()
  if (agentState(row, context.clock.now()) === 'expired')
    throw agentEnded({ says: 'This agent has expired, so a new token would not work. Set a later expiry first.' })
  await revokeAgentKeys(context, tx, orgId, { agentId: row.id, by, initiator })
  return issueKey(context, tx, row, { by, initiator })
}

async function present(context: AgentsContext, queries: Queries, row: AgentRow): Promise<AgentView> {
  return presentAgent(context, row, (await holdingsOf(queries, row.org_id, [row.id]))(row.id))
}

/** The credentials of an agent: its key, and the connection of its program, if there is one. */
type Holdings = { key: ApiKey | null; connection: ConnectionRow | null }

async function holdingsOf(queries: Queries, orgId: OrgId, ids: Id<'agt'>[]): Promise<(id: Id<'agt'>) => Holdings> {
  const keys = await currentKeysOfAgents(queries, orgId, ids)
  const connections = new Map((await listConnections(queries, orgId, ids)).map((row) => [row.agent_id, row]))
  return (id) => ({ key: keys.get(id) ?? null, connection: connections.get(id) ?? null })
}

function presentAgent({ clock, lastUsed }: AgentsContext, row: AgentRow, { key, connection }: Holdings): AgentView {
  const usedAt = key === null ? null : (lastUsed?.peek(key.id) ?? key.last_used_at)
  const { owner_id: ownerId, owner_name: ownerName, owner_email: ownerEmail } = row
  return {
    ...presentOwn(row),
    state: agentState(row, clock.now()),
    owner: ownerId === null ? null : { id: ownerId, name: ownerName ?? '', email: ownerEmail ?? '' },
    key_prefix: connection === null ? (key?.key_prefix ?? '') : null,
    connection: connection === null ? null : presentConnection(connection),
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    last_used_at: usedAt?.toISOString() ?? null,
    paused_at: row.paused_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  }
}

/** The agent's view of itself. */
export const presentOwn = (row: AgentRow): OwnAgentView => ({
  object: 'agent',
  id: row.id,
  name: row.name,
  purpose: row.purpose,
  scopes: agentScopes.filter((scope) => row.scopes.includes(scope)),
  rules: agentOperationNames
    .filter((operation) => row.scopes.includes(factsOf(operation).scope))
    .map((operation) => ({ operation, ...ruleOf(row.rules, operation) })),
  limits: {
    messages_per_minute: row.messages_per_minute,
    recipients_per_day: row.recipients_per_day,
    order_amount: row.order_amount,
    order_amount_per_day: row.order_amount_per_day,
  },
  reach: {
    numbers: row.reach_numbers,
    labels: row.reach_labels,
    days: row.reach_days,
    hides_phones: row.hides_phones,
  },
  is_anchored: row.is_anchored,
  expires_at: row.expires_at?.toISOString() ?? null,
})

const presentConnection = (row: ConnectionRow): NonNullable<AgentView['connection']> => ({
  client_name: row.client_name,
  client_host: row.client_host,
  connected_by: row.person_name,
  connected_at: row.connected_at.toISOString(),
})

/** For the code that decides about the agent's calls. */
export const findAgentRow = (queries: Queries, orgId: OrgId, id: string): Promise<AgentRow | null> =>
  findAgent(queries, orgId, id)
