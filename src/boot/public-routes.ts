// Events of keys belong to no capability, and routes that speak of events know only those that are declared.
import '../events/account.events.ts'
import { identityRoutes, type LastUsed, type PublicLimits } from '../accounts/keys/keys.ts'
import { agentRoutes } from '../agents/agents.ts'
import { broadcastRoutes } from '../broadcasts/broadcasts.ts'
import { TEXT_MAX } from '../channels/content/content.ts'
import { erasureRoutes } from '../erasure/erasure.ts'
import { eventRoutes, webhookDescriptions } from '../events/events.ts'
import { allErrors } from '../kernel/errors.ts'
import { messagingRoutes } from '../messaging/messaging.ts'
import { ITEMS_MAX } from '../orders/orders/orders.schemas.ts'
import { allOrderRoutes } from '../orders/orders.ts'
import type { Database } from '../platform/database/database.ts'
import { type Route, type RouteList, unserved } from '../platform/http/define-route.ts'
import { serializeDescription } from '../platform/http/openapi/openapi.ts'
import { METADATA_KEYS_MAX, METADATA_VALUE_MAX } from '../platform/http/schemas.ts'
import { productRoutes } from '../products/products.ts'
import { cloudApiRoutes } from '../surfaces/cloud-api/cloud-api.routes.ts'
import { describeEvents, describePublicApi } from '../surfaces/docs/api-description.ts'
import {
  type ManagementApiParts,
  managementRoutes,
  type NetworkRouteParts,
  networkRoutes,
} from '../surfaces/management-api/management-api.ts'
import { simulatorRoutes } from '../surfaces/simulator-api/simulator-api.ts'
import { webhookRoutes } from '../webhooks/webhooks.ts'
import type { Capabilities } from './capabilities.ts'

/** What the public API consists of, for the server and for the files that describe it. */
export const BASE_PATHS = ['/api/public/v1', '/public/v1'] as const satisfies [string, ...string[]]

/** What the schemas of requests enforce, and the pipeline with the size of a body. */
export const PUBLIC_LIMITS: PublicLimits = {
  bodyBytesMax: 256 * 1024,
  textCharactersMax: TEXT_MAX,
  orderItemsMax: ITEMS_MAX,
  metadataKeysMax: METADATA_KEYS_MAX,
  metadataValueCharactersMax: METADATA_VALUE_MAX,
}

type RouteParts = {
  lastUsed: Pick<LastUsed, 'peek'>
  database: Database
  capabilities: Capabilities
  /** For what people do in the console, and programs by API. */
  management: Pick<ManagementApiParts, 'accounts' | 'audit' | 'people' | 'mailer' | 'publicUrl'> &
    Pick<NetworkRouteParts, 'mediaLinks'>
}

/** A list of routes, and what of the server it works with. */
const list = <Context>(routes: RouteList<Context>, contextIn: (parts: RouteParts) => Context) => ({
  describe: () => routes(unserved),
  serve: (parts: RouteParts) => routes(contextIn(parts)),
})

/** Every route of the public API, in the order of the docs. */
const lists = [
  list(identityRoutes, ({ lastUsed }) => ({ lastUsed, limits: PUBLIC_LIMITS })),
  list(messagingRoutes, ({ capabilities }) => capabilities.messaging.context),
  list(allOrderRoutes, ({ capabilities }) => capabilities.orders),
  list(productRoutes, ({ capabilities }) => capabilities.orders.context),
  list(webhookRoutes, ({ capabilities }) => capabilities.webhooks.context),
  list(agentRoutes, ({ capabilities }) => capabilities.agents.context),
  list(broadcastRoutes, ({ capabilities }) => capabilities.broadcasts),
  list(erasureRoutes, ({ capabilities }) => capabilities.erasure),
  list(managementRoutes, ({ lastUsed, capabilities, management }) => {
    const { channels, sandbox, outbox } = capabilities
    return {
      ...management,
      lastUsed,
      agents: { ...management.accounts, lastUsed },
      numbers: channels.context,
      wake: (orgIds) => outbox.wake(orgIds),
      paymentAccounts: sandbox.paymentAccounts,
    }
  }),
  list(networkRoutes, ({ capabilities: { channels, messaging }, management: { mediaLinks, publicUrl } }) => ({
    ...{ channels, media: channels.media, mediaLinks, publicUrl },
    directory: messaging.context.directory,
  })),
  list(eventRoutes, ({ database }) => ({ database })),
  list(simulatorRoutes, ({ database, capabilities }) => {
    const { customers, payments, channels, sandbox } = capabilities
    return { database, customers, payments, sandbox, media: channels.media, numbers: channels.context }
  }),
]

export const publicRoutes = (parts: RouteParts): Route[] => lists.flatMap(({ serve }) => serve(parts))

/** The same without a server, with those that speak another API's language. */
export const describedRoutes = (): Route[] => [...lists.flatMap(({ describe }) => describe()), ...cloudApiRoutes]

/** The description of routes that are served, with those that speak another API's language. */
export const describeRoutes = (routes: readonly Route[], address: { publicUrl?: string } = {}) =>
  describePublicApi({
    routes: [...routes, ...cloudApiRoutes],
    errors: allErrors(),
    basePaths: BASE_PATHS,
    webhooks: webhookDescriptions(),
    ...address,
  })

/** The description as the file `openapi.json` holds it: generated from the routes alone, without a running server. */
export const generateOpenApi = (): string =>
  serializeDescription(describeRoutes(lists.flatMap(({ describe }) => describe())))

/** The events as the file `asyncapi.json` holds them. */
export const generateAsyncApi = (): string => serializeDescription(describeEvents(webhookDescriptions()))
