import { expect, test } from 'bun:test'
import { until } from '../../../../test/support/until.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { createPulseWaker } from './pulse-waker.ts'

test('the outbox is woken once for each due time, with all organizations that have work then', async () => {
  const woken: { orgIds: readonly string[]; atMs: number }[] = []
  const waker = createPulseWaker({
    clock: systemClock,
    wake: (orgIds) => woken.push({ orgIds, atMs: systemClock.now() }),
  })
  const [soon, later] = [20, 60].map((inMs) => new Date(systemClock.now() + inMs)) as [Date, Date]
  for (const orgId of ['one', 'two', 'one']) waker.wakeAt(orgId, soon)
  waker.wakeAt('one', later)
  await until(() => woken.length === 2)
  expect(woken.map(({ orgIds }) => orgIds)).toEqual([['one', 'two'], ['one']])
  expect(woken.map(({ atMs }, nth) => atMs >= (nth === 0 ? soon : later).getTime())).toEqual([true, true])
})

test('the outbox is not woken any more when the waker has stopped', async () => {
  const woken: string[] = []
  const waker = createPulseWaker({ clock: systemClock, wake: (orgIds) => woken.push(...orgIds) })
  waker.wakeAt('stopped', new Date(systemClock.now() + 5))
  waker.stop()
  waker.wakeAt('other', new Date(systemClock.now() + 20))
  await until(() => woken.length > 0)
  expect(woken).toEqual(['other'])
})
