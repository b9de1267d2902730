/**
 * First in, first out, bounded in number and in bytes. When it is full the oldest give way: after an outage the newest
 * calls are the ones somebody will look for.
 */
export type BoundedQueue<Item> = {
  readonly size: number
  readonly bytes: number
  /** Answers how many old ones were dropped to make room; the new one itself is among them if it can never fit. */
  push(item: Item, bytes: number): number
  /** The oldest, until either limit is reached; at least one if there is any. */
  take(itemsMax: number, bytesMax: number): Item[]
}

const COMPACT_FROM = 4096

export function createBoundedQueue<Item>(limits: { itemsMax: number; bytesMax: number }): BoundedQueue<Item> {
  let items: (Item | undefined)[] = []
  let sizes: number[] = []
  let head = 0
  let bytes = 0

  const shift = (): Item => {
    const item = items[head] as Item
    bytes -= sizes[head] as number
    items[head] = undefined
    head += 1
    if (head >= COMPACT_FROM && head * 2 >= items.length) {
      items = items.slice(head)
      sizes = sizes.slice(head)
      head = 0
    }
    return item
  }

  return {
    get size() {
      return items.length - head
    },
    get bytes() {
      return bytes
    },
    push(item, itemBytes) {
      items.push(item)
      sizes.push(itemBytes)
      bytes += itemBytes
      let dropped = 0
      while (items.length - head > limits.itemsMax || bytes > limits.bytesMax) {
        shift()
        dropped += 1
      }
      return dropped
    },
    take(itemsMax, bytesMax) {
      const taken: Item[] = []
      const bytesBefore = bytes
      while (items.length > head && taken.length < itemsMax) {
        const next = bytesBefore - bytes + (sizes[head] as number)
        if (taken.length > 0 && next > bytesMax) break
        taken.push(shift())
      }
      return taken
    },
  }
}
