import { createHash } from 'node:crypto'
import type { Queries, Tx } from './queries.ts'

/**
 * Rows of whole tables, out of one database and into another, in the text form of COPY. The form is the same for every version and
 * setting of PostgreSQL, so the same rows are the same bytes on both sides.
 */
export type TableShape = {
  name: string
  /** Without those that PostgreSQL computes. */
  columns: string[]
  /** The days of a table that is partitioned by day, as 20261118; empty for other tables. */
  days: string[]
  /** Of a table whose rows name other rows of it: those that name none come first. */
  parentColumn?: string | null | undefined
}

/** Which rows: all of them, or those whose column has this value. */
export type RowFilter = { column: string; value: string } | null

type Reading = { filter?: RowFilter; partBytes: number }

const PLAIN_FORM = `
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local jit = off;
  set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
  set local extra_float_digits = 1; set local bytea_output = 'hex'`

const LOCK_WAIT_MS = 60_000

/**
 * The first statement of a transaction that copies. With a snapshot (repeatable read) the locks come first: no table and no partition is
 * dropped between the snapshot and its turn.
 */
export async function beginCopy(tx: Tx, tables: readonly string[]): Promise<void> {
  await tx.script(`${PLAIN_FORM}; set local lock_timeout = ${LOCK_WAIT_MS}`)
  if (tables.length > 0) await tx.script(`lock table ${tables.map(quoted).join(', ')} in access share mode`)
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** In the order in which they can be filled: a table comes after those that its foreign keys name. */
export async function describeTables(queries: Queries, names: readonly string[]): Promise<TableShape[]> {
  const found = await queries.many<TableShape & { parents: string[] }>`
    select relname as name,
      (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      coalesce((select array_agg(right(child.relname, 8) order by child.relname) from pg_inherits
        join pg_class child on child.oid = inhrelid where inhparent = pg_class.oid), '{}') as days,
      (select attname::text from pg_constraint
        join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where conrelid = pg_class.oid and contype = 'f' and confrelid = conrelid limit 1) as "parentColumn",
      coalesce((select array_agg(distinct parent.relname::text) from pg_constraint
        join pg_class parent on parent.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid), '{}') as parents
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname::text = any(${[...names]}::text[])
    order by relname`
  const byName = new Map(found.map((table) => [table.name, table]))
  const ordered = new Map<string, TableShape>()
  const place = (name: string) => {
    const table = byName.get(name)
    if (table === undefined || ordered.has(name)) return
    for (const parent of table.parents) place(parent)
    const { columns, days, parentColumn } = table
    ordered.set(name, { name, columns, days, parentColumn })
  }
  for (const { name } of found) place(name)
  return [...ordered.values()]
}

const columnList = ({ columns }: TableShape) => columns.map(quoted).join(', ')

/** Parts of whole lines, each of about the given size. */
export async function* readTable(
  tx: Tx,
  table: TableShape,
  { filter = null, partBytes }: Reading,
): AsyncGenerator<Uint8Array> {
  const where = filter === null ? '' : ` where ${quoted(filter.column)} = ${literal(filter.value)}`
  const order = table.parentColumn == null ? '' : ` order by ${quoted(table.parentColumn)} nulls first`
  const rows = `select ${columnList(table)} from ${quoted(table.name)}${where}${order}`
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const lines of tx.readCopy(`copy (${rows}) to stdout`)) {
    held.push(lines)
    heldBytes += lines.byteLength
    if (heldBytes < partBytes || lines.at(-1) !== NEW_LINE) continue
    yield Buffer.concat(held)
    held = []
    heldBytes = 0
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}

export const writeTable = (tx: Tx, table: Pick<TableShape, 'name' | 'columns'>, lines: Uint8Array): Promise<void> =>
  tx.copy(`copy ${quoted(table.name)} (${table.columns.map(quoted).join(', ')}) from stdin`, lines)

const NEW_LINE = 0x0a
/** Sums stay exact in a number. */
const HALF = 2 ** 48

/** How many rows, and a checksum over them that does not depend on their order: the sum of the hashes of the rows. */
export type RowCount = { rows: number; digest: string }

export function createRowDigest() {
  let [rows, high, low] = [0, 0, 0]
  return {
    /** Whole lines. */
    add(lines: Uint8Array): void {
      for (let from = 0; from < lines.byteLength; ) {
        const end = lines.indexOf(NEW_LINE, from)
        const next = end === -1 ? lines.byteLength : end + 1
        const hash = createHash('sha256').update(lines.subarray(from, next)).digest()
        high = (high + hash.readUIntBE(0, 6)) % HALF
        low = (low + hash.readUIntBE(6, 6)) % HALF
        rows += 1
        from = next
      }
    },
    result: (): RowCount => ({ rows, digest: [high, low].map((half) => half.toString(16).padStart(12, '0')).join('') }),
  }
}

export async function digestTable(tx: Tx, table: TableShape, reading: Reading): Promise<RowCount> {
  const digest = createRowDigest()
  for await (const lines of readTable(tx, table, reading)) digest.add(lines)
  return digest.result()
}

/** The first table with a row, or null when all are empty. */
export async function findFilledTable(tx: Tx, names: readonly string[]): Promise<string | null> {
  for (const name of names) {
    let isFilled = false
    for await (const lines of tx.readCopy(`copy (select 1 from ${quoted(name)} limit 1) to stdout`))
      isFilled ||= lines.byteLength > 0
    if (isFilled) return name
  }
  return null
}
