/** When the shop is open, in its time zone, and what customers read outside of these hours. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Weekday = (typeof weekdays)[number]

/** Times as `08:00`. An end that is not after the start is on the next day. */
export type OpenHours = { day: Weekday; from: string; to: string }
export type AutoReply = { enabled: boolean; message: string; hours: OpenHours[] }

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const WEEK_MINUTES = 7 * DAY_MINUTES

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** The minute of the week, from Monday 00:00 on. */
function minuteOfWeek(timeZone: string, nowMs: number): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const parts = Object.fromEntries(format.formatToParts(nowMs).map(({ type, value }) => [type, value]))
  const day = weekdays.findIndex((name) => name === parts.weekday?.toLowerCase())
  return day * DAY_MINUTES + Number(parts.hour) * 60 + Number(parts.minute)
}

/**
 * The closed period at a time, named by the minute at which it began; null while the shop is open. Without any hours the shop is
 * always closed, and a period is a day.
 */
export function closedPeriodAt(hours: readonly OpenHours[], timeZone: string, nowMs: number): string | null {
  const now = minuteOfWeek(timeZone, nowMs)
  const sinceStart = (start: number) => (now - start + WEEK_MINUTES) % WEEK_MINUTES
  const open = hours.map(({ day, from, to }) => {
    const start = weekdays.indexOf(day) * DAY_MINUTES + minutesOf(from)
    const length = (minutesOf(to) - minutesOf(from) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
    return { start, length }
  })
  if (open.some(({ start, length }) => sinceStart(start) < length)) return null
  const sinceClosed =
    open.length === 0
      ? now % DAY_MINUTES
      : Math.min(...open.map(({ start, length }) => sinceStart((start + length) % WEEK_MINUTES)))
  const beganMs = nowMs - sinceClosed * MINUTE_MS
  return new Date(beganMs - (beganMs % MINUTE_MS)).toISOString()
}

/** As the settings hold it. */
export const storedAutoReply = (settings: Record<string, unknown>): AutoReply | null =>
  (settings.auto_reply as AutoReply | undefined) ?? null

export function autoReplyOf(settings: Record<string, unknown>): AutoReply | null {
  const stored = storedAutoReply(settings)
  return stored?.enabled === true ? stored : null
}
