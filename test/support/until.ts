import type { Queries } from '../../src/platform/database/database.ts'

/** However long it takes, it is noticed within a tenth of that; asking more often takes the processor from what is waited for. */
const ASK_MS_MIN = 5
const ASK_MS_MAX = 50
/**
 * How long a wait may last says nothing about speed, which tests of speed measure: a machine that shares its processors may stand
 * still for seconds, and on a cluster every statement passes two nodes.
 */
export const IN_VAIN_MS = 60_000

/** Waits for a condition instead of sleeping: asks again and again, and fails when it does not come true in time. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = IN_VAIN_MS): Promise<void> {
  const started = performance.now()
  while (!(await condition())) {
    const waitedMs = performance.now() - started
    if (waitedMs > limitMs) throw new Error(`waited ${limitMs} ms in vain for: ${condition}`)
    const pauseMs = Math.min(Math.max(waitedMs / 10, ASK_MS_MIN), ASK_MS_MAX)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Whether a session of this database waits for a lock that another holds; in a cluster, on any node. */
export async function isLockAwaited(database: Queries, query = ''): Promise<boolean> {
  const activity = database.isSharded() ? database.part`citus_stat_activity` : database.part`pg_stat_activity`
  const { waiting } = await database.one<{ waiting: number }>`
    select count(*)::int as waiting from ${activity}
    where datname = current_database() and wait_event_type = 'Lock' and query ~ ${query}`
  return waiting > 0
}

export const untilLockIsAwaited = (database: Queries): Promise<void> => until(() => isLockAwaited(database))
