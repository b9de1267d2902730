/**
 * Lanes that a claim found locked, to be claimed from again: soon, because a claim or an acknowledgement holds a lane for
 * milliseconds, and ever later while something else holds it.
 */
const WAIT_MS_MIN = 3
const WAIT_MS_MAX = 250

export class LockedLanes {
  readonly #waits = new Map<string, { waitMs: number; isWaiting: boolean }>()
  readonly #retry: (laneId: string) => void

  constructor(retry: (laneId: string) => void) {
    this.#retry = retry
  }

  /** Of the lanes a claim was to look at, those it found locked. */
  note(laneIds: readonly string[], lockedIds: readonly string[]): void {
    if (this.#waits.size > 0) for (const laneId of laneIds) if (!lockedIds.includes(laneId)) this.#waits.delete(laneId)
    for (const laneId of lockedIds) this.#wait(laneId)
  }

  #wait(laneId: string): void {
    const known = this.#waits.get(laneId)
    if (known?.isWaiting) return
    const wait = { waitMs: known ? Math.min(2 * known.waitMs, WAIT_MS_MAX) : WAIT_MS_MIN, isWaiting: true }
    this.#waits.set(laneId, wait)
    setTimeout(() => {
      wait.isWaiting = false
      this.#retry(laneId)
    }, wait.waitMs)
  }
}
