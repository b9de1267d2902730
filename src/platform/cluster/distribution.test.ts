import { describe, expect, test } from 'bun:test'
import { citusUrl } from '../../../test/support/cluster.ts'
import { createTestDatabase, useTestDatabase } from '../../../test/support/database.ts'
import { placeOf } from '../../boot/tables.ts'
import { distribute, distributionRefusal, reportCluster } from './distribution.ts'

const db = useTestDatabase()

describe.if(citusUrl() === null)('one PostgreSQL', () => {
  test('is not distributed, and says which extension is missing', async () => {
    expect(await reportCluster(db.database, { placeOf })).toBeNull()
    expect(await distributionRefusal(db.database)).toContain('create extension citus')
    await expect(distribute(db.database, { placeOf, shards: 4 })).rejects.toThrow('create extension citus')
    expect(db.database.isSharded()).toBe(false)
  })
})

describe.if(citusUrl() !== null)('a cluster', () => {
  test('has every table in its place, and distributing again moves none', async () => {
    const report = await reportCluster(db.database, { placeOf })
    expect(report?.misplaced).toEqual([])
    expect(report?.nodes.filter((node) => !node.is_active)).toEqual([])
    expect(await distribute(db.database, { placeOf, shards: 4 })).toEqual([])
    expect(db.database.isSharded()).toBe(true)
  })

  test('distributes a table that was created later beside the others', async () => {
    const other = await createTestDatabase()
    try {
      await other.database.script(
        'create table later (org_id text collate "C" not null, id text, primary key (org_id, id))',
      )
      const isLater = (name: string) => (name === 'later' ? ('organization' as const) : placeOf(name))
      expect(await distribute(other.database, { placeOf: isLater, shards: 4 })).toEqual(['later'])
      const { groups } = await other.database.one<{ groups: number }>`
        select count(distinct colocation_id)::int as groups from citus_tables where citus_table_type = 'distributed'`
      expect(groups).toBe(1)
    } finally {
      await other.close()
    }
  })
})
