import type { Queries } from './queries.ts'

/**
 * Lists for `unnest`, beside arrays or alone, that PostgreSQL reads faster than its own arrays: it takes those apart one
 * character at a time, and each quotation mark in them would have to be escaped here and unescaped there.
 *
 * Texts as one text that it cuts up again. Only for texts that are never absent or empty and hold no control characters, as
 * ids, JSON and words for search.
 */
export const textList = (queries: Queries, texts: readonly string[]) =>
  queries.part`string_to_array(${texts.join('\u001f')}, chr(31))`

/** JSON never holds a bare control character, so one separates two texts and another represents null. */
const BETWEEN = '\u0001'
const NONE = '\u0002'

/** JSON texts, some of them absent. */
export const jsonList = <Row>(queries: Queries, rows: readonly Row[], read: (row: Row) => unknown) => queries.part`
  string_to_array(${rows.map((row) => jsonOf(read(row))).join(BETWEEN)}, e'\\x01', e'\\x02')`

const jsonOf = (value: unknown): string => (value === null ? NONE : JSON.stringify(value))

/** Moments as milliseconds, for `to_timestamp(ms::float8 / 1000)`: one that is written out takes ten times as long to read. */
export const momentList = (queries: Queries, moments: readonly Date[]) =>
  queries.part`${moments.map((moment) => moment.getTime())}::bigint[]`

/**
 * The same list, its length hidden from the planner. PostgreSQL plans a statement anew at every call as long as a plan for the
 * few items of the call looks cheaper than the cached one, which assumes ten items; planning then takes longer than the
 * statement. One such list among those of an `unnest` is enough, and `any(…)` takes it, too.
 */
export const unsizedList = (queries: Queries, list: unknown) => queries.part`array(select unnest(${list}))`
