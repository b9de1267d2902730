import { hostname } from 'node:os'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId } from '../../kernel/ids.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'
import { countLiveProcesses, deleteProcess, deleteSilentProcesses, upsertProcess } from './live-processes.sql.ts'

/**
 * Which processes serve this database right now. Each writes a sign of life every five seconds; one that was silent for
 * fifteen no longer counts. Limits that are kept in memory are shared out by this number.
 */
export type LiveProcesses = {
  id: Id<'prc'>
  start(): Promise<void>
  stop(): Promise<void>
}

const BEAT_MS = 5000
export const SILENT_MS_MAX = 15_000
const FORGOTTEN_MS = 24 * 3600 * 1000

export type ProcessRole = 'all' | 'api' | 'worker'

export function createLiveProcesses(options: {
  database: Database
  clock: Clock
  log: Log
  role: ProcessRole
  version: string
  publicUrl: string
  /** Told after every beat how many processes answer API calls, this one included. */
  onCount: (apiProcesses: number) => void
}): LiveProcesses {
  const { database, clock, log } = options
  const id = newId('prc')
  const startedAt = new Date(clock.now())
  let timer: ReturnType<typeof setInterval> | null = null

  const beat = async () => {
    const now = new Date(clock.now())
    await upsertProcess(database, {
      id,
      role: options.role,
      host: hostname(),
      pid: process.pid,
      version: options.version,
      publicUrl: options.publicUrl,
      startedAt,
      seenAt: now,
    })
    const count = await countLiveProcesses(database, { since: new Date(now.getTime() - SILENT_MS_MAX) })
    options.onCount(Math.max(1, count))
  }

  return {
    id,
    async start() {
      await beat()
      await deleteSilentProcesses(database, { before: new Date(clock.now() - FORGOTTEN_MS) })
      timer = setInterval(() => {
        beat().catch((error) => log.warn({ err: error }, 'sign of life could not be written; will try again'))
      }, BEAT_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
      await deleteProcess(database, id).catch(() => {})
    },
  }
}
