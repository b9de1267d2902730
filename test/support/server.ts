import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { until } from './until.ts'

/** The real thing: `nexkit serve` and `nexkit <command>` as processes of their own, on a folder of their own. */
const LAUNCHER = resolve(import.meta.dirname, '..', '..', 'bin', 'nexkit.mjs')

const CLI = resolve(import.meta.dirname, '..', '..', 'src', 'cli.ts')

export type Installation = {
  dataDir: string
  port: number
  url: string
  environment: Record<string, string>
  remove(): Promise<void>
}

export async function anInstallation(extra: Record<string, string> = {}, givenPort?: number): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nexkit-flow-'))
  const port = givenPort ?? (await aFreePort())
  const environment = {
    ...cleanEnvironment(),
    PORT: String(port),
    NEXKIT_DATA_DIR: dataDir,
    NEXKIT_LOG_LEVEL: 'warn',
    ...extra,
  }
  return {
    dataDir,
    port,
    url: `http://127.0.0.1:${port}`,
    environment,
    remove: () => rm(dataDir, { recursive: true, force: true }),
  }
}

/** What the person who runs the tests has set is not what is being tested. */
export const cleanEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(NEXKIT_|OTEL_|PORT$|HOST$|DATABASE_URL$|METRICS_TOKEN$)/.test(name),
    ),
  ) as Record<string, string>

/** The preferred one if it is free. */
export const aFreePort = async (preferred = 0): Promise<number> =>
  new Promise<number>((found, failed) => {
    const probe = createServer()
    probe.once('error', (error) => (preferred === 0 ? failed(error) : found(aFreePort())))
    probe.listen(preferred, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => found(port))
    })
  })

export type Running = {
  child: ChildProcess
  stdout(): string
  stderr(): string
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** SIGTERM, and the exit code that it ends with. */
  stop(): Promise<number | null>
  /** `kill -9` of the server itself, not of the launcher; over when those it had started have ended, too. */
  kill(): Promise<void>
}

/** Bun directly, without the launcher in between, so that a signal hits the server and nothing else. */
export function startServer(installation: Installation, args: string[] = []): Running {
  return watch(
    spawn(process.execPath, [CLI, 'serve', ...args], {
      env: installation.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

/** `npm start`, as the README has it. */
export function startWithNpm(installation: Installation): Running {
  const cwd = resolve(import.meta.dirname, '..', '..')
  return watch(
    spawn('npm', ['start'], { cwd, env: installation.environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true }),
  )
}

/** A line of a README, in a shell. `stop` ends everything that it started. */
export function startShell(line: string, cwd: string, environment: Record<string, string>): Running {
  const child = spawn('sh', ['-c', line], { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const running = watch(child)
  const stop = async () => {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGTERM')
    return (await running.exited).code
  }
  return { ...running, stop }
}

function watch(child: ChildProcess): Running {
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolveExit) =>
    child.once('close', (code, signal) => resolveExit({ code, signal })),
  )
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    exited,
    async stop() {
      child.kill('SIGTERM')
      return (await exited).code
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

export async function untilReady(installation: Installation, running: Running): Promise<void> {
  let hasEnded = false
  running.exited.then(() => {
    hasEnded = true
  })
  await until(async () => {
    if (hasEnded) throw new Error(`the server ended: ${running.stderr()}`)
    return fetch(`${installation.url}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
  })
}

/** Until it has printed this. One that ends first, or stays silent, fails with all that it did print. */
export async function untilSaid(running: Running, words: string): Promise<void> {
  const printed = () => `${running.stdout()}${running.stderr()}`
  let hasEnded = false
  running.exited.then(() => {
    hasEnded = true
  })
  await until(() => hasEnded || printed().includes(words)).catch(() => {})
  if (!printed().includes(words)) throw new Error(`the server never said "${words}", but: ${printed()}`)
}

export type CommandResult = { code: number | null; stdout: string; stderr: string }

/** A command that is to be killed: Bun directly, as above. */
export const spawnCommand = (installation: Installation, ...args: string[]): Running =>
  watch(spawn(process.execPath, [CLI, ...args], { env: installation.environment, stdio: ['ignore', 'pipe', 'pipe'] }))

/** `npx nexkit …`, through the launcher. With a limit no file that it writes grows larger, as on a disk that is full. */
export async function runCommand(
  { environment, fileBlocksMax }: Installation & { fileBlocksMax?: number },
  ...args: string[]
): Promise<CommandResult> {
  const command = ['node', LAUNCHER, ...args]
  const [file = '', ...rest] =
    fileBlocksMax === undefined ? command : ['sh', '-c', `ulimit -f ${fileBlocksMax}; exec "$@"`, 'sh', ...command]
  const running = watch(spawn(file, rest, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] }))
  const { code } = await running.exited
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

export const tokenIn = (text: string) => /nxk_live_[0-9A-Za-z]{38}/.exec(text)?.[0] ?? ''
