import { afterEach, expect, test } from 'bun:test'
import type { KeyboardEvent } from 'react'
import { isSendingKey } from './WordsField.tsx'

const kept = globalThis.matchMedia
afterEach(() => {
  globalThis.matchMedia = kept
})

/** A screen that is touched, or one with a keyboard before it. */
const sitAt = (isTouched: boolean) => {
  globalThis.matchMedia = () => ({ matches: isTouched }) as MediaQueryList
}
const press = (key: string, { shiftKey = false, isComposing = false } = {}) =>
  ({ key, shiftKey, nativeEvent: { isComposing } }) as KeyboardEvent

test('Enter sends, and with Shift it begins a line', () => {
  sitAt(false)
  expect([press('Enter'), press('Enter', { shiftKey: true }), press('a')].map(isSendingKey)).toEqual([
    true,
    false,
    false,
  ])
})

test('Enter that only accepts a word of an input method does not send', () => {
  sitAt(false)
  expect(isSendingKey(press('Enter', { isComposing: true }))).toBe(false)
})

test('on a touch screen Enter begins a line', () => {
  sitAt(true)
  expect(isSendingKey(press('Enter'))).toBe(false)
})
