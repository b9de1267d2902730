import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../database/database.ts'

/** Statements on the catalogs of Citus. Those that name them run only where the extension is installed. */
export type TableState = {
  name: string
  place: 'organization' | 'reference' | 'local'
  /** What lies on this node: all of a table that is not distributed yet, nothing of one that is. */
  bytes: number
}

const ofSchema = (db: Queries) => db.part`
  pg_class.relnamespace = current_schema()::regnamespace and pg_class.relkind in ('r', 'p') and not pg_class.relispartition`

const localBytes = (db: Queries) => db.part`(
  pg_total_relation_size(pg_class.oid) + coalesce((
    select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = pg_class.oid), 0))::bigint`

/** Of a table that Citus keeps in its own catalog, `n` are copies on every node and local tables, which differ in how they replicate. */
export const listTableStates = (db: Queries) => db.many<TableState>`
  select pg_class.relname::text as name, ${localBytes(db)} as bytes,
    case when place.partmethod = 'h' then 'organization' when place.partmethod = 'n' and place.repmodel = 't' then 'reference'
      else 'local' end as place
  from pg_class left join pg_dist_partition place on place.logicalrelid = pg_class.oid
  where ${ofSchema(db)} order by pg_class.relname`

export const findCitusVersion = async (db: Queries): Promise<string | null> =>
  (await db.maybeOne<{ version: string }>`select extversion as version from pg_extension where extname = 'citus'`)
    ?.version ?? null

export type ClusterNode = {
  id: number
  name: string
  port: number
  is_coordinator: boolean
  is_active: boolean
  has_shards: boolean
}

export const listNodes = (db: Queries) => db.many<ClusterNode>`
  select nodeid as id, nodename as name, nodeport as port, groupid = 0 as is_coordinator, isactive as is_active,
    shouldhaveshards as has_shards
  from pg_dist_node where noderole = 'primary' order by groupid`

/** As this connection began: a setting of the database. */
export const doesPropagateSettings = async (db: Queries): Promise<boolean> =>
  (
    await db.one<{ is_local: boolean }>`
      select current_setting('citus.propagate_set_commands', true) is not distinct from 'local' as is_local`
  ).is_local

export type ForeignKey = { name: string; from: string; to: string; definition: string }

export const listForeignKeys = (db: Queries) => db.many<ForeignKey>`
  select conname::text as name, source.relname::text as from, target.relname::text as to,
    pg_get_constraintdef(pg_constraint.oid) as definition
  from pg_constraint
  join pg_class source on source.oid = conrelid join pg_class target on target.oid = confrelid
  where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace
  order by conname`

/** One process at a time: the others find the tables distributed. */
export const lockDistribution = (tx: Tx) => tx.run`select pg_advisory_xact_lock(${DISTRIBUTION_LOCK})`

const DISTRIBUTION_LOCK = 7_310_013

export const createReferenceTable = (tx: Tx, name: string) => tx.run`select create_reference_table(${name}::regclass)`

/** The first table decides the number of shards; the others follow it, so that an organization has one place for all of them. */
export const createDistributedTable = (
  tx: Tx,
  name: string,
  { shards, beside }: { shards: number; beside: string | null },
) =>
  beside === null
    ? tx.run`
        select create_distributed_table(${name}::regclass, 'org_id', colocate_with => 'none', shard_count => ${shards}::int)`
    : tx.run`select create_distributed_table(${name}::regclass, 'org_id', colocate_with => ${beside})`

/** The rows are on the shards by now; what lies under the name of the table is no longer read. */
export const truncateLocalRows = (db: Queries, name: string) =>
  db.run`select truncate_local_data_after_distributing_table(${name}::regclass)`

export const listTablesWithLocalRows = async (db: Queries): Promise<string[]> =>
  (
    await db.many<{ name: string }>`
      select pg_class.relname::text as name
      from pg_class join pg_dist_partition place on place.logicalrelid = pg_class.oid
      where ${ofSchema(db)} and (place.partmethod = 'h' or place.repmodel = 't')
        and (pg_relation_size(pg_class.oid) > 0 or exists (
          select from pg_inherits where inhparent = pg_class.oid and pg_relation_size(inhrelid) > 0))
      order by pg_class.relname`
  ).map(({ name }) => name)

/** Of any table: all have as many. */
export const countShards = async (db: Queries): Promise<number> =>
  (
    await db.one<{ shards: number }>`
      select coalesce(max(shard_count), 0)::int as shards from citus_tables where citus_table_type = 'distributed'`
  ).shards

export type NodeSize = { name: string; port: number; shards: number; bytes: number }

export const listNodeSizes = (db: Queries) => db.many<NodeSize>`
  select nodename as name, nodeport as port, count(distinct shardid)::int as shards, coalesce(sum(shard_size), 0)::bigint as bytes
  from citus_shards where citus_table_type = 'distributed' group by nodename, nodeport order by nodename, nodeport`

export type PlacedOrganization = { id: string; slug: string; shard: number; node: string; bytes: number }

/**
 * The shard of each organization, with the size of all that lies on it, the largest first: organizations that share a shard
 * share its size.
 */
export const listPlacedOrganizations = (db: Queries, { table, limit }: { table: string; limit: number }) =>
  db.many<PlacedOrganization>`
    with placed as materialized (
      select id, slug, get_shard_id_for_distribution_column(${table}::regclass, id) as shard from organizations),
    groups as materialized (
      select shards.shardid, shards.nodename || ':' || shards.nodeport as node,
        pg_dist_shard.shardminvalue as bound, shards.shard_size as bytes
      from citus_shards shards join pg_dist_shard on pg_dist_shard.shardid = shards.shardid
      where shards.citus_table_type = 'distributed'),
    sums as (select bound, sum(bytes)::bigint as bytes from groups group by bound)
    select placed.id, placed.slug, placed.shard, groups.node, sums.bytes
    from placed join groups on groups.shardid = placed.shard join sums on sums.bound = groups.bound
    order by sums.bytes desc, placed.id limit ${limit}`

/**
 * Organizations whose node answers. A statement about all organizations fails while one node is away; what must not wait for that node
 * goes through these one by one instead.
 */
export const listReachableOrganizations = (db: Queries, { after, limit }: { after: string; limit: number }) =>
  db.many<{ org_id: OrgId }>`
    with reachable as materialized (
      select groupid from pg_dist_node
      where noderole = 'primary' and isactive and shouldhaveshards and citus_check_connection_to_node(nodename, nodeport))
    select organizations.id as org_id from organizations
    join pg_dist_placement
      on pg_dist_placement.shardid = get_shard_id_for_distribution_column('organization_homes'::regclass, organizations.id)
    join reachable on reachable.groupid = pg_dist_placement.groupid
    where organizations.id > ${after} order by organizations.id limit ${limit}`
