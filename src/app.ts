import './platform/database/group-commit.errors.ts'
import { auditContext, createAuditLinker, createCheckpointWriter } from './accounts/audit/audit.ts'
import { createApiKeyCache, createKeyAuthenticator, createLastUsed } from './accounts/keys/keys.ts'
import { type AuthorizationContext, createOAuthSweep, createTokenAuthenticator } from './accounts/oauth/oauth.ts'
import { type PasswordKeeping, resetMail } from './accounts/people/people.ts'
import { createPlatformAuthenticator } from './accounts/platform/platform.ts'
import { runApproved } from './agents/agents.ts'
import { createCapabilities, paymentAccountsContext } from './boot/capabilities.ts'
import { consoleRoutes, createSimulationTest } from './boot/console-routes.ts'
import { accountsContext, type PeopleOptions, peopleContext } from './boot/contexts.ts'
import type { DemoKey } from './boot/demo.ts'
import { playDemo } from './boot/demo-content.ts'
import { addProcessMetrics } from './boot/process-metrics.ts'
import { BASE_PATHS, describeRoutes, PUBLIC_LIMITS, publicRoutes } from './boot/public-routes.ts'
import { partitionedTables } from './boot/schema.ts'
import { FILE_BYTES_MAX as SIMULATOR_FILE_BYTES_MAX } from './channels/connectors/simulator/simulator.ts'
import { webhookDescriptions } from './events/events.ts'
import { allErrors } from './kernel/errors.ts'
import { createPayPageSource } from './orders/pay-page/pay-page.ts'
import { createLinkPageSource } from './orders/payment-links/payment-links.ts'
import { createLiveProcesses, type ProcessRole } from './platform/cluster/live-processes.ts'
import { createPartitionMaintenance } from './platform/database/daily-partitions.ts'
import type { Database } from './platform/database/database.ts'
import { createDatabaseClock } from './platform/database/database-clock.ts'
import type { Migration } from './platform/database/migrate.ts'
import { createSecretBox, deriveKey } from './platform/database/secret-box.ts'
import { createTableStatistics } from './platform/database/table-statistics.ts'
import { createRequestAddressReader } from './platform/http/limits/client-address.ts'
import { createRateLimiter } from './platform/http/limits/rate-limit.ts'
import { createDescriptionEndpoint } from './platform/http/openapi/description-endpoint.ts'
import { createOperatingSite, type OperatingSite } from './platform/http/operating-site.ts'
import { createCursorCodec } from './platform/http/pipeline/cursor.ts'
import { createInternalApi, createPublicApi, type PublicApiOptions } from './platform/http/pipeline/public-api.ts'
import { createSharedTransactions } from './platform/http/pipeline/shared-transactions.ts'
import { createMailer, type MailSettings } from './platform/mail/mail.ts'
import { createDocumentFetch, createEgress, type DocumentFetch, type Egress } from './platform/outbound-http/egress.ts'
import { resolveHost } from './platform/runtime/resolve-host.ts'
import type { ReadSocketAddress } from './platform/runtime/server.ts'
import type { Storage } from './platform/storage/storage.ts'
import type { Log } from './platform/telemetry/log.ts'
import { createMetrics } from './platform/telemetry/metrics.ts'
import { createTelemetry } from './platform/telemetry/telemetry.ts'
import type { TelemetrySettings } from './platform/telemetry/telemetry-settings.ts'
import { createRequestLogWriter } from './request-logs/request-logs.ts'
import { createCloudApi, createMediaLinks } from './surfaces/cloud-api/cloud-api.ts'
import { cloudApiCapabilities, cloudApiSubscriptions } from './surfaces/cloud-api/cloud-api-capabilities.ts'
import type { EmulatedApp } from './surfaces/cloud-api/cloud-api-context.ts'
import { auditedPublicApi } from './surfaces/console-api/audited.ts'
import { createConsoleApi } from './surfaces/console-api/console-api.ts'
import { createLiveStreams } from './surfaces/console-api/live/live-stream.ts'
import { createMediaLimitsReader } from './surfaces/console-api/media/media-limits.ts'
import { createAsker } from './surfaces/console-api/sign-in/auth-question.ts'
import { createConsoleSite } from './surfaces/console-site/console-site.ts'
import { describeEvents } from './surfaces/docs/api-description.ts'
import { createDocsSite } from './surfaces/docs/docs-site.ts'
import { createHooksSite, HOOK_BYTES_MAX } from './surfaces/hooks/hooks-site.ts'
import { createMcpSite, MCP_PATH } from './surfaces/mcp/mcp-site.ts'
import { challengeOf } from './surfaces/oauth/metadata.ts'
import { createOAuthSite } from './surfaces/oauth/oauth-site.ts'
import { createPaySite } from './surfaces/pay/pay-site.ts'
import { createSimulatedPayer } from './surfaces/pay/simulated-payer.ts'

