import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import type { Role } from '../people/people.ts'

export type ApiKeyRow = {
  org_id: OrgId
  id: Id<'key'>
  name: string
  key_prefix: string
  scopes: Scope[]
  allowed_ips: string[]
  rate_limit: number | null
  is_rate_limited: boolean
  created_by: string
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  rotated_to: Id<'key'> | null
  last_used_at: Date | null
  /** The agent that owns the key, if it is an agent's key. */
  agent_id: Id<'agt'> | null
}

/** A key with what a request needs to know of its organization: one row, one look-up. */
export type ApiKeyWithOrganizationRow = ApiKeyRow & {
  org_slug: string
  org_name: string
  org_default_country: string
  org_currency: string
  org_timezone: string
  org_is_sandbox: boolean
  /** Of the live organization, for a sandbox. */
  org_suspended_at: Date | null
}

const keyColumns = (queries: Queries) => queries.part`
  api_keys.org_id, api_keys.id, api_keys.name, api_keys.key_prefix, api_keys.scopes, api_keys.allowed_ips, api_keys.rate_limit,
  api_keys.is_rate_limited, api_keys.created_by, api_keys.created_at, api_keys.expires_at, api_keys.revoked_at,
  api_keys.rotated_to, api_keys.agent_id, (
    select used.last_used_at from api_key_uses used
    where used.org_id = api_keys.org_id and used.key_id = api_keys.id) as last_used_at`

const organizationColumns = (queries: Queries) => queries.part`
  organizations.slug as org_slug, organizations.name as org_name, organizations.default_country as org_default_country,
  organizations.currency as org_currency, organizations.timezone as org_timezone,
  organizations.sandbox_of is not null as org_is_sandbox,
  coalesce(organizations.suspended_at, (
    select live.suspended_at from organizations live where live.id = organizations.sandbox_of)) as org_suspended_at`

/** Decides how the tokens of its keys begin. An organization stays what it was created as. */
export const isSandbox = async (queries: Queries, orgId: OrgId): Promise<boolean> =>
  (
    await queries.one<{ is_sandbox: boolean }>`
      select sandbox_of is not null as is_sandbox from organizations where id = ${orgId}`
  ).is_sandbox

export const insertApiKey = (
  tx: Tx,
  orgId: OrgId,
  row: Omit<ApiKeyRow, 'org_id' | 'last_used_at' | 'revoked_at' | 'rotated_to'> & { token_hash: Uint8Array },
) =>
  tx.run`
    insert into api_keys (org_id, id, name, key_prefix, token_hash, scopes, allowed_ips, rate_limit, is_rate_limited,
      created_by, created_at, expires_at, agent_id)
    values (${orgId}, ${row.id}, ${row.name}, ${row.key_prefix}, ${row.token_hash}, ${row.scopes}, ${row.allowed_ips},
      ${row.rate_limit}, ${row.is_rate_limited}, ${row.created_by}, ${row.created_at}, ${row.expires_at},
      ${row.agent_id})`

/** The only look-up without an organization: its result names the organization. */
export const findApiKeyByHash = (queries: Queries, tokenHash: Uint8Array) =>
  queries.maybeOne<ApiKeyWithOrganizationRow>`
    select ${keyColumns(queries)}, ${organizationColumns(queries)}
    from api_keys join organizations on organizations.id = api_keys.org_id
    where api_keys.token_hash = ${tokenHash}`

/** The key that the token of a connected program represents, with the state of that token. */
export type ConnectedKeyRow = ApiKeyWithOrganizationRow & {
  token_scopes: string
  token_resources: string | null
  token_expires_at: Date
  token_revoked_at: Date | null
  /** Until when an exchanged token gets the same answer again. */
  token_replay_expires_at: Date | null
  /** The role of the person who granted the connection; null once they left the organization. */
  person_role: Role | null
}

/** The newest key of the agent that a connection is for. Like the look-up above, its result names the organization. */
const connectedKeyColumns = (queries: Queries) => queries.part`
  ${keyColumns(queries)}, ${organizationColumns(queries)}, memberships.role as person_role,
  tokens.scopes as token_scopes, tokens.resources as token_resources, tokens.expires_at as token_expires_at,
  tokens.revoked_at as token_revoked_at`

const ofReference = (queries: Queries) => queries.part`
  join api_keys on api_keys.org_id = split_part(tokens.reference, '/', 1)
    and api_keys.agent_id = split_part(tokens.reference, '/', 2)
  join organizations on organizations.id = api_keys.org_id
  left join memberships on memberships.org_id = coalesce(organizations.sandbox_of, organizations.id)
    and memberships.person_id = tokens.person_id`

export const findKeyByAccessToken = (queries: Queries, tokenHash: string) => queries.maybeOne<ConnectedKeyRow>`
  select ${connectedKeyColumns(queries)}, null::timestamptz as token_replay_expires_at
  from oauth_access_tokens tokens ${ofReference(queries)}
  where tokens.token = ${tokenHash} order by api_keys.id desc limit 1`

