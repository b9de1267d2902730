import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

/** Which signatures an endpoint asks for. */
export type Signing = 'v1' | 'v1a' | 'both'

export type SecretRow = {
  org_id: OrgId
  endpoint_id: Id<'wep'>
  version: number
  sealed_secret: string
  secret_hint: string
  sealed_private_key: string | null
  public_key: string | null
  created_at: Date
  expires_at: Date | null
}

const columns = (queries: Queries) => queries.part`
  org_id, endpoint_id, version, sealed_secret, secret_hint, sealed_private_key, public_key, created_at, expires_at`

export const insertSecret = (tx: Tx, orgId: OrgId, row: Omit<SecretRow, 'org_id' | 'expires_at'>) => tx.run`
  insert into webhook_secrets (org_id, endpoint_id, version, sealed_secret, secret_hint, sealed_private_key, public_key,
    created_at)
  values (${orgId}, ${row.endpoint_id}, ${row.version}, ${row.sealed_secret}, ${row.secret_hint},
    ${row.sealed_private_key}, ${row.public_key}, ${row.created_at})`

/** Live ones, newest first: the order of signing. */
export const listSecrets = (
  queries: Queries,
  orgId: OrgId,
  { endpointIds, now }: { endpointIds: string[]; now: Date },
) =>
  queries.many<SecretRow>`
    select ${columns(queries)} from webhook_secrets
    where org_id = ${orgId} and endpoint_id = any(${endpointIds}) and (expires_at is null or expires_at > ${now})
    order by endpoint_id, version desc`

/** Never later than it would have ended anyway. */
export const retireSecrets = (
  tx: Tx,
  orgId: OrgId,
  { endpointId, belowVersion, at }: { endpointId: string; belowVersion: number; at: Date },
) => tx.run`
  update webhook_secrets set expires_at = least(expires_at, ${at})
  where org_id = ${orgId} and endpoint_id = ${endpointId} and version < ${belowVersion}`

export const deleteSecretsBelow = (
  tx: Tx,
  orgId: OrgId,
  { endpointId, version, now }: { endpointId: string; version: number; now: Date },
) => tx.run`
  delete from webhook_secrets
  where org_id = ${orgId} and endpoint_id = ${endpointId} and (version < ${version} or expires_at <= ${now})`

export const deleteSecrets = (tx: Tx, orgId: OrgId, endpointId: string) =>
  tx.run`delete from webhook_secrets where org_id = ${orgId} and endpoint_id = ${endpointId}`

export const updateKeyPair = (
  tx: Tx,
  orgId: OrgId,
  row: Pick<SecretRow, 'endpoint_id' | 'version' | 'sealed_private_key' | 'public_key'>,
) => tx.run`
  update webhook_secrets set sealed_private_key = ${row.sealed_private_key}, public_key = ${row.public_key}
  where org_id = ${orgId} and endpoint_id = ${row.endpoint_id} and version = ${row.version}`

/** Of the whole installation, or of one endpoint: public by nature. Rows of all organizations, hence org_id is selected. */
export const listPublicKeys = (
  queries: Queries,
  { endpointId, now, limit }: { endpointId: string | null; now: Date; limit: number },
) =>
  queries.many<{ org_id: OrgId; public_key: string }>`
    select org_id, public_key from webhook_secrets
    where public_key is not null and (expires_at is null or expires_at > ${now})
      and (${endpointId}::text is null or endpoint_id = ${endpointId})
    order by created_at desc limit ${limit}`
