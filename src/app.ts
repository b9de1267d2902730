import { createApiKeyCache } from './accounts/api-key-cache.ts'
import type { AccountsContext } from './accounts/api-keys.ts'
import { createKeyAuthenticator } from './accounts/authenticate.ts'
import { identityRoutes, type PublicLimits } from './accounts/identity.routes.ts'
import { createLastUsed, type LastUsed } from './accounts/last-used.ts'
import { createKeyChangeRecorder } from './events/account-events.ts'
import { webhookDescriptions } from './events/event-catalogue.ts'
import { eventRoutes } from './events/events.routes.ts'
import type { Clock } from './kernel/clock.ts'
import { allErrors } from './kernel/errors.ts'
import { createLiveProcesses, type ProcessRole } from './platform/cluster/live-processes.ts'
import { createPartitionUpkeep, ensurePartitions, type PartitionedTable } from './platform/database/daily-partitions.ts'
import type { Database } from './platform/database/database.ts'
import { type Migration, migrate } from './platform/database/migrate.ts'
import './platform/database/group-commit.errors.ts'
import { createFollowers } from './events/followers.ts'
import { createSecretBox, deriveKey } from './platform/database/secret-box.ts'
import { type Cidr, createClientAddressReader } from './platform/http/client-address.ts'
import { createCursorCodec } from './platform/http/cursor.ts'
import type { Route } from './platform/http/define-route.ts'
import { createIdempotencySweep } from './platform/http/idempotency-sweep.ts'
import { serializeOpenApi } from './platform/http/openapi.ts'
import { createOpenApiEndpoint } from './platform/http/openapi-endpoint.ts'
import { createOperatingSite } from './platform/http/operating-site.ts'
import { createPublicApi } from './platform/http/public-api.ts'
import { createRateLimiter } from './platform/http/rate-limit.ts'
import { createDatabaseClock } from './platform/outbox/database-clock.ts'
import { createOutbox } from './platform/outbox/outbox.ts'
import type { Log } from './platform/telemetry/log.ts'
import { createMetrics } from './platform/telemetry/metrics.ts'
import { createRequestLogWriter } from './request-logs/request-log-writer.ts'
import { describePublicApi } from './surfaces/docs/api-description.ts'
import { createDocsSite } from './surfaces/docs/docs-site.ts'
import { webhookSecretBox } from './webhook-settings.ts'
import type { CertifyParts } from './webhooks/certifications.jobs.ts'
import { createCertifications } from './webhooks/certifications.ts'
import { createRecoveries, type Recoveries, type RecoveriesOptions } from './webhooks/recovery-module.ts'
import { createWebhooks, type Webhooks, webhookRoutes, webhookTables } from './webhooks/webhooks.ts'
import type { WebhooksContext } from './webhooks/webhooks-context.ts'

/**
 * The joinery: the one file that names every capability, connector and job, and hands each what it needs. Reading it
 * from top to bottom tells what the process is made of.
 */
export type AppOptions = {
  database: Database
  migrations: Migration[]
  secretKey: string
  publicUrl: string
  clock: Clock
  log: Log
  role: ProcessRole
  version: string
  trustedProxies: readonly string[]
  metricsToken: string | null
  rateLimit: { perSecond: number; burst: number }
  /** Private address ranges that webhooks may reach. */
  privateWebhookRanges: readonly Cidr[]
  isRequestLogOn: boolean
  requestLogRetentionDays: number
}

export type App = {
  fetch(request: Request, readSocketAddress: () => string): Response | Promise<Response>
  start(): Promise<void>
  /** From now on /readyz says no, so that a balancer looks elsewhere while requests under way finish. */
  beginDrain(): void
  stop(): Promise<void>
}

export const BASE_PATHS = ['/api/public/v1', '/public/v1'] as const satisfies [string, ...string[]]

export const PUBLIC_LIMITS: PublicLimits = {
  bodyBytesMax: 256 * 1024,
  textCharactersMax: 4096,
  orderItemsMax: 100,
  metadataKeysMax: 50,
  metadataValueCharactersMax: 500,
}

