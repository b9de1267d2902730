import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const SAMPLE_EVERY_MS = 100

/** Watches the resident memory of a process; `stop` answers with the most it had. */
export function watchResidentMemory(pid: number): { stop(): number } {
  let megabytesMost = residentMegabytes(pid)
  const timer = setInterval(() => {
    megabytesMost = Math.max(megabytesMost, residentMegabytes(pid))
  }, SAMPLE_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return megabytesMost
    },
  }
}

function residentMegabytes(pid: number): number {
  const status = `/proc/${pid}/status`
  const kibibytes = existsSync(status)
    ? /VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]
    : spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
  if (!kibibytes) throw new Error(`the resident memory of process ${pid} cannot be read`)
  return (Number(kibibytes) * 1024) / 1_000_000
}

/** Of a hundredth of a second on every Linux there is. */
export const TICK_SECONDS = 0.01

/**
 * Processor time of a process so far, null where /proc does not exist. Per request it is the one figure that neighbours on
 * the machine hardly change, so it tells a slower server from a busier machine.
 */
export function processorSeconds(pid: number): number | null {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return null
  const text = readFileSync(file, 'utf8')
  // The program's name, in brackets, may hold spaces; user and system time are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_SECONDS
}
