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
      const { hasMore, failures } = await followOnce(database, follower).catch(lost)
      for (const error of failures)
        log.warn({ follower: follower.name, err: error }, 'following events failed; will try again')
      // Who failed waits, but not those who did not.
      if (hasMore) delayMs = 0
      else if (failures.length > 0 && delayMs > 0) delayMs = RETRY_MS
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

export type Followed = { hasMore: boolean; failures: unknown[] }

const lost = (error: unknown): Followed => ({ hasMore: false, failures: [error] })

/**
 * One page for every organization that is behind, and whether there may be more to do at once. One whose page fails holds up
 * no other, now or in the next round; one that is locked by somebody for longer than a moment is left for that one. Rejects
 * only when nothing more can be done at all.
 */
export async function followOnce(database: Database, follower: Follower): Promise<Followed> {
  const behind = await listBehind(database, follower.name, ORGANIZATIONS_PER_ROUND)
  const pages: number[] = []
  const failures: unknown[] = []
  for (const { org_id } of behind) {
    try {
      pages.push(await database.transaction((tx) => followOrganization(tx, follower, org_id)))
    } catch (error) {
      if (isConnectionFailure(error)) throw error
      if (!isLockTimeout(error)) failures.push(error)
    }
  }
  // A round in which all failed is not repeated at once, however many are behind.
  const isListFull = behind.length === ORGANIZATIONS_PER_ROUND && (failures.length === 0 || pages.length > 0)
  return { hasMore: isListFull || pages.includes(PAGE_EVENTS), failures }
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
