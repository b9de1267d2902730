import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readdir, readFile, rename, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { findRunningPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import {
  aFreePort,
  anInstallation,
  type Installation,
  type Running,
  runCommand,
  spawnCommand,
  startServer,
  startWithNpm,
  tokenIn,
  untilReady,
  untilSaid,
} from '../support/server.ts'
import { until } from '../support/until.ts'

/**
 * The first hour: start on an empty folder, use the printed key, create and revoke keys beside the server, start again.
 */
const REPOSITORY = resolve(import.meta.dirname, '../..')

let installation: Installation
let server: Running
let token: string

beforeAll(async () => {
  installation = await anInstallation()
  server = startServer(installation)
  await untilReady(installation, server)
  await untilSaid(server, 'curl')
  token = tokenIn(server.stdout())
})

afterAll(async () => {
  await server.stop()
  await installation.remove()
})

const me = (bearer: string, base = '/api/public/v1') =>
  fetch(`${installation.url}${base}/me`, { headers: { authorization: `Bearer ${bearer}` } })

const command = (...args: string[]) => runCommand(installation, ...args)

async function createKey(name: string) {
  const result = await command('key', 'create', '--org', 'demo-store', '--name', name, '--scopes', 'all', '--json')
  return JSON.parse(result.stdout) as { token: string; id: string }
}

describe('the first start', () => {
  test('prints where to sign in and what to do next, within 100 columns', () => {
    const printed = server.stdout()
    expect(printed).toContain(
      `Console   ${installation.url}/console\n  Email     owner@demo-store.example\n  Password  `,
    )
    expect(printed).toContain(`Docs      ${installation.url}/docs`)
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  test('prints commands that send a message, create an order and pay it', () => {
    const [, commands = ''] = /in this folder:\n([\s\S]*)\n {2}The console shows both/.exec(server.stdout()) ?? []
    const script = commands.replaceAll(/^ {2}\d\. .*$/gm, '')
    const { PATH, HOME } = process.env
    const ran = spawnSync('bash', ['-euc', script], { cwd: REPOSITORY, encoding: 'utf8', env: { PATH, HOME } })
    expect([ran.status, ran.stdout]).toEqual([0, expect.stringMatching(/"object":"message"[\s\S]*"object":"order"/)])
    expect(ran.stdout).toMatch(/Order \d+ is confirmed and paid/)
  })

  test('prints a key that works', async () => {
    for (const base of ['/api/public/v1', '/public/v1']) {
      const response = await me(token, base)
      expect(response.status).toBe(200)
      expect(((await response.json()) as { tenant: { slug: string } }).tenant.slug).toBe('demo-store')
    }
  })

  test('keeps its secrets for its owner alone, and the token nowhere', async () => {
    for (const file of ['secret.key', 'postgres/connection.json'])
      expect((await stat(join(installation.dataDir, file))).mode & 0o077).toBe(0)
    expect(server.stderr()).not.toContain(token)
  })

  test('serves its docs without asking another host', async () => {
    for (const path of [
      '/docs',
      '/llms.txt',
      '/docs/errors/unauthenticated',
      '/api/public/v1/openapi.json',
      '/public/v1/openapi.json',
      '/public/v1/openapi.yaml',
      '/api/public/v1/asyncapi.json',
      '/api/public/v1/asyncapi.yaml',
    ])
      expect([path, (await fetch(installation.url + path)).status]).toEqual([path, 200])
    const page = await (await fetch(`${installation.url}/docs`)).text()
    expect(page.match(/(?:src|href)="(?:https?:)?\/\/[^"]+\.(?:js|css)/g)).toBeNull()
  })

  test('a second server on the same folder says so and leaves the first alone', async () => {
    const second = startServer({ ...installation, environment: { ...installation.environment, PORT: '0' } })
    expect((await second.exited).code).toBe(1)
    expect(second.stderr()).toContain(String(server.child.pid))
    expect((await me(token)).status).toBe(200)
  })

  test('a second server on the same folder and port names the first one, too', async () => {
    const second = startServer(installation)
    expect((await second.exited).code).toBe(1)
    expect(second.stderr()).toContain(String(server.child.pid))
  })
})

describe('a start that cannot print the credentials of the demo', () => {
  let fresh: Installation
  const occupied = createServer()

  beforeAll(async () => {
    fresh = await anInstallation({ NEXKIT_LOG_LEVEL: 'info' })
    await new Promise<void>((listening) => occupied.listen(fresh.port, '127.0.0.1', listening))
  })

  afterAll(() => fresh.remove())

  test.each([[[]], [['--processes', '2']]])('says that its port is taken, and creates nothing (%p)', async (args) => {
    const refused = startServer(fresh, args)
    expect((await refused.exited).code).toBe(1)
    expect(refused.stderr()).toContain(`Port ${fresh.port} on 127.0.0.1 is already in use.`)
    expect(refused.stdout()).toBe('')
    const names = await readdir(fresh.dataDir)
    expect(names.filter((name) => !name.endsWith('.lock'))).toEqual([])
  })

  test('is that of a worker, too, and each leaves the demo to the first server that can', async () => {
    await new Promise((closed) => occupied.close(closed))
    const port = await aFreePort()
    const scraped = { ...fresh, environment: { ...fresh.environment, METRICS_PORT: String(port) } }
    const worker = startServer(scraped, ['--role', 'worker'])
    try {
      await untilSaid(worker, 'worker is ready')
      expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain('nexkit_outbox_claimed_total')
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
      expect((await fetch(`http://127.0.0.1:${port}/public/v1/me`)).status).toBe(404)
    } finally {
      await worker.stop()
    }
    const next = startServer(fresh)
    try {
      await untilSaid(next, 'curl')
      expect(tokenIn(next.stdout())).not.toBe('')
    } finally {
      await next.stop()
    }
  })
})

describe('commands beside the running server', () => {
  let key: { token: string; id: string }
  beforeAll(async () => {
    key = await createKey('Shop backend')
  })

  test('a key that one process creates works at once', async () => {
    expect((await me(key.token)).status).toBe(200)
  })

  test('the list shows prefixes with an ellipsis and never a token', async () => {
    const { stdout } = await command('key', 'list', '--org', 'demo-store')
    expect(stdout).toContain(`${key.token.slice(0, 13)}…`)
    expect(stdout).not.toContain(key.token)
  })

  test('a rotated key and its successor work side by side, and what is revoked is refused within a second', async () => {
    const rotated = await command('key', 'rotate', key.id, '--org', 'demo-store', '--json')
    const successor = JSON.parse(rotated.stdout) as { token: string }
    expect([(await me(key.token)).status, (await me(successor.token)).status]).toEqual([200, 200])
    expect((await command('key', 'revoke', key.id, '--org', 'demo-store')).code).toBe(0)
    const revokedAt = performance.now()
    await until(async () => (await me(key.token)).status === 401)
    expect(performance.now() - revokedAt).toBeLessThan(1000)
    expect((await me(successor.token)).status).toBe(200)
  })

  test('a command waits for PostgreSQL of the running server when that does not answer at once', async () => {
    const postgres = await findRunningPostgres(installation.dataDir)
    process.kill(postgres?.pid as number, 'SIGSTOP')
    const listing = spawnCommand(installation, 'org', 'list')
    await untilSaid(listing, 'Waiting for PostgreSQL').finally(() => process.kill(postgres?.pid as number, 'SIGCONT'))
    expect((await listing.exited).code).toBe(0)
    expect(listing.stdout()).toContain('demo-store')
  })

  test('doctor finds everything in order', async () => {
    const { code, stdout } = await command('doctor', '--json')
    expect([code, JSON.parse(stdout).ok]).toEqual([0, true])
    expect(stdout).toContain(`answers at ${installation.url}`)
  })

  test('doctor reports a missing secret key, and creates no other in its place', async () => {
    const [path, away] = ['secret.key', 'secret.key.away'].map((name) => join(installation.dataDir, name)) as [
      string,
      string,
    ]
    await rename(path, away)
    const { stdout } = await command('doctor', '--json')
    const hasSecretKey = (await readdir(installation.dataDir)).includes('secret.key')
    await rename(away, path)
    expect(hasSecretKey).toBe(false)
    expect(JSON.parse(stdout).findings).toContainEqual({
      subject: 'secret key',
      status: 'failed',
      says: expect.stringContaining('is missing. Put the old one back'),
    })
  })

  test.each([[['key', 'revoke', 'key_nothing', '--org', 'demo-store'], 1, 'no API key']])(
    '%p ends with %p and says %p',
    async (args, code, sentence) => {
      const result = await command(...args)
      expect(result.stderr).toContain(sentence)
      expect([result.code, result.stdout]).toEqual([code, ''])
    },
  )
})

describe('stop and start again', () => {
  test('does not start without its secret key, and creates no other', async () => {
    const [path, away] = ['secret.key', 'secret.key.away'].map((name) => join(installation.dataDir, name)) as [
      string,
      string,
    ]
    expect(await server.stop()).toBe(0)
    await rename(path, away)
    const refused = startServer(installation)
    expect((await refused.exited).code).toBe(1)
    expect(refused.stderr()).toContain('secret.key) is missing. Put the old one back')
    await rename(away, path)
    server = startServer(installation)
    await untilReady(installation, server)
    expect((await me(token)).status).toBe(200)
  })

  test('SIGTERM ends it with 0, and the next start finds everything as it was', async () => {
    const secretBefore = await readFile(join(installation.dataDir, 'secret.key'), 'utf8')
    expect(await server.stop()).toBe(0)
    server = startServer(installation)
    await untilReady(installation, server)
    expect((await me(token)).status).toBe(200)
    expect(await readFile(join(installation.dataDir, 'secret.key'), 'utf8')).toBe(secretBefore)
    expect(tokenIn(server.stdout())).toBe('')
  })

  test('a SIGTERM to npm start stops the server and PostgreSQL, too', async () => {
    await server.stop()
    const npm = startWithNpm(installation)
    await untilReady(installation, npm)
    npm.child.kill('SIGTERM')
    // Over when the last one that had its output has ended, which is the server.
    await npm.exited
    expect(await findRunningPostgres(installation.dataDir)).toBeNull()
  })

  test('a Ctrl-C, which reaches npm, its shell and the server at once, does so as well', async () => {
    const npm = startWithNpm(installation)
    await untilReady(installation, npm)
    // Each hands it on to the next, so it arrives several times.
    let sent = 0
    await until(() => {
      process.kill(-(npm.child.pid as number), 'SIGINT')
      sent += 1
      return sent === 4
    })
    await npm.exited
    expect(await findRunningPostgres(installation.dataDir)).toBeNull()
  })

  test('commands work while no server runs, too', async () => {
    const key = await createKey('Created offline')
    server = startServer(installation)
    await untilReady(installation, server)
    expect([(await me(key.token)).status, (await me(token)).status]).toEqual([200, 200])
  })
})
