import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { auditContext, type ChainVerdict, explainProblem, verifyChain } from '../accounts/audit/audit.ts'
import { listOrganizations } from '../accounts/organizations/organizations.ts'
import { partitionedTables } from '../boot/schema.ts'
import { readSecretKey, secretKeyRefusal } from '../boot/secret-key.ts'
import { auditCheckpointStorage, mediaStorage } from '../boot/settings.ts'
import { placeOf } from '../boot/tables.ts'
import { type Config, readConfig } from '../config.ts'
import { countParkedEvents } from '../events/events.ts'
import { systemClock } from '../kernel/clock.ts'
import { messageOf } from '../kernel/errors.ts'
import { membersOf } from '../kernel/records.ts'
import { MIGRATIONS_FOLDER } from '../main.ts'
import { reportCluster } from '../platform/cluster/distribution.ts'
import { listLiveProcesses, type ProcessRow } from '../platform/cluster/live-processes.sql.ts'
import { type Database, openDatabase } from '../platform/database/database.ts'
import { databaseCode } from '../platform/database/database-errors.ts'
import { pendingMigrations, readMigrations, schemaRefusal } from '../platform/database/migrate.ts'
import { findLockLimits, listPartitionedTables } from '../platform/database/partition-locks.sql.ts'
import { findRunningPostgres } from '../platform/embedded-postgres/embedded-postgres.ts'
import { listRestoredWork } from '../platform/outbox/restored-lanes.ts'
import { checkBooks, findMissingFiles } from './backup/books.ts'

/** Changes nothing. Each finding states a fact; a problem also says what to do. */
export type Finding = { subject: string; status: 'ok' | 'warning' | 'failed'; says: string }

const DISK_BYTES_MIN = 500 * 1024 * 1024
const CLOCK_DIFFERENCE_MS_MAX = 2000

const ok = (subject: string, says: string): Finding => ({ subject, status: 'ok', says })
const warning = (subject: string, says: string): Finding => ({ subject, status: 'warning', says })
const failed = (subject: string, says: string): Finding => ({ subject, status: 'failed', says })

type DiagnoseOptions = {
  /** Also reads all rows and compares them with each other, which takes minutes on a large database. */
  isDeep?: boolean
}

export async function diagnose(
  environment: Record<string, string | undefined>,
  { isDeep = false }: DiagnoseOptions = {},
): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(environment)
  } catch (error) {
    return [failed('settings', messageOf(error))]
  }
  const findings = [
    ok('runtime', `Bun ${process.versions.bun} on ${process.platform} ${process.arch}`),
    ok('settings', 'valid'),
  ]
  if (config.databaseUrl === null) findings.push(...(await lookAtDataFolder(config)))
  const { findings: database, live } = await lookAtDatabase(config, isDeep)
  const here = ofDistinctAddresses(live.filter(isHere))
  const servers = here.length > 0 ? await Promise.all(here.map(lookAtServer)) : [await lookAtPort(config, live)]
  return [...findings, ...database, ...servers]
}

const NOT_RUNNING_FOR_DEEP =
  'the embedded PostgreSQL is not running, so its rows cannot be compared. Start the server with "npm start", then run "npx nexkit doctor --deep" again.'

/** What the database says, and which processes run on it. */
type DatabaseLook = { findings: Finding[]; live: ProcessRow[] }

/** A server notes where it listens, so it is found whatever its port; whether it still answers is asked of itself. */
async function lookAtServer({ address, pid }: ProcessRow): Promise<Finding> {
  const version = await askVersion(String(address))
  return version === null
    ? failed('server', `process ${pid} does not answer at ${address}. Check its log, or restart it.`)
    : ok('server', `Nexkit ${version} answers at ${address}`)
}

const askVersion = (url: string): Promise<string | null> =>
  fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) })
    .then((response) => response.json() as Promise<{ version?: string }>)
    .then(({ version }) => version ?? null)
    .catch(() => null)

