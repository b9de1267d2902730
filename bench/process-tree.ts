import { readdirSync, readFileSync } from 'node:fs'
import { processorSeconds, TICK_SECONDS } from './process-usage.ts'

/** A server and the PostgreSQL below it, read from /proc, so on Linux only. */
export type TreeMemory = {
  /** Resident memory of the server. Its own share of it (PSS) is less while other processes run the same Bun, as the bench does. */
  serverMegabytes: number
  serverShareMegabytes: number
  /** Of all processes below the server, each with its share of what they have in common. */
  postgresMegabytes: number
  postgresProcesses: number
}

export function measureTreeMemory(serverPid: number): TreeMemory {
  const server = readRollup(serverPid)
  if (server === null) throw new Error(`the memory of process ${serverPid} cannot be read`)
  const below = descendantsOf(serverPid).flatMap((pid) => readRollup(pid) ?? [])
  if (below.length === 0) throw new Error(`no memory of a process below ${serverPid} can be read`)
  return {
    serverMegabytes: server.residentMegabytes,
    serverShareMegabytes: server.shareMegabytes,
    postgresMegabytes: below.reduce((sum, { shareMegabytes }) => sum + shareMegabytes, 0),
    postgresProcesses: below.length,
  }
}

/** Megabytes of some processes, each with its share of what it has in common with others. */
export const measureMemory = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + (readRollup(pid)?.shareMegabytes ?? 0), 0)

/** Processes that ended meanwhile are in the account of the one that started them. */
export function treeProcessorSeconds(serverPid: number): number {
  const pids = descendantsOf(serverPid)
  const living = [serverPid, ...pids].reduce((sum, pid) => sum + (processorSeconds(pid) ?? 0), 0)
  return living + pids.reduce((sum, pid) => sum + endedChildrenSeconds(pid), 0)
}

/** Null for a process that has ended. */
function readRollup(pid: number): { residentMegabytes: number; shareMegabytes: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const megabytes = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) * 1024) / 1e6
    return { residentMegabytes: megabytes('Rss'), shareMegabytes: megabytes('Pss') }
  } catch {
    return null
  }
}

export function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readParent(Number(name)) : []))
  const found: number[] = []
  for (let level = [pid]; level.length > 0; ) {
    const above = new Set(level)
    level = parents.flatMap((one) => (above.has(one.parent) ? [one.pid] : []))
    found.push(...level)
  }
  return found
}

const readParent = (pid: number): { pid: number; parent: number }[] => {
  const fields = readStat(pid)
  return fields === null ? [] : [{ pid, parent: Number(fields[1]) }]
}

function endedChildrenSeconds(pid: number): number {
  const fields = readStat(pid)
  return fields === null ? 0 : (Number(fields[13]) + Number(fields[14])) * TICK_SECONDS
}

/** The fields of /proc/pid/stat after the program's name, which may hold spaces; null for a process that has ended. */
function readStat(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
