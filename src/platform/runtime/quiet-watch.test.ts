import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { createQuietWatch } from './quiet-watch.ts'

test('a quiet watch calls when nothing was noted for a while, and again only after something was', async () => {
  const quietForMs: number[] = []
  let notedMs = 0
  const watch = createQuietWatch({ quietMs: 50, onQuiet: () => quietForMs.push(performance.now() - notedMs) })
  const note = () => {
    notedMs = performance.now()
    watch.note()
  }
  const busyUntilMs = performance.now() + 120
  await until(() => {
    note()
    return performance.now() > busyUntilMs
  })
  const before = quietForMs.length
  await until(() => quietForMs.length > before)
  const calls = quietForMs.length
  note()
  await until(() => quietForMs.length > calls)
  expect(quietForMs).toHaveLength(calls + 1)
  for (const ms of quietForMs) expect(ms).toBeGreaterThan(49)
})

test('a quiet watch calls no more when it was stopped', async () => {
  const called: string[] = []
  const stopped = createQuietWatch({ quietMs: 10, onQuiet: () => called.push('stopped') })
  const other = createQuietWatch({ quietMs: 30, onQuiet: () => called.push('other') })
  stopped.note()
  stopped.stop()
  other.note()
  await until(() => called.length > 0)
  expect(called).toEqual(['other'])
})
