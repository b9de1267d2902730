import { execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../../kernel/errors.ts'
import type { Log } from '../telemetry/log.ts'
import { type Binaries, explainSpawnError } from './binaries.ts'
import type { ClusterFiles } from './cluster.ts'
import { diskIsFull, isMissing, mentionsFullDisk } from './data-folder-errors.ts'
import { giveToFolderOwner } from './folder-lock.ts'
import { isAlive, isPostgresIn, waitUntil } from './processes.ts'
import { commandAs, type RunAs } from './user.ts'

/**
 * The postmaster is PostgreSQL's first process. It says how it is in `postmaster.pid`:
 *
 *   (no file) → starting → ready → stopping → (no file)
 *
 * When it is killed the file stays behind and names a process that is gone, or by now another program's.
 */
export type PostmasterFile = { pid: number; status: string }

const pidFile = (cluster: string) => join(cluster, 'postmaster.pid')

/** Returns null when there is no file. A file whose writing was interrupted names process 0, which does not exist. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  try {
    const lines = (await readFile(pidFile(cluster), 'utf8')).split('\n')
    return { pid: Number.parseInt(lines[0] ?? '', 10) || 0, status: lines[7]?.trim() ?? '' }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

export const removePostmasterFile = (cluster: string) => rm(pidFile(cluster), { force: true })

/** A launch that failed, with what PostgreSQL wrote about it. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError'
}

const LOG_BYTES_MAX = 1_000_000

async function openLog({ logFile, dataDir }: ClusterFiles): Promise<{ file: number; offset: number }> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  if (size > LOG_BYTES_MAX) await rename(logFile, `${logFile}.1`)
  const file = openSync(logFile, 'a', 0o600)
  await giveToFolderOwner(logFile, dataDir)
  return { file, offset: size > LOG_BYTES_MAX ? 0 : size }
}

async function readLogFrom(logFile: string, offset: number): Promise<string> {
  const file = await open(logFile, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, offset)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

type Launch = { files: ClusterFiles; binaries: Binaries; runAs: RunAs; args: string[]; onSlow: () => void }

/**
 * Starts PostgreSQL and waits until it takes connections. It runs in a separate session: Ctrl-C in the terminal reaches
 * us alone, and we stop it when the last request is done; and it outlives us when we are killed.
 */
export async function launchPostmaster({ files, binaries, runAs, args, onSlow }: Launch): Promise<number> {
  const { file, offset } = await openLog(files)
  const command = commandAs(runAs, binaries.postgres, args)
  const child = spawn(command.file, command.args, {
    ...runAs.ids,
    cwd: files.home,
    env: binaries.environment,
    detached: true,
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  child.unref()
  let failure: unknown = null
  child.on('error', (error) => {
    failure = explainSpawnError(error, binaries.postgres)
  })
  child.on('exit', (code, signal) => {
    failure ??= new LaunchError(`ended with ${signal ?? code}`)
  })
  try {
    await waitUntilReady(files.cluster, () => failure === null, child.pid ?? 0, onSlow)
    return child.pid as number
  } catch (error) {
    if (failure === null) child.kill('SIGQUIT')
    else if (!(failure instanceof LaunchError)) throw failure
    throw new LaunchError(await readLogFrom(files.logFile, offset), { cause: error })
  }
}

const READY_TIMEOUT_MS = 300_000
const SLOW_MS = 2_000

/** Long, because after a crash under load the write-ahead log is replayed first; a postmaster that ends is noticed at once. */
export async function waitUntilReady(
  cluster: string,
  isRunning: () => boolean,
  pid: number,
  onSlow: () => void,
): Promise<void> {
  const slow = setTimeout(onSlow, SLOW_MS)
  try {
    let ended = false
    const ready = await waitUntil(async () => {
      ended = !isRunning()
      const found = await readPostmasterFile(cluster)
      return ended || (found?.pid === pid && found.status === 'ready')
    }, READY_TIMEOUT_MS)
    if (ended) throw new LaunchError('ended before it was ready')
    if (!ready) throw new LaunchError(`was not ready within ${READY_TIMEOUT_MS / 1000} s`)
  } finally {
    clearTimeout(slow)
  }
}

/** Worth another try, once the cause is looked into: a port just taken, a rival of a killed start, a lagging process. */
const PASSING_CAUSES =
  /could not bind|could not create any TCP|lock file "postmaster\.pid"|shared memory block .* in use/

export const isPassing = (error: unknown) => error instanceof LaunchError && PASSING_CAUSES.test(error.message)

export function explainLaunch(error: LaunchError, { dataDir, logFile }: ClusterFiles): StartError {
  if (mentionsFullDisk(error.message)) return diskIsFull(dataDir)
  const lines = error.message.trim().split('\n').slice(-12).join('\n')
  return new StartError(`PostgreSQL did not start. See ${logFile}, which ends with:\n${lines}`, { cause: error })
}

/** Fast: statements are cut off, all is written out. Immediate: as in a crash, recovered at the next start. */
const STOP_STEPS = [
  { signal: 'SIGINT', waitMs: 6_000 },
  { signal: 'SIGQUIT', waitMs: 3_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
] as const

type Stop = { pid: number; cluster: string; binaries: Binaries; log: Log }

export async function stopPostmaster({ pid, cluster, binaries, log }: Stop): Promise<void> {
  for (const step of STOP_STEPS) {
    if (!(await isPostgresIn(pid, cluster))) return
    if (step.signal !== 'SIGINT') log.warn({ pid, signal: step.signal }, 'PostgreSQL does not stop')
    await sendSignal(pid, step.signal, binaries)
    if (await waitUntil(() => !isAlive(pid), step.waitMs)) return
  }
  throw new StartError(`PostgreSQL (pid ${pid}) cannot be stopped. End it by hand and start again.`)
}

const runProgram = promisify(execFile)

/** A stopped process (SIGSTOP) takes a signal only when it is woken. Windows has no signals; pg_ctl speaks for us. */
async function sendSignal(pid: number, signal: NodeJS.Signals, binaries: Binaries): Promise<void> {
  try {
    if (process.platform === 'win32') await runProgram(binaries.pgCtl, ['kill', signal.slice(3), String(pid)])
    else for (const each of [signal, 'SIGCONT'] as const) process.kill(pid, each)
  } catch {
    // It ended between the look and the signal.
  }
}
