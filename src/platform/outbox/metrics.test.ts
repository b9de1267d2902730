import { expect, test } from 'bun:test'
import { createMetrics } from '../telemetry/metrics.ts'
import { type OutboxStats, outboxMetrics } from './metrics.ts'

const stats: OutboxStats = {
  process: {
    claims: 3,
    claimed: 40,
    handedOver: 0,
    acked: 39,
    dispositions: {},
    lostLeases: 2,
    reaped: 5,
    recounted: 0,
    abandoned: 0,
    handlerMs: 0,
    inFlight: 1,
  },
  due: 7,
  isDueCapped: false,
  oldestDueAgeMs: 1500,
  inFlight: 9,
  deadRows: 12,
  oldestTransactionMs: 250,
  busyLanes: [
    { laneId: 'a', orgId: 'org_o', kind: 'k', inFlight: 8, slots: 8 },
    { laneId: 'b', orgId: 'org_o', kind: 'k', inFlight: 1, slots: 8 },
  ],
  unwellLanes: [
    { laneId: 'c', orgId: 'org_o', kind: 'k', breaker: 'open', blockedUntil: null },
    { laneId: 'd', orgId: 'org_o', kind: 'k', breaker: 'half_open', blockedUntil: null },
    { laneId: 'e', orgId: 'org_o', kind: 'k', breaker: 'open', blockedUntil: null },
  ],
}

const scrape = async (read: () => Promise<OutboxStats>) => {
  const metrics = createMetrics()
  for (const metric of outboxMetrics({ stats: read })) metrics.add(metric)
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('nexkit_outbox_'))
  return Object.fromEntries(lines.map((line) => line.slice('nexkit_outbox_'.length).split(' ')))
}

test('a scrape reports the outbox from one snapshot of its statistics', async () => {
  let looks = 0
  const shown = await scrape(async () => {
    looks += 1
    return stats
  })
  expect(shown).toEqual({
    due: '7',
    oldest_due_age_seconds: '1.5',
    in_flight: '9',
    process_in_flight: '1',
    lanes_busy: '2',
    'lane_in_flight{lane="a",kind="k"}': '8',
    'lane_in_flight{lane="b",kind="k"}': '1',
    dead_rows: '12',
    oldest_transaction_seconds: '0.25',
    lanes_full: '1',
    breakers_open: '2',
    breakers_half_open: '1',
    claimed_total: '40',
    handed_over_total: '0',
    acked_total: '39',
    leases_lost_total: '2',
    leases_reaped_total: '5',
  })
  expect(looks).toBe(1)
})

test('a scrape names a lane only while it is among the busiest', async () => {
  const busyLanes = Array.from({ length: 500 }, (_, nth) => ({
    ...(stats.busyLanes[0] as OutboxStats['busyLanes'][number]),
    laneId: `wep_${nth}`,
    kind: 'webhooks',
    inFlight: nth === 250 ? 9 : 1,
  }))
  const shown = await scrape(async () => ({ ...stats, busyLanes }))
  const named = Object.keys(shown).filter((name) => name.startsWith('lane_in_flight'))
  expect(named).toHaveLength(20)
  expect(named[0]).toBe('lane_in_flight{lane="wep_250",kind="webhooks"}')
})

test('a scrape omits the outbox metrics when the database does not answer', async () => {
  expect(await scrape(() => Promise.reject(new Error('away')))).toEqual({})
})
