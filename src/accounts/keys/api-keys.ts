import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { allScopes, type Scope } from '../../kernel/scopes.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { apiKeyNotActive, apiKeyNotFound, scopeNotGrantable } from '../accounts.errors.ts'
import { createToken } from './api-key-token.ts'
import {
  type ApiKeyRow,
  bumpAccountRevision,
  findApiKey,
  insertApiKey,
  isSandbox,
  listKeysOfAgents,
  listApiKeys as listRows,
  lockApiKey,
  retireApiKeyRow,
  revokeApiKeyRow,
  revokeKeysOfAgent,
  updateApiKeyRow,
  updateKeysOfAgent,
} from './api-keys.sql.ts'

/**
 * The life of a key: active → (rotated: works on beside its successor until the overlap ends) → expired, or revoked at
 * any moment. Expired and revoked are final. Every change adds one to the account revision and notifies, in the same
 * transaction, so that no process goes on trusting what it had cached (see `api-key-cache.ts`).
 */
export type ApiKey = ApiKeyRow
export type ApiKeyState = 'active' | 'retiring' | 'expired' | 'revoked'

export const ROTATION_OVERLAP_SECONDS = 24 * 3600
export const ROTATION_OVERLAP_SECONDS_MAX = 7 * 24 * 3600

export type NewApiKey = {
  name: string
  scopes: readonly Scope[]
  createdBy: string
  expiresAt?: Date | null
  allowedIps?: string[]
  /** Requests per second; 'none' lifts the limit, absent takes the installation's default. */
  rateLimit?: number | 'none'
  initiator?: KeyInitiator
  /** The agent that owns the key, if it is an agent's key. */
  agentId?: Id<'agt'>
  /** Absent on the command line and at the first start, where the operator decides. */
  grantor?: Grantor
}

/** The rights of the caller who creates or rotates a key. A key never has a scope that its creator lacks. */
export type Grantor = { scopes: readonly Scope[] }

/** Who changes a key, and by which call. Absent where no caller is known: at the first start and on the command line. */
export type KeyInitiator = { type: 'key' | 'agent' | 'user'; id: string; requestId: Id<'req'> }

/**
 * The dependencies of the operations on keys. `recordChange` runs inside the transaction of every change; the app
 * wiring turns the change into an event, because accounts do not depend on events.
 */
export type AccountsContext = {
  database: Database
  clock: Clock
  recordChange: (tx: Tx, orgId: OrgId, change: KeyChange) => Promise<void>
}

export type KeyChange = {
  type: 'created' | 'updated' | 'rotated' | 'revoked'
  key: ApiKey
  by: string
  initiator: KeyInitiator | null
}

export type CreatedApiKey = { key: ApiKey; token: string }

export function apiKeyState(key: ApiKey, nowMs: number): ApiKeyState {
  if (key.revoked_at !== null) return 'revoked'
  if (key.expires_at !== null && key.expires_at.getTime() <= nowMs) return 'expired'
  return key.rotated_to === null ? 'active' : 'retiring'
}

export const createApiKey = (context: AccountsContext, orgId: OrgId, input: NewApiKey): Promise<CreatedApiKey> =>
  context.database.transaction((tx) => createApiKeyIn(context, tx, orgId, input))

/** Creates the key in the caller's transaction, so that an agent and its key are created together. */
export async function createApiKeyIn(
  context: AccountsContext,
  tx: Tx,
  orgId: OrgId,
  input: NewApiKey,
): Promise<CreatedApiKey> {
  assertGrantable(input.grantor, input.scopes)
  const created = await insertKey(tx, context.clock, orgId, input)
  const { createdBy: by, initiator = null } = input
  await announceChange(context, tx, orgId, { type: 'created', key: created.key, by, initiator })
  return created
}

/** Without this a caller who may manage keys could create one that may do more. */
export function assertGrantable(grantor: Grantor | undefined, scopes: readonly Scope[]): void {
  const missing = grantor === undefined ? [] : scopes.filter((scope) => !grantor.scopes.includes(scope))
  if (missing.length > 0) throw scopeNotGrantable({ params: { missing, granted: grantor?.scopes } })
}

