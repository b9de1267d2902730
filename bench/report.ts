import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, platform, totalmem } from 'node:os'
import { join } from 'node:path'
import { measureFlushMs } from './disk.ts'
import { type Bar, type Finding, isMet } from './question.ts'

export type Answer =
  | { question: string; state: 'answered'; findings: Finding[]; seconds: number }
  | { question: string; state: 'failed' | 'skipped'; reason: string }

export type Report = {
  object: 'bench_report'
  started_at: string
  seconds: number
  machine: Record<string, unknown>
  is_aged: boolean
  all_bars_met: boolean
  answers: Record<string, unknown>[]
}

type Run = { startedAt: Date; seconds: number; flushMs: number; isAged: boolean }

export function makeReport(answers: Answer[], { startedAt, seconds, flushMs, isAged }: Run): Report {
  return {
    object: 'bench_report',
    started_at: startedAt.toISOString(),
    seconds: Math.round(seconds),
    machine: {
      platform: platform(),
      processors: cpus().length,
      processor: cpus()[0]?.model ?? 'unknown',
      memory_mb: Math.round(totalmem() / 1_000_000),
      bun: Bun.version,
      flush_ms: measureFlushMs(),
      flush_ms_added: flushMs,
    },
    is_aged: isAged,
    all_bars_met: answers.every((answer) => answer.state === 'answered' && answer.findings.every(isMet)),
    answers: answers.map((answer) =>
      answer.state === 'answered'
        ? { ...answer, findings: answer.findings.map((found) => ({ ...found, is_met: isMet(found) })) }
        : answer,
    ),
  }
}

const barText = (bar: Bar, unit: Finding['unit']) =>
  'atLeast' in bar ? `≥ ${valueText(bar.atLeast, unit)}` : `≤ ${valueText(bar.atMost, unit)}`

const valueText = (value: number, unit: Finding['unit']) => (unit === 'ratio' ? value.toFixed(2) : `${value} ${unit}`)

export function makeTable(answers: Answer[]): string {
  const rows = answers.flatMap((answer) =>
    answer.state === 'answered'
      ? answer.findings.map(findingRow)
      : [[`${answer.question}: ${answer.reason.split('\n')[0]}`, '', '', answer.state]],
  )
  const table = [['measure', 'value', 'bar', ''], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] as number)).join('  '))
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '))
  return `${[...lines.map((line) => line.trimEnd()), ...noteLines(answers)].join('\n')}\n`
}

function noteLines(answers: Answer[]): string[] {
  const findings = answers.flatMap((answer) => (answer.state === 'answered' ? answer.findings : []))
  return findings.flatMap(({ measure, note }) => (note === undefined ? [] : ['', `${measure}: ${note}`]))
}

const findingRow = (found: Finding): string[] => [
  found.measure,
  valueText(found.value, found.unit),
  found.bar === null ? '' : barText(found.bar, found.unit),
  !isMet(found) ? 'MISSED' : found.bar === null ? '' : 'met',
]

export function saveReport(report: Report): string {
  const folder = join(import.meta.dir, 'results')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'latest.json')
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  return file
}
