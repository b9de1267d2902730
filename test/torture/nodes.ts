import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { descendantsOf } from '../../bench/process-tree.ts'
import { processorSeconds } from '../../bench/process-usage.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { quietLog } from '../support/log.ts'
import { aFreePort, cleanEnvironment } from '../support/server.ts'
import { until } from '../support/until.ts'

/**
 * Real serving processes on one PostgreSQL, each of which can be killed, frozen and thawed. A process that ends without being asked to
 * is started again, as systemd or Kubernetes would do.
 */
export type NodeRole = 'api' | 'worker' | 'all'

export type ServingNode = Victim & {
  role: NodeRole
  /** Where it serves; a worker serves its metrics there. */
  url: string
  pid(): number
  untilReady(timeoutMs?: number): Promise<void>
  /** SIGTERM; answers with the exit code. */
  stop(): Promise<number | null>
  start(): void
}

export type Victim = {
  name: string
  /** `kill -9`, and a start right after it. */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
}

const CLI = resolve(import.meta.dirname, '..', '..', 'src', 'cli.ts')
const RESTART_MS = 200
const READY_MS = 120_000

export type NodeOptions = {
  name: string
  role: NodeRole
  port: number
  /** Logs are appended to `<name>.log` in it. */
  folder: string
  environment: Record<string, string>
}

function startNode({ name, role, port, folder, environment }: NodeOptions): ServingNode {
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  let isWanted = true

  const start = () => {
    isWanted = true
    const log = openSync(join(folder, `${name}.log`), 'a')
    const env = { ...cleanEnvironment(), ...environment, [role === 'worker' ? 'METRICS_PORT' : 'PORT']: String(port) }
    child = spawn(process.execPath, [CLI, 'serve', '--role', role], { env, stdio: ['ignore', log, log] })
    closeSync(log)
    child.once('exit', () => isWanted && setTimeout(() => isWanted && start(), RESTART_MS))
  }
  start()

  const signal = (kind: NodeJS.Signals) => void child.kill(kind)
  const ended = (one: ChildProcess) =>
    one.exitCode !== null || one.signalCode !== null
      ? Promise.resolve()
      : new Promise<void>((resolveEnd) => one.once('exit', () => resolveEnd()))
  return {
    name,
    role,
    url,
    pid: () => child.pid as number,
    start,
    async untilReady(timeoutMs = READY_MS) {
      let last = ''
      const isReady = async () => {
        const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(String)
        last = typeof answer === 'string' ? answer : `${answer.status} ${await answer.text().catch(String)}`
        return typeof answer !== 'string' && answer.ok
      }
      await until(isReady, timeoutMs).catch((cause) => {
        const seconds = processorSeconds(child.pid as number)?.toFixed(1) ?? 'no'
        const log = readFileSync(join(folder, `${name}.log`), 'utf8').slice(-2_000)
        const says = `${name} is not ready: ${last}. Its process has used ${seconds} s of a processor. Its log: ${log}`
        throw new Error(says, { cause })
      })
    },
    async kill() {
      const killed = child
      signal('SIGKILL')
      await ended(killed)
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async stop() {
      isWanted = false
      signal('SIGCONT')
      signal('SIGTERM')
      const stopped = child
      await ended(stopped)
      return stopped.exitCode
    },
  }
}

/** Where the nodes keep everything, and what of it can be killed. */
export type Storage = { url: string; victims: readonly Victim[]; stop(): Promise<void> }

export type PostgresNode = Victim & { url: string; pid(): number; stop(): Promise<void> }

/** The embedded PostgreSQL in this process, which starts it again when it was killed. */
export async function startPostgresNode(folder: string, settings: Record<string, string> = {}): Promise<PostgresNode> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), log: quietLog, settings })
  const { freeze, thaw } = freezer(() => postgres.pid)
  return {
    name: 'postgres',
    url: postgres.url,
    pid: () => postgres.pid,
    async kill() {
      thaw()
      sendSignal(postgres.pid, 'SIGKILL')
      await pause(RESTART_MS)
    },
    freeze,
    thaw,
    async stop() {
      thaw()
      await postgres.stop()
    },
  }
}

/** Freezes a PostgreSQL with all processes that it has at that moment. */
export function freezer(pidOf: () => number): Pick<Victim, 'freeze' | 'thaw'> {
  let frozen: number[] = []
  const sendAll = (kind: NodeJS.Signals) => {
    for (const pid of frozen) sendSignal(pid, kind)
  }
  return {
    freeze() {
      frozen = listTree(pidOf())
      sendAll('SIGSTOP')
    },
    thaw() {
      sendAll('SIGCONT')
      frozen = []
    },
  }
}

/** As if its machine had lost power, except that what it handed to the operating system reaches the disk. */
export function killTree(pid: number): void {
  for (const one of listTree(pid)) sendSignal(one, 'SIGKILL')
}

/** A PostgreSQL that is starting has no process id yet. To signal 0 would be to signal this process. */
const listTree = (pid: number): number[] => (pid > 1 ? [pid, ...descendantsOf(pid)] : [])

/** The process may have ended meanwhile. */
function sendSignal(pid: number, kind: NodeJS.Signals): void {
  try {
    process.kill(pid, kind)
  } catch {
    // Gone.
  }
}

export type Roster = readonly { name: string; role: NodeRole }[]

/** All of them, ready to serve. The first start migrates alone. Also those that were started before one failed are in `nodes`. */
export async function startNodes(
  roster: Roster,
  options: { folder: string; environment: Record<string, string> },
  nodes: ServingNode[] = [],
): Promise<ServingNode[]> {
  for (const { name, role } of roster) {
    const node = startNode({ name, role, port: await aFreePort(), ...options })
    nodes.push(node)
    if (nodes.length === 1) await node.untilReady()
  }
  await Promise.all(nodes.map((node) => node.untilReady()))
  return nodes
}
