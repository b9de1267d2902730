import type { Queries } from './database.ts'

/** How many relations a statement over a partitioned table may lock, and how large the lock table is. */
export const listPartitionedTables = (queries: Queries, names: readonly string[]) =>
  queries.many<{ name: string; partitions: number; indexes: number }>`
    select parent.relname as name,
      (select count(*)::int from pg_inherits where inhparent = parent.oid) as partitions,
      (select count(*)::int from pg_index where indrelid = parent.oid) as indexes
    from pg_class parent
    where parent.relkind = 'p' and parent.relnamespace = current_schema()::regnamespace
      and parent.relname::text = any(${[...names]}::text[])`

export const findLockLimits = (queries: Queries) =>
  queries.one<{ locks: number; connections: number }>`
    select current_setting('max_locks_per_transaction')::int as locks,
      current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int as connections`
