import { isTracing } from '../telemetry/spans.ts'
import { serverBusy } from './group-commit.errors.ts'
import {
  type BatchCounts,
  type Entry,
  type Outcome,
  traceBatch,
  traceItem,
  type WriteItems,
  writeBatch,
} from './group-commit-batch.ts'

/**
 * Group commit: concurrent callers hand in one item each; items that are there at the same time are written together,
 * and every caller gets the outcome of its item once the write that held it is durable. The cost of a commit is
 * shared by as many as happen to wait for it, and the busier the server, the more those are.
 *
 * An item is waiting → writing → settled. A batch leaves when
 *   nothing is being written    at once, with whatever arrived in the same turn of the event loop: no timer is involved,
 *                               a lone request is as fast as without this engine;
 *   something is being written  as soon as the batch is full or its first item has waited waitMsMax. Meanwhile it grows. A
 *                               batch much smaller than what is being written has more patience: its callers are back
 *                               soon after it, so it would leave again and again, and a commit for two costs nearly as
 *                               much as one for sixty.
 *
 * Order: the items of one key form a lane. A lane is idle → ready → writing → ready or idle, and all its items wait while
 * some of them are written, so a key is never in two batches at once and never overtakes itself. Between keys there is
 * no order; lanes take turns, so a key with a thousand items does not keep the others out.
 *
 * group-commit-batch.ts describes what happens when a write fails.
 */
export type GroupCommitOptions<Item, Result> = {
  name: string
  /**
   * Stores the whole batch durably, in one statement or one transaction, and answers one outcome per item, in order.
   * Refusals that are expected belong in the outcomes; throwing is for surprises and costs a search for the culprit.
   * It must have a time limit (statement_timeout): while it runs, it holds one of the places in flight.
   */
  write: WriteItems<Item, Result>
  /**
   * Items of one batch are of one group: the organization. Its rows live on one shard, and a batch over several would be a
   * transaction over several nodes. Groups take turns.
   */
  groupOf?: (item: Item) => string
  /** Items of a group with the same key are written in the order they came. */
  keyOf?: (item: Item) => string
  /**
   * Storing the same items twice is the same as once, and the outcomes are the same too: ids are created before `submit`,
   * inserts say `on conflict do nothing`, and outcomes do not depend on which rows `returning` returns. Only then is
   * a batch written again after the connection broke and it is unknown whether it was committed.
   */
  repeatable?: boolean
  batchItemsMax?: number
  waitMsMax?: number
  /** Of one group; those of all groups share BATCHES_AT_ONCE. */
  batchesInFlightMax?: number
  /** Items waiting beyond this are refused with `server_busy`. */
  queueItemsMax?: number
}

export type GroupCommitStats = BatchCounts & {
  name: string
  itemsWaiting: number
  itemsRefused: number
  batchesInFlight: number
  batchesStarted: number
}

export type GroupCommit<Item, Result> = {
  submit(item: Item): Promise<Result>
  /** Refuses new items, writes everything that waits, and resolves when the last item is settled. */
  drain(): Promise<void>
  stats(): GroupCommitStats
}

export type { Outcome }

/**
 * Measured with 64 connections over HTTP. On a fast disk neither the places in flight nor the wait made a difference. With
 * commits of 4 ms, rows per second were 5,400 with one place; 7,700 with two and no wait, in small batches; 9,300 with two
 * and 1 ms; 6,200 with two and 5 ms. More than two places gained nothing.
 */
const defaults = {
  repeatable: false,
  batchItemsMax: 500,
  waitMsMax: 1,
  batchesInFlightMax: 2,
  queueItemsMax: 10_000,
}

/** Smaller than this part of what is in flight, a batch waits this many times as long. */
const SMALL_BATCH_PARTS = 2
const SMALL_BATCH_PATIENCE = 10

/** Batches of all groups that are written at the same time. Each holds a connection meanwhile. */
const BATCHES_AT_ONCE = 4

export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  const engine = new Engine(options)
  return {
    submit: (item) => engine.submit(item),
    drain: () => engine.drain(),
    stats: () => engine.stats(),
  }
}

type Options<Item, Result> = GroupCommitOptions<Item, Result> & typeof defaults

