import { decodeCsv, readCsv } from '../csv/csv-text.ts'
import { csvInvalid } from '../http.errors.ts'
import type { UploadedFile } from './upload.ts'

/** A line of a file with its cells by the names of the columns; a cell that is empty or missing is left out. */
export type CsvRecord = { line: number; cells: Map<string, string> }

export type CsvRecords = { records: CsvRecord[]; columns: string[] }

/** Every line is compared with every column, so a file of separators must not be many of both. */
const COLUMNS_MAX = 200

type Shape = {
  /** Names of columns, with the spellings that are read as them. The names themselves need no entry. */
  aliases: Readonly<Record<string, readonly string[]>>
  required: readonly string[]
  linesMax: number
}

const plain = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')

/** Reads a file whose first line names its columns, in any case and with spaces or underscores. */
export function readRecords({ bytes }: UploadedFile, { aliases, required, linesMax }: Shape): CsvRecords {
  const text = decodeCsv(bytes)
  if (text.includes('\u0000'))
    throw csvInvalid({ says: 'The file contains NUL characters. Save it as CSV in UTF-8.', params: { line: 1 } })
  const read = readCsv(text)
  if (!read.ok) throw csvInvalid({ says: `Line ${read.line}: ${read.detail}`, params: { line: read.line } })
  const [heading, ...lines] = read.lines
  const names = new Map(Object.entries(aliases).flatMap(([name, also]) => also.map((alias) => [plain(alias), name])))
  const columns = (heading?.cells ?? []).map((cell) => names.get(plain(cell)) ?? plain(cell))
  if (columns.length > COLUMNS_MAX)
    throw csvInvalid({
      says: `The first line names ${columns.length} columns; at most ${COLUMNS_MAX} are read.`,
      params: { line: heading?.line ?? 1 },
    })
  const missing = required.filter((name) => !columns.includes(name))
  if (missing.length > 0)
    throw csvInvalid({
      says: `The first line must name the columns. Missing: ${missing.join(', ')}.`,
      params: { line: heading?.line ?? 1, missing },
    })
  if (lines.length > linesMax)
    throw csvInvalid({
      says: `The file has ${lines.length} lines; at most ${linesMax} are read. Split it.`,
      params: { line: linesMax + 2, lines_max: linesMax },
    })
  const records = lines.map(({ line, cells }) => ({
    line,
    cells: new Map(columns.flatMap((name, index) => (cells[index] ? [[name, cells[index]] as const] : []))),
  }))
  return { records, columns }
}
