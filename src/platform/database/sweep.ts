import type { OrgId } from '../../kernel/ids.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Forgets old rows now and then, organization by organization, in small bites so that no statement holds locks for long.
 * Several processes may sweep at once; they merely share the work. For tables that cannot be partitioned by day.
 */
export type Sweep = {
  /** Once, now. Answers how many rows are gone. */
  sweep(): Promise<number>
  start(): Promise<void>
  stop(): Promise<void>
}

export type SweepOptions = {
  /** As the log names it when it did not work. */
  what: string
  everyMs: number
  biteRows: number
  listOrganizations: () => Promise<{ org_id: OrgId }[]>
  /** At most so many of the oldest rows. Answers how many there were. */
  deleteBite: (orgId: OrgId, rowsMax: number) => Promise<number>
  log: Log
}

export function createSweep(options: SweepOptions): Sweep {
  const { what, everyMs, biteRows, listOrganizations, deleteBite, log } = options
  let timer: ReturnType<typeof setInterval> | null = null
  const sweep = async () => {
    let deleted = 0
    for (const { org_id } of await listOrganizations()) {
      let bite = 0
      do {
        bite = await deleteBite(org_id, biteRows)
        deleted += bite
      } while (bite === biteRows)
    }
    return deleted
  }
  return {
    sweep,
    async start() {
      timer = setInterval(() => {
        sweep().catch((error) => log.warn({ err: error }, `${what} could not be forgotten; will try again`))
      }, everyMs)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}
