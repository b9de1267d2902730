import { expect, test } from 'bun:test'
import { torture } from '../torture/torture.ts'

/** The short form of `npm run torture`: one round, whose faults the seed decides. */
test('nodes and PostgreSQL that are killed and frozen under load lose and double nothing', async () => {
  const [report] = await torture({
    seed: 265,
    rounds: 1,
    faultsMs: 2_500,
    clients: 8,
    roster: [
      { name: 'node', role: 'all' },
      { name: 'worker', role: 'worker' },
    ],
    settings: { fsync: 'off' },
  })
  expect(report?.violations).toEqual([])
  expect(report?.counts.answered).toBeGreaterThan(10)
  expect(report?.faults).toEqual([
    '504 ms kill node',
    '1284 ms freeze worker for 608 ms, leases over',
    '1635 ms kill postgres',
  ])
}, 300_000)
