/** The fields of a line in the text form of COPY: separated by tabs, null as \N, special characters with a backslash. */
const LETTERS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  ...Object.fromEntries(Object.entries(LETTERS).map(([letter, character]) => [character, `\\${letter}`])),
}

export const readFields = (line: string): (string | null)[] =>
  line.split('\t').map((field) => {
    if (field === '\\N') return null
    return field.includes('\\') ? field.replaceAll(/\\(.)/g, (_, letter: string) => LETTERS[letter] ?? letter) : field
  })

export const writeFields = (fields: readonly (string | null)[]): string =>
  fields
    .map((field) =>
      field === null ? '\\N' : field.replaceAll(/[\\\b\f\n\r\t\v]/g, (character) => ESCAPES[character] ?? ''),
    )
    .join('\t')

/** A row by its columns; null from `change` leaves the row out. */
export type Row = Record<string, string | null>

/** Whole lines, each changed as a row. */
export function changeRows(
  lines: Uint8Array,
  columns: readonly string[],
  change: (row: Row) => Row | null,
): Uint8Array {
  const changed = Buffer.from(lines)
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const fields = readFields(line)
      const row = change(Object.fromEntries(columns.map((column, index) => [column, fields[index] ?? null])))
      return row === null ? [] : [`${writeFields(columns.map((column) => row[column] ?? null))}\n`]
    })
  return Buffer.from(changed.join(''))
}
