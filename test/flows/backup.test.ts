import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { copyFile, readFile, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { checkBooks } from '../../src/cli/backup/books.ts'
import { readManifest } from '../../src/platform/archive/archive-reader.ts'
import { writeArchive } from '../../src/platform/archive/archive-writer.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { runCommandHere } from '../support/run-command.ts'
import {
  anInstallation,
  type Installation,
  type Running,
  runCommand,
  spawnCommand,
  startServer,
  tokenIn,
  untilReady,
  untilSaid,
} from '../support/server.ts'
import { until } from '../support/until.ts'

/** A shop at work, a backup of it under load, and everything that is done with that backup. */
let shop: Installation
let server: Running
let token: string
let backup: string
/** Answered with 2xx before the backup began. */
const answered = { messages: [] as string[], orders: [] as string[] }
const received: string[] = []
const receiver = createServer((request, response) => {
  received.push(String(request.headers['webhook-id']))
  request.resume()
  response.writeHead(204).end()
})

const caller =
  (installation: Installation) =>
  (path: string, body?: unknown): Promise<Response> =>
    fetch(`${installation.url}/public/v1${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })

const FAST = { NEXKIT_RATE_LIMIT_PER_SECOND: '10000', NEXKIT_RATE_LIMIT_BURST: '10000' }
const anOrder = { billingType: 'cash', items: [{ name: 'Kopi', quantity: 2, unit_price: 18_000 }] }

beforeAll(async () => {
  shop = await anInstallation(FAST)
  server = startServer(shop)
  await untilReady(shop, server)
  await untilSaid(server, 'curl')
  token = tokenIn(server.stdout())
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  expect((await caller(shop)('/webhook-endpoints', { url, events: ['*'] })).status).toBe(201)
  await backUpUnderLoad()
})

afterAll(async () => {
  await server.stop()
  receiver.close()
  await shop.remove()
})

/** A slow machine prints the progress of its tables. */
const withoutProgress = (stderr: string) =>
  stderr.replaceAll(/^(?:Checking|Comparing|Copying|Importing|Restoring) .*\n/gm, '')

async function backUpUnderLoad(): Promise<void> {
  const call = caller(shop)
  let isOver = false
  const sent = { messages: [] as string[], orders: [] as string[] }
  const write = async (nth: number) => {
    for (let count = 0; !isOver; count++) {
      const message = await call('/messages', { to: `+62813111100${10 + nth}`, body: `Halo ${count}` })
      expect(message.status).toBe(201)
      sent.messages.push(((await message.json()) as { id: string }).id)
      const order = await call('/orders', anOrder)
      expect(order.status).toBe(201)
      const { id } = (await order.json()) as { id: string }
      sent.orders.push(id)
      if (count % 2 === 0) expect((await call(`/orders/${id}/mark-paid`, {})).status).toBe(200)
    }
  }
  const writing = Promise.all(Array.from({ length: 6 }, (_, nth) => write(nth)))
  await until(() => sent.orders.length >= 30)
  answered.messages.push(...sent.messages)
  answered.orders.push(...sent.orders)
  backup = join(shop.dataDir, 'backups', 'loaded.tar.gz')
  const written = await runCommand(shop, 'backup', '--to', backup, '--json')
  isOver = true
  await writing
  expect([written.code, withoutProgress(written.stderr)]).toEqual([0, ''])
  expect(JSON.parse(written.stdout)).toMatchObject({ object: 'backup', path: backup, has_secret_key: false })
  // The load went on during the backup; otherwise this would prove nothing.
  expect(sent.orders.length).toBeGreaterThan(answered.orders.length)
}

const violationsOf = async (url: string) => {
  const database = openDatabase({ url, connectionsMax: 2 })
  return (await checkBooks(database).finally(() => database.close())).flatMap(({ name, violations }) =>
    violations.map((violation) => ({ name, ...violation })),
  )
}

const secretKeyOf = async ({ dataDir }: Installation) => (await readFile(join(dataDir, 'secret.key'), 'utf8')).trim()

/** A server of its own on a PostgreSQL that is not embedded. */
async function onOwnPostgres(secretKey: string): Promise<{ place: Installation; target: TestDatabase }> {
  const target = await createTestDatabase()
  const place = await anInstallation({ ...FAST, DATABASE_URL: target.url, NEXKIT_SECRET_KEY: secretKey })
  return { place, target }
}

const rowsIn = async ({ database }: TestDatabase) =>
  (
    await database.one<{ count: number }>`
    select (select count(*) from organizations) + (select count(*) from messages) + (select count(*) from events)
      + (select count(*) from people) + (select count(*) from api_keys) as count`
  ).count

test('a backup under load restores into an empty folder, complete and with all work paused until it is resumed', async () => {
  const copy = await anInstallation({ ...FAST, NEXKIT_SECRET_KEY: await secretKeyOf(shop) })
  const restored = await runCommand(copy, 'restore', backup)
  expect({ code: restored.code, stdout: restored.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('npx nexkit resume'),
  })
  const second = startServer(copy)
  await untilReady(copy, second)
  await untilSaid(second, 'nothing is sent since a restore, an import or a failover')
  const call = caller(copy)
  const statuses = await Promise.all([
    ...answered.messages.map(async (id) => (await call(`/messages/${id}`)).status),
    ...answered.orders.map(async (id) => (await call(`/orders/${id}`)).status),
  ])
  expect(statuses.filter((status) => status !== 200)).toEqual([])

  const before = received.length
  const doctor = await runCommandHere(copy, 'doctor', '--deep', '--json')
  const { findings } = JSON.parse(doctor.stdout) as { findings: { subject: string; status: string }[] }
  expect(findings.filter(({ status }) => status !== 'ok').map(({ subject }) => subject)).toEqual(['paused work'])
  expect(findings.map(({ subject }) => subject)).toContain('pending deliveries')

  // What is new waits behind what is old, and the feed has been cut: a reader learns it once.
  const newest = ((await (await call('/events?limit=1')).json()) as { data: { sequence: number }[] }).data[0]?.sequence
  const refused = await call(`/events?after=${newest}`)
  expect([refused.status, await refused.json()]).toEqual([
    410,
    expect.objectContaining({
      code: 'events_expired',
      params: expect.objectContaining({ resume_after: 1_000_000_000 }),
    }),
  ])
  expect((await call('/messages', { to: '+6281311110010', body: 'Baru' })).status).toBe(201)
  const next = (await (await call('/events?after=1000000000')).json()) as { data: { sequence: number }[] }
  expect(next.data[0]?.sequence).toBe(1_000_000_001)
  expect(received.length).toBe(before)

  const resumed = await runCommandHere(copy, 'resume', '--json')
  expect(JSON.parse(resumed.stdout)).toEqual({ object: 'resume', lanes: expect.any(Number) })
  await until(() => received.length > before)
  expect(await second.stop()).toBe(0)
  await copy.remove()
})

test('a restore is refused before anything is written when the key, the file, its version or the target is wrong', async () => {
  const secretKey = await secretKeyOf(shop)
  const { place, target } = await onOwnPostgres(randomBytes(24).toString('base64url'))
  const damaged = join(shop.dataDir, 'backups', 'damaged.tar.gz')
  const refusal = async (path: string, extra: Record<string, string> = {}) => {
    const environment = { ...place.environment, ...extra }
    const { code, stderr } = await runCommandHere({ ...place, environment }, 'restore', path)
    expect(code).toBe(1)
    return stderr
  }
  expect(await refusal(backup)).toContain('NEXKIT_SECRET_KEY) is another one than this backup was made with')
  const bytes = await readFile(backup)
  await copyFile(backup, damaged)
  await truncate(damaged, bytes.byteLength - 2_000)
  expect(await refusal(damaged, { NEXKIT_SECRET_KEY: secretKey })).toContain('is damaged: it is cut off')
  bytes[Math.floor(bytes.byteLength / 2)] = (bytes[Math.floor(bytes.byteLength / 2)] ?? 0) ^ 1
  await writeFile(damaged, bytes)
  expect(await refusal(damaged, { NEXKIT_SECRET_KEY: secretKey })).toContain('is damaged')
  const newer = join(shop.dataDir, 'backups', 'newer.tar.gz')
  const manifest = (await readManifest(backup)) as { migrations: object[] }
  await writeArchive(newer, (writer) =>
    writer.begin({
      ...manifest,
      migrations: [...manifest.migrations, { version: 9999, name: '9999_next', checksum: '' }],
    }),
  )
  expect(await refusal(newer, { NEXKIT_SECRET_KEY: secretKey })).toMatch(/was written by a newer Nexkit .*9999_next/)
  expect(await rowsIn(target)).toBe(0)
  await target.database.run`insert into people (id, name, email, is_email_verified, created_at, updated_at)
    values ('p', 'Sari', 'sari@example.com', true, now(), now())`
  expect(await refusal(backup, { NEXKIT_SECRET_KEY: secretKey })).toContain(
    'The target is not empty: the table people has rows. Nothing was written.',
  )
  expect(await rowsIn(target)).toBe(1)
  await target.close()
  await place.remove()
})

test('a restore that is killed in the middle leaves an empty database and succeeds when it is repeated', async () => {
  const { place, target } = await onOwnPostgres(await secretKeyOf(shop))
  // A table late in the order cannot be written to, so the restore stops in the middle of its transaction.
  const holder = await target.database.reserve()
  await holder.run`begin`
  await holder.run`lock table webhook_secrets in share mode`
  const stuck = spawnCommand(place, 'restore', backup)
  await until(async () => {
    const [waiting] = await target.database.many`
      select from pg_stat_activity where wait_event_type = 'Lock' and query like 'copy "webhook_secrets"%'`
    return waiting !== undefined
  })
  await stuck.kill()
  await holder.run`rollback`
  holder.release()
  expect(await rowsIn(target)).toBe(0)
  const repeated = await runCommandHere(place, 'restore', backup, '--json')
  expect([repeated.code, withoutProgress(repeated.stderr)]).toEqual([0, ''])
  expect(await violationsOf(target.url)).toEqual([])
  expect(await rowsIn(target)).toBeGreaterThan(answered.messages.length * 2)
  await target.close()
  await place.remove()
})

test('a backup that does not fit on the disk is refused with a sentence and leaves nothing behind', async () => {
  const path = join(shop.dataDir, 'backups', 'full.tar.gz')
  const { code, stderr } = await runCommand({ ...shop, fileBlocksMax: 16 }, 'backup', '--to', path)
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${path} cannot be written: the file would be larger`)])
  expect(await readFile(path).catch(() => null)).toBeNull()
})

