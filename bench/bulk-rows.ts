import type { Database, Tx } from '../src/platform/database/database.ts'

/**
 * Fills a table with many rows. A million rows into nine indexes take minutes; indexes over a million rows take seconds, and
 * unlogged fewer of them. A table that another one refers to keeps its keys, and is written to the log.
 */
export async function fillTable(database: Database, table: string, fill: (tx: Tx) => Promise<unknown>): Promise<void> {
  const indexes = await database.many<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = ${table} and indexname not in (select conname from pg_constraint)`
  const constraints = await database.many<{ name: string; definition: string }>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and contype in ('p', 'u')
      and not exists (select from pg_constraint other where other.contype = 'f' and other.confrelid = ${table}::regclass)`
  await database.transaction(async (tx) => {
    await tx.script(`set local maintenance_work_mem = '256MB'`)
    if (indexes.length > 0) await tx.script(`drop index ${indexes.map(({ name }) => name).join(', ')}`)
    if (constraints.length > 0) {
      await tx.script(`alter table ${table} set unlogged`)
      await tx.script(`alter table ${table} ${constraints.map(({ name }) => `drop constraint ${name}`).join(', ')}`)
    }
    await fill(tx)
    const added = constraints.map(({ name, definition }) => `add constraint ${name} ${definition}`)
    if (added.length > 0) await tx.script(`alter table ${table} ${added.join(', ')}`)
    for (const { definition } of indexes) await tx.script(definition)
  })
  await database.script(`vacuum (analyze) ${table}`)
}
