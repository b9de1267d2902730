import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useText } from '../text/text.tsx'

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

export function relativeTime(iso: string, language: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1000)
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' }).format(
    Math.round(seconds / size),
    unit,
  )
}

export const exactTime = (iso: string, language: string) =>
  `${new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Jakarta' }).format(new Date(iso))} WIB`

/** Relative, with the exact instant on hover. */
export function Time({ at }: { at: string | null | undefined }) {
  const { language } = useText()
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 15_000)
    return () => clearInterval(timer)
  }, [])
  if (at === null || at === undefined) return <span className="quiet">—</span>
  return (
    <Tooltip label={`${exactTime(at, language)} · ${at}`} withArrow>
      <time dateTime={at} className="figures" style={{ whiteSpace: 'nowrap' }}>
        {relativeTime(at, language, Math.max(nowMs, Date.parse(at) > Date.now() ? 0 : nowMs))}
      </time>
    </Tooltip>
  )
}

export const Money = ({ amount }: { amount: number | null | undefined }) => (
  <span className="figures" style={{ whiteSpace: 'nowrap' }}>
    {amount === null || amount === undefined ? '—' : rupiah(amount)}
  </span>
)

export const rupiah = (amount: number) => `Rp ${new Intl.NumberFormat('id-ID').format(amount)}`
