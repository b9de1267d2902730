import { localeOf, once, SHOP_ZONE as ZONE } from '../ui/Time.tsx'

/** Times of chats, by the clock of the shop. */
const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: ZONE })
const DAY_MS = 24 * 3600 * 1000

/** 2026-11-15 */
export const dayOf = (iso: string): string => dayFormat.format(new Date(iso))

const clockFormat = once(
  (language) => new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'short', timeZone: ZONE }),
)
const shortDayFormat = once(
  (language) => new Intl.DateTimeFormat(localeOf(language), { day: 'numeric', month: 'short', timeZone: ZONE }),
)

export const clockTime = (iso: string, language: string): string => clockFormat(language).format(new Date(iso))

export const shortDay = (iso: string, language: string): string => shortDayFormat(language).format(new Date(iso))

/** Today and yesterday by name, other days in full. */
export function dayName(iso: string, language: string, now = Date.now()): string {
  const daysAgo = [0, 1].find((days) => dayOf(new Date(now - days * DAY_MS).toISOString()) === dayOf(iso))
  if (daysAgo !== undefined)
    return new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
      .format(-daysAgo, 'day')
      .replace(/^./, (letter) => letter.toUpperCase())
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'full', timeZone: ZONE }).format(new Date(iso))
}
