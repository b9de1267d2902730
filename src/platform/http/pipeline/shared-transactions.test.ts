import { beforeAll, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../../test/support/database.ts'
import { anOrganization } from '../../../../test/support/makers.ts'
import { until } from '../../../../test/support/until.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import type { Tx } from '../../database/database.ts'
import { idempotencyKeyInUse } from '../http.errors.ts'
import type { IdempotencyClaim, IdempotentOutcome } from './idempotency.ts'
import { createSharedTransactions, type SharedRun, type SharedTransactions } from './shared-transactions.ts'

const db = useTestDatabase()
let shared: SharedTransactions

beforeAll(async () => {
  shared = createSharedTransactions(db.database)
  await db.database.script('create table written (subject text, value int, xid text)')
})

type Fields = Partial<SharedRun> & { orgId: OrgId; subject: string }

const request = (fields: Fields): SharedRun => ({
  claim: null,
  vault: null,
  renderRefusal: ({ status }) => ({ status, body: 'refused', location: null }),
  run: (tx) => write(tx, fields.subject),
  ...fields,
})

/** One more than there is: two that do so at once would write the same. */
async function write(tx: Tx, subject: string) {
  await tx.one`select pg_advisory_xact_lock(hashtext(${subject}))`
  const { next } = await tx.one<{ next: number }>`
    select count(*)::int + 1 as next from written where subject = ${subject}`
  await tx.run`insert into written values (${subject}, ${next}, pg_current_xact_id()::text)`
  return { status: 200, body: String(next), location: null }
}

const claimOf = (key: string, fingerprint = 'same'): IdempotencyClaim => ({
  operation: 'test',
  key,
  fingerprint,
  requestId: newId('req'),
})

const bodyOf = (outcome: IdempotentOutcome) => ('fresh' in outcome ? outcome.fresh.body : outcome.replayed.body)

/** While two requests are under way, those that follow gather for one transaction. */
async function gathered(orgId: OrgId, requests: readonly SharedRun[]) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let started = 0
  const blocker = (subject: string) =>
    request({
      orgId,
      subject,
      run: async (tx) => {
        await tx.one`select 1`
        started += 1
        await released
        return { status: 200, body: '', location: null }
      },
    })
  const blockers = [shared.run(blocker('one')), shared.run(blocker('other'))]
  await until(async () => started === 2)
  const outcomes = requests.map((one) => shared.run(one))
  const settled = Promise.allSettled(outcomes)
  release()
  await Promise.all(blockers)
  return settled
}

const organization = async () => (await anOrganization(db.database)).id

const transactionsOf = async (subjects: readonly string[]) =>
  (
    await db.database.one<{ count: number }>`
      select count(distinct xid)::int as count from written where subject = any(${[...subjects]})`
  ).count

const refuse = (): never => {
  throw idempotencyKeyInUse({})
}

const readAndRefuse = async (tx: Tx) => {
  await tx.one`select 1`
  return refuse()
}

test('requests share one transaction when they are there at the same time', async () => {
  const orgId = await organization()
  const subjects = ['a1', 'a2', 'a3', 'a4']
  const settled = await gathered(
    orgId,
    subjects.map((subject) => request({ orgId, subject })),
  )
  expect(settled.map((one) => one.status === 'fulfilled' && bodyOf(one.value))).toEqual(['1', '1', '1', '1'])
  expect(await transactionsOf(subjects)).toBe(1)
})

test('requests about the same thing run one after another within a shared transaction', async () => {
  const orgId = await organization()
  const settled = await gathered(
    orgId,
    ['b1', 'b2', 'b1', 'b1'].map((subject) => request({ orgId, subject })),
  )
  expect(settled.map((one) => one.status === 'fulfilled' && bodyOf(one.value))).toEqual(['1', '1', '2', '3'])
  expect(await transactionsOf(['b1', 'b2'])).toBe(1)
})

test('a request that is refused before it wrote is refused alone', async () => {
  const orgId = await organization()
  const settled = await gathered(orgId, [
    request({ orgId, subject: 'c1' }),
    request({ orgId, subject: 'c2', run: readAndRefuse }),
    request({ orgId, subject: 'c3' }),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await transactionsOf(['c1', 'c3'])).toBe(1)
})

test.each<[string, (tx: Tx) => Promise<never>]>([
  ['refused after it wrote', async () => refuse()],
  ['refused by the database', async (tx) => tx.one`select 1 / 0`],
])('a request that is %s leaves no trace, and the others take effect once', async (_, end) => {
  const orgId = await organization()
  const [first, bad, last] = [newId('job'), newId('job'), newId('job')]
  const settled = await gathered(orgId, [
    request({ orgId, subject: first }),
    request({
      orgId,
      subject: bad,
      run: async (tx) => {
        await write(tx, bad)
        return end(tx)
      },
    }),
    request({ orgId, subject: last }),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const rows = await db.database.many<{ subject: string }>`
    select subject from written where subject = any(${[first, bad, last]}) order by subject`
  expect(rows.map(({ subject }) => subject)).toEqual([first, last].toSorted())
})

test('a request with an Idempotency-Key takes effect once when it is sent twice at the same time', async () => {
  const orgId = await organization()
  const [same, other] = [claimOf('d'), claimOf('d2')]
  const settled = await gathered(orgId, [
    request({ orgId, subject: 'd1', claim: same }),
    request({ orgId, subject: 'd1', claim: { ...same, requestId: newId('req') } }),
    request({ orgId, subject: 'd2', claim: other }),
  ])
  expect(settled.map((one) => one.status === 'fulfilled' && bodyOf(one.value))).toEqual(['1', '1', '1'])
  const replay = await shared.run(request({ orgId, subject: 'd2', claim: claimOf('d2') }))
  expect(replay).toMatchObject({ replayed: { body: '1', requestId: other.requestId } })
})

test('a final refusal is stored and replayed when it happens in a shared transaction', async () => {
  const orgId = await organization()
  const refused = (claim: IdempotencyClaim) => request({ orgId, subject: 'e1', claim, run: readAndRefuse })
  const settled = await gathered(orgId, [refused(claimOf('e')), request({ orgId, subject: 'e2' })])
  expect(settled[0]).toMatchObject({ status: 'fulfilled', value: { fresh: { body: 'refused' } } })
  expect(await shared.run(refused(claimOf('e')))).toMatchObject({ replayed: { body: 'refused' } })
})

test('a row that another transaction holds keeps back only the request that needs it', async () => {
  const orgId = await organization()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const holder = db.database.transaction(async (tx) => {
    await tx.one`select pg_advisory_xact_lock(hashtext('f1'))`
    hold()
    await released
  })
  await held
  const blocked = gathered(orgId, [request({ orgId, subject: 'f1' }), request({ orgId, subject: 'f2' })])
  await until(async () => (await transactionsOf(['f2'])) === 1)
  expect(await transactionsOf(['f1'])).toBe(0)
  release()
  await holder
  expect((await blocked).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
})
