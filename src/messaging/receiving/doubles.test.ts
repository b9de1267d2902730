import { expect, test } from 'bun:test'
import { aStatus, useMessaging } from '../../../test/support/messaging.ts'
import { refuse, type SendAnswer } from '../../../test/support/scripted-channel.ts'
import { until } from '../../../test/support/until.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { updateLane } from '../../platform/outbox/lanes.ts'

const bench = useMessaging({ unknownWaitMs: 300_000 })

const statusesOf = (orgId: OrgId) =>
  bench.database.many<{ id: string; status: string; code: string | null }>`
    select m.id, coalesce(s.status, 'queued') as status, s.error ->> 'code' as code
    from messages m left join message_states s on s.org_id = m.org_id and s.message_id = m.id
    where m.org_id = ${orgId} order by m.id`

/** A seeded generator, so that a failure can be reproduced. */
function randomOf(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** As if the worker had died in the middle of the call: its lease is over, and its answer comes too late for anybody. */
async function loseLease(id: string): Promise<void> {
  await bench.database.run`update outbox_entries set lease_until = 'epoch' where id = ${id} and state = 'leased'`
  await until(async () => {
    const row = await bench.database.maybeOne<{
      lease_number: number
    }>`select lease_number from outbox_entries where id = ${id}`
    return row === null || row.lease_number > 1
  })
}

test('no customer gets a message twice when 1,000 sends meet a network that is silent at random and workers die', async () => {
  const { orgId, numberId } = await bench.aShop()
  // The pauses of a lane after failures would only prolong this test.
  const eager = { isAdaptive: false, hasBreaker: false, concurrencyMax: 64 }
  await bench.database.transaction((tx) => updateLane(tx, { orgId, id: numberId }, eager, new Date()))
  const random = randomOf(20261115)
  const faults: Record<string, SendAnswer> = {
    takenInSilence: (_, { take }) => {
      take()
      return { kind: 'unknown', detail: 'timed out' }
    },
    lostInSilence: () => ({ kind: 'unknown', detail: 'timed out' }),
    throttled: refuse({ class: 'retry', code: 'throttled' }),
    async takenAndDied(message, { take }) {
      const answer = take()
      await loseLease(message.id)
      return answer
    },
    async diedBefore(message) {
      await loseLease(message.id)
      throw new Error('the worker is gone')
    },
  }
  const names = Object.keys(faults)
  const met = new Map<string, string>()
  const seen = new Set<string>()
  bench.channel.answerWith((message, network) => {
    const isFault = random() < 0.25
    const name = isFault ? (names[Math.floor(random() * names.length)] as string) : 'taken'
    met.set(message.id, name)
    seen.add(name)
    return isFault ? (faults[name] as SendAnswer)(message, network) : network.take()
  })

  const replies = await Promise.all(
    Array.from({ length: 1000 }, (_, nth) =>
      bench.call(orgId, 'POST', '/messages', {
        json: { to: `+62812${10_000_000 + (nth % 250)}`, body: `pesan ${nth}` },
      }),
    ),
  )
  expect(replies.filter(({ status }) => status !== 201)).toEqual([])
  await until(async () => {
    // Time passes only while nothing is in flight, because leases would otherwise expire unintentionally.
    const { leased, waiting } = await bench.database.one<{ leased: number; waiting: number }>`
      select count(*) filter (where state = 'leased')::int as leased, count(*)::int as waiting
      from outbox_entries where org_id = ${orgId}`
    if (leased === 0) bench.advance(20_000)
    return waiting === 0
  })

  const counts = Map.groupBy(
    bench.channel.taken.map((message) => message.id),
    (id) => id,
  )
  expect([...counts].filter(([, ids]) => ids.length > 1).map(([id]) => [id, met.get(id)])).toEqual([])
  const rows = await statusesOf(orgId)
  expect(rows.length).toBe(1000)
  const failed = rows.filter(({ status }) => status === 'failed')
  expect(failed.filter(({ code }) => code !== 'outcome_unknown')).toEqual([])
  // Every message reported as sent was accepted, and every message without a fault was sent.
  const sent = new Set(rows.filter(({ status }) => status === 'sent').map(({ id }) => id))
  expect([...sent].filter((id) => !counts.has(id))).toEqual([])
  expect([...met].filter(([id, name]) => name === 'taken' && !sent.has(id))).toEqual([])
  expect(sent.size + failed.length).toBe(1000)
  expect(seen.size).toBe(6)
})

test('a status settles an unknown outcome when it names the message, and the later decision is skipped', async () => {
  const shop = await bench.aShop()
  bench.channel.answerWith((_, { take }) => {
    take()
    return { kind: 'unknown', detail: 'timed out' }
  })
  const { json } = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'x' } })
  const row = () => bench.database.maybeOne<{ status: string; unknown_since: Date | null }>`
    select status, unknown_since from message_states where org_id = ${shop.orgId} and message_id = ${json.id}`
  await until(async () => (await row())?.unknown_since instanceof Date)
  expect((await row())?.status).toBe('queued')
  await bench.report(shop, [aStatus({ clientToken: json.id, status: 'sent', providerId: 'wamid.late' })])
  expect(await row()).toEqual({ status: 'sent', unknown_since: null })
  bench.advance(600_000)
  await bench.settle()
  expect((await row())?.status).toBe('sent')
  expect((await bench.call(shop.orgId, 'GET', `/messages/${json.id}`)).json.provider_id).toBe('wamid.late')
})

