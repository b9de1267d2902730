import type { Queries, Tx } from './database.ts'

export type GrownTable = { name: string; rows: number }

/**
 * Tables, and parents of partitions by the sum of these, whose rows passed a power of ten since PostgreSQL last counted them.
 * Row counts are those of the cumulative statistics: nothing is scanned.
 */
export const listGrownTables = (
  queries: Queries,
  given: { rowsMin: number; pauseMs: number },
) => queries.many<GrownTable>`
  with counted as materialized (
    select oid, relname, reltuples, case relkind when 'r' then pg_stat_get_live_tuples(oid) end as rows
    from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')),
  parents as (
    select inhparent as oid, sum(counted.rows) as rows
    from pg_inherits join counted on counted.oid = inhrelid group by inhparent)
  select relname::text as name, rows::bigint as rows
  from (
    select counted.oid, relname, reltuples, coalesce(counted.rows, parents.rows, 0) as rows
    from counted left join parents on parents.oid = counted.oid) summed
  where rows >= ${given.rowsMin}::int and floor(log(rows)) > floor(log(greatest(reltuples, 1)::numeric))
    and coalesce(pg_stat_get_last_analyze_time(oid) < clock_timestamp() - ${given.pauseMs}::int * interval '1 ms', true)
  order by rows`

/** Of all processes one at a time; the others leave it to that one. */
export const tryAnalyzeLock = async (tx: Tx): Promise<boolean> =>
  (
    await tx.one<{ is_locked: boolean }>`
      select pg_try_advisory_xact_lock(${ANALYZE_LOCK.space}::int, ${ANALYZE_LOCK.key}::int) as is_locked`
  ).is_locked

const ANALYZE_LOCK = { space: 7_311, key: 1 }

/** A table that is being vacuumed or analyzed is skipped. From version 18 on a parent is analyzed without its partitions. */
export const analyzeTable = async (tx: Tx, name: string): Promise<void> => {
  const { is_alone } = await tx.one<{ is_alone: boolean }>`
    select current_setting('server_version_num')::int >= 180000 as is_alone`
  await tx.script(`set local statement_timeout = '60s'`)
  await tx.script(`analyze (skip_locked) ${is_alone ? 'only ' : ''}"${name}"`)
}
