/**
 * A value that takes time to read, shared by all callers that ask at about the same time.
 *
 *   fresh     read less than `maxAgeMs` ago: the same value again
 *   looking   one read is under way; callers wait for it, for `timeoutMs` at most
 *   unknown   the read did not finish in time, or failed: null, and the next caller reads again
 *
 * A read that takes too long goes on, and no second one starts beside it: a slow database is not asked more often.
 */
export type SnapshotOptions<Value> = { read: () => Promise<Value>; maxAgeMs?: number; timeoutMs?: number }

export function createSnapshot<Value>({
  read,
  maxAgeMs = 1_000,
  timeoutMs = 500,
}: SnapshotOptions<Value>): () => Promise<Value | null> {
  let seen: { value: Value; atMs: number } | null = null
  let looking: Promise<Value | null> | null = null

  const look = async (): Promise<Value | null> => {
    try {
      const value = await read()
      seen = { value, atMs: performance.now() }
      return value
    } catch {
      return null
    } finally {
      looking = null
    }
  }

  return async () => {
    if (seen !== null && performance.now() - seen.atMs < maxAgeMs) return seen.value
    looking ??= look()
    return withinTime(looking, timeoutMs)
  }
}

async function withinTime<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs)
  })
  const answer = await Promise.race([work, late])
  clearTimeout(timer)
  return answer
}