async function insertKey(tx: Tx, clock: Clock, orgId: OrgId, input: NewApiKey): Promise<CreatedApiKey> {
  const now = clock.now()
  const { token, hash, prefix } = createToken((await isSandbox(tx, orgId)) ? 'sandbox' : 'live')
  const row = {
    id: newId('key', now),
    name: input.name,
    key_prefix: prefix,
    scopes: allScopes.filter((scope) => input.scopes.includes(scope)),
    allowed_ips: input.allowedIps ?? [],
    rate_limit: typeof input.rateLimit === 'number' ? input.rateLimit : null,
    is_rate_limited: input.rateLimit !== 'none',
    created_by: input.createdBy,
    created_at: new Date(now),
    expires_at: input.expiresAt ?? null,
    agent_id: input.agentId ?? null,
  }
  await insertApiKey(tx, orgId, { ...row, token_hash: hash })
  return { token, key: { ...row, org_id: orgId, revoked_at: null, rotated_to: null, last_used_at: null } }
}

/** Runs in the transaction of the change, so the change is announced exactly when it commits. */
async function announceChange(context: AccountsContext, tx: Tx, orgId: OrgId, change: KeyChange): Promise<void> {
  await bumpAccountRevision(tx, orgId)
  await context.recordChange(tx, orgId, change)
}

export const listApiKeys = (database: Database, orgId: OrgId): Promise<ApiKey[]> => listRows(database, orgId)

export async function getApiKey(database: Queries, orgId: OrgId, id: string): Promise<ApiKey> {
  const row = await findApiKey(database, orgId, id)
  if (row === null) throw apiKeyNotFound({ params: { id } })
  return row
}

/** A successor with the same name, scopes, limits and addresses; the old key works on for the overlap (0 = stops now). */
export const rotateApiKey = (context: AccountsContext, orgId: OrgId, input: Rotation): Promise<RotatedApiKey> =>
  context.database.transaction((tx) => rotateApiKeyIn(context, tx, orgId, input))

export type Rotation = {
  id: Id<'key'> | string
  overlapSeconds: number
  createdBy: string
  initiator?: KeyInitiator
  grantor?: Grantor
}
export type RotatedApiKey = CreatedApiKey & { predecessor: ApiKey }

export async function rotateApiKeyIn(
  context: AccountsContext,
  tx: Tx,
  orgId: OrgId,
  input: Rotation,
): Promise<RotatedApiKey> {
  const { clock } = context
  const old = await lockApiKey(tx, orgId, input.id)
  if (old === null) throw apiKeyNotFound({ params: { id: input.id } })
  const state = apiKeyState(old, clock.now())
  if (state !== 'active') {
    const says =
      state === 'retiring'
        ? `This API key was already rotated; its successor is ${old.rotated_to}. Rotate that one.`
        : undefined
    throw apiKeyNotActive({ ...(says && { says }), params: { state, successor: old.rotated_to } })
  }
  assertGrantable(input.grantor, old.scopes)
  const created = await insertKey(tx, clock, orgId, successorOf(old, input.createdBy))
  const at = new Date(clock.now() + input.overlapSeconds * 1000)
  await retireApiKeyRow(tx, orgId, { id: old.id, successor: created.key.id, at })
  const endsAt = old.expires_at !== null && old.expires_at < at ? old.expires_at : at
  const predecessor = { ...old, rotated_to: created.key.id, expires_at: endsAt }
  const { createdBy: by, initiator = null } = input
  await announceChange(context, tx, orgId, { type: 'rotated', key: predecessor, by, initiator })
  return { ...created, predecessor }
}

const successorOf = (old: ApiKey, createdBy: string): NewApiKey => ({
  name: old.name,
  scopes: old.scopes,
  createdBy,
  expiresAt: old.expires_at,
  allowedIps: old.allowed_ips,
  ...(old.is_rate_limited ? old.rate_limit !== null && { rateLimit: old.rate_limit } : { rateLimit: 'none' as const }),
})

type KeyEdit = {
  id: string
  name?: string | undefined
  scopes?: readonly Scope[] | undefined
  allowedIps?: readonly string[] | undefined
  by: string
  initiator: KeyInitiator | null
  grantor: Grantor
}

