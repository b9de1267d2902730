import { expect, test } from 'bun:test'
import { unseenOr } from './job.ts'

test('a run without its row is repeated while the row may still appear, and is over when that time has passed', () => {
  const enqueuedAt = new Date('2026-11-14T09:30:00Z')
  const claimed = (seconds: number) => ({ enqueuedAt, claimedAt: new Date(enqueuedAt.getTime() + seconds * 1000) })
  const gone = { kind: 'done' } as const
  expect(unseenOr(claimed(5), gone)).toEqual({ kind: 'retry', reason: 'row_unseen', verdict: 'neutral' })
  expect(unseenOr(claimed(61), gone)).toBe(gone)
})
