import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { aFreePort } from '../support/server.ts'
import { until } from '../support/until.ts'

/**
 * The README alone, by its shell blocks as they stand: from `npm start` to a paid order and a verified webhook. Only the install is
 * left out, and the two ports are free ones. The folder has the files of the project and no data, like a fresh checkout.
 */
const REPOSITORY = resolve(import.meta.dirname, '../..')
const README = readFileSync(join(REPOSITORY, 'README.md'), 'utf8')
/** Alone on a machine it is well below a minute; here other tests want the same processors. */
const SECONDS_MAX = 120

const blocks = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text)
const [install = '', ...steps] = blocks

let folder: string
let ports: { server: number; receiver: number }
const started: { group: number; closed: Promise<unknown> }[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nexkit-readme-'))
  chmodSync(folder, 0o755)
  for (const name of readdirSync(REPOSITORY))
    if (!['data', '.git', 'build'].includes(name)) symlinkSync(join(REPOSITORY, name), join(folder, name))
  ports = { server: await aFreePort(), receiver: await aFreePort() }
})

afterAll(async () => {
  for (const { group, closed } of started) {
    process.kill(-group, 'SIGTERM')
    await closed
  }
  rmSync(folder, { recursive: true, force: true })
})

/** In a separate process group, which ends as a whole. */
function shell(script: string) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH, HOME, PORT: String(ports.server) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      printed += bytes
    })
  started.push({ group: child.pid as number, closed: new Promise((close) => child.once('close', close)) })
  const ended = new Promise<number | null>((resolveEnd) => child.once('exit', resolveEnd))
  return { printed: () => printed, ended }
}

const withPorts = (text: string) =>
  text.replaceAll('3900', String(ports.server)).replaceAll('8080', String(ports.receiver))

test('the README leads from npm start to a paid order and a verified webhook within two minutes, beside other tests', async () => {
  expect(install).toBe('npm ci\nnpm start\n')
  const beganMs = performance.now()
  const server = shell('npm start')
  await until(() => server.printed().includes('Nexkit is ready'))
  const reader = shell(withPorts(steps.join('\n')))
  expect([await reader.ended, reader.printed()]).toEqual([0, expect.stringContaining('"object":"message"')])
  expect(reader.printed()).toMatch(/"object":"order"[\s\S]*Order \d+ is confirmed and paid/)
  await until(() => reader.printed().includes('verified message.received'))
  const seconds = (performance.now() - beganMs) / 1000
  process.stderr.write(`README: from npm start to a verified webhook in ${seconds.toFixed(1)} s\n`)
  expect(seconds).toBeLessThan(SECONDS_MAX)
})
