import { expect, test } from 'bun:test'
import type { Endpoint } from '../api/webhooks.ts'
import {
  changedRetries,
  draftOf,
  isSound,
  problemsOf,
  readWaits,
  STANDARD_WAITS,
  spanText,
  waitsText,
} from './retry-draft.ts'

const anEndpoint = (waits: number[], byEvent: Record<string, number[]> = {}) =>
  ({ retry_delays_seconds: waits, retry_delays_by_event: byEvent }) as Endpoint

test('what is written is read as the same waits, in either language', () => {
  for (const language of ['en', 'id'] as const)
    for (const waits of [STANDARD_WAITS, [], [1, 59, 60, 90, 3600, 5400]])
      expect(readWaits(waitsText(waits, language))).toEqual([...waits])
  expect(waitsText([5, 90, 600, 7200], 'en')).toBe('5 s, 90 s, 10 min, 2 h')
  expect(waitsText([5, 90, 600, 7200], 'id')).toBe('5 dtk, 90 dtk, 10 mnt, 2 jam')
})

test('people write waits in many ways', () => {
  expect(readWaits('5, 30s; 2m\n1 Jam, 1 d,')).toEqual([5, 30, 120, 3600, 86_400])
  expect(readWaits(' ')).toEqual([])
})

test('what is no wait, too short, too long or too many is named', () => {
  expect(readWaits('5 s, soon')).toEqual({ code: 'unreadable', piece: 'soon' })
  expect(readWaits('1.5 h')).toEqual({ code: 'unreadable', piece: '1.5 h' })
  expect(readWaits('0')).toEqual({ code: 'range', piece: '0' })
  expect(readWaits('2 d')).toEqual({ code: 'range', piece: '2 d' })
  expect(readWaits('1,'.repeat(21))).toEqual({ code: 'many', piece: '21' })
})

test('the sum of all delays is shown in two units', () => {
  expect([STANDARD_WAITS, [5, 30], [600, 5], [3600], []].map((waits) => spanText(waits, 'en'))).toEqual([
    '3 d 3 h',
    '35 s',
    '10 min 5 s',
    '1 h',
    '',
  ])
})

test('saving what was not touched changes no waits', () => {
  for (const endpoint of [undefined, anEndpoint([...STANDARD_WAITS]), anEndpoint([5], { 'order.*': [1], 'key.*': [] })])
    expect(changedRetries(draftOf(endpoint, 'id'), endpoint)).toEqual({})
})

test('only what was touched is sent, the standard as nothing of its own', () => {
  const endpoint = anEndpoint([5], { 'order.paid': [1] })
  const draft = draftOf(endpoint, 'en')
  expect(changedRetries({ ...draft, isOwn: false }, endpoint)).toEqual({ retry_delays_seconds: null })
  expect(changedRetries({ ...draft, waits: '' }, endpoint)).toEqual({ retry_delays_seconds: [] })
  expect(changedRetries({ ...draft, byEvent: [] }, endpoint)).toEqual({ retry_delays_by_event: null })
})

test('every row names an event that no other names', () => {
  const row = { filter: 'order.*', waits: '5 s' }
  const draft = {
    isOwn: false,
    waits: 'nonsense',
    byEvent: [
      { ...row, key: 1 },
      { ...row, key: 2 },
      { key: 3, filter: null, waits: 'x' },
    ],
  }
  expect([...problemsOf(draft).rows]).toEqual([
    [2, { filter: 'repeated' }],
    [3, { filter: 'required', waits: { code: 'unreadable', piece: 'x' } }],
  ])
  expect(isSound(problemsOf({ ...draft, byEvent: [] }))).toBe(true)
})
