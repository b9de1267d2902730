import { expect, test } from 'bun:test'
import { placeAfter, placeOfReport } from './thread.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)

test('a message keeps its time when that is later than all before it', () => {
  expect(placeAfter({ last_activity_at: at(5), last_message_id: 'msg_b' }, 'msg_a', at(6))).toEqual(at(6))
})

test('a message goes right behind the newest one when it was overtaken, in the order of time and id', () => {
  const end = { last_activity_at: at(5), last_message_id: 'msg_b' }
  expect(placeAfter(end, 'msg_c', at(5))).toEqual(at(5))
  expect(placeAfter(end, 'msg_a', at(5))).toEqual(at(6))
  expect(placeAfter(end, 'msg_a', at(1))).toEqual(at(6))
  expect(placeAfter({ ...end, last_message_id: null }, 'msg_a', at(1))).toEqual(at(5))
})

test('a reported message is placed within its second, at the time of arrival when that is in it', () => {
  expect(placeOfReport(at(0), at(300))).toEqual(at(300))
  expect(placeOfReport(at(0), at(1_200))).toEqual(at(999))
  expect(placeOfReport(at(0), at(86_400_000))).toEqual(at(999))
})

test('a reported time is used when the clock of the network is a little ahead, and ignored when it is far ahead or missing', () => {
  expect(placeOfReport(at(2_000), at(0))).toEqual(at(2_000))
  expect(placeOfReport(at(3_600_000), at(0))).toEqual(at(0))
  expect(placeOfReport(new Date('no time'), at(7))).toEqual(at(7))
})