async function lookAtDataFolder(config: Config): Promise<Finding[]> {
  const subject = 'data folder'
  try {
    const folder = await stat(config.dataDir)
    if (!folder.isDirectory())
      return [failed(subject, `${config.dataDir} is not a folder. Set NEXKIT_DATA_DIR to a folder.`)]
    await access(config.dataDir, constants.W_OK)
  } catch (error) {
    if (membersOf(error).code === 'ENOENT')
      return [ok(subject, `${config.dataDir} does not exist yet; the first start creates it`)]
    return [
      failed(subject, `${config.dataDir} is not writable for this user. Run as its owner, or set NEXKIT_DATA_DIR.`),
    ]
  }
  const findings = [ok(subject, `${config.dataDir} is writable`)]
  const disk = await statfs(config.dataDir)
  const free = disk.bavail * disk.bsize
  const megabytes = Math.round(free / 1024 / 1024)
  findings.push(
    free < DISK_BYTES_MIN
      ? failed('disk', `only ${megabytes} MB free. Free some space: PostgreSQL stops when the disk is full.`)
      : ok('disk', `${megabytes} MB free`),
  )
  const secret = await stat(join(config.dataDir, 'secret.key')).catch(() => null)
  if (secret !== null && process.platform !== 'win32' && (secret.mode & 0o077) !== 0)
    findings.push(
      warning(
        'secret key',
        `${config.dataDir}/secret.key is readable by other users. Run: chmod 600 ${config.dataDir}/secret.key`,
      ),
    )
  return findings
}

async function lookAtDatabase(config: Config, isDeep: boolean): Promise<DatabaseLook> {
  const alone = (finding: Finding): DatabaseLook => ({ findings: [finding], live: [] })
  const subject = 'database'
  const url = config.databaseUrl ?? (await findRunningPostgres(config.dataDir).catch(() => null))?.url
  if (url === undefined)
    return alone(
      isDeep
        ? failed(subject, NOT_RUNNING_FOR_DEEP)
        : ok(subject, 'the embedded PostgreSQL is not running; "npm start" starts it'),
    )
  const database = openDatabase({ url, connectionsMax: 1, connectTimeoutSeconds: 5, applicationName: 'nexkit doctor' })
  try {
    await database.findPrimary()
    const look = await questionDatabase(database, config, isDeep)
    const isSound = look.findings.every(({ status }) => status !== 'failed')
    return isDeep && isSound
      ? { ...look, findings: [...look.findings, ...(await lookAtBooks(database, config))] }
      : look
  } catch (error) {
    return alone(failed(subject, `cannot be used: ${messageOf(error)}. ${remedyFor(databaseCode(error))}`))
  } finally {
    await database.close()
  }
}

function remedyFor(code: string | null): string {
  if (code === '42501') return 'Make the user of DATABASE_URL the owner of the tables ("reassign owned by … to …").'
  if (code === '53300')
    return 'Raise max_connections of PostgreSQL or the limit of this user, or lower NEXKIT_DATABASE_CONNECTIONS.'
  return 'Check that it is running and that DATABASE_URL is correct.'
}

type DatabaseFacts = {
  version: number
  text: string
  now: Date
  encoding: string
  user: string
  /** What would let it create tables, with names quoted where they have to be. */
  remedy: string
  is_replica: boolean
  is_read_only: boolean
  may_create: boolean
}

