import { afterAll, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { openDatabase } from '../../src/platform/database/database.ts'
import { findRunningPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import {
  anInstallation,
  type Installation,
  type Running,
  startServer,
  startShell,
  tokenIn,
  untilReady,
  untilSaid,
} from '../support/server.ts'
import { until } from '../support/until.ts'

const PROJECT = resolve(import.meta.dirname, '..', '..')

/** The credentials of the demo are shown once, so a first start that ends too early must not have used up that once. */
let installation: Installation
let server: Running

afterAll(async () => {
  await server.stop()
  await installation.remove()
})

const listed = async (path: string, token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${installation.url}/api/public/v1${path}`, { headers })
  return ((await response.json()) as { data?: unknown[] }).data?.length ?? response.status
}

/**
 * As early as the organization can be seen, which is before there is a key or an owner. While PostgreSQL is coming up it may be
 * there and gone again, so it is looked for each time.
 */
const untilOrganizationExists = () =>
  until(async () => {
    const running = await findRunningPostgres(installation.dataDir)
    return running !== null && (await hasOrganization(running.url))
  })

async function hasOrganization(url: string): Promise<boolean> {
  const database = openDatabase({ url, connectionsMax: 1, connectTimeoutSeconds: 1 })
  try {
    return (await database.many`select 1 from organizations`).length === 1
  } catch {
    return false
  } finally {
    await database.close()
  }
}

/** On a busy machine the server may have printed before it can be killed; then another is begun. */
async function killUnseen(): Promise<void> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    installation = await anInstallation()
    const killed = startServer(installation)
    await untilOrganizationExists()
    await killed.kill()
    if (killed.stdout() === '') return
    await installation.remove()
  }
  throw new Error(`in ${TRIES_MAX} tries the server was never killed before it printed`)
}

const TRIES_MAX = 5

test('Ctrl-C while the database is created ends the start without an error', async () => {
  const empty = await anInstallation()
  const starting = startShell(`exec '${process.execPath}' src/cli.ts serve`, PROJECT, empty.environment)
  await untilSaid(starting, 'Creating the database')
  process.kill(-(starting.child.pid as number), 'SIGINT')
  expect({ ...(await starting.exited), errors: starting.stderr().includes('nexkit:') }).toEqual({
    code: 0,
    signal: null,
    errors: false,
  })
  await empty.remove()
})

test('killed before it could print the credentials, a first start is completed by the next, which prints them', async () => {
  await killUnseen()
  server = startServer(installation)
  await untilSaid(server, 'curl')
  expect(await listed('/me', tokenIn(server.stdout()))).toBe(200)
})

test('a first start that is stopped while it creates example chats and orders has created all of them when it ends', async () => {
  const token = tokenIn(server.stdout())
  expect(await server.stop()).toBe(0)
  server = startServer(installation)
  await untilReady(installation, server)
  // What the network had written down before the stop is taken in after it.
  await until(async () => (await listed('/chats', token)) === 3 && (await listed('/orders', token)) === 2)
})

test('credentials that were printed are not printed again', async () => {
  await untilSaid(server, 'is ready')
  expect(tokenIn(server.stdout())).toBe('')
})
