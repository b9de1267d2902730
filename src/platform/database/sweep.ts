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

export function createSweep({ listOrganizations, deleteBite, biteRows, ...repeat }: SweepOptions): Sweep {
  const sweep = async () => {
    let deleted = 0
    for (const { org_id } of await listOrganizations())
      deleted += await deleteInBites(biteRows, (rowsMax) => deleteBite(org_id, rowsMax))
    return deleted
  }
  return repeatSweep(sweep, repeat)
}

export async function deleteInBites(rowsMax: number, deleteBite: (rowsMax: number) => Promise<number>) {
  let [deleted, bite] = [0, 0]
  do {
    bite = await deleteBite(rowsMax)
    deleted += bite
  } while (bite === rowsMax)
  return deleted
}

/** For tables that belong to no organization: what is to be done now and then is the caller's. */
export function repeatSweep(
  sweep: Sweep['sweep'],
  { what, everyMs, log }: Pick<SweepOptions, 'what' | 'everyMs' | 'log'>,
): Sweep {
  let timer: ReturnType<typeof setInterval> | null = null
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
