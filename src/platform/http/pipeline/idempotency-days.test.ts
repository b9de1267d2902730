import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createTestDatabase, useTestDatabase } from '../../../../test/support/database.ts'
import { inventOrganization } from '../../../../test/support/invented-organizations.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import { dropOldPartitions, ensurePartitions } from '../../database/daily-partitions.ts'
import { type IdempotencyClaim, idempotencyTable, type RunInTransaction, runOnce } from './idempotency.ts'

const db = useTestDatabase()
const DAY_MS = 24 * 3600 * 1000

const aClaim = (): IdempotencyClaim => ({
  operation: 'createOrder',
  key: newId('req'),
  fingerprint: 'same',
  requestId: newId('req'),
})

const runOf = (orgId: OrgId, claim: IdempotencyClaim, run: RunInTransaction['run']) =>
  runOnce({
    database: db.database,
    orgId,
    claim,
    vault: null,
    run,
    renderRefusal: () => ({ status: 409, body: '{}', location: null }),
  })

const answerWith = (body: string) => async () => ({ status: 201, body, location: null })

/** Moves the stored request into the past. */
const ageAnswer = (claim: IdempotencyClaim, age: string) =>
  db.database.run`update idempotency_keys set created_at = now() - ${age}::interval where key = ${claim.key}`

test('an answer of the day before is replayed when it is less than a day old, and the key is free after it', async () => {
  await ensurePartitions(db.database, idempotencyTable, Date.now() - DAY_MS)
  const [orgId, claim] = [inventOrganization(), aClaim()]
  await runOf(orgId, claim, answerWith('first'))
  await ageAnswer(claim, '23 hours 59 minutes')
  expect(await runOf(orgId, claim, answerWith('second'))).toMatchObject({ replayed: { body: 'first' } })
  await ageAnswer(claim, '25 hours 1 second')
  expect(await runOf(orgId, claim, answerWith('second'))).toEqual({
    fresh: { status: 201, body: 'second', location: null },
  })
  expect(await runOf(orgId, claim, answerWith('third'))).toMatchObject({ replayed: { body: 'second' } })
})

test('a request after midnight is refused while one from before it runs with its key, and then gets its answer', async () => {
  const [orgId, claim] = [inventOrganization(), aClaim()]
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const beforeMidnight = runOf(orgId, claim, async () => {
    begun.resolve()
    await over.promise
    return answerWith('before midnight')()
  })
  await begun.promise
  const refused = await runOf(orgId, claim, answerWith('after midnight')).catch((error) => error)
  expect(refused.code).toBe('idempotency_key_in_use')
  over.resolve()
  await beforeMidnight
  await db.database.run`
    update idempotency_keys set created_at = date_trunc('day', now()) - interval '1 ms' where key = ${claim.key}`
  expect(await runOf(orgId, claim, answerWith('after midnight'))).toMatchObject({
    replayed: { body: 'before midnight' },
  })
})

test('days are dropped once all of their answers are more than 25 hours old', async () => {
  const own = await createTestDatabase()
  const { now } = await own.database.one<{ now: Date }>`select now() as now`
  await ensurePartitions(own.database, idempotencyTable, now.getTime() - 3 * DAY_MS)
  const partitions = async () =>
    (
      await own.database.many<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'idempotency_keys'::regclass order by 1`
    ).map(({ name }) => name)
  const nameOf = (ms: number) => `idempotency_keys_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`
  await dropOldPartitions(own.database, idempotencyTable, now.getTime())
  const oldest = nameOf(now.getTime() - 25 * 3600 * 1000)
  expect((await partitions())[0]).toBe(oldest)
  await own.close()
})

test('answers that are remembered survive the change to partitions, and older ones do not', async () => {
  const own = await createTestDatabase()
  const textOf = (name: string) =>
    readFile(resolve(import.meta.dirname, '../../../../migrations/earlier', name), 'utf8')
  await own.database.script('drop table idempotency_keys')
  await own.database.script(await textOf('0002_idempotency_keys.sql'))
  await own.database.run`
    insert into idempotency_keys (org_id, operation, key, fingerprint, status, body, request_id, created_at)
    select 'org_1', 'createOrder', key, 'f', 201, '{"id":1}', 'req_1', now() + age::interval
    from (values ('new', '0'), ('yesterday', '-24 hours'), ('old', '-26 hours'), ('ahead', '2 days')) as given (key, age)`
  await own.database.script(await textOf('0046_idempotency_keys_by_day.sql'))
  const rows = await own.database.many<{ key: string; body: string }>`
    select key, body from idempotency_keys where created_at <= now() order by key`
  expect(rows).toEqual(['ahead', 'new', 'yesterday'].map((key) => ({ key, body: '{"id":1}' })))
  await ensurePartitions(own.database, idempotencyTable, Date.now())
  await own.close()
})
