/**
 * Items that wait at the same time are worked on together, key by key:
 *
 *   waiting ── its key is idle and fewer than `batchesMax` run ──▶ working, with what waits of its key ──▶ answered
 *
 * A key is in one batch at a time, so its items keep their order. A lone item starts at the end of its turn of the event
 * loop. A key that is held up, by a lock that is held elsewhere, keeps its own items and one of `batchesMax` waiting; the
 * items of other keys go on.
 *
 * For reads and for repeatable work. Items that need separate outcomes when the write of the batch fails use the group commit
 * (platform/database/group-commit.ts).
 */
export type BatchesOptions<Item, Result> = {
  /** One result for each item, in order. What it throws, all items of the batch get. */
  work: (items: Item[]) => Promise<readonly Result[]>
  /** Without it all items have the same key. */
  keyOf?: (item: Item) => string
  itemsMax?: number
  batchesMax?: number
}

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }

const ONLY_KEY = ''

export class Batches<Item, Result> {
  readonly #options: Required<BatchesOptions<Item, Result>>
  readonly #waiting = new Map<string, Waiting<Item, Result>[]>()
  /** Idle keys with items; the one that has been ready for longest comes first. */
  readonly #ready = new Set<string>()
  readonly #working = new Set<string>()
  #isDue = false

  constructor(options: BatchesOptions<Item, Result>) {
    const unlimited = Number.POSITIVE_INFINITY
    this.#options = { keyOf: () => ONLY_KEY, itemsMax: unlimited, batchesMax: unlimited, ...options }
  }

  submit(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const key = this.#options.keyOf(item)
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) this.#waiting.set(key, [{ item, resolve, reject }])
    else waiting.push({ item, resolve, reject })
    if (!this.#working.has(key)) this.#ready.add(key)
    // At the end of the turn, so that what arrives in one turn goes together.
    if (!this.#isDue) setImmediate(() => this.#startAll())
    this.#isDue = true
    return promise
  }

  #startAll(): void {
    this.#isDue = false
    for (const key of this.#ready) {
      if (this.#working.size >= this.#options.batchesMax) return
      void this.#start(key)
    }
  }

  async #start(key: string): Promise<void> {
    this.#ready.delete(key)
    this.#working.add(key)
    const waiting = this.#waiting.get(key) ?? []
    await this.#answer(waiting.splice(0, this.#options.itemsMax))
    this.#working.delete(key)
    if (waiting.length > 0) this.#ready.add(key)
    else this.#waiting.delete(key)
    this.#startAll()
  }

  async #answer(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.work(batch.map(({ item }) => item))
      if (results.length !== batch.length) throw new Error(`${batch.length} items got ${results.length} answers`)
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
