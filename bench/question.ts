/** A question of the bench: what it asks, and how it finds out. All figures are ratios or limits within one run. */
export type Question = {
  name: string
  asks: string
  /** How long it may take; the whole bench is bounded to two minutes. */
  secondsMax: number
  /** It can also be asked of a database that is three months old: see aged.ts. */
  hasAgedForm?: true
  run(bench: Bench): Promise<Finding[]>
}

export type Bar = { atLeast: number } | { atMost: number }

export type Finding = {
  measure: string
  value: number
  unit: 'ratio' | 'MB' | 's' | 'ms' | 'per second' | 'statements' | '% of a core'
  /** Null where the value only helps to read another. */
  bar: Bar | null
  /** What the value was computed from. */
  figures: Record<string, unknown>
  /** The value was reached by not doing the work, so it meets no bar. */
  isInvalid?: boolean
  /** What the reader must know to read the value right. */
  note?: string
}

export type Bench = {
  /** Empty at the beginning of the question and removed after it. */
  folder: string
  /** How much longer than the disk a flush is to take. */
  flushMs: number
  /** How long a question that watches over time is to watch. */
  minutes: number
  /** On a database that is three months old, over a network. */
  isAged: boolean
  say(sentence: string): void
  /** Run at the end of the question in reverse order, also when it fails or runs out of time. */
  defer(undo: () => Promise<unknown> | unknown): void
}

export const isMet = ({ value, bar, isInvalid }: Finding): boolean =>
  !isInvalid && (bar === null || ('atLeast' in bar ? value >= bar.atLeast : value <= bar.atMost))

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

/**
 * Runs both in turn, the second right after the first, so that a machine that slows down or speeds up meanwhile does it to
 * both. The order changes every round: whatever one leaves behind (a checkpoint, a warm cache) falls on either.
 */
export async function alternate<One, Other>(rounds: number, one: () => Promise<One>, other: () => Promise<Other>) {
  const results: { ones: One[]; others: Other[] } = { ones: [], others: [] }
  for (let turn = 0; turn < rounds; turn++) {
    if (turn % 2 === 0) results.ones.push(await one())
    results.others.push(await other())
    if (turn % 2 === 1) results.ones.push(await one())
  }
  return results
}

/**
 * The middle one of the ratios of rounds that ran side by side. Medians of either side would be compared across the run, and
 * a machine that was fast for the rounds of one side would decide.
 */
export const compareNeighbours = (ones: readonly number[], others: readonly number[]): number =>
  round(median(ones.map((one, turn) => one / (others[turn] as number))))
