import { expect } from 'bun:test'
import { onOnePostgres } from '../../../test/support/cluster.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { inventOrganization } from '../../../test/support/invented-organizations.ts'
import { newId } from '../../kernel/ids.ts'
import { listJournalById, markJournalApplied } from './journal.sql.ts'

const db = useTestDatabase()

onOnePostgres('it reads a plan of one node')(
  'only the day of a journal row is read when it is looked up and marked under a kept plan',
  async () => {
    const { now } = await db.database.one<{ now: Date }>`select now() as now`
    const [orgId, id] = [inventOrganization(), newId('jrn', now.getTime())]
    await db.database
      .run`insert into channel_journal (org_id, id, number_id, body) values (${orgId}, ${id}, 'num_1', '')`
    const read = await db.database.transaction(async (tx) => {
      await tx.script('set local plan_cache_mode to force_generic_plan')
      expect((await listJournalById(tx, orgId, [id])).map((row) => row.id)).toEqual([id])
      expect(await markJournalApplied(tx, orgId, [{ id, problem: null }], now)).toBe(1)
      return tx.many<{ name: string }>`
      select relname as name from pg_stat_xact_user_tables
      where relname like 'channel_journal_%' and seq_scan + coalesce(idx_scan, 0) > 0`
    })
    expect(read).toEqual([{ name: `channel_journal_${now.toISOString().slice(0, 10).replaceAll('-', '')}` }])
  },
)
