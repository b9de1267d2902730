/** Whether something grows, from samples of a machine that does other things too. */
export type Sample = {
  minute: number
  pid: number
  requestsPerSecond: number
  serverMegabytes: number
  serverFiles: number
  postgresMegabytes: number
  /** Of tables whose rows are deleted when their work is done. */
  workMegabytes: number
  /** Percent of all rows. */
  deadShare: number
  waiting: number
  lagSeconds: number
}

export type Trend = { name: string; unit: string; from: number; growth: number; growthMax: number }

type Rule = { name: string; unit: string; field: keyof Sample; share: number; floor: number }

/** Growth from the end of the warm-up to the end of the run that is noise: a share of the median, and at least the floor. */
const RULES: readonly Rule[] = [
  { name: 'memory of the server', unit: 'MB', field: 'serverMegabytes', share: 0.1, floor: 20 },
  { name: 'open files of the server', unit: '', field: 'serverFiles', share: 0.1, floor: 5 },
  { name: 'memory of PostgreSQL', unit: 'MB', field: 'postgresMegabytes', share: 0.15, floor: 30 },
  { name: 'tables of pending work', unit: 'MB', field: 'workMegabytes', share: 0.2, floor: 2 },
  { name: 'dead rows', unit: '%', field: 'deadShare', share: 0, floor: 5 },
  { name: 'waiting entries', unit: '', field: 'waiting', share: 0, floor: 50 },
  { name: 'lag', unit: 's', field: 'lagSeconds', share: 0, floor: 2 },
]

const WARM_UP_SHARE = 0.25
/** A slope of fewer minutes than these is that of the warm-up. */
export const TREND_MINUTES_MIN = 20

/** Empty when the run was too short for a verdict. */
export function judgeTrends(samples: readonly Sample[]): Trend[] {
  const lastMinute = samples.at(-1)?.minute ?? 0
  if (lastMinute < TREND_MINUTES_MIN) return []
  const warm = samples.filter(({ minute }) => minute >= lastMinute * WARM_UP_SHARE)
  const minutes = lastMinute - (warm[0]?.minute ?? 0)
  return RULES.map(({ name, unit, field, share, floor }) => {
    const values = warm.map((sample) => sample[field])
    const slope = slopeOf(
      warm.map(({ minute }) => minute),
      values,
    )
    const from = median(values)
    return { name, unit, from, growth: slope * minutes, growthMax: Math.max(share * from, floor) }
  })
}

export const isFlat = ({ growth, growthMax }: Trend): boolean => growth <= growthMax

/** By Theil and Sen: the median of the slopes between all pairs, which single outliers do not move. */
function slopeOf(at: readonly number[], values: readonly number[]): number {
  const slopes = at.flatMap((start, one) =>
    at.slice(one + 1).map((end, offset) => {
      const other = one + 1 + offset
      return ((values[other] as number) - (values[one] as number)) / (end - start)
    }),
  )
  return slopes.length === 0 ? 0 : median(slopes)
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
