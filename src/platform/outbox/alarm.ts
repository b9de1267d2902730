/** A wait that can be ended early. A ring without a waiter is kept for the next one, so none is lost between two looks. */
export class Alarm {
  #isRung = false
  #awaken: (() => void) | null = null

  ring(): void {
    this.#isRung = true
    this.#awaken?.()
  }

  /** True when it was rung, false when the time ran out. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#isRung) await this.#sleep(timeoutMs)
    const wasRung = this.#isRung
    this.#isRung = false
    return wasRung
  }

  async #sleep(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, Math.max(0, timeoutMs))
    this.#awaken = resolve
    await promise
    clearTimeout(timer)
    this.#awaken = null
  }
}