/**
 * The wiring, part two: what is served, and to whom. Part one, the capabilities with their connectors and jobs, is in
 * capabilities.ts. Both together list every part of the process.
 */
export type AppOptions = {
  database: Database
  migrations: Migration[]
  secretKey: string
  publicUrl: string
  log: Log
  role: ProcessRole
  version: string
  trustedProxies: readonly string[]
  metricsToken: string | null
  rateLimit: { perSecond: number; burst: number }
  /** Which addresses webhooks may be sent to. */
  egress: Egress
  mediaStorage: Storage
  /** Where checkpoints of the audit log are kept outside of the database. */
  checkpointStore?: Storage | null
  isRequestLogOn: boolean
  requestLogRetentionDays: number
  /** Where the built console is, once it is; null serves none. */
  consoleFolder: Promise<string> | null
  /** Where the built docs are, once they are; null serves their Markdown alone. */
  docsFolder: (() => Promise<string>) | null
  /** By which people are sent links. */
  mail?: MailSettings | null
  /** Takes the links to set a password where there is no mail. */
  sendResetLink?: PeopleOptions['sendResetLink']
  /** Whether MCP clients may register; without it only clients with a metadata document can connect. */
  isClientRegistrationOn: boolean
  /** By which such documents are fetched, from public addresses only unless something else is handed in. */
  fetchDocument?: DocumentFetch
  /** How passwords are kept, where not as the server keeps them. */
  passwords?: PasswordKeeping | null
  sso?: PeopleOptions['sso']
  /** The app of Meta that an emulator stands for; null in every other server. */
  emulatedApp?: EmulatedApp | null
  /** Where traces and metrics are sent to; null sends none. */
  telemetry?: TelemetrySettings | null
}

export type App = {
  fetch(request: Request, readSocketAddress: ReadSocketAddress): Response | Promise<Response>
  start(): Promise<void>
  /** The first hours of the demo organization, in the background. */
  playDemo(demo: DemoKey): Promise<void>
  /** /metrics, /healthz and /readyz only. */
  fetchOperating: OperatingSite['fetch']
  /** From now on /readyz says no. Ends when load balancers had time to notice; until then requests are served. */
  beginDrain(): Promise<void>
  /** Live streams have no end, so a drain would wait for them. */
  endStreams(): void
  noteAddress(url: string): Promise<unknown>
  stop(): Promise<void>
}

/** In nearly no request: the others are not taken apart to find out. */
const DESCRIPTION = /api\.(?:json|yaml)/