/** Changes a key that works; its token stays. The grantor needs the scopes that are added, not those that the key has already. */
export async function updateApiKeyIn(
  context: AccountsContext,
  tx: Tx,
  orgId: OrgId,
  { id, by, initiator, grantor, ...edit }: KeyEdit,
): Promise<ApiKey> {
  const before = await lockApiKey(tx, orgId, id)
  if (before === null) throw apiKeyNotFound({ params: { id } })
  const state = apiKeyState(before, context.clock.now())
  if (state !== 'active' && state !== 'retiring')
    throw apiKeyNotActive({ params: { state, successor: before.rotated_to } })
  const { name = before.name, scopes = before.scopes, allowedIps = before.allowed_ips } = edit
  assertGrantable(
    grantor,
    scopes.filter((scope) => !before.scopes.includes(scope)),
  )
  const key = {
    ...before,
    name,
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    allowed_ips: [...allowedIps],
  }
  await updateApiKeyRow(tx, orgId, { id, name, scopes: key.scopes, allowedIps })
  await announceChange(context, tx, orgId, { type: 'updated', key, by, initiator })
  return key
}

/** Holds the key until the end of the transaction. */
export const holdApiKey = async (tx: Tx, orgId: OrgId, id: string): Promise<void> => {
  await lockApiKey(tx, orgId, id)
}

/** Revoking a revoked key is no error and changes nothing. */
export const revokeApiKey = (context: AccountsContext, orgId: OrgId, input: Revocation): Promise<ApiKey> =>
  context.database.transaction((tx) => revokeApiKeyIn(context, tx, orgId, input))

type Revocation = { id: string; revokedBy: string; initiator?: KeyInitiator | null }

export async function revokeApiKeyIn(
  context: AccountsContext,
  tx: Tx,
  orgId: OrgId,
  { id, revokedBy, initiator = null }: Revocation,
): Promise<ApiKey> {
  const isRevoked = await revokeApiKeyRow(tx, orgId, { id, at: new Date(context.clock.now()) })
  const key = await findApiKey(tx, orgId, id)
  if (key === null) throw apiKeyNotFound({ params: { id } })
  if (isRevoked) await announceChange(context, tx, orgId, { type: 'revoked', key, by: revokedBy, initiator })
  return key
}

/** The keys of agents. `createApiKeyIn` creates them; they change and end only together with their agent. */

/** The current or last key of each agent. A key that was not used yet reports the last use of its predecessors. */
export async function currentKeysOfAgents(
  queries: Queries,
  orgId: OrgId,
  agentIds: readonly Id<'agt'>[],
): Promise<Map<Id<'agt'>, ApiKey>> {
  const keys = agentIds.length === 0 ? [] : await listKeysOfAgents(queries, orgId, agentIds)
  const current = new Map<Id<'agt'>, ApiKey>()
  for (const key of keys.toReversed()) {
    const last_used_at = key.last_used_at ?? current.get(key.agent_id)?.last_used_at ?? null
    current.set(key.agent_id, { ...key, last_used_at })
  }
  return current
}

/** The keys stop working at once in this process, and within a second in all others. */
export async function revokeAgentKeys(
  context: AccountsContext,
  tx: Tx,
  orgId: OrgId,
  { agentId, by, initiator }: { agentId: Id<'agt'>; by: string; initiator: KeyInitiator | null },
): Promise<void> {
  const revoked = await revokeKeysOfAgent(tx, orgId, { agentId, at: new Date(context.clock.now()) })
  const ids = new Set(revoked.map(({ id }) => id))
  const keys = ids.size === 0 ? [] : await listKeysOfAgents(tx, orgId, [agentId])
  for (const key of keys.filter(({ id }) => ids.has(id)))
    await announceChange(context, tx, orgId, { type: 'revoked', key, by, initiator })
}

/** Writes the agent's name, scopes and expiry to its keys. */
export async function updateAgentKeys(
  tx: Tx,
  orgId: OrgId,
  change: { agentId: Id<'agt'>; name: string; scopes: readonly Scope[]; expiresAt: Date | null },
): Promise<void> {
  await updateKeysOfAgent(tx, orgId, change)
  await bumpAccountRevision(tx, orgId)
}
