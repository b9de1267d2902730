import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import { openHeaders, openTls } from '../endpoints/endpoint-input.ts'
import { type EndpointRow, findEndpoint } from '../endpoints/endpoints.sql.ts'
import { listSecrets } from '../signing/secrets.sql.ts'
import { openSigningKeys } from '../signing/secrets.ts'
import { SECRET_PREFIX } from '../signing/signature.ts'
import type { ProbeTarget } from './messages.ts'

export type FoundTarget = { endpoint: EndpointRow; target: ProbeTarget }

/** The endpoint with its live secrets opened, as they are now; null when it was deleted meanwhile. */
export async function findTarget(
  queries: Queries,
  orgId: OrgId,
  { endpointId, secretBox, now }: { endpointId: Id<'wep'>; secretBox: SecretBox; now: Date },
): Promise<FoundTarget | null> {
  const endpoint = await findEndpoint(queries, orgId, endpointId)
  if (endpoint === null) return null
  const rows = await listSecrets(queries, [orgId], { endpointIds: [endpointId], now })
  const keys = openSigningKeys(secretBox, rows, endpoint.signing).map(({ key }) => key)
  const symmetric = openSigningKeys(secretBox, rows, 'v1').flatMap(({ key }) => (key.version === 'v1' ? [key] : []))
  const tls = openTls(secretBox, endpointId, endpoint.sealed_tls)
  return {
    endpoint,
    target: {
      url: endpoint.url,
      timeoutMs: endpoint.timeout_ms,
      headers: openHeaders(secretBox, endpointId, endpoint.sealed_headers),
      ...(tls !== null && { tls }),
      keys,
      secrets: symmetric.map(({ secret }) => SECRET_PREFIX + secret.toString('base64')),
    },
  }
}