test('an organization moves to an installation with another key, with its secrets, files, members and API keys', async () => {
  const { place, target } = await onOwnPostgres(randomBytes(24).toString('base64url'))
  const file = join(shop.dataDir, 'backups', 'demo-store.tar.gz')
  const withPassphrase = (installation: Installation, passphrase: string) => ({
    ...installation,
    environment: { ...installation.environment, PASSPHRASE: passphrase, NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8' },
  })
  const secret = ['--passphrase-env', 'PASSPHRASE']
  const written = await runCommand(
    withPassphrase(shop, 'correct horse battery'),
    ...['org', 'export', '--org', 'demo-store', '--to', file, ...secret],
  )
  expect([written.code, withoutProgress(written.stderr)]).toEqual([0, ''])
  const refused = await runCommand(withPassphrase(place, 'wrong horse battery'), 'org', 'import', file, ...secret)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('This is not the passphrase')])
  expect(await rowsIn(target)).toBe(0)

  const here = withPassphrase(place, 'correct horse battery')
  const imported = await runCommand(here, 'org', 'import', file, ...secret, '--json')
  expect([imported.code, withoutProgress(imported.stderr)]).toEqual([0, ''])
  expect(JSON.parse(imported.stdout)).toMatchObject({
    organization: { slug: 'demo-store' },
    new_people: ['owner@demo-store.example'],
    enter_again: [],
  })
  const again = await runCommand(here, 'org', 'import', file, ...secret)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('"demo-store" exists here already')])

  const other = startServer(here)
  await untilReady(place, other)
  const call = caller(place)
  const statuses = await Promise.all(answered.orders.map(async (id) => (await call(`/orders/${id}`)).status))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  const doctor = await runCommand(here, 'doctor', '--deep', '--json')
  const { findings } = JSON.parse(doctor.stdout) as { findings: { subject: string; status: string }[] }
  expect(findings.filter(({ status }) => status !== 'ok').map(({ subject }) => subject)).toEqual(['paused work'])
  // A delivery is signed with the secret of its endpoint, so that was sealed anew.
  const before = received.length
  expect((await runCommand(here, 'resume', '--org', 'demo-store')).code).toBe(0)
  expect((await call('/messages', { to: '+6281311110010', body: 'Pindah' })).status).toBe(201)
  await until(() => received.length > before)
  const link = await runCommand(here, 'person', 'reset-password', '--email', 'owner@demo-store.example')
  expect([link.code, link.stdout]).toEqual([0, expect.stringContaining('/console/reset-password/')])
  expect(await other.stop()).toBe(0)
  await target.close()
  await place.remove()
})

