import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { hostname, tmpdir } from 'node:os'
import { onOnePostgres } from '../../test/support/cluster.ts'
import { useTestDatabase } from '../../test/support/database.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { TEST_SECRET_KEY } from '../../test/support/secret-key.ts'
import { auditContext, recordAuditAlone } from '../accounts/audit/audit-log.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { listen } from '../platform/runtime/server.ts'
import { diagnose, type Finding } from './doctor.ts'

const db = useTestDatabase()

beforeAll(async () => {
  const context = auditContext({ database: db.database, clock: systemClock, secretKey: TEST_SECRET_KEY })
  const { id } = await anOrganization(db.database, { slug: 'toko-budi' })
  const actor = { type: 'user' as const, id: 'usr_1', name: null }
  for (const act of ['createKey', 'revokeKey'])
    await recordAuditAlone(context, id, { actor, act, subject: null, requestId: null, address: null })
})

const diagnoseAt = (url: string) => diagnose({ DATABASE_URL: url, NEXKIT_SECRET_KEY: TEST_SECRET_KEY, PORT: '49201' })

const auditFinding = async () => (await diagnoseAt(db.url)).find(({ subject }) => subject === 'audit log')

const failuresOf = (findings: Finding[]) =>
  findings.filter(({ status }) => status === 'failed').map(({ subject, says }) => `${subject}: ${says}`)

test('doctor reports whether the audit log is intact, and the first entry that is not', async () => {
  expect(await auditFinding()).toMatchObject({ status: 'ok', says: '2 entries are intact' })
  await db.database.run`update audit_entries set act = 'nothing' where sequence = 2`
  const finding = await auditFinding()
  expect(finding?.status).toBe('failed')
  expect(finding?.says).toContain('of "toko-budi" is not intact. Entry 2 was changed')
})

test('doctor reports events that were parked', async () => {
  const find = async () => (await diagnoseAt(db.url)).find(({ subject }) => subject === 'events')
  expect(await find()).toBeUndefined()
  await db.database.run`
    insert into parked_events (org_id, follower, sequence, event_id, error) values ('org_1', 'f', 1, 'evt_1', 'crash')`
  expect(await find()).toMatchObject({ status: 'warning', says: expect.stringContaining('for 1, so they were parked') })
})

onOnePostgres('its settings are not ours')(
  'doctor computes the locks that partitions and connections need and compares them with the server',
  async () => {
    const locksFor = async (more: Record<string, string>) =>
      (await diagnose({ DATABASE_URL: db.url, NEXKIT_SECRET_KEY: TEST_SECRET_KEY, PORT: '49201', ...more })).find(
        ({ subject }) => subject === 'locks',
      )
    expect(await locksFor({})).toMatchObject({ status: 'ok', says: expect.stringContaining('is 512') })
    const year = await locksFor({ NEXKIT_DATABASE_CONNECTIONS: '100', NEXKIT_REQUEST_LOG_RETENTION_DAYS: '365' })
    expect(year).toMatchObject({
      status: 'warning',
      says: expect.stringMatching(/Set max_locks_per_transaction = \d+ in postgresql.conf/),
    })
  },
)

test('doctor --deep says what to start when the embedded PostgreSQL is not running', async () => {
  const environment = { NEXKIT_DATA_DIR: `${tmpdir()}/nexkit-never-created-${process.pid}`, PORT: '49201' }
  expect(failuresOf(await diagnose(environment))).toEqual([])
  expect(failuresOf(await diagnose(environment, { isDeep: true }))).toEqual([
    expect.stringMatching(
      /^database: .*Start the server with "npm start", then run "npx nexkit doctor --deep" again\.$/,
    ),
  ])
})

test('doctor reports a database that refuses writes', async () => {
  const url = new URL(db.url)
  url.searchParams.set('default_transaction_read_only', 'on')
  expect(failuresOf(await diagnoseAt(url.href))).toContainEqual(
    expect.stringMatching(/^database role: is read-only\. .*DATABASE_URL/),
  )
})

describe('as a user who is not the owner', () => {
  // With a hyphen, as providers of databases like to name them: in a statement it has to be quoted.
  const name = `guest-${process.pid}`
  const guest = `"${name}"`
  let url: string

  beforeAll(async () => {
    await db.database.script(`create role ${guest} login password 'guest'`)
    url = Object.assign(new URL(db.url), { username: name, password: 'guest' }).href
  })

  afterAll(() => db.database.script(`drop owned by ${guest}; drop role ${guest}`))

  test('doctor names the user who must own the tables', async () => {
    expect(failuresOf(await diagnoseAt(url))).toContainEqual(
      expect.stringMatching(/permission denied for table schema_migrations\. .*reassign owned/),
    )
  })

  test('doctor reports that tables cannot be created, with advice', async () => {
    await db.database.script(`grant select on all tables in schema public to ${guest}`)
    expect(failuresOf(await diagnoseAt(url))).toContainEqual(
      expect.stringMatching(/^database rights: .*cannot create tables.*alter database .* owner to "guest-\d+"/),
    )
  })
})

describe('beside a running server', () => {
  const findingOf = async (subject: string) => (await diagnoseAt(db.url)).find((one) => one.subject === subject)
  const aProcess = (address: string | null, host = hostname()) =>
    db.database.run`
      insert into processes (id, role, host, pid, version, address, has_lock, started_at, seen_at)
      values (${newId('prc')}, 'all', ${host}, 4711, '1.0.0', ${address}, false, now(), now())`

  afterEach(() => db.database.run`delete from processes`)

  test('doctor finds it where it listens, whatever PORT says', async () => {
    const server = listen({
      host: '127.0.0.1',
      port: 0,
      bodyBytesMax: 1000,
      handle: () => Response.json({ status: 'ok', version: '7.8.9' }),
      onError: () => new Response(null, { status: 500 }),
    })
    await aProcess(server.localUrl)
    // It may share its port with others.
    await aProcess(server.localUrl)
    const findings = (await diagnoseAt(db.url)).filter(({ subject }) => subject === 'server' || subject === 'port')
    expect(findings).toEqual([{ subject: 'server', status: 'ok', says: `Nexkit 7.8.9 answers at ${server.localUrl}` }])
    await server.drain(100)
    expect(await findingOf('server')).toMatchObject({ status: 'failed', says: expect.stringContaining('process 4711') })
  })

  test('doctor looks at PORT when none listens on this machine', async () => {
    await aProcess('http://127.0.0.1:49202', 'elsewhere.example')
    await aProcess(null)
    expect(await findingOf('server')).toBeUndefined()
    expect(await findingOf('port')).toMatchObject({ status: 'ok', says: '49201 is free' })
  })
})

test('doctor refuses the schema that a start would refuse, with the same sentence', async () => {
  await db.database
    .run`insert into schema_migrations (version, name, checksum, is_breaking) values (9999, '9999_new', '', true)`
  expect(failuresOf(await diagnoseAt(db.url))).toContainEqual(expect.stringMatching(/^schema: .*newer Nexkit/))
  await db.database.run`delete from schema_migrations where version = 9999`
})
