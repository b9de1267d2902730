import { beforeAll, expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { TEST_SECRET_KEY } from '../../test/support/secret-key.ts'
import { auditContext, recordAuditAlone } from '../accounts/audit.ts'
import { systemClock } from '../kernel/clock.ts'
import { diagnose } from './doctor.ts'

const db = useTestDatabase()

beforeAll(async () => {
  const context = auditContext({ database: db.database, clock: systemClock, secretKey: TEST_SECRET_KEY })
  const { id } = await anOrganization(db.database, { slug: 'toko-budi' })
  const actor = { type: 'user' as const, id: 'usr_1', name: null }
  for (const act of ['createKey', 'revokeKey'])
    await recordAuditAlone(context, id, { actor, act, subject: null, requestId: null, address: null })
})

const auditFinding = async () => {
  const environment = { DATABASE_URL: db.url, NEXKIT_SECRET_KEY: TEST_SECRET_KEY, PORT: '49201' }
  return (await diagnose(environment)).find(({ subject }) => subject === 'audit log')
}

test('doctor tells whether the audit log holds together, and where it does not', async () => {
  expect(await auditFinding()).toMatchObject({ status: 'ok', says: '2 entries hold together' })
  await db.database.run`update audit_entries set act = 'nothing' where sequence = 2`
  const finding = await auditFinding()
  expect(finding?.status).toBe('failed')
  expect(finding?.says).toContain('"toko-budi" does not hold at entry 2')
})
