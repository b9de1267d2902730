import { expect, test } from 'bun:test'
import { placeAfter } from './thread-place.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)

test('a message stands at its own time when that is later than all before it', () => {
  expect(placeAfter({ last_activity_at: at(5), last_message_id: 'msg_b' }, 'msg_a', at(6))).toEqual(at(6))
})

test('one that was overtaken goes right behind, in the order of time and id', () => {
  const end = { last_activity_at: at(5), last_message_id: 'msg_b' }
  expect(placeAfter(end, 'msg_c', at(5))).toEqual(at(5))
  expect(placeAfter(end, 'msg_a', at(5))).toEqual(at(6))
  expect(placeAfter(end, 'msg_a', at(1))).toEqual(at(6))
  expect(placeAfter({ ...end, last_message_id: null }, 'msg_a', at(1))).toEqual(at(5))
})
