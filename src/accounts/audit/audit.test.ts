import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { AuditFilter } from './audit.sql.ts'
import { linkLog } from './audit-linker.ts'
import {
  type AuditContext,
  type AuditEntry,
  auditContext,
  listAuditEntries,
  recordAudit,
  recordAuditAlone,
  recordAudits,
} from './audit-log.ts'
import { verifyChain } from './audit-verification.ts'

const db = useTestDatabase()
let context: AuditContext

beforeAll(() => {
  context = auditContext({ database: db.database, clock: systemClock, secretKey: 'a secret for tests' })
})

const entry = (act: string) => ({
  actor: { type: 'user' as const, id: 'usr_1', name: 'sari@example.com' },
  act,
  subject: 'key_1',
  requestId: 'req_1',
  address: '203.0.113.7',
  ...(act === 'changeRole' && { changes: [{ field: 'role', before: 'viewer', after: 'admin' }] }),
})

async function aChain(...acts: string[]): Promise<OrgId> {
  const { id } = await anOrganization(db.database)
  for (const act of acts) await recordAuditAlone(context, id, entry(act))
  return id
}

const ACTS = ['createKey', 'changeRole', 'revokeKey', 'deleteNumber']

const linked = async (orgId: OrgId): Promise<OrgId> => {
  await linkLog(context, quietLog, orgId)
  return orgId
}

describe('the chain', () => {
  test('holds as it was written, and is empty for who did nothing', async () => {
    const orgId = await aChain(...ACTS)
    expect(await verifyChain(context, orgId)).toMatchObject({
      isIntact: true,
      entries: 4,
      brokenAt: null,
      isPartial: false,
    })
    expect(await verifyChain(context, await aChain())).toMatchObject({ isIntact: true, entries: 0 })
    expect((await listAuditEntries(db.database, orgId, { limit: 10 })).map(({ act }) => act)).toEqual(ACTS.toReversed())
  })

  const CHANGES = [
    ['act', `act = 'nothing'`],
    ['actor_id', `actor_id = 'usr_2'`],
    ['actor_name', `actor_name = null`],
    ['subject', `subject = 'key_2'`],
    ['at', `at = now()`],
    ['address', `address = null`],
    ['request_id', `request_id = 'req_2'`],
    ['changes', `changes = replace(changes, 'admin', 'agent')`],
    ['presence of changes', `changes = null`],
    ['mac', `mac = null`],
    ['mac into changes', `changes = mac, mac = null`],
  ] as const
  const change = (orgId: OrgId, what: string) =>
    db.database.script(`update audit_entries set ${what} where org_id = '${orgId}' and sequence = 2`)

  test.each([...CHANGES, ['hash', `hash = previous_hash`], ['link', `previous_hash = null, hash = null`]] as const)(
    'breaks where %s of a linked entry was changed',
    async (_, what) => {
      const orgId = await linked(await aChain(...ACTS))
      await change(orgId, what)
      expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 2 })
    },
  )

  test.each(CHANGES)(
    'breaks where %s of an entry was changed that is not linked yet, also once it is',
    async (_, what) => {
      const orgId = await aChain(...ACTS)
      await change(orgId, what)
      expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 2 })
      await linked(orgId)
      expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 2 })
    },
  )

  test.each([
    ['linked', linked],
    ['not linked yet', async (orgId: OrgId) => orgId],
  ])('breaks where an entry was removed that is %s, also the last one', async (_, prepare) => {
    const [middle, last] = [await prepare(await aChain(...ACTS)), await prepare(await aChain(...ACTS))]
    await db.database.run`delete from audit_entries where org_id = ${middle} and sequence = 2`
    await db.database.run`delete from audit_entries where org_id = ${last} and sequence = 4`
    for (const orgId of [middle, last]) {
      const brokenAt = orgId === middle ? 2 : 4
      expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt })
      await recordAuditAlone(context, await linked(orgId), entry('createKey'))
      expect(await verifyChain(context, await linked(orgId))).toMatchObject({ isIntact: false, brokenAt })
    }
  })

  test('breaks where two linked entries changed places', async () => {
    const orgId = await linked(await aChain(...ACTS))
    const move = (from: number, to: number) =>
      db.database.run`update audit_entries set sequence = ${to} where org_id = ${orgId} and sequence = ${from}`
    for (const [from, to] of [
      [2, 0],
      [3, 2],
      [0, 3],
    ] as const)
      await move(from, to)
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 2 })
  })

  test('breaks where a copy of an entry was appended, once it is linked', async () => {
    const orgId = await linked(await aChain(...ACTS))
    await db.database.run`
      insert into audit_entries (org_id, sequence, at, actor_type, actor_id, actor_name, act, subject, request_id, address, mac)
      select org_id, 5, at, actor_type, actor_id, actor_name, act, subject, request_id, address, mac
      from audit_entries where org_id = ${orgId} and sequence = 2`
    await db.database.run`update audit_heads set last_sequence = 5, has_unlinked = true where org_id = ${orgId}`
    await recordAuditAlone(context, orgId, entry('createKey'))
    expect(await verifyChain(context, await linked(orgId))).toMatchObject({ isIntact: false, brokenAt: 5 })
  })

  test('holds while one part is linked and another is not', async () => {
    const orgId = await linked(await aChain(...ACTS))
    await recordAuditAlone(context, orgId, entry('createKey'))
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: true, entries: 5 })
    const last = await listAuditEntries(db.database, orgId, { limit: 1 })
    expect(last).toMatchObject([{ sequence: 5, hash: null, previous_hash: null }])
    expect(await verifyChain(context, await linked(orgId))).toMatchObject({ isIntact: true, entries: 5 })
  })

  test('cannot be rewritten without the secret', async () => {
    const orgId = await aChain(...ACTS)
    await db.database.run`delete from audit_entries where org_id = ${orgId}`
    await db.database.run`delete from audit_heads where org_id = ${orgId}`
    const forger = auditContext({ database: db.database, clock: systemClock, secretKey: 'another secret' })
    await recordAuditAlone(forger, orgId, entry('nothing'))
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 1 })
  })

  test('lets an act commit while another of the organization has not', async () => {
    const orgId = await aChain()
    await db.database.transaction(async (tx) => {
      recordAudit(context, tx, orgId, entry('createKey'))
      await recordAuditAlone(context, orgId, entry('revokeKey'))
    })
    const acts = (await listAuditEntries(db.database, orgId, { limit: 10 })).map(({ sequence, act }) => [sequence, act])
    expect(acts.toSorted()).toEqual([
      [1, 'revokeKey'],
      [2, 'createKey'],
    ])
  })

  test('has no gap and no fork when many write at once', async () => {
    const { id } = await anOrganization(db.database)
    await Promise.all(Array.from({ length: 20 }, (_, index) => recordAuditAlone(context, id, entry(`act${index}`))))
    expect(await verifyChain(context, id)).toMatchObject({ isIntact: true, entries: 20 })
    await Promise.all(Array.from({ length: 5 }, () => linked(id)))
    expect(await verifyChain(context, id)).toMatchObject({ isIntact: true, entries: 20 })
  })

  test('an act that is undone takes its entry with it', async () => {
    const orgId = await aChain('createKey')
    const undone = db.database.transaction(async (tx) => {
      recordAudit(context, tx, orgId, entry('revokeKey'))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await recordAuditAlone(context, orgId, entry('changeRole'))
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: true, entries: 2 })
  })

  test('that is too long for the time says how far it was looked at', async () => {
    const orgId = await aChain()
    const rows = Array.from({ length: 1001 }, () => entry('act'))
    await db.database.transaction(async (tx) => recordAudits(context, tx, orgId, rows))
    const verdict = await verifyChain(context, orgId, { timeMsMax: 0 })
    expect(verdict).toMatchObject({ isIntact: true, entries: 1000, brokenAt: null, isPartial: true })
  })
})

