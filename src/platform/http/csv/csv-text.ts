/**
 * CSV as RFC 4180 has it: commas, lines that end with CR LF, quotes doubled within quotes.
 *
 * A spreadsheet runs a cell that begins like a formula, and customers choose their names. So such a text is written with an
 * apostrophe before it, which spreadsheets show as text, and read without it. A plain number such as a phone number stays as it is.
 */
const FORMULA_START = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/
const PLAIN_NUMBER = /^[+-]?\d+(?:\.\d+)?$/

const isFormula = (text: string) => FORMULA_START.test(text) && !PLAIN_NUMBER.test(text)

export function writeCell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = isFormula(value) ? `'${value}` : value
  return /[",\r\n']|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const writeLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

/** Removes the apostrophe that `writeCell` and spreadsheets put before a text. */
const plainCell = (text: string): string => (text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text)

export type CsvLine = {
  /** As an editor counts them, from 1; a quoted cell may span several. */
  line: number
  cells: string[]
}

type CsvText = { ok: true; lines: CsvLine[] } | { ok: false; line: number; detail: string }

/** Spreadsheets in Indonesian separate with semicolons, and banks with tabs: the first line decides. */
function separatorOf(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1)
  const counted = [',', ';', '\t'].map((separator) => ({ separator, count: first.split(separator).length }))
  return counted.toSorted((one, other) => other.count - one.count)[0]?.separator ?? ','
}

/** Reads every line that is not empty. Cells are trimmed. */
export function readCsv(source: string): CsvText {
  const text = source.startsWith('\ufeff') ? source.slice(1) : source
  const separator = separatorOf(text)
  const lines: CsvLine[] = []
  let [at, line, start] = [0, 1, 1]
  let cells: string[] = []
  const endLine = () => {
    if (cells.some((cell) => cell !== '')) lines.push({ line: start, cells })
    cells = []
  }
  while (at < text.length) {
    const isQuoted = /^[ ]*"/.exec(text.slice(at, at + 20)) !== null
    const cell = isQuoted ? readQuoted(text, at) : readPlain(text, at, separator)
    if (cell === null) return { ok: false, line: start, detail: 'A quoted cell has no closing quote.' }
    cells.push(plainCell(cell.text.trim()))
    line += cell.breaks
    at = cell.end
    if (text[at] === separator) {
      at += 1
      if (at === text.length) cells.push('')
      continue
    }
    if (at < text.length && text[at] !== '\r' && text[at] !== '\n')
      return { ok: false, line, detail: 'There is text after a closing quote.' }
    at += text.startsWith('\r\n', at) ? 2 : 1
    line += 1
    endLine()
    start = line
  }
  endLine()
  return { ok: true, lines }
}

type Cell = { text: string; end: number; breaks: number }

function readPlain(text: string, from: number, separator: string): Cell {
  let end = from
  while (end < text.length && text[end] !== separator && text[end] !== '\r' && text[end] !== '\n') end += 1
  return { text: text.slice(from, end), end, breaks: 0 }
}

function readQuoted(text: string, from: number): Cell | null {
  const open = text.indexOf('"', from)
  let at = open + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return null
    if (text[quote + 1] !== '"') {
      const inner = text.slice(open + 1, quote).replaceAll('""', '"')
      let end = quote + 1
      while (text[end] === ' ') end += 1
      return { text: inner, end, breaks: inner.split('\n').length - 1 }
    }
    at = quote + 2
  }
}

/** A file that is not UTF-8 is read as Windows-1252, which older spreadsheets write. */
export function decodeCsv(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
