import type { OrgId } from '../kernel/ids.ts'
import type { Database, Listener, Tx } from '../platform/database/database.ts'
import { isConnectionFailure, isLockTimeout } from '../platform/database/database-errors.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { type EventRow, insertFollower, listBehind, listEventsAfter, lockFollower, moveFollower } from './events.sql.ts'
import { EVENTS_CHANNEL } from './events.ts'

/**
 * A follower reads every event of every organization once, in order: webhook fan-out, an order that follows its payment.
 *
 *   behind    the organization's counter is ahead of the follower's row
 *   working   one worker holds the row (skip locked), handles a page of events and moves the row, in one transaction
 *   level     nothing to do until a notification or the next poll
 *
 * What `handle` writes commits together with the new position, so each event takes effect exactly once, however many
 * workers there are and whenever they die. `handle` therefore only writes rows (deliveries, jobs) and calls nobody.
 */
export type Follower = {
  name: string
  handle(tx: Tx, orgId: OrgId, events: readonly EventRow[]): Promise<void>
}

const PAGE_EVENTS = 500
const ORGANIZATIONS_PER_ROUND = 200
const POLL_MS = 500
const RETRY_MS = 1000

export function createFollowers(options: { database: Database; log: Log; followers: readonly Follower[] }) {
  const { database, log } = options
  let isStopped = false
  let isRunning = false
  let isWoken = false
  let timer: ReturnType<typeof setTimeout> | null = null
  let listener: Listener | null = null
  let finished: Promise<void> = Promise.resolve()

  const round = async () => {
    let delayMs = POLL_MS
    for (const follower of options.followers) {
      try {
        if (await followOnce(database, follower)) delayMs = 0
      } catch (error) {
        log.warn({ follower: follower.name, err: error }, 'following events failed; will try again')
        delayMs = RETRY_MS
      }
    }
    return delayMs
  }

  // One loop at a time; a wake-up during a round means another round right after it.
  const run = async () => {
    if (isRunning || isStopped) return
    isRunning = true
    isWoken = false
    const delayMs = await round()
    isRunning = false
    if (!isStopped) schedule(isWoken ? 0 : delayMs)
  }

  const schedule = (delayMs: number) => {
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => {
      finished = run()
    }, delayMs)
  }

  const wake = () => {
    isWoken = true
    if (!isRunning && !isStopped) schedule(0)
  }

  return {
    /** Something was recorded: look now instead of at the next poll. */
    wake,
    async start() {
      listener = await database.listen(EVENTS_CHANNEL, wake, wake)
      schedule(0)
    },
    async stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      await finished
      await listener?.close().catch(() => {})
    },
  }
}

/**
 * One page for every organization that is behind; true when there may be more. One whose page fails holds up no other, and
 * one that is locked by somebody for longer than a moment is left for the next round. Rejects with the first failure.
 */
export async function followOnce(database: Database, follower: Follower): Promise<boolean> {
  const behind = await listBehind(database, follower.name, ORGANIZATIONS_PER_ROUND)
  let hasMore = behind.length === ORGANIZATIONS_PER_ROUND
  const failures: unknown[] = []
  for (const { org_id } of behind) {
    try {
      const handled = await database.transaction((tx) => followOrganization(tx, follower, org_id))
      if (handled === PAGE_EVENTS) hasMore = true
    } catch (error) {
      if (isConnectionFailure(error)) throw error
      if (!isLockTimeout(error)) failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return hasMore
}

async function followOrganization(tx: Tx, follower: Follower, orgId: OrgId): Promise<number> {
  await insertFollower(tx, orgId, { follower: follower.name, sequence: 0 })
  const position = await lockFollower(tx, orgId, follower.name)
  if (position === null) return 0
  const events = await listEventsAfter(tx, orgId, { after: position, limit: PAGE_EVENTS })
  const last = events.at(-1)
  if (last === undefined) return 0
  await follower.handle(tx, orgId, events)
  await moveFollower(tx, orgId, { follower: follower.name, sequence: last.sequence })
  return events.length
}
