import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { ensureConsoleBuild, ensureDocsBuild } from '../src/boot/site-build.ts'

/** A Nexkit server of the bench's own, started the way a user starts it, in a folder and on a port of its own. */
export type NexkitServer = {
  origin: string
  pid: number
  /** From the start of the process to the first answer of /readyz. */
  startSeconds: number
  createKey(): Promise<string>
  stop(): Promise<void>
}

export type NexkitServerOptions = {
  dataDir: string
  logFile: string
  settings?: Record<string, string>
  /** Only the API, so that nothing of the machine goes into what is done behind the answers. */
  role?: 'api'
  /** Through `node bin/nexkit.mjs`, as npm start does. Otherwise Bun is started directly, so that pid is the server's. */
  throughNode?: boolean
  /** A script that Bun runs before the server; only where Bun is started directly. */
  preload?: string
}

const projectFolder = resolve(import.meta.dir, '..')
const START_SECONDS_MAX = 30
const STOP_SECONDS_MAX = 20

/** Before anything is measured: a server that finds no build begins one, which takes one of two processors for a minute. */
export async function buildSites(): Promise<void> {
  const options = { say: (sentence: string) => process.stderr.write(`${sentence}\n`), isUrgent: true }
  await ensureConsoleBuild(options)
  await ensureDocsBuild(options)
}

export async function startNexkit(options: NexkitServerOptions): Promise<NexkitServer> {
  const port = await findFreePort()
  const environment = {
    ...cleanEnvironment(),
    ...options.settings,
    HOST: '127.0.0.1',
    PORT: String(port),
    NEXKIT_DATA_DIR: options.dataDir,
  }
  const origin = `http://127.0.0.1:${port}`
  const startedAtMs = performance.now()
  const role = options.role === undefined ? [] : ['--role', options.role]
  const child = spawnNexkit(['serve', ...role], options, environment)
  try {
    await waitUntilReady(origin, child, options.logFile)
  } catch (error) {
    await stopChild(child)
    throw error
  }
  return {
    origin,
    pid: child.pid as number,
    startSeconds: (performance.now() - startedAtMs) / 1000,
    createKey: () => createKey(environment),
    stop: () => stopChild(child),
  }
}

/** Whatever the shell of the person has set, above all a DATABASE_URL, must not be what the bench writes to. */
function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => name !== 'DATABASE_URL' && !/^(?:NEXKIT|OTEL)_/.test(name),
  )
  return Object.fromEntries(kept) as Record<string, string>
}

function spawnNexkit(args: string[], options: NexkitServerOptions, env: Record<string, string>): ChildProcess {
  const [program, ...script] = options.throughNode
    ? ['node', 'bin/nexkit.mjs']
    : [process.execPath, ...(options.preload === undefined ? [] : ['--preload', options.preload]), 'src/cli.ts']
  const log = openSync(options.logFile, 'a')
  const child = spawn(program as string, [...script, ...args], { cwd: projectFolder, env, stdio: ['ignore', log, log] })
  closeSync(log)
  return child
}

async function waitUntilReady(origin: string, child: ChildProcess, logFile: string): Promise<void> {
  const deadlineMs = performance.now() + START_SECONDS_MAX * 1000
  while (performance.now() < deadlineMs) {
    const isReady = await fetch(`${origin}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
    if (isReady) return
    if (child.exitCode !== null || child.signalCode !== null) break
    await Bun.sleep(5)
  }
  const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-8).join('\n')
  throw new Error(`the server did not become ready; its last lines:\n${lastLines}`)
}

async function createKey(env: Record<string, string>): Promise<string> {
  const options = '--org demo-store --name bench --scopes all --rate-limit none --json'
  const child = Bun.spawn([process.execPath, 'src/cli.ts', 'key', 'create', ...options.split(' ')], {
    cwd: projectFolder,
    env,
    stderr: 'inherit',
  })
  const printed = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('nexkit key create failed')
  return JSON.parse(printed).token
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  const isExited = await Promise.race([exited.then(() => true), Bun.sleep(STOP_SECONDS_MAX * 1000).then(() => false)])
  if (!isExited) child.kill('SIGKILL')
}

const PORTS = { first: 4100, last: 4199 }

/** From a range of our own: a port that the system hands out could be taken again before the server opens it. */
export async function findFreePort(): Promise<number> {
  for (let port = PORTS.first; port <= PORTS.last; port++) if (await isFree(port)) return port
  throw new Error(`no free port between ${PORTS.first} and ${PORTS.last}`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer()
    probe.once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })
}
