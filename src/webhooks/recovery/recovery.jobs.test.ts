import { describe, expect, test } from 'bun:test'
import { useRecoveries } from '../../../test/support/recoveries.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { cancelEntries } from '../../platform/outbox/entries.ts'
import { abandonRecovery, QUEUED_MAX, type RecoveryStep, SEND_PAGE_ROWS, stepRecovery } from './recovery.jobs.ts'

/** Recoveries step by step, without a worker: what the steps leave in the outbox and what survives a death between them. */
const bench = useRecoveries()

async function aRecovery(events: number, fields: Record<string, unknown> = {}) {
  const orgId = await bench.anOrg()
  const endpoint = await bench.anEndpoint(orgId)
  await bench.events(orgId, events)
  await bench.fanOut()
  await bench.endDeliveries(orgId, endpoint.id)
  return startOn(orgId, endpoint.id, fields)
}

async function startOn(orgId: OrgId, endpointId: Id<'wep'>, fields: Record<string, unknown> = {}) {
  const json = { since: new Date(Date.now() - 3_600_000).toISOString(), ...fields }
  const { json: recovery } = await bench.call(orgId, 'POST', `/webhook-endpoints/${endpointId}/recover`, { json })
  const path = `/webhook-endpoints/${endpointId}/recoveries/${recovery.id}`
  return { orgId, endpointId, id: recovery.id as Id<'job'>, path }
}

type Running = Awaited<ReturnType<typeof aRecovery>>

const step = ({ orgId, id }: Running, database: Database = bench.database) =>
  stepRecovery({ ...bench.context, database }, orgId, id)

/** As the job does: on and on, until there is nothing to do now. */
async function stepOn(running: Running): Promise<RecoveryStep> {
  for (;;) {
    const done = await step(running)
    if (done.next !== 'more') return done
  }
}

const read = async ({ orgId, path }: Running) => (await bench.call(orgId, 'GET', path)).json

const queued = async ({ endpointId }: Running): Promise<string[]> =>
  (
    await bench.database.many<{ id: string }>`
      select id from outbox_entries where lane_id = ${endpointId} and class = 2 order by id`
  ).map(({ id }) => id)

/** As if the worker had sent them. */
const sendAll = async (running: Running) => {
  const ids = await queued(running)
  await bench.database.transaction((tx) => cancelEntries(tx, { orgId: running.orgId, id: running.endpointId }, ids))
  await bench.database.run`
    update webhook_deliveries set status = 'succeeded' where org_id = ${running.orgId} and id = any(${ids})`
  return ids
}

/** Dies when everything is written and nothing is committed. */
const dying: Database = new Proxy({} as Database, {
  get: (_, name) =>
    name !== 'transaction'
      ? Reflect.get(bench.database, name)
      : (work: (tx: unknown) => Promise<unknown>) =>
          bench.database.transaction(async (tx) => {
            await work(tx)
            throw new Error('killed')
          }),
})

describe('a death', () => {
  test('before the commit leaves neither position nor entries, and after it both, at every step', async () => {
    const running = await aRecovery(3 * SEND_PAGE_ROWS - 100)
    for (;;) {
      const [before, entries] = [await read(running), await queued(running)]
      await expect(step(running, dying)).rejects.toThrow('killed')
      expect(await read(running)).toEqual(before)
      expect(await queued(running)).toEqual(entries)
      const done = await step(running)
      if (done.next !== 'more') break
    }
    expect((await queued(running)).length).toBe(1400)
    expect((await read(running)).progress).toEqual({ total: 1400, done: 1400, queued: 1400 })
    await sendAll(running)
    expect(await step(running)).toMatchObject({ next: 'end' })
    expect(await read(running)).toMatchObject({ status: 'completed', progress: { total: 1400, done: 1400, queued: 0 } })
  })

  test('of the lease, so that several do the same recovery at once, does no page twice', async () => {
    const running = await aRecovery(1800)
    await Promise.all(Array.from({ length: 4 }, () => stepOn(running)))
    const ids = await queued(running)
    expect([ids.length, new Set(ids).size]).toEqual([1800, 1800])
    expect((await read(running)).progress).toEqual({ total: 1800, done: 1800, queued: 1800 })
  })
})

