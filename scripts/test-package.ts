import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { aFreePort, cleanEnvironment } from '../test/support/server.ts'

/**
 * `npm run test:package`: packs Nexkit, runs it by npx in an empty folder with an empty npm cache, and sends a message. Fails when that
 * takes longer than a minute, downloads included. Builds of console and docs take longer and happen before, by `prepack`.
 */
const SECONDS_MAX = 60
const GIVE_UP_MS = 300_000

const root = resolve(import.meta.dirname, '..')
const work = await mkdtemp(join(tmpdir(), 'nexkit-package-'))
const folder = join(work, 'empty')
await mkdir(folder)

async function run(file: string, args: string[]): Promise<void> {
  const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const code = await new Promise((ended) => child.once('close', ended))
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}`)
}

/** The server's output, by which the first start hands out a key. */
function watch(child: ChildProcess): { said(): string; hasEnded(): boolean } {
  let [text, isOver] = ['', false]
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk))
  child.once('close', () => (isOver = true))
  return { said: () => text, hasEnded: () => isOver }
}

async function sendMessage(port: number, token: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/public/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+6281311112222', body: 'Halo' }),
  }).catch(() => null)
  return answer?.status ?? 0
}

async function measure(packed: string, port: number): Promise<number> {
  const env = { ...cleanEnvironment(), PORT: String(port), npm_config_cache: join(work, 'cache') }
  const startedMs = performance.now()
  const options: SpawnOptions = { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true }
  const child = spawn('npx', ['--yes', '--package', packed, 'nexkit', 'serve'], options)
  const { said, hasEnded } = watch(child)
  try {
    for (;;) {
      const token = /nxk_live_\w+/.exec(said())?.[0]
      if (token !== undefined && (await sendMessage(port, token)) === 201) return (performance.now() - startedMs) / 1000
      if (hasEnded() || performance.now() - startedMs > GIVE_UP_MS) throw new Error(`no message was sent:\n${said()}`)
      await new Promise((later) => setTimeout(later, 50))
    }
  } finally {
    if (!hasEnded()) process.kill(-(child.pid as number), 'SIGTERM')
    while (!hasEnded()) await new Promise((later) => setTimeout(later, 50))
  }
}

try {
  await run('npm', ['pack', '--silent', '--pack-destination', work])
  const packed = readdirSync(work).find((name) => name.endsWith('.tgz'))
  if (packed === undefined) throw new Error('npm packed nothing')
  const seconds = await measure(join(work, packed), await aFreePort())
  console.log(`first message after ${seconds.toFixed(1)} s (at most ${SECONDS_MAX} s)`)
  process.exitCode = seconds <= SECONDS_MAX ? 0 : 1
} finally {
  await rm(work, { recursive: true, force: true })
}
