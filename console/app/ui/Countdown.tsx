import { useEffect, useState } from 'react'
import { useText } from '../text/text.tsx'
import { exactTime } from './Time.tsx'

/** The time now, again every so often, for as long as somebody looks. */
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