test('"nexkit pause" stops a server that runs from sending until it is resumed, and cuts the feed', async () => {
  const call = caller(shop)
  const newest = async () =>
    ((await (await call('/events?limit=1')).json()) as { data: { sequence: number }[] }).data[0]?.sequence ?? 0
  const paused = await runCommandHere(shop, 'pause', '--json')
  expect([paused.code, JSON.parse(paused.stdout)]).toEqual([0, { object: 'pause', organizations: 1 }])
  expect((await call(`/events?after=${await newest()}`)).status).toBe(410)
  const before = received.length
  expect((await call('/messages', { to: '+6281311110010', body: 'Ditahan' })).status).toBe(201)
  expect(await newest()).toBe(1_000_000_001)
  const doctor = await runCommandHere(shop, 'doctor', '--json')
  expect(doctor.stdout).toContain('since a restore, an import or a failover nothing is sent')
  expect(received.length).toBe(before)
  expect((await runCommandHere(shop, 'resume')).code).toBe(0)
  await until(() => received.length > before)
})

test('a move to another PostgreSQL is refused while the server runs, then copies every row, and pending work continues', async () => {
  const { place, target } = await onOwnPostgres(await secretKeyOf(shop))
  const running = await runCommand(shop, 'move', '--to', target.url)
  expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('is already using')])
  await server.stop()
  const moved = await runCommand(shop, 'move', '--to', target.url)
  expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('both sides are equal')])
  expect(moved.stdout).toContain('DATABASE_URL=')
  expect(await violationsOf(target.url)).toEqual([])
  const again = await runCommand(shop, 'move', '--to', target.url)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('The target is not empty')])
  const other = startServer(place)
  await untilReady(place, other)
  const statuses = await Promise.all(answered.orders.map(async (id) => (await caller(place)(`/orders/${id}`)).status))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect(await other.stop()).toBe(0)
  await target.close()
  await place.remove()
})
