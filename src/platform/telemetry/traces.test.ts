import { expect, test } from 'bun:test'
import { newId } from '../../kernel/ids.ts'
import { parseTraceparent, rememberTrace, spanOf, traceOf } from './traces.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`

test('a trace is found by the id of its request, and none where none was sent', () => {
  const [traced, other] = [newId('req'), newId('req')]
  rememberTrace(traced, traceparent)
  rememberTrace(other, null)
  expect([traceOf(traced), traceOf(other), traceOf(null), traceOf(undefined)]).toEqual([traceparent, null, null, null])
})

test('a later version is read as the version we know', () => {
  expect(parseTraceparent(`cc-${TRACE}-00f067aa0ba902b7-01-what-the-future-holds`)).toBe(traceparent)
})

test.each([
  ['nothing in it', ''],
  ['no flags', `00-${TRACE}-00f067aa0ba902b7`],
  ['more than version 00 has', `00-${TRACE}-00f067aa0ba902b7-01-more`],
  ['a version there will never be', `ff-${TRACE}-00f067aa0ba902b7-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`],
  ['no end', `01-${TRACE}-00f067aa0ba902b7-01-${'x'.repeat(1000)}`],
])('a header with %s is no trace', (_, header) => {
  expect(parseTraceparent(header)).toBeNull()
})

test('a span is of the same trace and its own each time', () => {
  const [one, other] = [spanOf(traceparent), spanOf(traceparent)]
  expect(one).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
  expect(new Set([one, other, traceparent]).size).toBe(3)
})

test('the oldest traces are removed, so a server that is traced for a year keeps a bounded number', () => {
  const first = newId('req')
  rememberTrace(first, traceparent)
  for (let index = 0; index < 10_000; index++) rememberTrace(newId('req'), traceparent)
  expect(traceOf(first)).toBeNull()
})
