import { type Clock, systemClock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import { soundText } from '../kernel/text.ts'
import { listReachableOrganizations } from '../platform/cluster/distribution.sql.ts'
import type { Database, Listener, Tx } from '../platform/database/database.ts'
import { isConnectionFailure, isDatabaseUnavailable, isLockTimeout } from '../platform/database/database-errors.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { NumberedEvent } from './events.sql.ts'
import {
  type BacklogPage,
  endBacklog,
  findFollower,
  insertParkedEvent,
  listBehind,
  listNumberedAfter,
  lockCounter,
  moveFollowed,
  tryLockBacklog,
} from './followers.sql.ts'
import { EVENTS_CHANNEL } from './recording.ts'

/**
 * The follower reads events that were not followed while they were recorded (recording.ts), each once and in order: webhook
 * fan-out.
 *
 *   behind    the organization is listed in event_backlog
 *   working   one worker holds that row (skip locked), handles a page of events and moves the counter's `followed_until`,
 *             in one transaction
 *   level     the row is gone; nothing to do until a notification or the next poll
 *
 * What `handle` writes commits together with the new position, so each event takes effect exactly once, however many
 * workers there are and whenever they die. `handle` therefore only writes rows (deliveries, jobs) and sends nothing.
 *
 * An event on which it keeps failing is parked (parked_events) and the follower continues.
 */
export type Follower = {
  name: string
  /** Returns false, having written nothing, when the organization is to be left for later. */
  handle(tx: Tx, orgId: OrgId, events: readonly NumberedEvent[]): Promise<unknown>
}

const PAGE_EVENTS = 500
const ORGANIZATIONS_PER_ROUND = 200
const POLL_MS = 500
/** For an organization whose subscriptions are being changed. */
const BUSY_MS = 25
const RETRY_MS = 1000
/** An event is parked after this many tries over at least this time. */
const POISON = { pageEvents: PAGE_EVENTS, triesMax: 10, failingMsMin: 10 * 60_000 }
const ERROR_CHARACTERS_MAX = 1000

type FollowersOptions = {
  database: Database
  clock: Clock
  log: Log
  follower: Follower
  poison?: Partial<PoisonLimits>
}

export function createFollowers(options: FollowersOptions) {
  const { database, log, follower } = options
  const watch = createPoisonWatch(options.clock, { ...POISON, ...options.poison })
  let isStopped = false
  let isRunning = false
  let isWoken = false
  /** How far it has come in the middle of a pass over the organizations. */
  let reached: OrgId | undefined
  let timer: ReturnType<typeof setTimeout> | null = null
  let listener: Listener | null = null
  let finished: Promise<void> = Promise.resolve()

  const round = async () => {
    const { hasMore, isBusy, failures, parked, reachedOrgId } = await followOnce(
      database,
      follower,
      reached,
      watch,
    ).catch(lost)
    for (const event of parked)
      log.error({ follower: follower.name, ...event }, 'event parked: a follower goes on failing on it')
    reached = reachedOrgId
    for (const error of failures)
      log.warn({ follower: follower.name, err: error }, 'following events failed; will try again')
    // An organization that failed waits, but not those that did not.
    if (hasMore) isWoken = true
    if (reached !== undefined) return 0
    if (failures.length > 0) return RETRY_MS
    return isBusy ? BUSY_MS : POLL_MS
  }

  // One loop at a time; a wake-up during a round means another round right after it.
  const run = async () => {
    if (isRunning || isStopped) return
    isRunning = true
    // In the middle of a pass the organization that woke us may lie behind: the wake-up is good for the next pass.
    if (reached === undefined) isWoken = false
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
type Followed = {
  hasMore: boolean
  isBusy: boolean
  failures: unknown[]
  parked: Parked[]
  reachedOrgId?: OrgId
}

type Parked = { org_id: OrgId; event_id: string; sequence: number }

const lost = (error: unknown): Followed => ({ hasMore: false, isBusy: false, failures: [error], parked: [] })

/**
 * One page for every organization that is behind, and whether one may have another page to be done at once. One whose page
 * fails holds up no other, now or in the next round; one that another worker has locked for longer than a moment is left to
 * that worker. Rejects only when no organization can be followed.
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
  const behind = await listPage(database, { after, limit: ORGANIZATIONS_PER_ROUND })
  const failures: unknown[] = []
  const parked: Parked[] = []
  let [hasMore, isBusy] = [false, false]
  for (const { org_id } of behind) {
    const page = watch.pageOf(follower.name, org_id)
    try {
      const events = await database.transaction((tx) => followOrganization(tx, follower, org_id, page))
      if (events === null) isBusy = true
      else watch.passed(follower.name, org_id, events)
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
  return { hasMore, isBusy, failures, parked, ...(reached && { reachedOrgId: reached.org_id }) }
}

/** While a node of a cluster is away, all organizations of the others: which of them are behind is seen one by one. */
const listPage = (database: Database, page: { after: OrgId | ''; limit: number }) =>
  listBehind(database, page).catch((error) => {
    if (!database.isSharded()) throw error
    return listReachableOrganizations(database, page)
  })

type Backlog = { since: Date; position: number; last: number }

/**
 * The position is read after the lock is held. Joined to it, it could be the one from before the page of a worker that let go in
 * the middle of the statement, and that page would be handled again.
 */
async function lockBacklog(tx: Tx, orgId: OrgId): Promise<Backlog | null> {
  const [backlog, progress] = await Promise.all([tryLockBacklog(tx, orgId), findFollower(tx, orgId)])
  return backlog === null || progress === null ? null : { ...backlog, ...progress }
}

/** The event after the follower's position, which it leaves behind. */
async function parkNext(tx: Tx, { name }: Follower, orgId: OrgId, error: unknown): Promise<Parked | null> {
  const backlog = await lockBacklog(tx, orgId)
  if (backlog === null) return null
  const [event] = await listBacklog(tx, orgId, { since: backlog.since, after: backlog.position, limit: 1 })
  if (event === undefined) return null
  const { id, sequence } = event
  const parked = { follower: name, sequence, eventId: id, error: soundText(String(error), ERROR_CHARACTERS_MAX) }
  await insertParkedEvent(tx, orgId, parked)
  await moveFollowed(tx, orgId, { sequence, since: event.created_at })
  return { org_id: orgId, event_id: id, sequence }
}

/**
 * With few events left the counter is held, so that none is recorded meanwhile and the organization is level at the end;
 * recording would otherwise stay ahead for as long as it is busy.
 */
const LAST_EVENTS_MAX = 64

/** Numbers have no gaps: where one is missing, its event has an older id than expected, or is no longer kept. */
async function listBacklog(tx: Tx, orgId: OrgId, page: BacklogPage): Promise<NumberedEvent[]> {
  const events = await listNumberedAfter(tx, orgId, page)
  const isWhole = events.length > 0 && events.every(({ sequence }, index) => sequence === page.after + index + 1)
  return isWhole ? events : listNumberedAfter(tx, orgId, { ...page, since: new Date(0) })
}

async function followOrganization(tx: Tx, follower: Follower, orgId: OrgId, limit: number): Promise<number | null> {
  const backlog = await lockBacklog(tx, orgId)
  if (backlog === null) return 0
  const { position: after, last, since } = backlog
  if (last - after <= LAST_EVENTS_MAX) await lockCounter(tx, orgId)
  const events = await listBacklog(tx, orgId, { after, since, limit })
  const newest = events.at(-1)
  if (newest === undefined) {
    await endBacklog(tx, orgId, last)
    return 0
  }
  if ((await follower.handle(tx, orgId, events)) === false) return null
  await moveFollowed(tx, orgId, { sequence: newest.sequence, since: newest.created_at })
  return events.length
}

/**
 * Finds the event that a follower cannot handle. After a page has failed, the events of its organization are taken one by
 * one, so that the others pass. One that goes on failing for a while is to be parked: it would hold up all that come after
 * it. A database in trouble fails events of any kind, and counts for nothing.
 */
type PoisonWatch = {
  /** How many events to take at once. */
  pageOf(name: string, orgId: OrgId): number
  passed(name: string, orgId: OrgId, events: number): void
  /** Whether the next event is to be parked. */
  failed(name: string, orgId: OrgId, error: unknown): boolean
}

type PoisonLimits = { pageEvents: number; triesMax: number; failingMsMin: number }

type Failing = { tries: number; sinceMs: number; left: number }

export function createPoisonWatch(clock: Clock, { pageEvents, triesMax, failingMsMin }: PoisonLimits): PoisonWatch {
  const failing = new Map<string, Failing>()
  const keyOf = (name: string, orgId: OrgId) => `${name} ${orgId}`
  return {
    pageOf: (name, orgId) => (failing.has(keyOf(name, orgId)) ? 1 : pageEvents),
    passed(name, orgId, events) {
      const state = failing.get(keyOf(name, orgId))
      if (state === undefined) return
      state.left -= events
      state.tries = 0
      if (events === 0 || state.left <= 0) failing.delete(keyOf(name, orgId))
    },
    failed(name, orgId, error) {
      if (isDatabaseUnavailable(error)) return false
      const key = keyOf(name, orgId)
      const state = failing.get(key)
      if (state === undefined) {
        failing.set(key, { tries: 0, sinceMs: clock.now(), left: pageEvents })
        return false
      }
      if (state.tries === 0) state.sinceMs = clock.now()
      state.tries += 1
      return state.tries >= triesMax && clock.now() - state.sinceMs >= failingMsMin
    },
  }
}
