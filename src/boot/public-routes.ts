// Events of keys belong to no capability, and routes that speak of events know only those that are declared.
import '../events/account.events.ts'
import { identityRoutes, type PublicLimits } from '../accounts/keys/identity.routes.ts'
import type { LastUsed } from '../accounts/keys/last-used.ts'
import { EVENT_RETENTION_DAYS, eventRoutes } from '../events/events.ts'
import type { Database } from '../platform/database/database.ts'
import type { Route } from '../platform/http/define-route.ts'
import { cloudApiRoutes } from '../surfaces/cloud-api/cloud-api.routes.ts'
import { describedCapabilityRoutes } from './capabilities.ts'

/** What the public API consists of, for the server and for the files that describe it. */
export const BASE_PATHS = ['/api/public/v1', '/public/v1'] as const satisfies [string, ...string[]]

export const PUBLIC_LIMITS: PublicLimits = {
  bodyBytesMax: 256 * 1024,
  textCharactersMax: 4096,
  orderItemsMax: 100,
  metadataKeysMax: 50,
  metadataValueCharactersMax: 500,
}

type RouteParts = { lastUsed: Pick<LastUsed, 'peek'>; database: Database; capabilities: readonly Route[] }

export const describedRoutes = (): Route[] => [
  ...publicRoutes({
    lastUsed: { peek: () => null },
    database: {} as Database,
    capabilities: describedCapabilityRoutes({ eventRetentionDays: EVENT_RETENTION_DAYS }),
  }),
  ...cloudApiRoutes,
]

/** Every route of the public API, in the order of the docs. */
export const publicRoutes = (parts: RouteParts): Route[] => [
  ...identityRoutes({ lastUsed: parts.lastUsed, limits: PUBLIC_LIMITS }),
  ...parts.capabilities,
  ...eventRoutes(parts),
]
