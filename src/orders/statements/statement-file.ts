import { hash } from 'node:crypto'
import { newId } from '../../kernel/ids.ts'
import { parseRupiah } from '../../kernel/rupiah-text.ts'
import { parseDay } from '../../platform/http/csv/csv-days.ts'
import { type CsvRecord, readRecords } from '../../platform/http/pipeline/csv-records.ts'
import type { UploadedFile } from '../../platform/http/pipeline/upload.ts'
import type { NewStatementRow } from './statements.sql.ts'

/**
 * Reads a bank statement. Banks differ: the amount is one column, with the direction in another or behind it (`100,000.00 CR`), or there is
 * one column for each direction. Only money that arrived is of interest.
 */
export const STATEMENT_LINES_MAX = 5_000
const DESCRIPTION_MAX = 500

const ALIASES = {
  date: [
    'tanggal',
    'tgl',
    'transaction date',
    'tanggal transaksi',
    'posting date',
    'post date',
    'value date',
    'tanggal efektif',
  ],
  description: [
    'keterangan',
    'uraian',
    'deskripsi',
    'berita',
    'remark',
    'remarks',
    'transaction description',
    'details',
    'catatan',
  ],
  amount: ['jumlah', 'nominal', 'mutasi', 'mutation', 'nilai', 'transaction amount'],
  credit: ['kredit', 'cr', 'kredit idr', 'credit amount', 'masuk', 'uang masuk'],
  debit: ['debet', 'db', 'debit amount', 'keluar', 'uang keluar'],
  direction: ['type', 'jenis', 'd c', 'db cr', 'cr db', 'd k', 'tipe'],
}

export type StatementEntry =
  | { line: number; row: NewStatementRow }
  | { line: number; isOutgoing: true }
  | { line: number; code: string; detail: string }

const OUTGOING = /^(?:d|db|debit|debet|out|keluar)$/i

/** Positive for money that arrived. */
function amountIn(cells: Map<string, string>): number | { detail: string } {
  const credit = cells.get('credit')
  const debit = cells.get('debit')
  const text = credit ?? cells.get('amount') ?? debit
  if (text === undefined) return { detail: 'The line has no amount.' }
  const [, bare = '', suffix = ''] = /^(.*?)\s*(cr|db|k|d)?\.?$/i.exec(text) ?? []
  const value = parseRupiah(bare)
  if (value === null) return { detail: `"${text}" is not an amount of whole rupiah.` }
  if (credit !== undefined && value === 0 && debit !== undefined) return -1
  const direction = cells.get('direction') ?? suffix
  const isDebit = credit === undefined && cells.get('amount') === undefined
  return isDebit || OUTGOING.test(direction.trim()) ? -Math.abs(value) : value
}

export function readStatement(file: UploadedFile, nowMs: number): StatementEntry[] {
  const { records } = readRecords(file, { aliases: ALIASES, required: ['date'], linesMax: STATEMENT_LINES_MAX })
  const counts = new Map<string, number>()
  return records.map((record) => readEntry(record, counts, nowMs))
}

function readEntry({ line, cells }: CsvRecord, counts: Map<string, number>, nowMs: number): StatementEntry {
  const date = cells.get('date')
  const day = date === undefined ? null : parseDay(date)
  if (day === null) return { line, code: 'date_invalid', detail: `"${date ?? ''}" is not a date such as 2026-11-14.` }
  const amount = amountIn(cells)
  if (typeof amount !== 'number') return { line, code: 'amount_invalid', detail: amount.detail }
  if (amount <= 0) return { line, isOutgoing: true }
  const description = (cells.get('description') ?? '').replaceAll(/\s+/g, ' ').slice(0, DESCRIPTION_MAX).toWellFormed()
  const same = `${day}|${amount}|${description.toLowerCase()}`
  const count = (counts.get(same) ?? 0) + 1
  counts.set(same, count)
  const fingerprint = hash('sha256', `${same}|${count}`, 'hex')
  return { line, row: { id: newId('stm', nowMs), day, amount, description, fingerprint } }
}
