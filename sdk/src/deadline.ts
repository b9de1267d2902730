/** More than that a timer cannot hold, 24 days: it would end at once instead of late. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Ends with the reason of the signal as soon as that is aborted. */
export function pause(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, timerMs(ms))
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/**
 * Runs work that takes a signal, and lets go of it when the time is over or the caller aborts, whether or not the work
 * heeds its signal: not every `fetch` does while a body is read.
 */
export async function withDeadline<T>(
  { timeoutMs, signal, onTimeout }: { timeoutMs: number; signal: AbortSignal | undefined; onTimeout: () => Error },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  let letGo: () => void = () => {}
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      reject(reason)
      controller.abort(reason)
    }
    const onAbort = () => end(signal?.reason)
    const timer = setTimeout(() => end(onTimeout()), timerMs(timeoutMs))
    signal?.addEventListener('abort', onAbort, { once: true })
    letGo = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  })
  try {
    return await Promise.race([work(controller.signal), ended])
  } finally {
    letGo()
  }
}

const timerMs = (ms: number) => Math.min(ms, TIMER_MS_MAX)
