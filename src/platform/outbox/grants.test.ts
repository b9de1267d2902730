import { beforeEach, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { untilLockIsAwaited } from '../../../test/support/until.ts'
import type { Tx } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'
import { revokeGrants } from './grants.sql.ts'
import { Grants } from './grants.ts'
import { findLane, lockLanes } from './lanes.sql.ts'
import { refreshLanes } from './maintenance.sql.ts'
import { stepper } from './outbox.suite.ts'

const db = useTestDatabase()
const { clock, addLane, clear } = stepper(() => db.database)
const lane = { orgId: 'org_one', id: 'lane_one' } as const

beforeEach(clear)

function someGrants() {
  const problems: unknown[] = []
  const log: Log = { ...quietLog, warn: (fields, message) => problems.push([message, fields]) }
  const own = { database: db.database, clock, log, processId: 'prc_one', pace: null }
  // Longer than a test takes to see that the lane is waited for.
  const lockMs = 10_000
  return { grants: new Grants({ ...own, tenantInFlightMax: 1_000, isQuiet: () => true, lockMs }), problems }
}

const countGranted = async () => {
  const { held } = await db.database.one<{ held: number }>`
    select coalesce(sum(slots), 0)::int as held from outbox_grants where org_id = ${lane.orgId} and lane_id = ${lane.id}`
  return { counted: (await findLane(db.database, lane))?.granted, held }
}

/** As an acknowledgement does when something that was handed over has failed. */
async function endGrants(tx: Tx): Promise<void> {
  await revokeGrants(tx, lane.orgId, { laneIds: [lane.id] })
  await refreshLanes(tx, lane.orgId, [lane.id])
}

test.each([
  ['renewed', async () => {}],
  [
    'ended',
    (tx: Tx) => tx.run`update outbox_lanes set state = 'paused' where org_id = ${lane.orgId} and id = ${lane.id}`,
  ],
] as const)(
  'a lane counts the slots that are held when a grant is %s that was taken away while it waited for the lane',
  async (_, changeLane) => {
    await addLane({ ...lane, concurrencyMax: 8 })
    const { grants, problems } = someGrants()
    grants.reserve(lane, 1)
    await grants.tend()
    expect(await countGranted()).toEqual({ counted: 6, held: 6 })
    const tending = await db.database.transaction(async (tx) => {
      await lockLanes(tx, lane.orgId, [lane.id])
      const waiting = grants.tend()
      await untilLockIsAwaited(db.database)
      await endGrants(tx)
      await changeLane(tx)
      return { waiting }
    })
    await tending.waiting
    const { counted, held } = await countGranted()
    expect([counted, problems]).toEqual([held, []])
  },
)