async function questionDatabase(database: Database, config: Config, isDeep: boolean): Promise<DatabaseLook> {
  const facts = await database.one<DatabaseFacts>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as text,
      clock_timestamp() as now, current_setting('server_encoding') as encoding, current_user as user,
      format('alter database %I owner to %I;', current_database(), current_user) as remedy, pg_is_in_recovery() as is_replica,
      current_setting('transaction_read_only') = 'on' as is_read_only,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create`
  const findings = [
    facts.version >= 150_000
      ? ok('database', `PostgreSQL ${facts.text}`)
      : failed('database', `PostgreSQL ${facts.text} is too old. Use version 15 or newer.`),
  ]
  if (facts.encoding !== 'UTF8')
    findings.push(failed('database encoding', `is ${facts.encoding}. Create the database with encoding UTF8.`))
  if (facts.is_replica)
    findings.push(failed('database role', 'is a read-only replica. Point DATABASE_URL at the primary.'))
  else if (facts.is_read_only)
    findings.push(
      failed(
        'database role',
        'is read-only. Remove the cause (default_transaction_read_only, a full disk at its provider), or point DATABASE_URL at a database that accepts writes.',
      ),
    )
  if (!facts.may_create)
    findings.push(
      failed(
        'database rights',
        `user "${facts.user}" cannot create tables. Run as the owner of the database: ${facts.remedy}`,
      ),
    )
  const difference = Math.abs(facts.now.getTime() - Date.now())
  if (difference > CLOCK_DIFFERENCE_MS_MAX)
    findings.push(
      warning(
        'clocks',
        `this machine and the database differ by ${Math.round(difference / 1000)} s. Synchronize them.`,
      ),
    )
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const refusal = await schemaRefusal(database, migrations)
  if (refusal !== null) return { findings: [...findings, failed('schema', refusal)], live: [] }
  const pending = await pendingMigrations(database, migrations)
  findings.push(
    pending.length === 0
      ? ok('schema', 'up to date')
      : warning('schema', `${pending.length} migrations are pending. Run "npx nexkit migrate", or start the server.`),
  )
  if (pending.length > 0) return { findings, live: [] }
  findings.push(...(await lookAtSecrets(database, config, isDeep)))
  const live = await listLiveProcesses(database)
  findings.push(...(await lookAtParkedEvents(database)), ...(await lookAtRestoredWork(database)))
  findings.push(await lookAtLocks(database, config, Math.max(1, live.length)))
  findings.push(...(await lookAtCluster(database)))
  findings.push(
    ok(
      'processes',
      live.length === 0 ? 'none running' : live.map((row) => `${row.role} (pid ${row.pid} on ${row.host})`).join(', '),
    ),
  )
  return { findings, live }
}

async function lookAtParkedEvents(database: Database): Promise<Finding[]> {
  const count = await countParkedEvents(database)
  if (count === 0) return []
  const remedy = 'Find "event parked" in the log, then send them with "npx nexkit endpoint recover".'
  return [warning('events', `no deliveries could be created for ${count}, so they were parked. ${remedy}`)]
}

async function lookAtRestoredWork(database: Database): Promise<Finding[]> {
  const work = await listRestoredWork(database)
  if (work.length === 0) return []
  const pending = work.reduce((sum, org) => sum + org.pending, 0)
  const says = `since a restore, an import or a failover nothing is sent for ${work.length} organizations, and ${pending} entries are pending`
  return [warning('paused work', `${says}. Check them, then run "npx nexkit resume".`)]
}

const EXAMPLES = 3

/** Each rule that the rows follow, or the first ones that break it. */
async function lookAtBooks(database: Database, config: Config): Promise<Finding[]> {
  const verdicts = await checkBooks(database)
  const findings = verdicts.map(({ name, says, violations }) => {
    if (violations.length === 0) return ok(name, says)
    const examples = violations.slice(0, EXAMPLES).map(({ org_id, subject }) => `${subject} of ${org_id}`)
    return failed(name, `${says}: ${examples.join(', ')}${violations.length > EXAMPLES ? ', …' : ''}.`)
  })
  const missing = await findMissingFiles(database, mediaStorage(config))
  const files =
    missing.length === 0
      ? ok('files', 'are all in the storage')
      : failed(
          'files',
          `${missing.length} are not in the storage, the first is ${missing[0]}. Copy them from a backup.`,
        )
  return [...findings, files]
}

/** Nothing where the database is one PostgreSQL. */
async function lookAtCluster(database: Database): Promise<Finding[]> {
  const report = await reportCluster(database, { placeOf })
  if (report === null) return []
  const subject = 'cluster'
  const away = report.nodes.filter((node) => !node.is_active).map(({ name, port }) => `${name}:${port}`)
  if (away.length > 0)
    return [failed(subject, `${away.join(', ')} is not active. Start it, then run "select citus_activate_node(…)".`)]
  if (report.misplaced.length > 0)
    return [failed(subject, `${report.misplaced.join(', ')} not distributed. Run "npx nexkit cluster distribute".`)]
  if (!report.propagates_settings)
    return [
      failed(
        subject,
        'limits on waiting for locks do not reach the workers, as in a copy of the database. Stop the servers and run "npx nexkit cluster distribute".',
      ),
    ]
  const workers = report.nodes.filter((node) => node.has_shards).length
  return [ok(subject, `Citus ${report.version}, ${workers} workers, ${report.shards} shards`)]
}

const isHere = ({ host, address }: ProcessRow) => host === hostname() && address != null

/** Several processes may share a port. */
const ofDistinctAddresses = (rows: ProcessRow[]): ProcessRow[] => [
  ...new Map(rows.map((row) => [row.address, row])).values(),
]

/**
 * A statement over a table with partitions by day may lock all of them and all of their indexes. The lock table is shared:
 * one that is too small fails statements of every kind (error 53200), and only once the data is months old.
 */
async function lookAtLocks(database: Database, config: Config, processes: number): Promise<Finding> {
  const days = new Map(partitionedTables(config).map(({ table, retentionDays }) => [table, retentionDays]))
  const tables = await listPartitionedTables(database, [...days.keys()])
  const limits = await findLockLimits(database)
  const locksOf = (table: (typeof tables)[number]) =>
    Math.max(table.partitions, (days.get(table.name) ?? 0) + PARTITIONS_AROUND) * (1 + table.indexes)
  const perStatement = Math.max(0, ...tables.map(locksOf))
  const connections = Math.min(limits.connections, processes * config.databaseConnectionsMax)
  const needed = Math.ceil((connections * perStatement) / limits.connections)
  const facts = `max_locks_per_transaction is ${limits.locks}; ${needed} needed for ${connections} connections and ${perStatement} partitions and indexes`
  if (limits.locks >= needed) return ok('locks', facts)
  const advised = 2 ** Math.ceil(Math.log2(needed))
  return warning(
    'locks',
    `${facts}. Set max_locks_per_transaction = ${advised} in postgresql.conf and restart PostgreSQL.`,
  )
}

/** Days that are created ahead, yesterday, and one that waits to be dropped. */
const PARTITIONS_AROUND = 5

async function lookAtSecrets(database: Database, config: Config, isDeep: boolean): Promise<Finding[]> {
  const subject = 'secret key'
  const refusal = await secretKeyRefusal(database, config)
  if (refusal !== null) return [failed(subject, refusal)]
  const secretKey = await readSecretKey(config)
  if (secretKey === null) return [ok(subject, 'the first start creates it')]
  return [ok(subject, 'matches the database'), ...(await lookAtAudit(database, config, { secretKey, isDeep }))]
}

const AUDIT_MS_MAX = 3000

/** The log of every organization, for as long as there is time. */
async function lookAtAudit(
  database: Database,
  config: Config,
  { secretKey, isDeep }: { secretKey: string; isDeep: boolean },
): Promise<Finding[]> {
  const subject = 'audit log'
  const verdicts: ChainVerdict[] = []
  try {
    const checkpointStore = auditCheckpointStorage(config)
    const context = auditContext({ database, clock: systemClock, secretKey, checkpointStore })
    const deadline = isDeep ? Number.POSITIVE_INFINITY : performance.now() + AUDIT_MS_MAX
    for (const { id, slug } of await listOrganizations(database)) {
      const verdict = await verifyChain(context, id, { timeMsMax: Math.max(0, deadline - performance.now()) })
      if (verdict.problem !== null)
        return [failed(subject, `of "${slug}" is not intact. ${explainProblem(verdict.problem)}`)]
      verdicts.push(verdict)
    }
  } catch (error) {
    return [failed(subject, `cannot be checked: ${messageOf(error)}. Check NEXKIT_AUDIT_CHECKPOINTS and the database.`)]
  }
  const entries = verdicts.reduce((sum, verdict) => sum + verdict.entries, 0)
  const isPartial = verdicts.some((verdict) => verdict.isPartial)
  return [
    ok(
      subject,
      `${entries} entries are intact${isPartial ? '; "npx nexkit audit verify" checks the remaining ones' : ''}`,
    ),
    config.auditCheckpoints === null
      ? ok('audit checkpoints', 'stored in the database only; NEXKIT_AUDIT_CHECKPOINTS stores them elsewhere as well')
      : ok('audit checkpoints', `also stored in ${config.auditCheckpoints}`),
  ]
}

async function lookAtPort(config: Config, live: readonly ProcessRow[]): Promise<Finding> {
  const subject = 'port'
  const version = await askVersion(`http://127.0.0.1:${config.port}`)
  if (version !== null)
    return live.length > 0
      ? ok(subject, `Nexkit ${version} answers on ${config.port}`)
      : warning(
          subject,
          `${config.port} is used by another Nexkit ${version}, with another database. Set PORT to another port.`,
        )
  const isFree = await new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(config.port, config.host, () => probe.close(() => resolve(true)))
  })
  return isFree
    ? ok(subject, `${config.port} is free`)
    : failed(subject, `${config.port} is used by another program. Stop that program, or set PORT to another port.`)
}
