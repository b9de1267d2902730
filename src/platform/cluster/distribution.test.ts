import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { citusUrl, createDatabase, whileUnused, withName } from '../../../test/support/cluster.ts'
import { createTestDatabase, useTestDatabase } from '../../../test/support/database.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { TEST_SECRET_KEY } from '../../../test/support/secret-key.ts'
import { until } from '../../../test/support/until.ts'
import { prepareSchema } from '../../boot/schema.ts'
import { placeOf, tenantTables } from '../../boot/tables.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { type Migration, migrate } from '../database/migrate.ts'
import { enqueue } from '../outbox/entries.ts'
import { distribute, distributionRefusal, placeNewTables, reportCluster } from './distribution.ts'

const db = useTestDatabase()

describe.if(citusUrl() === null)('one PostgreSQL', () => {
  test('is not distributed, and says which extension is missing', async () => {
    expect(await reportCluster(db.database, { placeOf })).toBeNull()
    expect(await distributionRefusal(db.database)).toContain('create extension citus')
    await expect(distribute(db.database, { placeOf, shards: 4 })).rejects.toThrow('create extension citus')
    expect(db.database.isSharded()).toBe(false)
  })
})

const countDistributed = async (database: Database): Promise<number> =>
  (
    await database.one<{ count: number }>`
      select count(*)::int as count from pg_dist_partition where partmethod = 'h' and logicalrelid::text = any(${[...tenantTables]})`
  ).count

const CLI = join(import.meta.dirname, '..', '..', 'cli.ts')

/** `nexkit cluster distribute`, as a process that can be killed. */
const startDistribute = (url: string) =>
  spawn(process.execPath, [CLI, 'cluster', 'distribute', '--shards', '2'], {
    env: { PATH: process.env.PATH, DATABASE_URL: url, NEXKIT_SECRET_KEY: TEST_SECRET_KEY },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

describe.if(citusUrl() !== null)('a cluster', () => {
  test('has every table in its place, and distributing again moves none', async () => {
    const report = await reportCluster(db.database, { placeOf })
    expect(report?.misplaced).toEqual([])
    expect(report?.nodes.filter((node) => !node.is_active)).toEqual([])
    expect(await distribute(db.database, { placeOf, shards: 4 })).toEqual([])
    expect(db.database.isSharded()).toBe(true)
  })

  test('reports that limits do not reach the workers when the database is a copy, until it is distributed again', async () => {
    const copy = await createTestDatabase()
    const doesPropagate = async () => {
      const database = openDatabase({ url: copy.url, connectionsMax: 1 })
      await database.lookForShards()
      const report = await reportCluster(database, { placeOf }).finally(() => database.close())
      return report?.propagates_settings
    }
    try {
      expect(await doesPropagate()).toBe(true)
      const name = new URL(copy.url).pathname.slice(1)
      await copy.database.script(`alter database ${name} reset citus.propagate_set_commands`)
      expect(await doesPropagate()).toBe(false)
      await distribute(copy.database, { placeOf, shards: 4 })
      expect(await doesPropagate()).toBe(true)
    } finally {
      await copy.close()
    }
  })

  test('rejects a write for an organization without a home', async () => {
    const deliver = { orgId: 'org_homeless' as OrgId, id: 'one', laneId: 'lane', job: 'deliver', payload: {} }
    await expect(enqueue(db.database, [deliver])).rejects.toThrow('org_homeless has 0 rows in organization_homes')
  })

  test('has every row in its place when the distribution was killed midway and started again', async () => {
    const server = citusUrl() as string
    const name = `nexkit_test_${process.pid}_${randomBytes(4).toString('hex')}`
    await createDatabase(server, name)
    const url = withName(server, name)
    const database = openDatabase({ url, connectionsMax: 2 })
    try {
      await prepareSchema(database, db.migrations)
      const organizations = await Promise.all(Array.from({ length: 5 }, () => anOrganization(database)))
      const killed = startDistribute(url)
      await until(async () => (await countDistributed(database)) > 15)
      killed.kill('SIGKILL')
      await once(killed, 'exit')
      const moved = await countDistributed(database)
      expect(moved).toBeLessThan(tenantTables.filter((table) => placeOf(table) === 'organization').length)
      const [code] = await once(startDistribute(url), 'exit')
      expect(code).toBe(0)
      expect((await reportCluster(database, { placeOf }))?.misplaced).toEqual([])
      const homes = await database.many<{ org_id: string }>`select org_id from organization_homes order by org_id`
      expect(homes.map(({ org_id }) => org_id)).toEqual(organizations.map(({ id }) => id as string).toSorted())
    } finally {
      await database.close()
      await whileUnused(server, [name], `drop database if exists ${name} with (force)`)
    }
  })

  test('takes a migration that adds a column, an index and a table of organizations', async () => {
    const other = await createTestDatabase()
    const { database } = other
    const later: Migration = {
      ...{ version: 9_001, name: '9001_later', checksum: 'later', isBreaking: false, isBaseline: false },
      text: `alter table orders add column later text not null default 'none; still';
        create index orders_later_idx on orders (org_id, later);
        create table later (org_id text collate "C" not null, id text collate "C" not null,
          constraint later_pkey primary key (org_id, id));
        create index later_id_idx on later (org_id, id desc);`,
    }
    try {
      expect(await migrate(database, [...other.migrations, later])).toEqual(['9001_later'])
      const isLater = (name: string) => (name === 'later' ? ('organization' as const) : placeOf(name))
      await placeNewTables(database, isLater)
      expect((await reportCluster(database, { placeOf: isLater }))?.misplaced).toEqual([])
      await database.run`insert into later (org_id, id) values ('org_one', 'one'), ('org_two', 'two')`
      expect(await database.many`select id from later where org_id = 'org_one'`).toMatchObject([{ id: 'one' }])
      expect(await database.many`select later from orders where org_id = 'org_one'`).toEqual([])
      const { groups } = await database.one<{ groups: number }>`
        select count(distinct colocation_id)::int as groups from citus_tables where citus_table_type = 'distributed'`
      expect(groups).toBe(1)
    } finally {
      await other.close()
    }
  })
})
