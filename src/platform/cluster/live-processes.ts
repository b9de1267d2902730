import { hostname } from 'node:os'
import { type Id, newId } from '../../kernel/ids.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'
import {
  countLiveProcesses,
  deleteProcess,
  deleteSilentProcesses,
  noteAddress,
  upsertProcess,
} from './live-processes.sql.ts'

/**
 * Which processes serve this database right now. Each writes a sign of life every five seconds; one that was silent for
 * fifteen no longer counts. Limits that are kept in memory are shared out by this number, and a process without others
 * notifies none.
 */
export type LiveProcesses = {
  id: Id<'prc'>
  start(): Promise<void>
  /** For commands on the same machine, once the port is open. */
  noteAddress(url: string): Promise<unknown>
  stop(): Promise<void>
}

const BEAT_MS = 5000

export type ProcessRole = 'all' | 'api' | 'worker'

export function createLiveProcesses(options: {
  database: Database
  log: Log
  role: ProcessRole
  version: string
  publicUrl: string
  /** Called after every beat with how many processes answer API calls, this one included. */
  onCount: (apiProcesses: number) => void
}): LiveProcesses {
  const { database, log, role, version, publicUrl } = options
  const id = newId('prc')
  const row = { id, role, version, publicUrl, host: hostname(), pid: process.pid, hasLock: role !== 'api' }
  let timer: ReturnType<typeof setInterval> | null = null
  let beats = 0

  const beat = async () => {
    await upsertProcess(database, row)
    const { all, api } = await countLiveProcesses(database)
    // Not at the first: processes that start together see each other at the second.
    database.setAlone(beats > 0 && all <= 1)
    beats += 1
    options.onCount(Math.max(1, api))
  }

  return {
    id,
    async start() {
      await beat()
      await deleteSilentProcesses(database)
      timer = setInterval(() => {
        beat().catch((error) => log.warn({ err: error }, 'sign of life could not be written; will try again'))
      }, BEAT_MS)
      timer.unref()
    },
    noteAddress: (url) => noteAddress(database, id, url),
    async stop() {
      if (timer !== null) clearInterval(timer)
      await deleteProcess(database, id).catch(() => {})
    },
  }
}
