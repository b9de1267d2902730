import { expect, test } from 'bun:test'
import { until } from '../../../../test/support/until.ts'
import { systemClock } from '../../../kernel/clock.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { createPulseWaker } from './acceptance.ts'

test('the outbox is woken once for each due time, with all organizations that have work then', async () => {
  const woken: { orgIds: readonly OrgId[]; atMs: number }[] = []
  const waker = createPulseWaker({
    clock: systemClock,
    wake: (orgIds) => woken.push({ orgIds, atMs: systemClock.now() }),
  })
  const [soon, later] = [20, 60].map((inMs) => new Date(systemClock.now() + inMs)) as [Date, Date]
  for (const orgId of ['org_one', 'org_two', 'org_one'] as const) waker.wakeAt(orgId, soon)
  waker.wakeAt('org_one', later)
  await until(() => woken.length === 2)
  expect(woken.map(({ orgIds }) => orgIds)).toEqual([['org_one', 'org_two'], ['org_one']])
  expect(woken.map(({ atMs }, nth) => atMs >= (nth === 0 ? soon : later).getTime())).toEqual([true, true])
})

test('the outbox is not woken any more when the waker has stopped', async () => {
  const woken: OrgId[] = []
  const waker = createPulseWaker({ clock: systemClock, wake: (orgIds) => woken.push(...orgIds) })
  waker.wakeAt('org_stopped', new Date(systemClock.now() + 5))
  waker.stop()
  waker.wakeAt('org_other', new Date(systemClock.now() + 20))
  await until(() => woken.length > 0)
  expect(woken).toEqual(['org_other'])
})
