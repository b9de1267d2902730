import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onOnePostgres } from '../../../test/support/cluster.ts'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { createAuditLinker, linkLogs } from './audit-linker.ts'
import { auditContext, recordAuditAlone, recordAudits } from './audit-log.ts'
import { verifyChain } from './audit-verification.ts'

const db = useTestDatabase()
const contextOf = () => auditContext({ database: db.database, clock: systemClock, secretKey: 'a secret for tests' })

const entry = {
  actor: { type: 'user' as const, id: 'usr_1', name: null },
  act: 'createKey',
  subject: null,
  requestId: null,
  address: null,
}

const isLinked = async (orgId: OrgId, entries: number) => {
  const head = await db.database.maybeOne<{ linked_sequence: number; has_unlinked: boolean }>`
    select linked_sequence, has_unlinked from audit_heads where org_id = ${orgId}`
  return head?.linked_sequence === entries && !head.has_unlinked
}

test('the linker links an entry right after its commit', async () => {
  const context = contextOf()
  const linker = createAuditLinker(context, quietLog)
  await linker.start()
  try {
    const { id } = await anOrganization(db.database)
    await recordAuditAlone(context, id, entry)
    await until(() => isLinked(id, 1))
    await Promise.all([recordAuditAlone(context, id, entry), recordAuditAlone(context, id, entry)])
    await until(() => isLinked(id, 3))
    expect(await verifyChain(context, id)).toMatchObject({ isIntact: true, entries: 3 })
  } finally {
    await linker.stop()
  }
})

test('the linker links entries that a process left behind when it starts', async () => {
  const context = contextOf()
  const { id } = await anOrganization(db.database)
  await recordAuditAlone(context, id, entry)
  const linker = createAuditLinker(contextOf(), quietLog)
  await linker.start()
  try {
    await until(() => isLinked(id, 1))
  } finally {
    await linker.stop()
  }
  expect(await verifyChain(context, id)).toMatchObject({ isIntact: true, entries: 1 })
})

test('the linker links what was recorded last when it stops', async () => {
  const context = contextOf()
  const { id } = await anOrganization(db.database)
  const linker = createAuditLinker(context, quietLog)
  await linker.start()
  await recordAuditAlone(context, id, entry)
  await linker.stop()
  expect(await isLinked(id, 1)).toBe(true)
})

test('a log is linked in runs when it has more entries than one run takes', async () => {
  const context = contextOf()
  const { id } = await anOrganization(db.database)
  await db.database.transaction(async (tx) => {
    recordAudits(
      context,
      tx,
      id,
      Array.from({ length: 2_100 }, () => entry),
    )
  })
  await linkLogs(context, quietLog)
  expect(await isLinked(id, 2_100)).toBe(true)
  expect(await verifyChain(context, id)).toMatchObject({ isIntact: true, entries: 2_100 })
})

const DOWNGRADE = `
  drop index audit_heads_unlinked_idx;
  alter table audit_heads drop column linked_sequence, drop column has_unlinked;
  alter table audit_heads rename column linked_hash to last_hash;
  alter table audit_entries drop column mac, alter column hash set not null, alter column previous_hash set not null`

onOnePostgres('version 0.1 knew no cluster')(
  'a log of version 0.1 keeps its chain and is continued when the database is upgraded',
  async () => {
    const context = contextOf()
    const { id } = await anOrganization(db.database)
    const migration = readFileSync(
      join(import.meta.dirname, '../../../migrations/earlier/0044_audit_linker.sql'),
      'utf8',
    )
    await db.database.script('delete from audit_entries; delete from audit_heads')
    await db.database.script(DOWNGRADE)
    const at = new Date('2026-01-02T03:04:05.678Z')
    let hash = ''
    for (const sequence of [1, 2]) {
      const chained = [hash, id, sequence, at.toISOString(), 'user', 'usr_1', null, 'createKey', 'key_1', null, null]
      const next = createHmac('sha256', context.key).update(JSON.stringify(chained)).digest('base64url')
      await db.database.run`
      insert into audit_entries (org_id, sequence, at, actor_type, actor_id, act, subject, previous_hash, hash)
      values (${id}, ${sequence}, ${at}, 'user', 'usr_1', 'createKey', 'key_1', ${hash}, ${next})`
      hash = next
    }
    await db.database.run`insert into audit_heads (org_id, last_sequence, last_hash) values (${id}, 2, ${hash})`
    await db.database.script(migration)
    expect(await verifyChain(context, id)).toMatchObject({ isIntact: true, entries: 2 })
    await recordAuditAlone(context, id, entry)
    await linkLogs(context, quietLog)
    expect(await verifyChain(context, id)).toMatchObject({ isIntact: true, entries: 3 })
    await db.database.run`update audit_entries set act = 'nothing' where org_id = ${id} and sequence = 2`
    expect(await verifyChain(context, id)).toMatchObject({ isIntact: false, brokenAt: 2 })
  },
)
