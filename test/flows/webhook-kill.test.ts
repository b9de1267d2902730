import { expect, test } from 'bun:test'
import { findViolations, killDuringDeliveries } from '../support/webhook-kill.ts'

const DELIVERIES = 1_200
const KILLS = 3

test('a worker killed again and again loses no event and repeats only what was in flight, under the same id', async () => {
  const report = await killDuringDeliveries({
    deliveries: DELIVERIES,
    kills: KILLS,
    endpoints: 10,
    isLeaseCutShort: true,
    timeoutMs: 240_000,
  })
  expect(findViolations(report)).toEqual([])
  // Deliveries are identified by endpoint and webhook-id, so this count also proves that each has a unique id.
  expect(report.arrivals.size).toBe(DELIVERIES)
  // The kills did hit something; without attempts in flight this would prove nothing.
  expect(report.interruptions.size).toBeGreaterThan(KILLS)
})
