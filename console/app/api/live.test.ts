import { expect, test } from 'bun:test'
import { isAhead } from './live.ts'

test('a place is ahead of another when an event, a call or a delivery came since', () => {
  const place = 'org_a.9.req_b.dlv_b'
  expect(isAhead('org_a.10.req_b.dlv_b', place)).toBe(true)
  expect(isAhead('org_a.9.req_c.dlv_b', place)).toBe(true)
  expect(isAhead('org_a.9.req_b.dlv_c', place)).toBe(true)
  expect(isAhead('org_a.9.req_b.dlv_a', 'org_a.9.req_b.')).toBe(true)
})

test('a place is not ahead of itself or of a later one', () => {
  expect(isAhead('org_a.9.req_b.dlv_b', 'org_a.9.req_b.dlv_b')).toBe(false)
  expect(isAhead('org_a.9..', 'org_a.10.req_b.dlv_b')).toBe(false)
})
