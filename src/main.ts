import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { PasswordKeeping } from './accounts/people/people.ts'
import { type App, createApp } from './app.ts'
import { paymentAccountsContext } from './boot/capabilities.ts'
import { accountsContext, numbersContext, peopleContext } from './boot/contexts.ts'
import { createDemo, type Demo, type DemoKey, noteDemoSeen } from './boot/demo.ts'
import { prepareSchema } from './boot/schema.ts'
import { loadSecretKey } from './boot/secret-key.ts'
import { auditCheckpointStorage, configuredEgress, mediaStorage } from './boot/settings.ts'
import { ensureConsoleBuild, ensureDocsBuild } from './boot/site-build.ts'
import { VERSION } from './boot/version.ts'
import { welcome } from './boot/welcome.ts'
import { type Config, printableConfig, readConfig } from './config.ts'
import { systemClock } from './kernel/clock.ts'
import { messageOf, StartError } from './kernel/errors.ts'
import type { ProcessRole } from './platform/cluster/live-processes.ts'
import { type Database, openDatabase } from './platform/database/database.ts'
import { type Migration, readMigrations } from './platform/database/migrate.ts'
import {
  type EmbeddedPostgres,
  type FolderLock,
  lockDataFolder,
  startEmbeddedPostgres,
} from './platform/embedded-postgres/embedded-postgres.ts'
import { listRestoredWork } from './platform/outbox/restored-lanes.ts'
import { isListening, type ListeningServer, type ListenOptions, listen } from './platform/runtime/server.ts'
import { createLog, type Log } from './platform/telemetry/log.ts'
import type { EmulatedApp } from './surfaces/cloud-api/cloud-api-context.ts'

/**
 * The process: configuration → data folder and PostgreSQL → schema → app → listen → drain on a signal.
 *
 * Each step that succeeded leaves behind how it is undone; whether the start fails halfway or a signal comes an hour
 * later, the same list is unwound from its end.
 */
export type ServeOptions = {
  role: ProcessRole
  /** One of several that a supervisor started: shares the port, prints nothing, ends with its supervisor. */
  isChild?: boolean
  /** The pid that the supervisor passed to its child: the supervisor may be gone when the child looks. */
  supervisorPid?: number
  /** How passwords are kept, where not as the server keeps them. */
  passwords?: PasswordKeeping
}

/** With the few seconds that PostgreSQL may need at worst, the whole stop stays below twenty. */
const DRAIN_REQUESTS_MS = 7_000
const PLAY_DEMO_MS = 3_000
const PARENT_CHECK_MS = 1_000
const MEDIA_BYTES_MAX = 128 * 1024 * 1024
export const MIGRATIONS_FOLDER = resolve(import.meta.dirname, '..', 'migrations')

export type Undo = () => Promise<unknown> | unknown

export async function serve(config: Config, options: ServeOptions): Promise<void> {
  const log = createLog(config.logLevel)
  if (options.isChild) stopWithoutParent(options.supervisorPid ?? process.ppid, log)
  await runUntilSignal(log, (undo) => startUp(config, options, log, undo))
}

/** Stops a child whose supervisor was killed: it would keep the port, and no later start would get it. */
function stopWithoutParent(parentPid: number, log: Log): void {
  const timer = setInterval(() => {
    if (process.ppid === parentPid) return
    clearInterval(timer)
    log.warn({ parentPid }, 'the supervisor is gone')
    process.kill(process.pid, 'SIGTERM')
  }, PARENT_CHECK_MS)
  timer.unref()
}

/** Also for the supervisor: start, and unwind what was started on failure or on a signal. */
export async function runUntilSignal(log: Log, start: (undo: Undo[]) => Promise<void>): Promise<void> {
  const undo: Undo[] = []
  const starting = start(undo)
  const unwind = async () => {
    // A signal in the middle of a start waits for it: what is half started could not be undone.
    await starting.catch(() => {})
    for (const step of undo.splice(0).reverse()) await step()
  }
  const isStopping = onSignals(log, unwind)
  try {
    await starting
  } catch (error) {
    // Ctrl-C also reaches programs that a start runs, such as initdb. That they were interrupted is no error to report.
    if (isStopping()) return
    await unwind()
    throw error
  }
}

