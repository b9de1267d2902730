import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  addToHistory,
  canMove,
  type MessageStatus,
  messageStatuses,
  type StatusEntry,
  statusOfReport,
} from './messages.states.ts'

const outbound = messageStatuses.filter((status) => status !== 'received')

/** The furthest that is known, whatever the order. */
const settle = (reports: readonly MessageStatus[]) =>
  reports.reduce<MessageStatus>((status, report) => (canMove(status, report) ? report : status), 'queued')

test('the same reports result in the same status in any order', () => {
  fc.assert(
    fc.property(
      fc
        .array(fc.constantFrom(...outbound), { maxLength: 8 })
        .chain((reports) =>
          fc.tuple(fc.constant(reports), fc.shuffledSubarray(reports, { minLength: reports.length })),
        ),
      ([reports, shuffled]) => settle(reports) === settle(shuffled),
    ),
  )
})

test('failed wins over sent, and never over delivered or read', () => {
  expect(settle(['sent', 'failed'])).toBe('failed')
  expect(settle(['failed', 'sent'])).toBe('failed')
  expect(settle(['delivered', 'failed'])).toBe('delivered')
  expect(settle(['failed', 'delivered'])).toBe('delivered')
  expect(settle(['read', 'failed', 'delivered', 'sent'])).toBe('read')
})

test('no status moves back, and every one but the inbound one can be reached', () => {
  const reached = new Set<MessageStatus>(['scheduled', 'queued'])
  for (const from of outbound) {
    for (const to of outbound) {
      if (canMove(from, to)) reached.add(to)
      expect([from, to, canMove(from, to) && canMove(to, from)]).toEqual([from, to, false])
    }
  }
  expect([...reached].toSorted()).toEqual(outbound.toSorted())
})

test('a played voice note was read, and its history says that it was played', () => {
  expect(statusOfReport('played')).toBe('read')
  const read = addToHistory([{ status: 'queued', at: '2026-01-01T00:00:00.000Z' }], {
    status: 'played',
    at: '2026-01-01T00:00:05.000Z',
  })
  const late = addToHistory(read, { status: 'delivered', at: '2026-01-01T00:00:03.000Z' })
  const again = addToHistory(late, { status: 'delivered', at: '2026-01-01T00:00:09.000Z' })
  expect(again.map(({ status, at }) => [status, at.slice(17, 19)])).toEqual([
    ['queued', '00'],
    ['delivered', '03'],
    ['played', '05'],
  ])
})

test('the history is in the order of progress when reports have the same second', () => {
  const at = (second: string) => `2026-01-01T00:00:${second}Z`
  const reports: StatusEntry[] = [
    { status: 'sent', at: at('05.300') },
    { status: 'read', at: at('05.000') },
    { status: 'played', at: at('05.000') },
    { status: 'delivered', at: at('05.000') },
  ]
  const progress = ['queued', 'sent', 'delivered', 'read', 'played']
  fc.assert(
    fc.property(fc.shuffledSubarray(reports, { minLength: reports.length }), (shuffled) => {
      const history = shuffled.reduce(addToHistory, [{ status: 'queued', at: at('05.100') }])
      expect(history.map(({ status }) => status)).toEqual(progress as StatusEntry['status'][])
    }),
  )
})
