/**
 * Lets a few bundles at a time start to send. A claim starts hundreds of them in one moment. Sent side by side they would
 * all be over in one moment too, and what came of them would be written down only then, with nothing left to send
 * meanwhile. In turns, one is written down while the next is sent.
 *
 * A turn is a head start, not a slot: it ends with its bundle, or after a while by itself, and its bundle then goes on
 * beside the others. So a receiver that is slow or hangs holds up nobody for longer than that.
 */
export type BundleTurns = {
  /** Answers with how to end it; ending it twice is harmless. */
  take(): Promise<() => void>
}

/** As many as keep a process busy with fast receivers. */
const TURNS_AT_ONCE = 16
/** In which a fast receiver has taken a bundle, on a busy machine too. */
const TURN_MS = 25

export function createBundleTurns(): BundleTurns {
  const waiting: (() => void)[] = []
  let taken = 0
  const begin = (): (() => void) => {
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      const next = waiting.shift()
      // Handed on, it stays taken: nobody slips in between.
      if (next === undefined) taken -= 1
      else next()
    }
    const timer = setTimeout(end, TURN_MS)
    return end
  }
  return {
    async take() {
      if (taken < TURNS_AT_ONCE) taken += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return begin()
    },
  }
}