/** What the groups of an engine share: what is counted, what is limited over all of them, and the end. */
class Engine<Item, Result> {
  readonly options: Options<Item, Result>
  readonly counts = { itemsWritten: 0, itemsFailed: 0, batchesRepeated: 0, batchesSplit: 0 }
  itemsWaiting = 0
  batchesInFlight = 0
  batchesStarted = 0
  #itemsRefused = 0
  /** Groups with items or batches; an idle one is forgotten. */
  readonly #groups = new Map<string, Group<Item, Result>>()
  /** Groups that wait for others to end a batch, in the order they came. */
  readonly #held = new Set<Group<Item, Result>>()
  #drained: PromiseWithResolvers<void> | null = null

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.options = { ...defaults, ...options }
  }

  submit(item: Item): Promise<Result> {
    if (this.#drained !== null || this.itemsWaiting >= this.options.queueItemsMax) {
      this.#itemsRefused += 1
      return Promise.reject(this.#refusal())
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    if (isTracing()) traceItem(this.options.name, item, promise)
    this.#groupOf(item).enqueue({ item, resolve, reject })
    return promise
  }

  drain(): Promise<void> {
    if (this.#drained === null) {
      this.#drained = Promise.withResolvers<void>()
      for (const group of this.#groups.values()) group.schedule()
      this.#settleDrain()
    }
    return this.#drained.promise
  }

  get isDraining(): boolean {
    return this.#drained !== null
  }

  stats(): GroupCommitStats {
    const { itemsWaiting, batchesInFlight, batchesStarted } = this
    const counted = { itemsWaiting, itemsRefused: this.#itemsRefused, batchesInFlight, batchesStarted }
    return { name: this.options.name, ...this.counts, ...counted }
  }

  /** Whether a batch of the group may start; if not, the group is called when another one has ended. */
  admits(group: Group<Item, Result>): boolean {
    const isFree = this.batchesInFlight < Math.max(BATCHES_AT_ONCE, this.options.batchesInFlightMax)
    if (!isFree) this.#held.add(group)
    return isFree
  }

  ended(group: Group<Item, Result>): void {
    if (group.isIdle) this.#groups.delete(group.name)
    const held = [...this.#held]
    this.#held.clear()
    for (const one of held) one.schedule()
    this.#settleDrain()
  }

  #groupOf(item: Item): Group<Item, Result> {
    const name = this.options.groupOf?.(item) ?? ''
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const group = new Group(this, name)
    this.#groups.set(name, group)
    return group
  }

  #refusal() {
    const { name, queueItemsMax } = this.options
    const reason = this.#drained ? 'is shutting down' : `has ${queueItemsMax} items waiting`
    return serverBusy({ headers: { 'Retry-After': '1' }, detail: `group commit ${name} ${reason}` })
  }

  #settleDrain(): void {
    if (this.itemsWaiting === 0 && this.batchesInFlight === 0) this.#drained?.resolve()
  }
}

type Lane<Item, Result> = { key: string | null; entries: Entry<Item, Result>[]; isWriting: boolean }

class Group<Item, Result> {
  readonly name: string
  readonly #engine: Engine<Item, Result>
  readonly #options: Options<Item, Result>
  readonly #lanes = new Map<string, Lane<Item, Result>>()
  /** Lanes that have items and are not being written, longest ready first. */
  readonly #ready = new Set<Lane<Item, Result>>()
  #itemsWaiting = 0
  #itemsReady = 0
  /** When the first item became ready: never later than the oldest of them. */
  #readySinceMs = 0
  #itemsInFlight = 0
  #batchesInFlight = 0
  #turnEnd: ReturnType<typeof setImmediate> | null = null
  #waitTimer: ReturnType<typeof setTimeout> | null = null
  #timerEndsAtMs = 0

  constructor(engine: Engine<Item, Result>, name: string) {
    this.name = name
    this.#engine = engine
    this.#options = engine.options
  }

  get isIdle(): boolean {
    return this.#itemsWaiting === 0 && this.#batchesInFlight === 0
  }

  enqueue(entry: Entry<Item, Result>): void {
    const lane = this.#laneOf(entry.item)
    lane.entries.push(entry)
    this.#itemsWaiting += 1
    this.#engine.itemsWaiting += 1
    if (!lane.isWriting) this.#makeReady(lane, 1)
    this.schedule()
  }

  #makeReady(lane: Lane<Item, Result>, itemsMore: number): void {
    if (this.#itemsReady === 0) this.#readySinceMs = performance.now()
    this.#ready.add(lane)
    this.#itemsReady += itemsMore
  }

  /** Without keys every item is a separate lane. */
  #laneOf(item: Item): Lane<Item, Result> {
    const key = this.#options.keyOf?.(item) ?? null
    const known = key === null ? undefined : this.#lanes.get(key)
    if (known !== undefined) return known
    const lane: Lane<Item, Result> = { key, entries: [], isWriting: false }
    if (key !== null) this.#lanes.set(key, lane)
    return lane
  }

  schedule(): void {
    if (this.#turnEnd !== null || this.#itemsReady === 0) return
    if (this.#batchesInFlight >= this.#options.batchesInFlightMax || !this.#engine.admits(this)) return
    if (this.#isDue()) {
      this.#turnEnd = setImmediate(() => {
        this.#turnEnd = null
        this.#startBatches()
      })
    } else {
      this.#waitUntil(this.#waitEndsAtMs())
    }
  }

  #isDue(): boolean {
    if (this.#batchesInFlight === 0 || this.#engine.isDraining) return true
    return this.#itemsReady >= this.#options.batchItemsMax || this.#waitEndsAtMs() <= performance.now()
  }

  #waitEndsAtMs(): number {
    const isSmall = this.#itemsReady * SMALL_BATCH_PARTS < this.#itemsInFlight
    return this.#readySinceMs + this.#options.waitMsMax * (isSmall ? SMALL_BATCH_PATIENCE : 1)
  }

  /** The end may come nearer, when more items join or those in flight become fewer. */
  #waitUntil(endsAtMs: number): void {
    if (this.#waitTimer !== null && this.#timerEndsAtMs <= endsAtMs) return
    this.#stopWaiting()
    this.#timerEndsAtMs = endsAtMs
    this.#waitTimer = setTimeout(() => this.#startAfterWait(), Math.max(0, endsAtMs - performance.now()))
  }

  #startBatches(): void {
    const { batchesInFlightMax } = this.#options
    while (
      this.#itemsReady > 0 &&
      this.#batchesInFlight < batchesInFlightMax &&
      this.#isDue() &&
      this.#engine.admits(this)
    )
      this.#startBatch()
    this.schedule()
  }

  /** The timer is cleared whenever a batch starts, so when it rings there is a batch's worth of waiting and a place of the group. */
  #startAfterWait(): void {
    this.#waitTimer = null
    if (this.#engine.admits(this)) this.#startBatch()
    this.schedule()
  }

  #startBatch(): void {
    this.#stopWaiting()
    const { entries, lanes } = this.#takeBatch()
    this.#batchesInFlight += 1
    this.#engine.batchesInFlight += 1
    this.#itemsInFlight += entries.length
    this.#engine.batchesStarted += 1
    void this.#write(entries).then(() => {
      this.#itemsInFlight -= entries.length
      this.#finishBatch(lanes)
    })
  }

  #write(entries: Entry<Item, Result>[]): Promise<void> {
    const write = () => writeBatch({ ...this.#options, counts: this.#engine.counts }, entries)
    if (!isTracing()) return write()
    const items = entries.map(({ item }) => item)
    return traceBatch(this.#options.name, items, write)
  }

  #stopWaiting(): void {
    if (this.#waitTimer !== null) clearTimeout(this.#waitTimer)
    this.#waitTimer = null
  }

  #takeBatch() {
    const entries: Entry<Item, Result>[] = []
    const lanes: Lane<Item, Result>[] = []
    for (const lane of this.#ready) {
      const room = this.#options.batchItemsMax - entries.length
      if (room === 0) break
      this.#ready.delete(lane)
      this.#itemsReady -= lane.entries.length
      lane.isWriting = true
      lanes.push(lane)
      entries.push(...lane.entries.splice(0, room))
    }
    this.#itemsWaiting -= entries.length
    this.#engine.itemsWaiting -= entries.length
    return { entries, lanes }
  }

  #finishBatch(lanes: Lane<Item, Result>[]): void {
    this.#batchesInFlight -= 1
    this.#engine.batchesInFlight -= 1
    for (const lane of lanes) {
      lane.isWriting = false
      if (lane.entries.length > 0) this.#makeReady(lane, lane.entries.length)
      else if (lane.key !== null) this.#lanes.delete(lane.key)
    }
    this.schedule()
    this.#engine.ended(this)
  }
}
