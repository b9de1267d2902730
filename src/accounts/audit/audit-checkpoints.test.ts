import { afterAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { createFileStorage } from '../../platform/storage/file-storage.ts'
import { createCheckpointWriter, writeCheckpoints } from './audit-checkpoints.ts'
import { type AuditContext, auditContext, recordAuditAlone, recordAudits } from './audit-log.ts'
import { explainProblem, verifyChain } from './audit-verification.ts'

const db = useTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'nexkit-checkpoints-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const inDatabase = () => auditContext({ database: db.database, clock: systemClock, secretKey: 'a secret for tests' })
const withStore = () => ({ ...inDatabase(), checkpointStore: createFileStorage(folder) })

const entry = {
  actor: { type: 'user' as const, id: 'usr_1', name: null },
  act: 'createKey',
  subject: null,
  requestId: null,
  address: null,
}

async function append(context: AuditContext, orgId: OrgId, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await recordAuditAlone(context, orgId, entry)
}

/** Rewrites the log as an attacker with database access would, so that every remaining hash is right. */
async function truncate(orgId: OrgId, last: number): Promise<void> {
  await db.database.run`delete from audit_entries where org_id = ${orgId} and sequence > ${last}`
  await db.database.run`
    update audit_heads set last_sequence = ${last}, linked_sequence = ${last},
      linked_hash = (select hash from audit_entries where org_id = ${orgId} and sequence = ${last})
    where org_id = ${orgId}`
}

async function aLog(context: AuditContext, count: number): Promise<OrgId> {
  const { id } = await anOrganization(db.database)
  await append(context, id, count)
  return id
}

describe('a log of which the end was cut off', () => {
  test('is not intact when its checkpoint covers more entries', async () => {
    const context = inDatabase()
    const orgId = await aLog(context, 5)
    await writeCheckpoints(context, quietLog)
    await truncate(orgId, 3)
    const verdict = await verifyChain(context, orgId)
    expect(verdict).toMatchObject({ isIntact: false, brokenAt: 4, problem: { kind: 'tail_missing', until: 5 } })
    expect(verdict.problem && explainProblem(verdict.problem)).toMatch(
      /^Entries 4 to 5 are missing at the end: the checkpoint of \S+ covers 5 entries\.$/,
    )
  })

  test('stays so when entries are added afterwards: the checkpoint is kept as it is', async () => {
    const context = inDatabase()
    const orgId = await aLog(context, 5)
    await writeCheckpoints(context, quietLog)
    await truncate(orgId, 3)
    await append(context, orgId, 4)
    await writeCheckpoints(context, quietLog)
    expect(await verifyChain(context, orgId)).toMatchObject({
      isIntact: false,
      brokenAt: 5,
      problem: { kind: 'rewritten' },
    })
  })

  test('is not intact when its checkpoint was edited to fit', async () => {
    const context = inDatabase()
    const orgId = await aLog(context, 5)
    await writeCheckpoints(context, quietLog)
    await truncate(orgId, 3)
    await db.database.run`
      update audit_checkpoints set sequence = 3,
        hash = (select hash from audit_entries where org_id = ${orgId} and sequence = 3)
      where org_id = ${orgId}`
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, problem: { kind: 'checkpoint_forged' } })
  })

  test('is not intact when an older checkpoint, or none, was put back into the database and one is kept elsewhere', async () => {
    const context = withStore()
    const orgId = await aLog(context, 3)
    await writeCheckpoints(context, quietLog)
    await db.database.script(`create table kept as select * from audit_checkpoints where org_id = '${orgId}'`)
    await append(context, orgId, 2)
    await writeCheckpoints(context, quietLog)
    await truncate(orgId, 3)
    await db.database.run`delete from audit_checkpoints where org_id = ${orgId}`
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 4 })
    await db.database.script('insert into audit_checkpoints select * from kept')
    expect(await verifyChain(inDatabase(), orgId)).toMatchObject({ isIntact: true })
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 4 })
    await writeCheckpoints(context, quietLog)
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 4 })
  })

  test('is not intact when the checkpoint of another organization was copied over its own', async () => {
    const context = withStore()
    const [orgId, other] = [await aLog(context, 3), await aLog(context, 1)]
    await writeCheckpoints(context, quietLog)
    await truncate(orgId, 1)
    await db.database.run`delete from audit_checkpoints where org_id = ${orgId}`
    copyFileSync(join(folder, `${other}.json`), join(folder, `${orgId}.json`))
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, problem: { kind: 'checkpoint_forged' } })
  })

  test('is not intact when nothing is left of it', async () => {
    const context = inDatabase()
    const orgId = await aLog(context, 2)
    await writeCheckpoints(context, quietLog)
    await db.database.run`delete from audit_entries where org_id = ${orgId}`
    await db.database.run`delete from audit_heads where org_id = ${orgId}`
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: false, brokenAt: 1 })
  })

  test('is not intact also when there was time for a part of it only', async () => {
    const context = inDatabase()
    const orgId = await aLog(context, 0)
    const rows = Array.from({ length: 1100 }, () => entry)
    await context.database.transaction(async (tx) => recordAudits(context, tx, orgId, rows))
    await writeCheckpoints(context, quietLog)
    await truncate(orgId, 1050)
    const verdict = await verifyChain(context, orgId, { timeMsMax: 0 })
    expect(verdict).toMatchObject({ isIntact: false, brokenAt: 1051, isPartial: true })
  })
})

describe('checkpoints', () => {
  test('cover what was added since, and are not written again for what was not', async () => {
    const context = inDatabase()
    const orgId = await aLog(context, 2)
    expect(await writeCheckpoints(context, quietLog)).toBeGreaterThan(0)
    const first = (await verifyChain(context, orgId)).checkpoint
    expect(first).toMatchObject({ sequence: 2 })
    await writeCheckpoints(context, quietLog)
    expect((await verifyChain(context, orgId)).checkpoint).toEqual(first)
    await append(context, orgId, 1)
    await writeCheckpoints(context, quietLog)
    expect(await verifyChain(context, orgId)).toMatchObject({ isIntact: true, checkpoint: { sequence: 3 } })
  })

  test('are written when the process stops', async () => {
    const context = inDatabase()
    const writer = createCheckpointWriter(context, quietLog)
    await writer.start()
    const orgId = await aLog(context, 2)
    await writer.stop()
    expect((await verifyChain(context, orgId)).checkpoint).toMatchObject({ sequence: 2 })
  })

  test('keep no server from starting or stopping when their store is away', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const context = { ...inDatabase(), checkpointStore: createFileStorage(join(file, 'below')) }
    const orgId = await aLog(context, 1)
    const writer = createCheckpointWriter(context, quietLog)
    await writer.start()
    await writer.stop()
    expect((await verifyChain(inDatabase(), orgId)).checkpoint).toBeNull()
  })
})
