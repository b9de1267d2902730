import { faults } from './attempt-fault.ts'

/**
 * One timer over everything an attempt does, from resolving the name to the last byte of the body. A timer per phase,
 * or one that starts again with every byte, would let a receiver hold a slot for as long as it likes. The phase under
 * way says how it is cut off; what it held is free before the attempt ends.
 */
export type Phase<Value> = (resolve: (value: Value) => void, reject: (reason: unknown) => void) => () => void

export class Deadline {
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #signal: AbortSignal | undefined
  #endedBy: unknown = null
  #cutPhase: (() => void) | null = null
  #rejectPhase: ((reason: unknown) => void) | null = null

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timer = setTimeout(() => this.#end(faults.totalTimeout()), timeoutMs)
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort)
  }

  readonly #abort = () => this.#end(this.#signal?.reason)

  #end(reason: unknown): void {
    this.#endedBy = reason
    // In this order: a phase that is cut off would otherwise give a reason of its own.
    this.#rejectPhase?.(reason)
    this.#cutPhase?.()
  }

  /** Runs one phase. It starts what it needs and returns how to free that again; nothing starts after the end. */
  run<Value>(phase: Phase<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.#signal?.aborted) this.#endedBy = this.#signal.reason
      if (this.#endedBy !== null) return reject(this.#endedBy)
      this.#rejectPhase = reject
      this.#cutPhase = phase(resolve, reject)
    })
  }

  /** The attempt is over; its connection may be somebody else's from here on. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#abort)
  }
}