const BODY_TIMEOUT_MS = 30_000
const MEDIA_WAIT_MS = 5_000
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it decides nothing; it lists the parts of a process from top to bottom.
export function createApp(given: AppOptions): App {
  // What one process stamps another one compares, so all of them go by the database's time.
  const clock = createDatabaseClock(given.database)
  const options = { ...given, clock }
  const { database, log } = options
  const metrics = createMetrics()

  // Accounts
  const lastUsed = createLastUsed({ database, clock, log })
  const keyCache = createApiKeyCache({ database, log })
  const authenticate = createKeyAuthenticator({
    ...{ cache: keyCache, lastUsed, clock, defaultRateLimit: options.rateLimit },
    ...(options.emulatedApp != null && { aliases: options.emulatedApp.tokens }),
  })
  const rateLimiter = createRateLimiter({ clock, entriesMax: 100_000 })
  const liveProcesses = createLiveProcesses({
    database,
    log,
    role: options.role,
    version: options.version,
    publicUrl: options.publicUrl,
    onCount: (apiProcesses) => rateLimiter.setShare(1 / apiProcesses),
  })

  // Request logs
  const requestLog = createRequestLogWriter({ database, clock, log })

  // What it does
  const runKey = deriveKey(options.secretKey, 'approved requests')
  const audit = auditContext(options)
  const mailer = options.mail == null ? null : createMailer({ ...options.mail, log })
  const capabilities = createCapabilities({
    ...options,
    mailer,
    audit,
    processId: liveProcesses.id,
    eventsPath: `${BASE_PATHS[0]}/events`,
    runApproved: (approval) => runApproved(internalApi, { database, routes, approval, key: runKey }),
  })
  const { webhooks, channels, messaging, agents } = capabilities

  // People, for the console and for management by API
  const resource = `${options.publicUrl}${MCP_PATH}`
  const { auth, people } = peopleContext({
    ...options,
    ...(mailer !== null && { sendResetLink: (person, link) => mailer.post(resetMail(person, link)) }),
    connectableAt: resource,
  })
  const accounts = accountsContext(database, clock)

  // The public API and what describes it
  const mediaLinks = createMediaLinks({ key: deriveKey(options.secretKey, 'media links'), clock })
  const management = { accounts, audit, people, mailer, publicUrl: options.publicUrl, mediaLinks }
  const routes = publicRoutes({ lastUsed, database, capabilities, management })
  const docsUrl = `${options.publicUrl}/docs`
  const describeApi = () => describeRoutes(routes, { publicUrl: options.publicUrl })
  const descriptions = createDescriptionEndpoint({
    documents: { 'openapi.json': describeApi, 'asyncapi.json': () => describeEvents(webhookDescriptions()) },
    basePaths: BASE_PATHS,
    docsUrl,
  })
  const pipeline = {
    database,
    sharedTransactions: createSharedTransactions(database),
    rateLimiter,
    cursors: createCursorCodec(deriveKey(options.secretKey, 'cursors')),
    secretBox: createSecretBox(deriveKey(options.secretKey, 'stored replies')),
    clock,
    log,
    docsUrl,
    bodyBytesMax: PUBLIC_LIMITS.bodyBytesMax,
    bodyTimeoutMs: BODY_TIMEOUT_MS,
    readClientAddress: createRequestAddressReader(options.trustedProxies),
    onExchange(exchange) {
      metrics.requestFinished(exchange.route?.id ?? 'none', exchange.status, exchange.durationMs)
      if (options.isRequestLogOn) requestLog.record(exchange)
    },
    gate: agents.gate,
  } satisfies Omit<PublicApiOptions, 'routes' | 'basePaths' | 'authenticate'>
  const auditedRoutes = auditedPublicApi(audit, routes)
  const publicApi = createPublicApi({
    ...pipeline,
    routes: auditedRoutes,
    basePaths: BASE_PATHS,
    authenticate: createPlatformAuthenticator({
      ...{ database, clock, defaultRateLimit: options.rateLimit },
      otherwise: authenticate,
    }),
  })
  const internalApi = createInternalApi({ ...pipeline, routes: auditedRoutes, basePath: BASE_PATHS[0] })
  const publicOrigin = new URL(options.publicUrl).origin
  const mcp = createMcpSite({
    ...pipeline,
    routes,
    internalApi,
    authenticate: createTokenAuthenticator({
      ...{ database, clock, lastUsed, resource },
      defaultRateLimit: options.rateLimit,
      otherwise: authenticate,
    }),
    challenge: challengeOf(options.publicUrl),
    offersTo: agents.offersTo,
    publicOrigin,
    version: options.version,
  })
  const cloudApi = createCloudApi({
    ...pipeline,
    basePaths: BASE_PATHS,
    ownCollections: [...new Set(routes.flatMap(({ path }) => path.split('/').slice(1, 2)))],
    publicUrl: options.publicUrl,
    linkKey: deriveKey(options.secretKey, 'media links'),
    authenticate,
    ...cloudApiCapabilities({ database, messaging, channels }),
    mediaWaitMs: MEDIA_WAIT_MS,
    subscriptions: cloudApiSubscriptions(webhooks.context, audit),
    app: options.emulatedApp ?? null,
  })
  const paymentAccounts = paymentAccountsContext(options)
  const hooks = createHooksSite({
    ...pipeline,
    bodyBytesMax: HOOK_BYTES_MAX,
    receivers: [capabilities.channels, capabilities.payments].flatMap((part) => part.hooks),
  })

  const paySite = createPaySite({
    source: createPayPageSource(capabilities.orders.context),
    links: createLinkPageSource(capabilities.orders),
    tokens: capabilities.payments.tokens,
    simulatedPayer: createSimulatedPayer(capabilities.payments),
    clock,
    log,
  })

  // The console
  const authorization: AuthorizationContext = {
    ...{ database, clock, auth, resource },
    issuer: options.publicUrl,
    fetchDocument: options.fetchDocument ?? fetchPublicDocument(options),
  }
  const oauth = createOAuthSite({
    ...pipeline,
    authorization,
    isRegistrationOn: options.isClientRegistrationOn,
    audit,
    metrics,
  })
  const live = createLiveStreams({ database, log })
  const fileLimits = { simulator: SIMULATOR_FILE_BYTES_MAX }
  const readMediaLimits = createMediaLimitsReader({ channels, fileLimits })
  const authParts = {
    auth,
    people,
    publicOrigin,
    version: options.version,
    isMailOn: mailer !== null,
    ssoName: options.sso?.name ?? null,
    isSimulated: createSimulationTest({ database, providers: paymentAccounts.providers }),
  }
  const consoleApi = createConsoleApi({
    ...pipeline,
    onExchange: ({ route, status, durationMs }) => metrics.requestFinished(route?.id ?? 'none', status, durationMs),
    live,
    media: channels.media,
    readMediaLimits,
    session: { auth, database, clock, publicOrigin },
    auth: authParts,
    publicRoutes: routes,
    audit,
    consoleRoutes: consoleRoutes({
      database,
      log,
      accounts,
      lastUsed,
      people,
      mailer,
      audit,
      publicUrl: options.publicUrl,
      capabilities,
      paymentAccounts,
      readMediaLimits,
      authorization,
      ask: createAsker(authParts),
    }),
  })
  const consoleSite = options.consoleFolder === null ? null : createConsoleSite({ folder: options.consoleFolder })
  const docs = createDocsSite({
    openApiPath: `${BASE_PATHS[0]}/openapi.json`,
    asyncApiPath: `${BASE_PATHS[0]}/asyncapi.json`,
    basePath: BASE_PATHS[0],
    errors: allErrors(),
    publicUrl: options.publicUrl,
    mcpPath: MCP_PATH,
    folder: options.docsFolder,
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
  const partitionMaintenance = createPartitionMaintenance({ database, clock, log, tables: partitionedTables(options) })
  const tableStatistics = createTableStatistics({ database, log })
  const oauthSweep = createOAuthSweep({ database, clock, log })

  addProcessMetrics(metrics, { database, keyCache, requestLog, capabilities })

  const background = options.role === 'api' ? [] : capabilities.background
  const parts = [
    // Stopped last: what the others end with is exported too.
    createTelemetry({
      ...{ log, metrics, version: options.version, processId: liveProcesses.id },
      settings: options.telemetry ?? null,
    }),
    clock,
    // Stopped after everything that enters something.
    ...(options.role === 'api' ? [] : [createCheckpointWriter(audit, log)]),
    createAuditLinker(audit, log),
    lastUsed,
    keyCache,
    liveProcesses,
    partitionMaintenance,
    tableStatistics,
    requestLog,
    oauthSweep,
    ...capabilities.parts,
    ...background,
  ]
  const app: App = {
    fetch(request, readSocketAddress) {
      const fixed = publicApi.fetchFixed(request, readSocketAddress)
      if (fixed !== null) return fixed
      const isDescription = DESCRIPTION.test(request.url) && descriptions.owns(new URL(request.url).pathname)
      if (isDescription) return descriptions.fetch(request)
      const answer = cloudApi.fetch(request, readSocketAddress) ?? publicApi.fetch(request, readSocketAddress)
      if (answer !== null) return answer
      const inner =
        mcp.fetch(request, readSocketAddress) ??
        oauth.fetch(request, readSocketAddress) ??
        hooks.fetch(request, readSocketAddress) ??
        paySite.fetch(request) ??
        consoleApi.fetch(request, readSocketAddress) ??
        consoleSite?.fetch(request) ??
        null
      if (inner !== null) return inner
      return docs.fetch(request).then((page) => page ?? operating.fetch(request, readSocketAddress(request)))
    },
    fetchOperating: operating.fetch,
    async start() {
      await database.lookForShards()
      for (const part of parts) await part.start()
    },
    playDemo: (demo) =>
      playDemo({ database, customers: capabilities.customers, fetch: app.fetch, publicUrl: options.publicUrl }, demo),
    noteAddress: liveProcesses.noteAddress,
    beginDrain: operating.beginDrain,
    endStreams: live.stop,
    async stop() {
      live.stop()
      await mailer?.drain()
      for (const part of parts.toReversed()) await part.stop()
    },
  }
  return app
}

/** Ranges that the operator opened stay closed here: a program that describes itself is not known to any tenant. */
const fetchPublicDocument = ({ version }: { version: string }): DocumentFetch =>
  createDocumentFetch({ egress: createEgress({ allowedRanges: [] }, resolveHost), userAgent: `Nexkit/${version}` })