/** What has to be there before anything can be served: the database, its schema, the secret, and on the first start the demo. */
export type Ground = {
  databaseUrl: string
  secretKey: string
  database: Database
  migrations: Migration[]
  demo: Demo | null
}

export type GroundOptions = {
  config: Config
  log: Log
  undo: Undo[]
  /** Whether the process serves requests: it needs the port, and prints the credentials of the demo. A worker does not serve. */
  isServing: boolean
  /** What an operator sets the port by, where it is not the setting PORT. */
  portSetting?: string
  /** The embedded PostgreSQL where the caller starts it, and stops it too. */
  postgres?: Promise<EmbeddedPostgres>
}

export async function prepareGround(options: GroundOptions): Promise<Ground> {
  const { config, log, undo, isServing } = options
  log.debug(printableConfig(config), 'configuration')
  // The folder comes first: a second start of the same server is refused with the process that holds it.
  const folder = config.databaseUrl === null ? await takeDataFolder(config, undo) : null
  if (isServing && folder?.wasLeftBehind) await untilPortIsLeft(config)
  if (isServing) await checkPort(config, options.portSetting)
  const databaseUrl = config.databaseUrl ?? (await startOwnPostgres(options))
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const applied = await migrateOrExplain(databaseUrl, migrations)
  // A new database gets all of them, which says nothing to its operator.
  if (applied.length > 0 && applied.length < migrations.length)
    log.info({ migrations: applied.length, latest: applied.at(-1) }, 'schema updated')
  const database = openDatabase({ url: databaseUrl, connectionsMax: config.databaseConnectionsMax })
  undo.push(() => database.close())
  const secretKey = await loadSecretKey(database, config)
  if (isServing) await warnOfRestoredWork(database, log)
  const demo =
    config.isDemo && isServing ? await createDemoParts(config, { databaseUrl, database, secretKey, log }) : null
  if (demo !== null) undo.push(demo.release)
  return { databaseUrl, secretKey, database, migrations, demo }
}

function createDemoParts(
  config: Config,
  ground: Pick<Ground, 'databaseUrl' | 'database' | 'secretKey'> & { log: Log },
) {
  const parts = { ...ground, clock: systemClock, publicUrl: publicUrlOf(config), egress: configuredEgress(config) }
  return createDemo({
    accounts: accountsContext(ground.database, systemClock),
    people: peopleContext(parts).people,
    numbers: numbersContext(parts),
    paymentAccounts: paymentAccountsContext(parts),
    databaseUrl: ground.databaseUrl,
  })
}

export async function startUp(config: Config, options: ServeOptions, log: Log, undo: Undo[]): Promise<void> {
  const startedAt = performance.now()
  const ground = await prepareGround({ config, log, undo, isServing: options.role !== 'worker' && !options.isChild })
  const sites = options.role === 'worker' ? null : buildSites(log)
  const app = await startServing(config, { ...options, sites }, { ground, log, undo })
  if (options.role === 'worker') return log.info({ role: options.role }, 'worker is ready')
  if (!options.isChild) await announce(config, ground, performance.now() - startedAt)
  const playing = playDemo(app, options.isChild ? readHandedDemo() : ground.demo).catch((error) =>
    log.warn({ err: error }, 'the demo content could not be created'),
  )
  // It is played once, so a stop in the middle of it lets it end while requests are still taken.
  undo.push(() => Promise.race([playing, pause(PLAY_DEMO_MS, undefined, { ref: false })]))
}

type Sites = { console: Promise<string>; docs: () => Promise<string> }

