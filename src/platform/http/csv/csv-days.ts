const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** Indonesian names that begin otherwise. */
const MONTHS_ID: Record<string, number> = { mei: 5, agu: 8, ags: 8, okt: 10, des: 12 }

const monthOf = (word: string): number => {
  const start = word.slice(0, 3).toLowerCase()
  return MONTHS_ID[start] ?? MONTHS.indexOf(start) + 1
}

/**
 * Reads a day, also at the beginning of a time: `2026-11-14`, `14/11/2026`, `14-11-26`, `14 Nov 2026`. The day comes before the month, as
 * banks in Indonesia write. Returns `2026-11-14`, or null if there is no such day.
 */
export function parseDay(text: string): string | null {
  const plain = text.trim().replace(/^'/, '')
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:\D|$)/.exec(plain)
  const local = /^(\d{1,2})[-/. ](\d{1,2}|[a-z]{3,9})[-/. ](\d{4}|\d{2})(?:\D|$)/i.exec(plain)
  const [year, month, day] = iso?.slice(1) ?? local?.slice(1).toReversed() ?? []
  if (year === undefined || month === undefined || day === undefined) return null
  const parts = [
    Number(year) < 100 ? 2000 + Number(year) : Number(year),
    /^\d/.test(month) ? Number(month) : monthOf(month),
    Number(day),
  ]
  const date = new Date(Date.UTC(parts[0] ?? 0, (parts[1] ?? 0) - 1, parts[2] ?? 0))
  const written = parts.map((part) => String(part).padStart(2, '0')).join('-')
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(written) ? written : null
}