const BODY_TIMEOUT_MS = 30_000
const EVENT_RETENTION_DAYS = 30

/** For the server and the commands alike: a change to a key is an event, whoever makes it. */
export const accountsContext = (database: Database, clock: Clock): AccountsContext => ({
  database,
  clock,
  recordChange: createKeyChangeRecorder(clock),
})

/** Tables that are partitioned by day, and how long their days are kept. */
export const partitionedTables = ({
  requestLogRetentionDays,
}: {
  requestLogRetentionDays: number
}): PartitionedTable[] => [
  { table: 'events', idPrefix: 'evt', retentionDays: EVENT_RETENTION_DAYS },
  { table: 'request_logs', idPrefix: 'req', retentionDays: requestLogRetentionDays },
  ...webhookTables,
]

/** The schema up to date and the coming days ready to be written to: for the server and for every command. */
export async function prepareSchema(database: Database, migrations: Migration[], clock: Clock): Promise<string[]> {
  const applied = await migrate(database, migrations)
  for (const table of partitionedTables({ requestLogRetentionDays: 1 }))
    await ensurePartitions(database, table, clock.now())
  return applied
}

export type RouteParts = {
  lastUsed: Pick<LastUsed, 'peek'>
  database: Database
  webhooks: Pick<Webhooks, 'routes'>
  recoveries: Pick<Recoveries, 'routes'>
  certifications: { routes: Route[] }
}

/** Routes are described without a running server: they ask for nothing until they are called. */
const describedParts = (): RouteParts => ({
  lastUsed: { peek: () => null },
  database: {} as Database,
  webhooks: { routes: webhookRoutes({} as WebhooksContext) },
  recoveries: createRecoveries({ eventRetentionDays: EVENT_RETENTION_DAYS } as RecoveriesOptions),
  certifications: createCertifications({} as CertifyParts),
})

export const describedRoutes = (): Route[] => publicRoutes(describedParts())

/** Every route of the public API, in the order of the docs. */
export const publicRoutes = (parts: RouteParts): Route[] => [
  ...identityRoutes({ lastUsed: parts.lastUsed, limits: PUBLIC_LIMITS }),
  ...eventRoutes(parts),
  ...parts.webhooks.routes,
  ...parts.certifications.routes,
  ...parts.recoveries.routes,
]

/** The description as the file `openapi.json` holds it: made from the routes alone, without a running server. */
export function generateOpenApi(): string {
  return serializeOpenApi(
    describePublicApi({
      routes: describedRoutes(),
      errors: allErrors(),
      basePaths: BASE_PATHS,
      webhooks: webhookDescriptions(),
    }),
  )
}

