import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDataFolders } from '../../../test/support/data-folders.ts'
import { inventOrganization } from '../../../test/support/invented-organizations.ts'
import { prepareSchema } from '../../boot/schema.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { ensurePartitions } from '../../platform/database/daily-partitions.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { readMigrations } from '../../platform/database/migrate.ts'
import { deliveryIdFor } from '../deliveries/delivery-entry.ts'
import { type Delivery, listDeliveries } from '../deliveries/delivery-log.ts'
import { deliveryTables } from '../webhooks.ts'

/** Three months of days, as a server has that has been running for so long. */
const folders = openDataFolders()
afterAll(() => folders.close())
const DAY_MS = 24 * 3600 * 1000
const DAYS = 95
const LISTS = 100
const dataDir = folders.newFolder()
const endpointId = newId('wep')

async function openOld(locks?: string): Promise<{ database: Database; locks: string }> {
  const settings = { max_connections: '210', ...(locks !== undefined && { max_locks_per_transaction: locks }) }
  const { url } = await folders.start(dataDir, { settings })
  const database = openDatabase({ url, connectionsMax: 2 * LISTS })
  await prepareSchema(database, await readMigrations(join(import.meta.dirname, '../../../migrations')))
  const table = deliveryTables.find((each) => each.table === 'webhook_deliveries') as (typeof deliveryTables)[number]
  for (let day = DAYS; day >= 0; day -= 3) await ensurePartitions(database, table, Date.now() - day * DAY_MS)
  const [row] = await database.many<{ locks: string }>`select current_setting('max_locks_per_transaction') as locks`
  return { database, locks: row?.locks as string }
}

/** Newest first. */
async function anOrgWithDeliveries(database: Database, ages: readonly number[]) {
  const orgId = inventOrganization() as OrgId
  const ids = ages.map((days) => deliveryIdFor(newId('evt', Date.now() - days * DAY_MS), endpointId))
  await database.run`
    insert into webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status,
      created_at)
    select ${orgId}, id, ${endpointId}, 'evt_x', 'order.paid', 's', 1, false, false, 'failed', now()
    from unnest(${ids}::text[]) as given(id)`
  return { orgId, ids }
}

/** Each in a transaction that ends when all have been answered: all of their locks are held at one moment. */
async function listAtOnce(database: Database, orgId: OrgId, limit: number): Promise<Delivery[][]> {
  const all = Promise.withResolvers<void>()
  let answered = 0
  const list = () =>
    database.transaction(async (tx) => {
      const rows = await listDeliveries(tx, orgId, { endpointId, limit }).catch((error) => {
        all.resolve()
        throw error
      })
      answered += 1
      if (answered === LISTS) all.resolve()
      await all.promise
      return rows
    })
  return Promise.all(Array.from({ length: LISTS }, list))
}

const pagesOf = (lists: Delivery[][]) => [...new Set(lists.map((rows) => rows.map(({ id }) => id).join(' ')))]

test('a hundred lists of newest deliveries fit into a small lock table when there are 95 days of partitions', async () => {
  const { database, locks } = await openOld('16')
  const { orgId, ids } = await anOrgWithDeliveries(database, [0, 0.2, 0.4, 1, 1.5])
  expect(locks).toBe('16')
  expect(pagesOf(await listAtOnce(database, orgId, 5))).toEqual([ids.join(' ')])
  await database.close()
  await folders.endAll()
})

test('a hundred lists that reach back 95 days fit into the lock table of the embedded server', async () => {
  const { database, locks } = await openOld()
  const { orgId, ids } = await anOrgWithDeliveries(database, [0, 1, 5, 20, 60, 90])
  expect(locks).toBe('512')
  expect(pagesOf(await listAtOnce(database, orgId, 25))).toEqual([ids.join(' ')])
  const first = await listDeliveries(database, orgId, { limit: 4 })
  const second = await listDeliveries(database, orgId, { limit: 4, beforeId: first.at(-1)?.id as string })
  expect([...first, ...second].map(({ id }) => id)).toEqual(ids)
  const since = new Date(Date.now() - 10 * DAY_MS)
  expect((await listDeliveries(database, orgId, { limit: 25, since })).length).toBe(3)
  await database.close()
})
