import { decodeCsv, readCsv } from '../csv/csv-text.ts'
import { csvInvalid } from '../http.errors.ts'
import type { UploadedFile } from './upload.ts'

/** A line of a file with its cells by the names of the columns; a cell that is empty or missing is left out. */
export type CsvRecord = { line: number; cells: Map<string, string> }

export type CsvRecords = { records: CsvRecord[]; columns: string[] }

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
  const read = readCsv(decodeCsv(bytes))
  if (!read.ok) throw csvInvalid({ says: `Line ${read.line}: ${read.detail}`, params: { line: read.line } })
  const [heading, ...lines] = read.lines
  const names = new Map(Object.entries(aliases).flatMap(([name, also]) => also.map((alias) => [plain(alias), name])))
  const columns = (heading?.cells ?? []).map((cell) => names.get(plain(cell)) ?? plain(cell))
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
