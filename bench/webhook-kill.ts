import { countRepeated, findViolations, killDuringDeliveries } from '../test/support/webhook-kill.ts'

/**
 * The long form of `test/flows/webhook-kill.test.ts`, by hand: `node bin/bun.mjs bench/webhook-kill.ts`. The worker is killed
 * ten times during 20,000 deliveries. With `--wait` its leases run out by themselves, a minute after each kill; until then
 * they count against the organization's cap, so that takes up to ten minutes.
 */
const DELIVERIES = 20_000
const KILLS = 10
const isWaiting = process.argv.includes('--wait')

const startedMs = performance.now()
const report = await killDuringDeliveries({
  deliveries: DELIVERIES,
  kills: KILLS,
  endpoints: 20,
  isLeaseCutShort: !isWaiting,
  timeoutMs: 600_000,
})
const violations = findViolations(report)
const figures = {
  due: report.dueIds.size,
  arrived: report.arrivals.size,
  kills: KILLS,
  in_flight_at_kills: [...report.interruptions.values()].reduce((sum, count) => sum + count, 0),
  repeated: countRepeated(report),
  violations: violations.length,
  seconds: Math.round((performance.now() - startedMs) / 1000),
}
process.stdout.write(`${[JSON.stringify(figures), ...violations.slice(0, 20)].join('\n')}\n`)
process.exit(violations.length === 0 ? 0 : 1)
