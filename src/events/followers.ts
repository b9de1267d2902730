import { type Clock, systemClock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import { soundText } from '../kernel/sound-text.ts'
import type { Database, Listener, Tx } from '../platform/database/database.ts'
import { isConnectionFailure, isLockTimeout } from '../platform/database/database-errors.ts'
import type { Log } from '../platform/telemetry/log.ts'
import {
  insertFollower,
  listBehind,
  listNumberedAfter,
  lockFollower,
  moveFollower,
  type NumberedEvent,
} from './events.sql.ts'
import { EVENTS_CHANNEL } from './events.ts'
import { insertParkedEvent } from './parked-events.sql.ts'
import { createPoisonWatch, type PoisonLimits, type PoisonWatch } from './poison-watch.ts'

export { isAnyUnfollowed } from './parked-events.sql.ts'

/**
 * A follower reads every event of every organization once, in order: webhook fan-out.
 *
 *   behind    the organization's counter is ahead of the follower's row
 *   working   one worker holds the row (skip locked), handles a page of events and moves the row, in one transaction
 *   level     nothing to do until a notification or the next poll
 *
 * What `handle` writes commits together with the new position, so each event takes effect exactly once, however many
 * workers there are and whenever they die. `handle` therefore only writes rows (deliveries, jobs) and calls nobody.
 *
 * An event on which it goes on failing is parked (parked_events) and the follower goes on: see poison-watch.ts.
 */
export type Follower = {
  name: string
  handle(tx: Tx, orgId: OrgId, events: readonly NumberedEvent[]): Promise<void>
}

const PAGE_EVENTS = 500
const ORGANIZATIONS_PER_ROUND = 200
const POLL_MS = 500
const RETRY_MS = 1000
/** An event is parked after this many tries over at least this time. */
const POISON = { pageEvents: PAGE_EVENTS, triesMax: 10, failingMsMin: 10 * 60_000 }
const ERROR_CHARACTERS_MAX = 1000

export type FollowersOptions = {
  database: Database
  clock: Clock
  log: Log
  followers: readonly Follower[]
  poison?: Partial<PoisonLimits>
}

export function createFollowers(options: FollowersOptions) {
  const { database, log } = options
  const watch = createPoisonWatch(options.clock, { ...POISON, ...options.poison })
  let isStopped = false
  let isRunning = false
  let isWoken = false
  /** How far each follower that is in the middle of a pass over the organizations has come. */
  const reached = new Map<string, OrgId>()
  let timer: ReturnType<typeof setTimeout> | null = null
  let listener: Listener | null = null
  let finished: Promise<void> = Promise.resolve()

  const round = async () => {
    let delayMs = POLL_MS
    for (const follower of options.followers) {
      const after = reached.get(follower.name)
      const { hasMore, failures, parked, reachedOrgId } = await followOnce(database, follower, after, watch).catch(lost)
      for (const event of parked)
        log.error({ follower: follower.name, ...event }, 'event parked: a follower goes on failing on it')
      if (reachedOrgId === undefined) reached.delete(follower.name)
      else reached.set(follower.name, reachedOrgId)
      for (const error of failures)
        log.warn({ follower: follower.name, err: error }, 'following events failed; will try again')
      // Who failed waits, but not those who did not.
      if (hasMore) isWoken = true
      if (failures.length > 0) delayMs = RETRY_MS
    }
    return reached.size > 0 ? 0 : delayMs
  }

  // One loop at a time; a wake-up during a round means another round right after it.
  const run = async () => {
    if (isRunning || isStopped) return
    isRunning = true
    // In the middle of a pass the organization that woke us may lie behind: the wake-up is good for the next pass.
    if (reached.size === 0) isWoken = false
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

/** Where a pass over the organizations is not at its end, the one it has reached: go on after it. */
export type Followed = { hasMore: boolean; failures: unknown[]; parked: Parked[]; reachedOrgId?: OrgId }

type Parked = { org_id: OrgId; event_id: string; sequence: number }

const lost = (error: unknown): Followed => ({ hasMore: false, failures: [error], parked: [] })

/**
 * One page for every organization that is behind, and whether one may have another page to be done at once. One whose page
 * fails holds up no other, now or in the next round; one that is locked by somebody for longer than a moment is left for that
 * one. Rejects only when nothing more can be done at all.
 *
 * Many organizations are taken in several rounds, each after the last one's end and never from the start again before all
 * had their turn: as many as fill a round, failing for ever, would otherwise keep every other from being followed.
 */
export async function followOnce(
  database: Database,
  follower: Follower,
  after: OrgId | '' = '',
  watch: PoisonWatch = createPoisonWatch(systemClock, POISON),
): Promise<Followed> {
  const behind = await listBehind(database, follower.name, { after, limit: ORGANIZATIONS_PER_ROUND })
  const failures: unknown[] = []
  const parked: Parked[] = []
  let hasMore = false
  for (const { org_id } of behind) {
    const page = watch.pageOf(follower.name, org_id)
    try {
      const events = await database.transaction((tx) => followOrganization(tx, follower, org_id, page))
      watch.passed(follower.name, org_id, events)
      hasMore ||= events === page
    } catch (error) {
      if (isConnectionFailure(error)) throw error
      if (isLockTimeout(error)) continue
      failures.push(error)
      if (!watch.failed(follower.name, org_id, error)) continue
      const event = await database.transaction((tx) => parkNext(tx, follower, org_id, error))
      watch.passed(follower.name, org_id, 1)
      if (event !== null) parked.push(event)
    }
  }
  const reached = behind.length === ORGANIZATIONS_PER_ROUND ? behind.at(-1) : undefined
  return { hasMore, failures, parked, ...(reached && { reachedOrgId: reached.org_id }) }
}

/** The event after the follower's position, which it leaves behind. */
async function parkNext(tx: Tx, { name }: Follower, orgId: OrgId, error: unknown): Promise<Parked | null> {
  const position = await lockFollower(tx, orgId, name)
  if (position === null) return null
  const [event] = await listNumberedAfter(tx, orgId, { after: position, limit: 1 })
  if (event === undefined) return null
  const { id, sequence } = event
  const parked = { follower: name, sequence, eventId: id, error: soundText(String(error), ERROR_CHARACTERS_MAX) }
  await insertParkedEvent(tx, orgId, parked)
  await moveFollower(tx, orgId, { follower: name, sequence })
  return { org_id: orgId, event_id: id, sequence }
}

async function followOrganization(tx: Tx, follower: Follower, orgId: OrgId, limit: number): Promise<number> {
  await insertFollower(tx, orgId, { follower: follower.name, sequence: 0 })
  const position = await lockFollower(tx, orgId, follower.name)
  if (position === null) return 0
  const events = await listNumberedAfter(tx, orgId, { after: position, limit })
  const last = events.at(-1)
  if (last === undefined) return 0
  await follower.handle(tx, orgId, events)
  await moveFollower(tx, orgId, { follower: follower.name, sequence: last.sequence })
  return events.length
}
