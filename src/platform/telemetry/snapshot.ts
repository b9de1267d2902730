/**
 * A look at something that takes time to look at, shared by all who ask at about the same time.
 *
 *   fresh     looked at less than `maxAgeMs` ago: the same answer again
 *   looking   one look is under way; whoever asks waits for it, for `timeoutMs` at most
 *   unknown   it did not come in time, or failed: null, and the next to ask looks again
 *
 * A look that takes too long is left to end by itself, and no other is begun beside it: a database in trouble is not asked
 * more often for being slow.
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