export const findKeyByRefreshToken = (queries: Queries, tokenHash: string) => queries.maybeOne<ConnectedKeyRow>`
  select ${connectedKeyColumns(queries)}, tokens.replay_expires_at as token_replay_expires_at
  from oauth_refresh_tokens tokens ${ofReference(queries)}
  where tokens.token = ${tokenHash} order by api_keys.id desc limit 1`

/** This and the following statements skip the keys of agents, which are managed with their agent. */
export const findApiKey = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<ApiKeyRow>`
  select ${keyColumns(queries)} from api_keys where org_id = ${orgId} and id = ${id} and agent_id is null`

export const lockApiKey = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<ApiKeyRow>`
  select ${keyColumns(tx)} from api_keys where org_id = ${orgId} and id = ${id} and agent_id is null for update`

export const listApiKeys = (queries: Queries, orgId: OrgId) => queries.many<ApiKeyRow>`
  select ${keyColumns(queries)} from api_keys where org_id = ${orgId} and agent_id is null order by id desc`

/** False when it is revoked already, or does not exist. */
export const revokeApiKeyRow = async (tx: Tx, orgId: OrgId, { id, at }: { id: string; at: Date }): Promise<boolean> =>
  (await tx.run`
    update api_keys set revoked_at = ${at}
    where org_id = ${orgId} and id = ${id} and revoked_at is null and agent_id is null`) > 0

/** Newest first, so the first key of an agent is its current one. */
export const listKeysOfAgents = (queries: Queries, orgId: OrgId, agentIds: readonly string[]) =>
  queries.many<ApiKeyRow & { agent_id: Id<'agt'> }>`
    select ${keyColumns(queries)} from api_keys where org_id = ${orgId} and agent_id = any(${agentIds}) order by id desc`

export const revokeKeysOfAgent = (tx: Tx, orgId: OrgId, { agentId, at }: { agentId: string; at: Date }) =>
  tx.many<{ id: Id<'key'> }>`
    update api_keys set revoked_at = ${at} where org_id = ${orgId} and agent_id = ${agentId} and revoked_at is null
    returning id`

export const updateKeysOfAgent = (
  tx: Tx,
  orgId: OrgId,
  row: { agentId: string; name: string; scopes: readonly Scope[]; expiresAt: Date | null },
) =>
  tx.run`
    update api_keys set name = ${row.name}, scopes = ${row.scopes}, expires_at = ${row.expiresAt}
    where org_id = ${orgId} and agent_id = ${row.agentId} and revoked_at is null`

export const updateApiKeyRow = (
  tx: Tx,
  orgId: OrgId,
  row: { id: string; name: string; scopes: readonly Scope[]; allowedIps: readonly string[] },
) => tx.run`
  update api_keys set name = ${row.name}, scopes = ${row.scopes}, allowed_ips = ${row.allowedIps}
  where org_id = ${orgId} and id = ${row.id} and agent_id is null`

/** Never moves the expiry of the key to a later time. */
export const retireApiKeyRow = (
  tx: Tx,
  orgId: OrgId,
  { id, successor, at }: { id: string; successor: Id<'key'>; at: Date },
) =>
  tx.run`
    update api_keys set rotated_to = ${successor}, expires_at = least(expires_at, ${at})
    where org_id = ${orgId} and id = ${id}`

/**
 * Moves times only forward and in a fixed order, so two processes that write at once neither deadlock nor undo each
 * other.
 */
export const updateLastUsed = (database: Database, uses: { orgId: OrgId; id: string; at: Date; from: string }[]) =>
  database.run`
    insert into api_key_uses as known (org_id, key_id, last_used_at, last_used_from)
    select * from unnest(${uses.map((use) => use.orgId)}::text[], ${uses.map((use) => use.id)}::text[],
      ${uses.map((use) => use.at)}::timestamptz[], ${uses.map((use) => use.from)}::text[]) as used (org_id, id, at, address)
    order by org_id, id
    on conflict (org_id, key_id) do update
    set last_used_at = excluded.last_used_at, last_used_from = excluded.last_used_from
    where known.last_used_at < excluded.last_used_at`

/** The notification channel that makes processes drop outdated keys. */
export const KEY_CHANGES_CHANNEL = 'nexkit_account_changes'

/**
 * Runs in the transaction of the change, so processes are notified exactly when it commits. The notification names the
 * revision and the organization; revisions are committed one after another, so a listener notices a missed one.
 */
export const bumpAccountRevision = (tx: Tx, orgId: OrgId) => tx.run`
  with bumped as (update account_revisions set revision = revision + 1 returning revision)
  select pg_notify(${KEY_CHANGES_CHANNEL}, revision::text || ' ' || ${orgId}::text) from bumped`

export const getAccountRevision = async (queries: Queries) =>
  (await queries.one<{ revision: number }>`select revision from account_revisions`).revision
