/**
 * Items that wait at the same time are worked on together, key by key:
 *
 *   waiting ── its key is at rest and a place is free ──▶ working, with all of its key that wait ──▶ answered
 *
 * A key is never worked on twice at once, and a lone item starts at once. A key that is held up, by a lock of somebody
 * else's, holds one of the places and nobody else's items; those of the other keys go on in the other places.
 */
export type GatheringOptions<Item, Result> = {
  keyOf: (item: Item) => string
  /** Answers in the order of the items. What it throws, all of them get. */
  work: (items: Item[]) => Promise<Result[]>
  itemsMax: number
  placesMax: number
}

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }

export function createGathering<Item, Result>(options: GatheringOptions<Item, Result>) {
  const { keyOf, work, itemsMax, placesMax } = options
  const waiting = new Map<string, Waiting<Item, Result>[]>()
  /** Keys at rest with items, the one that has been so for longest first. */
  const ready = new Set<string>()
  const working = new Set<string>()
  let isDue = false

  const answer = async (batch: Waiting<Item, Result>[]) => {
    try {
      const results = await work(batch.map(({ item }) => item))
      if (results.length !== batch.length) throw new Error(`${batch.length} items got ${results.length} answers`)
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const start = async (key: string) => {
    ready.delete(key)
    working.add(key)
    const items = waiting.get(key) ?? []
    await answer(items.splice(0, itemsMax))
    working.delete(key)
    if (items.length > 0) ready.add(key)
    else waiting.delete(key)
    startAll()
  }
  const startAll = () => {
    isDue = false
    for (const key of ready) {
      if (working.size >= placesMax) return
      void start(key)
    }
  }
  return {
    submit(item: Item): Promise<Result> {
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const key = keyOf(item)
      const items = waiting.get(key) ?? []
      waiting.set(key, items)
      items.push({ item, resolve, reject })
      if (!working.has(key)) ready.add(key)
      // At the end of the turn, so that what arrives in one turn goes together.
      if (!isDue) setImmediate(startAll)
      isDue = true
      return promise
    },
  }
}
