import { describe, expect, test } from 'bun:test'
import { Histogram } from './histogram.ts'
import { createMetrics } from './metrics.ts'
import { createSnapshot } from './snapshot.ts'

describe('a metric', () => {
  test('is read on every scrape and omitted while its value is unknown', async () => {
    const metrics = createMetrics()
    let known: number | null = 5
    metrics.gauge('test_backlog', 'What waits', async () => known)
    metrics.counter('test_done_total', 'What is done', () => 3)
    expect(await metrics.text()).toContain('\ntest_backlog 5\n')
    expect(await metrics.text()).toContain('# TYPE test_done_total counter\ntest_done_total 3\n')
    known = null
    const text = await metrics.text()
    expect(text).toContain('# TYPE test_backlog gauge\n')
    expect(text).not.toContain('\ntest_backlog ')
  })

  test('of durations is a histogram with cumulative buckets', async () => {
    const metrics = createMetrics()
    const durations = new Histogram([0.1, 1])
    for (const seconds of [0.05, 0.1, 0.5, 20]) durations.observe(seconds)
    metrics.add({ kind: 'histogram', name: 'test_wait_seconds', help: 'Waits', read: () => durations })
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('test_wait_seconds'))
    expect(lines).toEqual([
      'test_wait_seconds_bucket{le="0.1"} 2',
      'test_wait_seconds_bucket{le="1"} 3',
      'test_wait_seconds_bucket{le="+Inf"} 4',
      'test_wait_seconds_sum 20.65',
      'test_wait_seconds_count 4',
    ])
  })
})

describe('a snapshot', () => {
  const counting = (work: (look: number) => Promise<number>) => {
    let looks = 0
    return { read: () => work(++looks), looks: () => looks }
  }

  test('is read once for concurrent callers and for callers within its maximum age', async () => {
    const source = counting(async (look) => look)
    const snapshot = createSnapshot({ read: source.read, maxAgeMs: 60_000 })
    expect(await Promise.all([snapshot(), snapshot(), snapshot()])).toEqual([1, 1, 1])
    expect([await snapshot(), source.looks()]).toEqual([1, 1])
  })

  test('is read again when it is older than its maximum age', async () => {
    const source = counting(async (look) => look)
    const snapshot = createSnapshot({ read: source.read, maxAgeMs: 0 })
    expect([await snapshot(), await snapshot()]).toEqual([1, 2])
  })

  test('is unknown when the read times out, and no second read starts meanwhile', async () => {
    let finish = (_: number) => {}
    const source = counting(() => new Promise((resolve) => (finish = resolve)))
    const snapshot = createSnapshot({ read: source.read, maxAgeMs: 60_000, timeoutMs: 20 })
    expect([await snapshot(), await snapshot(), source.looks()]).toEqual([null, null, 1])
    finish(7)
    expect([await snapshot(), source.looks()]).toEqual([7, 1])
  })

  test('is unknown when the read fails, and the next call reads again', async () => {
    const source = counting((look) => (look === 1 ? Promise.reject(new Error('down')) : Promise.resolve(look)))
    const snapshot = createSnapshot({ read: source.read })
    expect([await snapshot(), await snapshot()]).toEqual([null, 2])
  })
})