describe('the outbox', () => {
  test('never holds more of a recovery than its share, and gets more as it empties', async () => {
    const running = await aRecovery(2 * QUEUED_MAX + 300)
    const sent: string[] = []
    for (let round = 1; ; round++) {
      const done = await stepOn(running)
      const ids = await sendAll(running)
      expect(ids.length).toBeLessThanOrEqual(QUEUED_MAX)
      sent.push(...ids)
      if (done.next === 'end') break
      expect(round).toBeLessThan(6)
    }
    expect(new Set(sent).size).toBe(2 * QUEUED_MAX + 300)
    expect(sent.length).toBe(2 * QUEUED_MAX + 300)
  })

  test('gets it in class bulk, in the lane of the endpoint, in order where the endpoint wants order', async () => {
    const running = await aRecovery(3)
    await bench.call(running.orgId, 'PATCH', `/webhook-endpoints/${running.endpointId}`, {
      json: { ordering: 'strict' },
    })
    await stepOn(running)
    const entries = await bench.database.many<{ class: number; order_key: string; payload: object }>`
      select class, order_key, payload from outbox_entries where lane_id = ${running.endpointId} order by position`
    expect(entries.length).toBe(3)
    expect(entries[0]).toMatchObject({
      class: 2,
      order_key: 'strict',
      payload: { trigger: 'recover', attempts_before: 12 },
    })
  })

  test('does not hold up a recovery by retries of what keeps failing', async () => {
    const running = await aRecovery(10)
    await stepOn(running)
    await bench.database.run`
      update outbox_entries set attempt = 1, due_at = now() + interval '1 day' where lane_id = ${running.endpointId}`
    expect(await step(running)).toMatchObject({ next: 'end' })
    expect((await read(running)).status).toBe('completed')
  })
})

describe('what a recovery brought forward', () => {
  async function aHastening(events: number) {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    await bench.events(orgId, events)
    await bench.fanOut()
    await bench.database.run`
      update outbox_entries set attempt = 3, class = 1, due_at = now() + interval '1 day' where lane_id = ${endpoint.id}`
    await bench.database.run`
      update webhook_deliveries set attempts = 3, next_attempt_at = now() + interval '1 day'
      where org_id = ${orgId} and endpoint_id = ${endpoint.id}`
    return startOn(orgId, endpoint.id)
  }

  const tryOnce = ({ endpointId }: Running) => bench.database.run`
    update outbox_entries set attempt = attempt + 1, due_at = now() + interval '1 day'
    where lane_id = ${endpointId}`

  test('is queued until it was tried, and only then the recovery is completed', async () => {
    const running = await aHastening(4)
    expect(await stepOn(running)).toMatchObject({ next: 'later' })
    expect(await read(running)).toMatchObject({ status: 'running', progress: { total: 4, done: 4, queued: 4 } })
    await tryOnce(running)
    expect(await step(running)).toMatchObject({ next: 'end' })
    expect(await read(running)).toMatchObject({ status: 'completed', progress: { total: 4, done: 4, queued: 0 } })
  })

  test('goes its own way when the recovery is cancelled, and is not waited for by the next', async () => {
    const running = await aHastening(4)
    await stepOn(running)
    const entries = await queued(running)
    const cancelled = await bench.call(running.orgId, 'POST', `${running.path}/cancel`)
    expect(cancelled.json).toMatchObject({ status: 'cancelled', progress: { done: 4, queued: 0 } })
    expect(await queued(running)).toEqual(entries)
    expect(await bench.statuses(running.orgId, running.endpointId)).toEqual({ pending: 4 })
    const next = await startOn(running.orgId, running.endpointId)
    expect(await stepOn(next)).toMatchObject({ next: 'end' })
    expect(await read(next)).toMatchObject({ status: 'completed', progress: { total: 0 } })
  })
})

describe('a cancelled recovery', () => {
  test('cancels deliveries that were not attempted, leaves the others alone, and stops', async () => {
    const running = await aRecovery(1000 + SEND_PAGE_ROWS)
    // Counted, and the first two pages are handed over.
    for (let index = 0; index < 3; index++) await step(running)
    const [tried, ...untried] = (await queued(running)) as [string, ...string[]]
    await bench.database.run`update outbox_entries set attempt = 1 where id = ${tried}`
    const cancelled = await bench.call(running.orgId, 'POST', `${running.path}/cancel`)
    expect(cancelled.json).toMatchObject({
      status: 'cancelled',
      reason: 'by_request',
      progress: { total: 1500, done: 1, queued: 0 },
    })
    expect(cancelled.json.counts.reduce((sum: number, { done }: { done: number }) => sum + done, 0)).toBe(1)
    expect(await queued(running)).toEqual([tried])
    expect(await bench.statuses(running.orgId, running.endpointId)).toEqual({
      failed: 1499 - untried.length,
      cancelled: untried.length,
      pending: 1,
    })
    expect(untried.length).toBeGreaterThan(900)
    expect(await step(running)).toMatchObject({ next: 'end' })
    const job = await bench.database.maybeOne`select id from outbox_entries where id = ${running.id}`
    expect(job).toBeNull()
  })

  test('can be followed by another, which gets what the first cancelled', async () => {
    const running = await aRecovery(20)
    await stepOn(running)
    await bench.call(running.orgId, 'POST', `${running.path}/cancel`)
    const json = { since: new Date(Date.now() - 3_600_000).toISOString(), dry_run: true }
    const again = await bench.call(running.orgId, 'POST', `/webhook-endpoints/${running.endpointId}/recover`, { json })
    expect(again.json.total).toBe(20)
  })
})

