import { PENDING_COUNTED_MAX } from '../../platform/outbox/lanes.ts'
import type { CommandValues } from './command.ts'

/** Results go to stdout, everything else to stderr; `--json` prints exactly one object. */
export const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

export const printLine = (text = ''): void => void process.stdout.write(`${shown(text, STEERING)}\n`)

/** For people, beside a result. A terminal shows console.error in red, which is for failures. */
export const printNote = (text: string): void => void process.stderr.write(`${shown(text, STEERING)}\n`)

/**
 * Members and customers write names, and other servers write reasons: control characters that would move the cursor, colour or
 * rename the terminal are printed as escapes. A sentence of ours may have several lines, a value has one.
 */
const STEERING = /[^\P{Cc}\n\t]/gu
const CONTROL = /\p{Cc}/gu

const shown = (text: string, what: RegExp): string =>
  text.replaceAll(what, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

const onOneLine = (row: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(row).map(([column, text]) => [column, shown(text, CONTROL)]))

export function printTable(given: Record<string, string>[]): void {
  const rows = given.map(onOneLine)
  const columns = Object.keys(rows[0] ?? {})
  const width = (column: string) => Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length))
  const widths = columns.map(width)
  const line = (cells: string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  printLine(line(columns))
  for (const row of rows) printLine(line(columns.map((column) => row[column] ?? '')))
}

type PrintedList = { data: unknown[]; rows: Record<string, string>[]; none: string }

/** As one JSON object, as a table, or as the sentence for a list that is empty. */
export function printList(values: CommandValues, { data, rows, none }: PrintedList): void {
  if (values.json) printJson({ object: 'list', data })
  else if (rows.length === 0) printLine(none)
  else printTable(rows)
}

/** One label and its text per line. */
export function printFields(fields: readonly [label: string, text: string][]): void {
  const width = Math.max(...fields.map(([label]) => label.length))
  for (const [label, text] of fields) printLine(`${label.padEnd(width)}  ${shown(text, CONTROL)}`)
}

/** What waits in a lane is counted no further than that. */
export const countText = (count: number): string =>
  count < PENDING_COUNTED_MAX ? String(count) : `${PENDING_COUNTED_MAX}+`

export const relativeTime = (time: Date | null, nowMs: number): string => {
  if (time === null) return 'never'
  const seconds = Math.round((nowMs - time.getTime()) / 1000)
  const amount = Math.abs(seconds)
  const [value, unit] =
    amount < 60
      ? [amount, 's']
      : amount < 3600
        ? [amount / 60, 'min']
        : amount < 86400
          ? [amount / 3600, 'h']
          : [amount / 86400, 'd']
  return seconds >= 0 ? `${Math.floor(value)} ${unit} ago` : `in ${Math.floor(value)} ${unit}`
}
