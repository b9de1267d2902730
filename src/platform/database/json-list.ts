import type { Queries } from './queries.ts'

/**
 * Many JSON texts as one parameter, for `unnest` beside arrays. In an array each quotation mark would have to be escaped
 * here and unescaped, character by character, by PostgreSQL; JSON itself never holds a bare control character, so one
 * stands between two texts and another for none.
 */
const BETWEEN = '\u0001'
const NONE = '\u0002'

export const jsonList = <Row>(queries: Queries, rows: readonly Row[], read: (row: Row) => unknown) => queries.part`
  string_to_array(${rows.map((row) => textOf(read(row))).join(BETWEEN)}, e'\\x01', e'\\x02')`

const textOf = (value: unknown): string => (value === null ? NONE : JSON.stringify(value))
