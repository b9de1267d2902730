import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { fixedClock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { parkReports } from '../messages/messages.sql.ts'
import { createParkedSweep } from './parked-sweep.ts'

const db = useTestDatabase()

test('statuses whose message never came are forgotten after two days, of every organization, and younger ones stay', async () => {
  const clock = fixedClock(Date.UTC(2026, 10, 15))
  const park = (orgId: ReturnType<typeof newId<'org'>>, providerId: string, hoursAgo: number) =>
    db.database.transaction((tx) =>
      parkReports(
        tx,
        orgId,
        [{ numberId: 'num_1', providerId, status: 'sent', report: {} }],
        new Date(clock.now() - hoursAgo * 3_600_000),
      ),
    )
  const [one, other] = [newId('org'), newId('org')]
  await park(one, 'old', 49)
  await park(one, 'young', 47)
  await park(other, 'old', 100)
  await createParkedSweep({ database: db.database, clock, log: quietLog }).sweep()
  const left = await db.database.many<{ org_id: string; provider_id: string }>`
    select org_id, provider_id from message_statuses_parked`
  expect(left).toEqual([{ org_id: one, provider_id: 'young' }])
})