/** The app on its ground, and the port unless it is a worker. */
export async function startServing(
  config: Config,
  options: ServeOptions & { sites: Sites | null; emulatedApp?: EmulatedApp },
  { ground, log, undo }: { ground: Ground; log: Log; undo: Undo[] },
): Promise<App> {
  const { database, migrations, secretKey } = ground
  const app = createApp({
    database,
    migrations,
    secretKey,
    publicUrl: publicUrlOf(config),
    log,
    role: options.role,
    version: VERSION,
    trustedProxies: config.trustedProxies,
    metricsToken: config.metricsToken,
    rateLimit: config.rateLimit,
    egress: configuredEgress(config),
    mediaStorage: mediaStorage(config),
    checkpointStore: auditCheckpointStorage(config),
    isRequestLogOn: config.isRequestLogOn,
    requestLogRetentionDays: config.requestLogRetentionDays,
    consoleFolder: options.sites?.console ?? null,
    docsFolder: options.sites?.docs ?? null,
    mail: config.mail,
    sso: config.sso,
    isClientRegistrationOn: config.isClientRegistrationOn,
    passwords: options.passwords ?? null,
    emulatedApp: options.emulatedApp ?? null,
    telemetry: config.telemetry,
  })
  undo.push(() => app.stop())
  await app.start()
  openMetricsPort(config, app, undo)
  if (options.role === 'worker') return app
  const server = openPort(config, options, { app, database, log })
  undo.push(async () => {
    server.endKeepAlive()
    await app.beginDrain()
    app.endStreams()
    await server.drain(DRAIN_REQUESTS_MS)
  })
  await app.noteAddress(server.localUrl)
  return app
}

/** A worker serves no requests, and of processes that share a port one answers: each is scraped on a port of its own. */
function openMetricsPort(config: Config, app: App, undo: Undo[]): void {
  if (config.metricsPort === null) return
  const server = listenOrExplain(
    { host: config.host, port: config.metricsPort },
    {
      bodyBytesMax: 0,
      handle: (request, readSocketAddress) => app.fetchOperating(request, readSocketAddress(request)),
      onError: () => new Response(null, { status: 500 }),
    },
    'METRICS_PORT',
  )
  undo.push(() => server.drain(0))
}

/** A server that sends nothing would otherwise look well. */
async function warnOfRestoredWork(database: Database, log: Log): Promise<void> {
  const work = await listRestoredWork(database)
  if (work.length === 0) return
  const pending = work.reduce((sum, org) => sum + org.pending, 0)
  log.warn(
    { organizations: work.length, pending },
    'nothing is sent since a restore, an import or a failover; check what is pending, then run "npx nexkit resume"',
  )
}

async function playDemo(app: App, given: DemoKey | null | Promise<DemoKey | null>): Promise<void> {
  const demo = await given
  if (demo !== null) await app.playDemo(demo)
}

/** The supervisor creates the demo, serves no requests, and sends the credentials by stdin to one of its children. */
async function readHandedDemo(): Promise<DemoKey | null> {
  const handed = await text(process.stdin)
  return handed === '' ? null : (JSON.parse(handed) as DemoKey)
}

const DOCS_DELAY_MS = 10_000

/**
 * Beside everything else: the API does not wait for them. One after the other, because they need much memory, and the docs when
 * the first reader asks for them or the start is some seconds ago.
 */
function buildSites(log: Log): Sites {
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`)
  const console = ensureConsoleBuild({ say })
  console.catch((error) => log.error({ err: error }, 'the console could not be built'))
  let docs: Promise<string> | undefined
  const buildDocs = () => {
    docs ??= console.catch(() => {}).then(() => ensureDocsBuild({ say }))
    docs.catch((error) => log.error({ err: error }, 'the docs could not be built'))
    return docs
  }
  setTimeout(buildDocs, DOCS_DELAY_MS).unref()
  return { console, docs: buildDocs }
}

/** A server that listens everywhere is reached as localhost from here. */
export const publicUrlOf = (config: Config): string => {
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host
  return config.publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`
}

async function takeDataFolder(config: Config, undo: Undo[]): Promise<FolderLock> {
  const lock = await lockDataFolder(config.dataDir)
  undo.push(() => lock.release())
  return lock
}

