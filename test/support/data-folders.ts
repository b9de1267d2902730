import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { readPostmasterFile } from '../../src/platform/embedded-postgres/postmaster.ts'
import { isAlive, isPostgresIn, waitUntil } from '../../src/platform/embedded-postgres/processes.ts'
import type { Log } from '../../src/platform/telemetry/log.ts'

/** Data folders, and servers on them, for tests that break both. What a test leaves running is ended for it. */
const ignore = () => {}
/** A clone below a folder that is shut to others: another user needs leave to read it, and only to read. */
const isShutToOthers = (path: string): boolean =>
  (statSync(path).mode & 0o005) !== 0o005 || (dirname(path) !== path && isShutToOthers(dirname(path)))
export const isCloneShut = isShutToOthers(resolve(import.meta.dirname))
const READS_ALL = isCloneShut
  ? ['--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search', '--securebits', '+no_setuid_fixup']
  : []

export const quietLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
export const isRoot = process.geteuid?.() === 0

export type ServerLine = { url: string; pid: number; port: number; adopted: boolean; error?: string }

export type ServeOptions = { uid?: number; packageFolder?: string }

export type ServerProcess = {
  process: ChildProcess
  /** What it said: running, or why not. */
  line: Promise<ServerLine>
  kill(signal: NodeJS.Signals): Promise<void>
  /** As Ctrl-C in a terminal does it: the server and all that is in its process group. */
  killGroup(signal: NodeJS.Signals): Promise<void>
}

export function openDataFolders() {
  const root = mkdtempSync(join(tmpdir(), 'nexkit-data-'))
  chmodSync(root, 0o711)
  const servers: ServerProcess[] = []
  const started: EmbeddedPostgres[] = []
  let count = 0

  // Names as people choose them.
  const newFolder = () => join(root, `José's data ${++count}`)

  async function start(dataDir: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const running = await startEmbeddedPostgres({ dataDir, log: quietLog, ...options })
    started.push(running)
    return running
  }

  /** Through setpriv when another user is asked for. Not in our own folder, which that user may be unable to enter. */
  function serve(dataDir: string, { uid, packageFolder }: ServeOptions = {}): ServerProcess {
    const command = [
      process.execPath,
      join(import.meta.dirname, 'postgres-server.ts'),
      dataDir,
      ...(packageFolder ? [packageFolder] : []),
    ]
    const as =
      uid === undefined ? [] : ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', ...READS_ALL]
    const [file, ...args] = [...as, ...command] as [string, ...string[]]
    const server = watchServer(spawn(file, args, { cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'inherit'] }))
    servers.push(server)
    return server
  }

  /** Between tests that share a folder: whatever one left running is ended. */
  async function endAll(): Promise<void> {
    for (const running of started.splice(0)) await running.stop()
    for (const server of servers.splice(0)) await server.kill('SIGKILL')
    for (const name of readdirSync(root)) await endPostgres(join(root, name))
  }

  return {
    root,
    /** A path where nothing is yet. */
    newFolder,
    start,
    serve,
    endAll,
    async close() {
      await endAll()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function watchServer(child: ChildProcess): ServerProcess {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const line = once(lines, 'line').then(([text]) => JSON.parse(text as string) as ServerLine)
  line.catch(ignore)
  async function send(pid: number, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    process.kill(pid, signal)
    await ended
  }
  const pid = child.pid as number
  return { process: child, line, kill: (signal) => send(pid, signal), killGroup: (signal) => send(-pid, signal) }
}

async function endPostgres(dataDir: string): Promise<void> {
  const cluster = join(dataDir, 'postgres', 'cluster')
  const found = await readPostmasterFile(cluster).catch(() => null)
  if (found === null || !(await isPostgresIn(found.pid, cluster))) return
  process.kill(found.pid, 'SIGQUIT')
  process.kill(found.pid, 'SIGCONT')
  await waitUntil(() => !isAlive(found.pid), 5_000)
}