describe('an endpoint', () => {
  const act = ({ orgId, endpointId }: Running, action: string, json?: object) =>
    bench.call(orgId, 'POST', `/webhook-endpoints/${endpointId}/${action}`, json === undefined ? {} : { json })

  test('that is paused lets its recovery wait, and go on when it is resumed', async () => {
    const running = await aRecovery(SEND_PAGE_ROWS + 10)
    await step(running)
    await step(running)
    await act(running, 'pause')
    expect(await step(running)).toMatchObject({ next: 'later' })
    expect(await read(running)).toMatchObject({ status: 'running', reason: 'endpoint_paused' })
    await act(running, 'resume', { mode: 'recover_held' })
    await stepOn(running)
    expect(await read(running)).toMatchObject({ reason: null, progress: { done: SEND_PAGE_ROWS + 10 } })
  })

  test('that is resumed from now ends its recovery, which counts only what was tried', async () => {
    const running = await aRecovery(8)
    await stepOn(running)
    const [tried] = (await queued(running)) as [string]
    await bench.database.run`update outbox_entries set attempt = 1 where id = ${tried}`
    await act(running, 'pause')
    await act(running, 'resume', { mode: 'from_now' })
    const ended = await read(running)
    expect(ended).toMatchObject({
      status: 'cancelled',
      reason: 'resumed_from_now',
      progress: { total: 8, done: 1, queued: 0 },
    })
    expect(ended.counts.reduce((sum: number, { done }: { done: number }) => sum + done, 0)).toBe(1)
    expect(await bench.statuses(running.orgId, running.endpointId)).toEqual({ skipped: 8 })
    expect(await step(running)).toMatchObject({ next: 'end' })
    expect((await startOn(running.orgId, running.endpointId)).id).toStartWith('job_')
  })

  test('that is deleted ends its recovery', async () => {
    const running = await aRecovery(10)
    await bench.call(running.orgId, 'DELETE', `/webhook-endpoints/${running.endpointId}`)
    expect(await step(running)).toMatchObject({ next: 'end' })
    const row = await bench.database.one<{ status: string; reason: string }>`
      select status, reason from webhook_recoveries where org_id = ${running.orgId} and id = ${running.id}`
    expect(row).toEqual({ status: 'cancelled', reason: 'endpoint_deleted' })
  })

  /** What had arrived, all of it to be sent once more; one was tried and failed. */
  async function aRepeat() {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    await bench.events(orgId, 6)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id, 'succeeded', null)
    const running = await startOn(orgId, endpoint.id, { mode: 'all' })
    await stepOn(running)
    const [tried] = (await queued(running)) as [string]
    await bench.database.run`
      update outbox_entries set attempt = 1, due_at = now() + interval '1 day' where id = ${tried}`
    return running
  }

  const left = ({ endpointId }: Running) =>
    bench.database.many`
      select id from outbox_entries where lane_id = ${endpointId}
      union all select id from outbox_lanes where id = ${endpointId} and state = 'closed'`

  test('that is deleted leaves nothing in the outbox of what was to be sent once more', async () => {
    const running = await aRepeat()
    expect((await queued(running)).length).toBe(6)
    await bench.call(running.orgId, 'DELETE', `/webhook-endpoints/${running.endpointId}`)
    expect(await left(running)).toEqual([])
  })

  test('that is resumed from now is sent nothing once more, also not what was tried already', async () => {
    const running = await aRepeat()
    await act(running, 'pause')
    await act(running, 'resume', { mode: 'from_now' })
    expect(await left(running)).toEqual([])
    expect(await bench.statuses(running.orgId, running.endpointId)).toEqual({ succeeded: 6 })
  })
})

test('a recovery whose job gives up does not stand in the way of the next', async () => {
  const running = await aRecovery(3)
  const now = new Date(bench.clock.now())
  await bench.database.transaction((tx) => abandonRecovery(tx, running.orgId, { id: running.id, now }))
  expect(await read(running)).toMatchObject({ status: 'cancelled', reason: 'internal_error' })
  const json = { since: new Date(Date.now() - 3_600_000).toISOString() }
  const again = await bench.call(running.orgId, 'POST', `/webhook-endpoints/${running.endpointId}/recover`, { json })
  expect(again.status).toBe(202)
})

test('what arrives between the count and the page is not sent again, and the result counts what was', async () => {
  const running = await aRecovery(12)
  await step(running)
  const orgId: OrgId = running.orgId
  await bench.database.run`
    update webhook_deliveries set status = 'succeeded' where org_id = ${orgId} and type = 'hook_note.erased'`
  await stepOn(running)
  await sendAll(running)
  await stepOn(running)
  expect(await read(running)).toMatchObject({
    status: 'completed',
    progress: { total: 9, done: 9 },
    counts: [{ type: 'hook_note.written', total: 9, done: 9 }],
  })
})