async function startOwnPostgres({ config, log, undo, postgres: given }: GroundOptions): Promise<string> {
  if (given !== undefined) return (await given).url
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log,
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  })
  undo.push(() => postgres.stop())
  return postgres.url
}

/** On connections that end with it: PostgreSQL keeps in memory what a connection has ever looked up, here every table. */
async function migrateOrExplain(url: string, migrations: Migration[]): Promise<string[]> {
  const database = openDatabase({ url, connectionsMax: 4 })
  try {
    return await prepareSchema(database, migrations)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The database cannot be used: ${messageOf(error)}. Run "npx nexkit doctor" to find out more.`)
  } finally {
    await database.close()
  }
}

const PORT_LEFT_MS = 3_000
const PORT_POLL_MS = 50

/** The children of a supervisor that was killed notice it within a second, and the next start need not. */
async function untilPortIsLeft(config: Config): Promise<void> {
  const deadlineMs = performance.now() + PORT_LEFT_MS
  while (performance.now() < deadlineMs && (await isListening(config))) await pause(PORT_POLL_MS)
}

/**
 * Runs before anything is created: a first start that failed later, at the port, would lose the credentials that are shown
 * only once. The probe does not share the port, so it also finds processes that do.
 */
async function checkPort(config: Config, setting?: string): Promise<void> {
  const unavailable = () => new Response(null, { status: 503 })
  const probe = listenOrExplain(config, { bodyBytesMax: 0, handle: unavailable, onError: unavailable }, setting)
  await probe.drain(0)
}

type Opened = { app: App; database: Database; log: Log }

const openPort = (config: Config, options: ServeOptions, { app, database, log }: Opened) =>
  listenOrExplain(config, {
    sharePort: options.isChild ?? false,
    bodyBytesMax: MEDIA_BYTES_MAX,
    handle: app.fetch,
    onError(error) {
      log.error({ err: error }, 'a request failed outside of the pipeline')
      return new Response(null, { status: 500 })
    },
    onStarted: () => database.renewConnections(),
  })

function listenOrExplain(
  { host, port }: Pick<Config, 'host' | 'port'>,
  options: Omit<ListenOptions, 'host' | 'port'>,
  setting = 'PORT',
): ListeningServer {
  try {
    return listen({ host, port, ...options })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new StartError(
        `Port ${port} on ${host} is already in use. Stop the other program, or set ${setting} to another port.`,
      )
    if (code === 'EACCES')
      throw new StartError(`Port ${port} needs more rights than this user has. Set ${setting} to 1024 or above.`)
    throw new StartError(`Cannot listen on ${host}:${port}: ${message}.`)
  }
}

/** The credentials of a demo count as seen when they have left this process, and not before. */
export async function announce(
  config: Config,
  { database, demo }: Pick<Ground, 'database' | 'demo'>,
  tookMs: number,
): Promise<void> {
  const dataDir = config.databaseUrl === null ? config.dataDir : null
  const isDefaultFolder = config.dataDir === readConfig({}).dataDir
  const text = welcome({ url: publicUrlOf(config), demo, dataDir, isDefaultFolder, tookMs })
  await new Promise((written) => process.stdout.write(text, written))
  if (demo !== null) await noteDemoSeen(database, demo)
}

/** A Ctrl-C arrives several times: from the terminal, and forwarded by the programs in between. */
const SAME_SIGNAL_MS = 1_000

/** The first signal drains; a later one means it. */
function onSignals(log: Log, unwind: () => Promise<void>): () => boolean {
  let stoppingSinceMs: number | null = null
  const stop = async (signal: NodeJS.Signals) => {
    if (stoppingSinceMs !== null) {
      if (performance.now() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(130)
      return
    }
    stoppingSinceMs = performance.now()
    log.info({ signal }, 'stopping after the requests in progress')
    try {
      await unwind()
      process.exit(0)
    } catch (error) {
      log.error({ err: error }, 'the server did not stop cleanly')
      process.exit(1)
    }
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return () => stoppingSinceMs !== null
}
