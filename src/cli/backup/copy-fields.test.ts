import { describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { changeRows, readFields, writeFields } from './copy-fields.ts'
import { sealedColumns } from './sealed-columns.ts'

const db = useTestDatabase()

const TEXTS = ['plain', '', 'back\\slash', 'tab\tnew\nline\r', '\b\f\v', '\\N', 'é 🙂', null]

test('fields are read as PostgreSQL writes them, and written as it reads them', async () => {
  await db.database.script('create table fields (id integer, value text)')
  const lines = TEXTS.map((text, id) => `${writeFields([String(id), text])}\n`).join('')
  await db.database.copy('copy fields from stdin', lines)
  const stored = await db.database.many<{ value: string | null }>`select value from fields order by id`
  expect(stored.map(({ value }) => value)).toEqual(TEXTS)
  const read = await db.database.transaction(async (tx) => {
    const parts: Uint8Array[] = []
    for await (const part of tx.readCopy('copy (select * from fields order by id) to stdout')) parts.push(part)
    return Buffer.concat(parts).toString('utf8')
  })
  expect(read).toBe(lines)
  expect(
    read
      .split('\n')
      .slice(0, -1)
      .map((line) => readFields(line)[1] ?? null),
  ).toEqual(TEXTS)
})

describe('rows on their way', () => {
  test('are changed or left out one by one', () => {
    const lines = Buffer.from('1\tone\n2\ttwo\n3\t\\N\n')
    const changed = changeRows(lines, ['id', 'word'], (row) =>
      row.id === '2' ? null : { ...row, word: `${row.word}\t!` },
    )
    expect(Buffer.from(changed).toString()).toBe('1\tone\\t!\n3\tnull\\t!\n')
  })

  test('have their sealed columns declared, every one that the schema has', async () => {
    const found = await db.database.many<{ table: string; column: string }>`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = current_schema() and column_name like 'sealed%'
        and table_name in (select relname from pg_class where not relispartition)
      order by 1, 2`
    const declared = sealedColumns.map(({ table, column }) => ({ table, column }))
    expect([...found]).toEqual(
      declared.toSorted((one, other) => (one.table + one.column < other.table + other.column ? -1 : 1)),
    )
  })
})
