import { describe, expect, test } from 'bun:test'
import '../../test/support/webhooks.ts'
import { findUnknownFilters, matchesEvent } from './event-filter.ts'

describe('a filter', () => {
  test.each([
    ['*', 'order.paid', true],
    ['order.paid', 'order.paid', true],
    ['order.paid', 'order.paid_late', false],
    ['order.*', 'order.paid', true],
    ['order.*', 'order.item.added', true],
    ['order.*', 'orders.paid', false],
    ['order.*', 'order', false],
    ['order.item.*', 'order.paid', false],
  ])('%s against %s is %p', (filter, type, expected) => {
    expect(matchesEvent([filter], type)).toBe(expected)
  })

  test('that could never match is named with the nearest that would', () => {
    expect(findUnknownFilters(['*', 'hook_note.*', 'hook_note.written'])).toEqual([])
    expect(findUnknownFilters(['hook_note.erase', 'hok_note.*', 'zebra.crossed'])).toEqual([
      { index: 0, filter: 'hook_note.erase', suggestion: 'hook_note.erased' },
      { index: 1, filter: 'hok_note.*', suggestion: 'hook_note.*' },
      { index: 2, filter: 'zebra.crossed', suggestion: null },
    ])
  })
})
