import { endpointDefaults, retryDelaySecondsMax, retryDelaysMax } from '../api/generated.ts'
import type { Endpoint, NewEndpoint } from '../api/webhooks.ts'
import type { Language } from '../text/text.tsx'

/** How long to wait after each failed attempt, as people write it ("5 s, 30 s, 2 min, 1 h") and as the API takes it. */
export type EventWaits = { key: number; filter: string | null; waits: string }
export type RetryDraft = {
  /** Not the standard schedule. */
  isOwn: boolean
  waits: string
  byEvent: EventWaits[]
}
export type Retries = Pick<NewEndpoint, 'retry_delays_seconds' | 'retry_delays_by_event'>

/** The schedule of the server; who leaves it alone gets the next one too. */
export const STANDARD_WAITS: readonly number[] = endpointDefaults.retry_delays_seconds

const DAY = 86_400
const HOUR = 3600
const MINUTE = 60

/** Either language is understood in both. */
const UNIT_SECONDS: Record<string, number> = {
  '': 1,
  s: 1,
  sec: 1,
  dtk: 1,
  detik: 1,
  m: MINUTE,
  min: MINUTE,
  mnt: MINUTE,
  menit: MINUTE,
  h: HOUR,
  j: HOUR,
  jam: HOUR,
  d: DAY,
  hr: DAY,
  hari: DAY,
}

const unitsOf = (language: Language): [string, number][] =>
  language === 'id'
    ? [
        ['jam', HOUR],
        ['mnt', MINUTE],
        ['dtk', 1],
      ]
    : [
        ['h', HOUR],
        ['min', MINUTE],
        ['s', 1],
      ]

function waitText(seconds: number, language: Language): string {
  const [unit, size] = unitsOf(language).find(([, one]) => seconds % one === 0) as [string, number]
  return `${seconds / size} ${unit}`
}

export const waitsText = (seconds: readonly number[], language: Language): string =>
  seconds.map((one) => waitText(one, language)).join(', ')

/** All of it together, in its two largest units. */
export function spanText(seconds: readonly number[], language: Language): string {
  const units: [string, number][] = [[language === 'id' ? 'hari' : 'd', DAY], ...unitsOf(language)]
  const sum = seconds.reduce((total, one) => total + one, 0)
  const first = units.findIndex(([, size]) => sum >= size)
  if (first === -1) return ''
  let left = sum
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? '' : `${count} ${unit}`
  })
  return parts.filter(Boolean).join(' ')
}

export type WaitsProblem = { code: 'unreadable' | 'range' | 'many'; piece: string }

/** Nothing at all is a schedule too: a single attempt. */
export function readWaits(text: string): number[] | WaitsProblem {
  const seconds: number[] = []
  for (const piece of text.split(/[,;\n]/).map((part) => part.trim())) {
    if (piece === '') continue
    const [, count, unit = ''] = /^(\d{1,9})\s*([a-z]*)\.?$/i.exec(piece) ?? []
    const size = UNIT_SECONDS[unit.toLowerCase()]
    if (count === undefined || size === undefined) return { code: 'unreadable', piece }
    const wait = Number(count) * size
    if (wait < 1 || wait > retryDelaySecondsMax) return { code: 'range', piece }
    seconds.push(wait)
  }
  return seconds.length > retryDelaysMax ? { code: 'many', piece: String(seconds.length) } : seconds
}

export const isProblem = (read: number[] | WaitsProblem): read is WaitsProblem => !Array.isArray(read)

const isStandard = (seconds: readonly number[]) => seconds.join() === STANDARD_WAITS.join()

export function draftOf(endpoint: Endpoint | undefined, language: Language): RetryDraft {
  const { retry_delays_seconds: waits = STANDARD_WAITS, retry_delays_by_event: byEvent = {} } = endpoint ?? {}
  return {
    isOwn: !isStandard(waits),
    waits: waitsText(waits, language),
    byEvent: Object.entries(byEvent).map(([filter, seconds], key) => ({
      key,
      filter,
      waits: waitsText(seconds, language),
    })),
  }
}

/** What the rows lack, by their keys. Names are given once each. */
export type RowProblem = { filter?: 'required' | 'repeated'; waits?: WaitsProblem }
export type DraftProblems = { waits: WaitsProblem | null; rows: Map<number, RowProblem> }

export function problemsOf({ isOwn, waits, byEvent }: RetryDraft): DraftProblems {
  const own = readWaits(waits)
  const rows = new Map<number, RowProblem>()
  for (const [index, row] of byEvent.entries()) {
    const read = readWaits(row.waits)
    const isRepeated = byEvent.slice(0, index).some(({ filter }) => filter === row.filter)
    const filter = row.filter === null ? 'required' : isRepeated ? 'repeated' : null
    if (filter !== null || isProblem(read))
      rows.set(row.key, { ...(filter !== null && { filter }), ...(isProblem(read) && { waits: read }) })
  }
  return { waits: isOwn && isProblem(own) ? own : null, rows }
}

export const isSound = ({ waits, rows }: DraftProblems): boolean => waits === null && rows.size === 0

const secondsOf = (text: string): number[] => {
  const read = readWaits(text)
  return isProblem(read) ? [] : read
}

function retriesOf({ isOwn, waits, byEvent }: RetryDraft): Retries {
  const named = byEvent.map((row): [string, number[]] => [row.filter ?? '', secondsOf(row.waits)])
  return {
    retry_delays_seconds: isOwn ? secondsOf(waits) : null,
    retry_delays_by_event: named.length === 0 ? null : Object.fromEntries(named),
  }
}

/** Only changed values, so that saving does not undo what another person changed meanwhile. */
export function changedRetries(draft: RetryDraft, endpoint: Endpoint | undefined): Retries {
  const before = retriesOf(draftOf(endpoint, 'en'))
  const after = retriesOf(draft)
  const isOther = (name: keyof Retries) => spelled(before[name]) !== spelled(after[name])
  return {
    ...(isOther('retry_delays_seconds') && { retry_delays_seconds: after.retry_delays_seconds ?? null }),
    ...(isOther('retry_delays_by_event') && { retry_delays_by_event: after.retry_delays_by_event ?? null }),
  }
}

/** In whichever order the events are named. */
const spelled = (value: Retries[keyof Retries]) =>
  JSON.stringify(
    Array.isArray(value) ? value : Object.entries(value ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)),
  )
