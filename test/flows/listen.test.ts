import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createSigningSecret } from '../../src/webhooks/signing/signature.ts'
import { runCommandHere } from '../support/run-command.ts'
import {
  anInstallation,
  type Installation,
  type Running,
  runCommand,
  startServer,
  untilReady,
} from '../support/server.ts'
import { until } from '../support/until.ts'
import { byTheBook, type Handle, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receivers.ts'

/** `nexkit listen` beside a real server that comes and goes. */
let [installation, server, receiver, listening] = [] as unknown as [
  Installation,
  Running,
  WebhookReceiver,
  { child: ChildProcess; out: string; err: string },
]
let handle: Handle = () => 503

beforeAll(async () => {
  installation = await anInstallation()
  server = startServer(installation)
  await untilReady(installation, server)
  receiver = await startWebhookReceiver((webhook) => handle(webhook))
  listening = listen()
  await until(() => listening.err.includes('Ready.'))
})

afterAll(async () => {
  listening.child.kill('SIGKILL')
  receiver.stop()
  await server.stop()
  await installation.remove()
})

function listen() {
  const cli = resolve(import.meta.dirname, '..', '..', 'src', 'cli.ts')
  const args = [cli, 'listen', '--forward-to', receiver.url, '--events', 'key.*']
  const child = spawn(process.execPath, args, { env: installation.environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const state = { child, out: '', err: '' }
  child.stdout.on('data', (text) => {
    state.out += text
  })
  child.stderr.on('data', (text) => {
    state.err += text
  })
  return state
}

const createKey = (name: string) =>
  runCommandHere(installation, 'key', 'create', '--org', 'demo-store', '--name', name, '--scopes', 'all')

const names = () => receiver.received.map(({ body }) => JSON.parse(body.toString()).data.name)

test('a new event is forwarded at once, signed with the printed secret, and printed in one line', async () => {
  handle = byTheBook(/whsec_\S+/.exec(listening.out)?.[0] ?? '')
  await createKey('First')
  await until(() => / 204 /.test(listening.out))
  const id = receiver.received[0]?.headers['webhook-id']
  expect(listening.out).toMatch(new RegExp(`key\\.created\\s+${id}\\s+204\\s+\\d+ ms\n`))
  expect(names()).toEqual(['First'])
})

test('it survives a restart of the server and forwards what happened meanwhile, once', async () => {
  expect(await server.stop()).toBe(0)
  await until(() => listening.err.includes('Waiting for the server'))
  await createKey('While it was down')
  server = startServer(installation)
  await untilReady(installation, server)
  await until(() => receiver.received.length === 2)
  await createKey('After')
  await until(() => receiver.received.length === 3)
  expect(names()).toEqual(['First', 'While it was down', 'After'])
})

test('the only organization need not be named; of several one has to be, but not by who listens already', async () => {
  await runCommandHere(installation, 'org', 'create', '--name', 'Another', '--slug', 'another')
  const nameless = await runCommand(installation, 'listen', '--forward-to', receiver.url)
  expect([nameless.code, nameless.stderr]).toEqual([2, expect.stringContaining('--org ')])
  expect(nameless.stderr).toContain('demo-store')
  await createKey('Still')
  await until(() => names().includes('Still'))
})

test('Ctrl-C ends it with 0', async () => {
  const ended = once(listening.child, 'exit')
  listening.child.kill('SIGINT')
  expect(await ended).toEqual([0, null])
})

test('listen reports an organization that does not exist, and exits with 1', async () => {
  const { code, stderr } = await runCommand(installation, 'listen', '--org', 'unknown-shop', '--forward-to', 'x')
  expect([code, stderr]).toEqual([1, expect.stringContaining('"unknown-shop"')])
})

test('a secret that was named by a variable is not printed', async () => {
  const secret = createSigningSecret()
  const environment = { ...installation.environment, A_SECRET: secret }
  const words = ['listen', '--org', 'unknown-shop', '--forward-to', 'x', '--secret-env', 'A_SECRET']
  const { stdout } = await runCommand({ ...installation, environment }, ...words)
  expect(stdout).toContain('Forwarding events of unknown-shop')
  expect(stdout).not.toContain(secret)
})