/**
 * Writes one entry a minute, the last one now, by two people in turn; every tenth entry is another act. Nothing
 * verifies them.
 */
async function aLongLog(size: number): Promise<OrgId> {
  const { id } = await anOrganization(db.database)
  await db.database.run`
    insert into audit_entries (org_id, sequence, at, actor_type, actor_id, act, subject, previous_hash, hash)
    select ${id}, nth, now() - (${size}::int - nth) * interval '1 minute', 'user', 'usr_' || nth % 2,
      case when nth % 10 = 0 then 'revokeKey' else 'createKey' end, 'key_' || nth % 3, '', ''
    from generate_series(1, ${size}::int) as nth`
  await db.database.script('analyze audit_entries')
  return id
}

/** Entries that this transaction has read in the indexes of the log. */
const entriesRead = async (tx: Queries) =>
  (
    await tx.one<{ count: number }>`
      select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as count
      from pg_index where indrelid = 'audit_entries'::regclass`
  ).count

describe('the list', () => {
  const SIZE = 20_000
  const LIMIT = 25
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const until = minutesAgo(SIZE - 5_000)
  let orgId: OrgId
  beforeAll(async () => {
    orgId = await aLongLog(SIZE)
  })

  const reading = (filter: Omit<AuditFilter, 'limit'>) =>
    db.database.transaction(async (tx) => {
      // What PostgreSQL does on its own from the sixth time on, if it thinks it the cheaper way.
      await tx.run`set local plan_cache_mode to force_generic_plan`
      const before = await entriesRead(tx)
      const rows = await listAuditEntries(tx, orgId, { ...filter, limit: LIMIT })
      return { rows: rows.length, read: (await entriesRead(tx)) - before }
    })

  test.each([
    ['long ago', { until }],
    ['of some hours long ago', { since: minutesAgo(SIZE - 4_000), until }],
    ['of one person, long ago', { actorId: 'usr_1', until }],
    ['of one kind, long ago', { act: 'revokeKey', until }],
    ['about one thing, long ago', { subject: 'key_1', until }],
    ['that goes on from there', { before: { at: until, sequence: 5_000 } }],
    ['of one kind that goes on from there', { act: 'revokeKey', before: { at: until, sequence: 5_000 } }],
  ] satisfies [string, Omit<AuditFilter, 'limit'>][])('reads for a page %s that page alone', async (_, filter) => {
    const { rows, read } = await reading(filter)
    expect(rows).toBe(LIMIT)
    expect(read).toBeLessThanOrEqual(2 * LIMIT)
  })

  test('reads nothing where nothing happened', async () => {
    expect(await reading({ since: new Date(Date.now() + 60_000) })).toEqual({ rows: 0, read: 0 })
    expect(await reading({ act: 'createKey', until: minutesAgo(SIZE + 1) })).toEqual({ rows: 0, read: 0 })
    expect(await reading({ actorId: 'usr_0', since: until, until: minutesAgo(SIZE - 3_000) })).toEqual({
      rows: 0,
      read: 0,
    })
  })

  test('shows entries of the same moment once each, page by page', async () => {
    const { id } = await anOrganization(db.database)
    const frozen = { ...context, clock: { ...systemClock, now: () => 1_800_000_000_000 } }
    for (const act of ACTS) await recordAuditAlone(frozen, id, entry(act))
    const first = await listAuditEntries(db.database, id, { limit: 3 })
    const rest = await listAuditEntries(db.database, id, { before: first.at(-1) as AuditEntry, limit: 3 })
    expect([...first, ...rest].map(({ act }) => act)).toEqual(ACTS.toReversed())
  })
})