export function createApp(options: AppOptions): App {
  const { database, clock, log } = options
  const metrics = createMetrics()

  // Accounts
  const lastUsed = createLastUsed({ database, clock, log })
  const keyCache = createApiKeyCache({ database, log })
  const authenticate = createKeyAuthenticator({ cache: keyCache, lastUsed, clock, defaultRateLimit: options.rateLimit })
  const rateLimiter = createRateLimiter({ clock, entriesMax: 100_000 })
  const liveProcesses = createLiveProcesses({
    database,
    clock,
    log,
    role: options.role,
    version: options.version,
    onCount: (apiProcesses) => rateLimiter.setShare(1 / apiProcesses),
  })

  // Request logs
  const requestLog = createRequestLogWriter({ database, clock, log })

  // Webhooks, and the engine that carries all outbound work. Processes compare due times, so they go by one clock.
  const databaseClock = createDatabaseClock(database)
  const processId = liveProcesses.id
  const secretBox = webhookSecretBox(options.secretKey)
  const webhooks = createWebhooks({
    database,
    clock: databaseClock,
    log,
    secretBox,
    allowedPrivateRanges: options.privateWebhookRanges,
    userAgent: `Nexkit/${options.version}`,
    processId,
    wake: (laneIds) => outbox.wake(laneIds),
    eventsPath: `${BASE_PATHS[0]}/events`,
  })
  const recoveries = createRecoveries({ database, clock: databaseClock, log, eventRetentionDays: EVENT_RETENTION_DAYS })
  const certifications = createCertifications({ database, clock: databaseClock, secretBox, client: webhooks.client })
  const outbox = createOutbox({
    database,
    clock: databaseClock,
    log,
    processId,
    jobs: [...webhooks.jobs, ...recoveries.jobs, ...certifications.jobs],
  })
  const followers = createFollowers({ database, log, followers: [webhooks.follower] })

  // The public API and what describes it
  const routes = publicRoutes({ lastUsed, database, webhooks, recoveries, certifications })
  const docsUrl = `${options.publicUrl}/docs`
  const description = describePublicApi({
    routes,
    errors: allErrors(),
    basePaths: BASE_PATHS,
    publicUrl: options.publicUrl,
    webhooks: webhookDescriptions(),
  })
  const openApi = createOpenApiEndpoint({ document: description, basePaths: BASE_PATHS, docsUrl })
  const publicApi = createPublicApi({
    routes,
    basePaths: BASE_PATHS,
    database,
    authenticate,
    rateLimiter,
    cursors: createCursorCodec(deriveKey(options.secretKey, 'cursors')),
    secretBox: createSecretBox(deriveKey(options.secretKey, 'stored replies')),
    clock,
    log,
    docsUrl,
    bodyBytesMax: PUBLIC_LIMITS.bodyBytesMax,
    bodyTimeoutMs: BODY_TIMEOUT_MS,
    readClientAddress: createClientAddressReader([...options.trustedProxies]),
    onExchange(exchange) {
      metrics.requestFinished(exchange.route?.id ?? 'none', exchange.status, exchange.durationMs)
      if (options.isRequestLogOn) requestLog.record(exchange)
    },
  })
  const docs = createDocsSite({
    openApiPath: `${BASE_PATHS[0]}/openapi.json`,
    basePath: BASE_PATHS[0],
    errors: allErrors(),
    version: options.version,
    publicUrl: options.publicUrl,
  })
  const operating = createOperatingSite({
    database,
    migrations: options.migrations,
    metrics,
    metricsToken: options.metricsToken,
    docsUrl,
    version: options.version,
    documents: {
      '/.well-known/webhook-keys.json': (url) => webhooks.wellKnownKeys(url.searchParams.get('endpoint')),
    },
  })
  const partitionUpkeep = createPartitionUpkeep({ database, clock, log, tables: partitionedTables(options) })
  const idempotencySweep = createIdempotencySweep({ database, clock, log })

  metrics.gauge('nexkit_key_cache_entries', 'Keys held in memory', () => keyCache.stats().entries)
  metrics.counter(
    'nexkit_key_cache_misses_total',
    'Key look-ups that asked the database',
    () => keyCache.stats().misses,
  )
  metrics.gauge('nexkit_request_log_queued', 'Request log rows waiting to be written', () => requestLog.stats().queued)
  metrics.counter('nexkit_request_log_dropped_total', 'Request log rows given up', () => requestLog.stats().dropped)

  for (const figure of webhooks.figures()) metrics[figure.kind](figure.name, figure.help, figure.read)

  const background = options.role === 'api' ? [] : [followers, outbox]
  const parts = [
    databaseClock,
    lastUsed,
    keyCache,
    liveProcesses,
    partitionUpkeep,
    requestLog,
    idempotencySweep,
    webhooks,
    ...background,
  ]
  return {
    fetch(request, readSocketAddress) {
      const isDescription = request.url.includes('/openapi.json') && openApi.owns(new URL(request.url).pathname)
      if (isDescription) return openApi.fetch(request)
      const answer = publicApi.fetch(request, readSocketAddress)
      if (answer !== null) return answer
      return docs.fetch(request).then((page) => page ?? operating.fetch(request, readSocketAddress()))
    },
    async start() {
      for (const part of parts) await part.start()
    },
    beginDrain: operating.beginDrain,
    async stop() {
      for (const part of parts.toReversed()) await part.stop()
    },
  }
}
