import { faults } from './outbound-fault.ts'

/**
 * One deadline over everything an attempt does, from resolving the name to the last byte of the body. A timer per phase,
 * or one that starts again with every byte, would let a receiver hold a slot for as long as it likes. The phase under
 * way says how it is cut off; what it held is free before the attempt ends.
 *
 * All deadlines of a client share one timer, set for the first of them that may run out: nearly every attempt is over long
 * before, and a timer set and cleared for each costs more than looking through those under way now and then. In the same
 * way each signal is listened to once, for all the attempts that stand under it one after the other.
 */
export type Phase<Value> = (resolve: (value: Value) => void, reject: (reason: unknown) => void) => () => void

/** Something that ends with a reason and then rejects those that wait for it. */
type Endable = { close(reason: unknown): void }

export type Deadlines = {
  start(timeoutMs: number, signal: AbortSignal | undefined): Deadline
}

export function createDeadlines(): Deadlines {
  const running = new Set<Deadline>()
  const underSignal = new WeakMap<AbortSignal, Set<Deadline>>()
  let timer: ReturnType<typeof setTimeout> | null = null
  let timerDueMs = Number.POSITIVE_INFINITY

  const arm = (dueMs: number) => {
    if (timer !== null) clearTimeout(timer)
    timerDueMs = dueMs
    timer = setTimeout(endOverdue, Math.max(1, Math.ceil(dueMs - performance.now())))
    // It outlives the attempt it was set for; what an attempt waits for keeps the process alive.
    timer.unref()
  }
  const endOverdue = () => {
    timer = null
    timerDueMs = Number.POSITIVE_INFINITY
    const nowMs = performance.now()
    let nextMs = Number.POSITIVE_INFINITY
    for (const deadline of running) {
      if (deadline.dueMs <= nowMs) deadline.end(faults.totalTimeout())
      else nextMs = Math.min(nextMs, deadline.dueMs)
    }
    if (nextMs < timerDueMs) arm(nextMs)
  }
  const listenTo = (signal: AbortSignal): Set<Deadline> => {
    const known = underSignal.get(signal)
    if (known !== undefined) return known
    const standing = new Set<Deadline>()
    underSignal.set(signal, standing)
    signal.addEventListener('abort', () => {
      for (const deadline of standing) deadline.end(signal.reason)
    })
    return standing
  }
  return {
    start(timeoutMs, signal) {
      const deadline = new Deadline(performance.now() + timeoutMs, running, signal && listenTo(signal))
      if (signal?.aborted) deadline.end(signal.reason)
      if (deadline.dueMs < timerDueMs) arm(deadline.dueMs)
      return deadline
    },
  }
}

export class Deadline {
  readonly dueMs: number
  readonly #running: Set<Deadline>
  readonly #standing: Set<Deadline> | undefined
  #isOver = false
  #endedBy: unknown = null
  #endable: Endable | null = null

  constructor(dueMs: number, running: Set<Deadline>, standing: Set<Deadline> | undefined) {
    this.dueMs = dueMs
    this.#running = running
    this.#standing = standing
    running.add(this)
    standing?.add(this)
  }

  end(reason: unknown): void {
    if (this.#isOver) return
    this.clear()
    this.#endedBy = reason
    this.#endable?.close(reason)
  }

  /** What is under way now: closed when the time is up, at once when it is up already. False then: nothing may start. */
  guard(endable: Endable): boolean {
    this.#endable = endable
    if (this.#isOver) endable.close(this.#endedBy)
    return !this.#isOver
  }

  /** Runs one phase. It starts what it needs and returns how to free that again. */
  run<Value>(phase: Phase<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      let free: (() => void) | null = null
      const close = (reason: unknown) => {
        // In this order: a phase that is cut off would otherwise give another reason.
        reject(reason)
        free?.()
      }
      if (this.guard({ close })) free = phase(resolve, reject)
    })
  }

  /** The attempt is over; its connection may serve another attempt from here on. */
  clear(): void {
    this.#running.delete(this)
    this.#standing?.delete(this)
    this.#isOver = true
  }
}
