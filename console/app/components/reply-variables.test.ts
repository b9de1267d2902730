import { expect, test } from 'bun:test'
import { replyVariables as known } from '../../../src/messaging/saved-replies/saved-replies.schemas.ts'
import { fillReply, replyVariables, slashAt, unfilledIn } from './reply-variables.ts'

test('the console fills in the variables that the server accepts', () => {
  expect<readonly string[]>(replyVariables).toEqual(known)
})

test('a variable without a value stays in the text and is reported once', () => {
  const text = fillReply('Halo {{customer_name}}, bayar di {{order_link}} ({{order_link}})', {
    customer_name: '$& Sari',
  })
  expect(text).toBe('Halo $& Sari, bayar di {{order_link}} ({{order_link}})')
  expect(unfilledIn(text)).toEqual(['{{order_link}}'])
})

test('a slash opens the list at the start of a word before the caret only', () => {
  expect(slashAt('/re', 3)).toEqual({ start: 0, end: 3, word: 're' })
  expect(slashAt('Halo /RE dan', 8)).toEqual({ start: 5, end: 8, word: 're' })
  for (const text of ['1/2', 'https://a', 'dan / atau', 'halo']) expect(slashAt(text, text.length)).toBeNull()
})