test('a message is sent once more when ambiguous is resend, and fails when the network is silent again', async () => {
  const shop = await bench.aShop({ settings: { ambiguous: 'resend' } })
  bench.channel.answerWith(() => ({ kind: 'unknown', detail: 'timed out' }))
  const { json } = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'x' } })
  const calls = () => bench.channel.calls.filter((message) => message.id === json.id).length
  await until(async () => {
    await bench.pass(120_000)
    return (await bench.call(shop.orgId, 'GET', `/messages/${json.id}`)).json.status === 'failed'
  })
  expect(calls()).toBe(2)
  const { error } = (await bench.call(shop.orgId, 'GET', `/messages/${json.id}`)).json
  expect([error.code, error.retryable]).toEqual(['outcome_unknown', false])
})

/** One whose answer was lost, and about which the decision fell that it failed. */
const guessedFailure = async () => {
  const shop = await bench.aShop()
  bench.channel.answerWith(() => ({ kind: 'unknown', detail: 'timed out' }))
  const { json } = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'x' } })
  const read = async () => (await bench.call(shop.orgId, 'GET', `/messages/${json.id}`)).json
  await until(async () => {
    await bench.pass(120_000)
    return (await read()).status === 'failed'
  })
  const reportStatus = (fields: { status: string; failure?: unknown }) =>
    bench.report(shop, [aStatus({ clientToken: json.id, ...fields })])
  const recorded = async () =>
    (await bench.eventsOf(shop.orgId))
      .filter(({ type }) => type.startsWith('message.'))
      .map(({ type, data }) => [type, data.error?.code ?? null])
  return { read, reportStatus, recorded }
}

test('a message that failed as unknown becomes delivered when a status reports it', async () => {
  const { read, reportStatus } = await guessedFailure()
  await reportStatus({ status: 'delivered' })
  expect([(await read()).status, (await read()).error]).toEqual(['delivered', null])
})

const failure = {
  class: 'permanent',
  scope: 'recipient',
  code: 'recipient_unreachable',
  providerCode: '131026',
  detail: 'Message undeliverable.',
  retryAfterMs: null,
}

test('a message that failed as unknown becomes sent when a status reports it, and later reports count', async () => {
  const { read, reportStatus, recorded } = await guessedFailure()
  await reportStatus({ status: 'sent' })
  expect([(await read()).status, (await read()).error]).toEqual(['sent', null])
  await reportStatus({ status: 'sent' })
  await reportStatus({ status: 'failed', failure })
  await reportStatus({ status: 'sent' })
  expect([(await read()).status, (await read()).error.code]).toEqual(['failed', 'recipient_unreachable'])
  expect(await recorded()).toEqual([
    ['message.failed', 'outcome_unknown'],
    ['message.sent', null],
    ['message.failed', 'recipient_unreachable'],
  ])
})

test('a message that failed as unknown takes the reason of the network once when it is reported, and stays failed', async () => {
  const { read, reportStatus, recorded } = await guessedFailure()
  await reportStatus({ status: 'failed', failure })
  await reportStatus({ status: 'failed', failure: { ...failure, code: 'refused' } })
  await reportStatus({ status: 'sent' })
  expect([(await read()).status, (await read()).error.code]).toEqual(['failed', 'recipient_unreachable'])
  expect(await recorded()).toEqual([
    ['message.failed', 'outcome_unknown'],
    ['message.failed', 'recipient_unreachable'],
  ])
})
