import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type PlatformKeyRow = {
  id: Id<'pky'>
  name: string
  key_prefix: string
  scopes: Scope[]
  is_for_all: boolean
  rate_limit: number | null
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

/** The organization that a request names; null members when there is none that the key may act for. */
export type ActingRow = PlatformKeyRow & {
  org_id: OrgId | null
  org_slug: string
  org_name: string
  org_default_country: string
  org_currency: string
  org_timezone: string
  org_is_sandbox: boolean
  /** The platform acts for a suspended organization too. */
  org_suspended_at: null
}

const columns = (queries: Queries) => queries.part`
  keys.id, keys.name, keys.key_prefix, keys.scopes, keys.is_for_all, keys.rate_limit, keys.created_at, keys.expires_at,
  keys.revoked_at, keys.last_used_at`

export const insertPlatformKey = (
  tx: Tx,
  row: Omit<PlatformKeyRow, 'revoked_at' | 'last_used_at'> & { token_hash: Uint8Array },
) =>
  tx.run`
    insert into platform_keys (id, name, key_prefix, token_hash, scopes, is_for_all, rate_limit, created_at, expires_at)
    values (${row.id}, ${row.name}, ${row.key_prefix}, ${row.token_hash}, ${row.scopes}, ${row.is_for_all},
      ${row.rate_limit}, ${row.created_at}, ${row.expires_at})`

/** By its token, or by the token before the last rotation while that still works. A sandbox belongs to the platform of its live organization. */
export const findPlatformKeyByHash = (
  queries: Queries,
  { tokenHash, orgId, now }: { tokenHash: Uint8Array; orgId: string | null; now: Date },
) => queries.maybeOne<ActingRow>`
  select ${columns(queries)}, named.id as org_id, named.slug as org_slug, named.name as org_name,
    named.default_country as org_default_country, named.currency as org_currency, named.timezone as org_timezone,
    named.sandbox_of is not null as org_is_sandbox, null as org_suspended_at
  from platform_keys keys
  left join (
    select organizations.*, coalesce(live.platform_key_id, organizations.platform_key_id) as platform_id
    from organizations left join organizations live on live.id = organizations.sandbox_of
    where organizations.id = ${orgId}
  ) named on keys.is_for_all or named.platform_id = keys.id
  where keys.token_hash = ${tokenHash} or (keys.old_token_hash = ${tokenHash} and keys.old_expires_at > ${now})`

export const listPlatformKeys = (queries: Queries) => queries.many<PlatformKeyRow>`
  select ${columns(queries)} from platform_keys keys order by keys.id desc`

export const lockPlatformKey = (tx: Tx, id: string) => tx.maybeOne<PlatformKeyRow>`
  select ${columns(tx)} from platform_keys keys where keys.id = ${id} for update`

export const replaceToken = (
  tx: Tx,
  { id, hash, prefix, oldExpiresAt }: { id: string; hash: Uint8Array; prefix: string; oldExpiresAt: Date },
) =>
  tx.run`
    update platform_keys
    set old_token_hash = token_hash, old_expires_at = ${oldExpiresAt}, token_hash = ${hash}, key_prefix = ${prefix}
    where id = ${id}`

export const markPlatformKeyRevoked = (tx: Tx, { id, at }: { id: string; at: Date }) => tx.run`
  update platform_keys set revoked_at = coalesce(revoked_at, ${at}) where id = ${id}`

export const markPlatformKeyUsed = (queries: Queries, { id, at }: { id: string; at: Date }) => queries.run`
  update platform_keys set last_used_at = ${at} where id = ${id} and (last_used_at is null or last_used_at < ${at})`

/** Live organizations only: a sandbox is reached through its live organization. */
export const listOrganizationIds = (
  queries: Queries,
  { key, before, limit }: { key: Pick<PlatformKeyRow, 'id' | 'is_for_all'>; before: string | null; limit: number },
) => queries.many<{ id: OrgId }>`
  select id from organizations
  where sandbox_of is null and (${key.is_for_all}::boolean or platform_key_id = ${key.id})
    and (${before}::text is null or id < ${before})
  order by id desc limit ${limit}`

export const isOrganizationOf = async (
  queries: Queries,
  key: Pick<PlatformKeyRow, 'id' | 'is_for_all'>,
  orgId: string,
): Promise<boolean> =>
  (await queries.maybeOne`
    select id from organizations
    where id = ${orgId} and sandbox_of is null and (${key.is_for_all}::boolean or platform_key_id = ${key.id})`) !==
  null
