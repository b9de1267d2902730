import { useEffect, useState, useSyncExternalStore } from 'react'
import { useText } from '../text/text.tsx'

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** Making a format costs more than a hundred uses of it, and a page shows fifty times. */
export function once<Format>(make: (language: string) => Format): (language: string) => Format {
  const made = new Map<string, Format>()
  return (language) => {
    const format = made.get(language) ?? make(language)
    made.set(language, format)
    return format
  }
}

/** All times on the screen go by the clock of the shop, wherever the reader is. */
export const SHOP_ZONE = 'Asia/Jakarta'

/** The day before the month, and a clock of 24 hours, in English too. */
export const localeOf = (language: string) => (language === 'id' ? 'id-ID' : 'en-GB')

const relativeFormat = once((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' }))
const exactFormat = once(
  (language) =>
    new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'medium', timeZone: SHOP_ZONE }),
)

const dayFormat = once(
  (language) => new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeZone: 'UTC' }),
)

/** A day as the API writes it, in words. */
export const dayText = (day: string | null, language: string): string =>
  day === null ? '—' : dayFormat(language).format(new Date(`${day}T00:00:00Z`))

export function relativeTime(iso: string, language: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1000)
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1]
  return relativeFormat(language).format(Math.round(seconds / size), unit)
}

/** As the field of a browser wants a moment and gives it: the clock of the shop, to the minute. Nothing for what is none. */
const SHOP_OFFSET = '+07:00'
const SHOP_AHEAD_MS = 7 * 3600 * 1000

export function clockOf(instant: string): string {
  const shifted = new Date(Date.parse(instant) + SHOP_AHEAD_MS)
  return Number.isNaN(shifted.getTime()) ? '' : shifted.toISOString().slice(0, 16)
}

export function instantOf(clock: string): string {
  const ms = Date.parse(`${clock.slice(0, 16)}:00${SHOP_OFFSET}`)
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString()
}

export const exactTime = (iso: string, language: string) => `${exactFormat(language).format(new Date(iso))} WIB`

/** One clock for all times on the screen. It runs while there are any, and a time is drawn again only when its words change. */
const TICK_MS = 1000
const onTick = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let nowMs = Date.now()

function listen(callback: () => void): () => void {
  onTick.add(callback)
  timer ??= setInterval(() => {
    nowMs = Date.now()
    for (const notify of onTick) notify()
  }, TICK_MS)
  return () => {
    onTick.delete(callback)
    if (onTick.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** A clock that stood still, because no time was on the screen, is set before it goes again. */
function readClock(): number {
  if (timer === undefined && Date.now() - nowMs > 1000) nowMs = Date.now()
  return nowMs
}

/** What has just happened lies after the last tick; it happened now, not in the future. */
function nowFor(at: string, clockMs: number): number {
  const time = Date.parse(at)
  return time > clockMs && time <= Date.now() ? time : clockMs
}

export const hasCome = (at: string, nowMs: number): boolean => Date.parse(at) <= nowMs

/** Whether a moment has come by now; looked at again with every tick. */
export function useHasCome(at: string | null): boolean {
  const clockMs = useSyncExternalStore(listen, readClock)
  return at !== null && hasCome(at, Math.max(clockMs, Date.now()))
}

/** Relative, with the exact instant on hover. A row has several, so nothing is built for the hover but words. */
export function Time({ at }: { at: string | null | undefined }) {
  const { language } = useText()
  const words = useSyncExternalStore(listen, () => (at ? relativeTime(at, language, nowFor(at, readClock())) : ''))
  if (at === null || at === undefined) return <span className="quiet">—</span>
  return (
    <time
      dateTime={at}
      title={`${exactTime(at, language)} · ${at}`}
      className="figures"
      style={{ whiteSpace: 'nowrap' }}
    >
      {words}
    </time>
  )
}

/** The current time, updated while a component shows it. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return nowMs
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')

/** Two units are enough: days and hours, hours and minutes, or minutes and seconds as on a clock. */
export function remainingText(leftMs: number, language: string): string {
  const [day, hour, minute] = language === 'id' ? ['hr', 'jam', 'mnt'] : ['d', 'h', 'min']
  if (leftMs >= DAY_MS)
    return `${Math.floor(leftMs / DAY_MS)} ${day} ${Math.floor((leftMs % DAY_MS) / HOUR_MS)} ${hour}`
  if (leftMs >= HOUR_MS)
    return `${Math.floor(leftMs / HOUR_MS)} ${hour} ${Math.floor((leftMs % HOUR_MS) / MINUTE_MS)} ${minute}`
  return `${twoDigits(leftMs / MINUTE_MS)}:${twoDigits((leftMs % MINUTE_MS) / 1000)}`
}

/** What is left until a moment, in words around it where it stands alone; nothing once it has passed. */
export function Countdown({ until, wording = (left) => left }: { until: string; wording?: (left: string) => string }) {
  const { language } = useText()
  const nowMs = useNow(1000)
  const leftMs = Date.parse(until) - nowMs
  if (leftMs <= 0) return null
  return (
    <time dateTime={until} title={exactTime(until, language)} className="figures" style={{ whiteSpace: 'nowrap' }}>
      {wording(remainingText(leftMs, language))}
    </time>
  )
}
