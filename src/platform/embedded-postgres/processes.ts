import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { promisify } from 'node:util'
import { errorCode } from './data-folder-errors.ts'

/**
 * Which processes are alive, and which of them are PostgreSQL at work in a given folder. A process id alone says little:
 * the system hands the same number out again, so before a process is adopted or signalled it is asked what it is.
 * All processes of PostgreSQL run in its cluster folder, so the working folders are compared.
 */
const runProgram = promisify(execFile)

const onLinux = process.platform === 'linux'

/** A zombie counts as dead: it holds nothing, and in a container without an init no process ever collects it. */
export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false
  }
  return !(onLinux && isZombie(pid))
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return false
  }
}

/** `cluster` is a path without symbolic links. */
export async function isPostgresIn(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (!onLinux) return (await commandLine(pid)).includes(cluster)
  const program = programName(pid)
  if (program !== 'postgres') return false
  const folder = workingFolder(pid)
  return folder === null ? readCommandLine(pid).includes(cluster) : folder === cluster
}

/** Where the working folder cannot be read: our postmasters name their cluster with -D. */
function readCommandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

async function commandLine(pid: number): Promise<string> {
  try {
    return (await runProgram('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout
  } catch {
    return ''
  }
}

function programName(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return null
  }
}

function workingFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

/**
 * Ends what a dead postmaster or a dead first start left running in the folder: server processes that are busy do not
 * notice at once that their postmaster is gone, and keep the next one out. Killing them loses nothing that a crash would
 * not lose, and committed work is in the write-ahead log. Returns how many there were. On systems
 * other than Linux it returns null and ends none of them.
 */
export async function endPostgresProcessesIn(folder: string): Promise<number | null> {
  if (!onLinux) return null
  const ended = new Set<number>()
  // Repeats until no process is found: one that another process was just starting is seen only the next time.
  await waitUntil(() => {
    const pids = listPostgresIn(folder).filter(isAlive)
    for (const pid of pids) {
      ended.add(pid)
      kill(pid)
    }
    return pids.length === 0
  }, 2000)
  return ended.size
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended in the meantime.
  }
}

function listPostgresIn(folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    if (!isOfPostgres(pid)) return false
    const at = workingFolder(pid)
    return at !== null && (at === folder || at.startsWith(`${folder}/`))
  })
}

/** initdb starts the server through a shell, which is not yet the server when both are looked for in the same moment. */
function isOfPostgres(pid: number): boolean {
  const name = programName(pid)
  if (name !== 'sh') return name === 'postgres' || name === 'initdb'
  return /\bpostgres\b.* --(?:boot|single|check)\b/.test(readCommandLine(pid).join(' '))
}

/** Asks every few milliseconds; false when the time ran out first. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadlineMs = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() >= deadlineMs) return false
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return true
}
