/** Removes the entry that has been in the map for longest. */
export function dropOldest<Key>(map: Map<Key, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}

/**
 * A bounded map for caches. When it is full, what was used longest ago is dropped, so that keys in use stay however many
 * others are asked for once. Optionally everything is dropped that was not used for a time.
 */
export class RecentMap<Key, Value> {
  readonly #sizeMax: number
  readonly #unusedMsMax: number
  /** In the order of their last use. */
  readonly #entries = new Map<Key, { value: Value; usedMs: number }>()

  constructor({ sizeMax, unusedMsMax = Number.POSITIVE_INFINITY }: { sizeMax: number; unusedMsMax?: number }) {
    this.#sizeMax = sizeMax
    this.#unusedMsMax = unusedMsMax
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    this.#dropUnused()
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    entry.usedMs = this.#now()
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: Key, value: Value): void {
    this.#dropUnused()
    this.#entries.delete(key)
    if (this.#entries.size >= this.#sizeMax) dropOldest(this.#entries)
    this.#entries.set(key, { value, usedMs: this.#now() })
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#entries) if (matches(value)) this.#entries.delete(key)
  }

  /** Asked only where it counts: a look is all that most caches do. */
  #now(): number {
    return this.#unusedMsMax === Number.POSITIVE_INFINITY ? 0 : performance.now()
  }

  #dropUnused(): void {
    if (this.#unusedMsMax === Number.POSITIVE_INFINITY) return
    const usedSinceMs = performance.now() - this.#unusedMsMax
    for (const [key, { usedMs }] of this.#entries) {
      if (usedMs >= usedSinceMs) return
      this.#entries.delete(key)
    }
  }
}
