/** Chance that repeats itself: the same seed, the same story. */
export type Random = {
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
  isLucky(share: number): boolean
  shuffle<Item>(items: readonly Item[]): Item[]
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    isLucky: (share) => next() < share,
    shuffle(items) {
      const shuffled = [...items]
      for (let index = shuffled.length - 1; index > 0; index--) {
        const other = below(index + 1)
        ;[shuffled[index], shuffled[other]] = [shuffled[other] as never, shuffled[index] as never]
      }
      return shuffled
    },
  }
}
