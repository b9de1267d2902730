import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { fixedClock } from '../../kernel/clock.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { createIdempotencySweep } from './idempotency-sweep.ts'

const db = useTestDatabase()
const clock = fixedClock(Date.UTC(2026, 10, 15))

const store = (orgId: OrgId, { key, hoursAgo, count = 1 }: { key: string; hoursAgo: number; count?: number }) =>
  db.database.run`
    insert into idempotency_keys (org_id, operation, key, fingerprint, status, body, request_id, created_at)
    select ${orgId}, 'createOrder', ${key} || n, '', 201, '{}', 'req_any', ${new Date(clock.now() - hoursAgo * 3_600_000)}
    from generate_series(1, ${count}::int) n`

test('stored answers are forgotten after more than a day, of every organization and however many, and younger ones stay', async () => {
  const [one, other] = [newId('org'), newId('org')]
  await store(one, { key: 'old', hoursAgo: 26, count: 4_500 })
  await store(one, { key: 'young', hoursAgo: 24 })
  await store(other, { key: 'old', hoursAgo: 100 })
  expect(await createIdempotencySweep({ database: db.database, clock, log: quietLog }).sweep()).toBe(4_501)
  expect(await db.database.many`select org_id, key from idempotency_keys`).toEqual([{ org_id: one, key: 'young1' }])
})
