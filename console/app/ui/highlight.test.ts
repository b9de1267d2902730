import { expect, test } from 'bun:test'
import { highlight } from './highlight.ts'

const kindsOf = (text: string) => highlight(text).flatMap(({ text, kind }) => (kind === null ? [] : [[kind, text]]))

test('code keeps every character when it is coloured', () => {
  for (const text of ['{"a": [1, "b\\"c", null]}', 'curl -d \'{"a": 1}\' # note', 'it\'s 5" wide', '', '"open'])
    expect(
      highlight(text)
        .map((token) => token.text)
        .join(''),
    ).toBe(text)
})

test('names, strings, numbers and words of JSON have different colours', () => {
  expect(kindsOf('{"total": -12.5, "paid": true, "note": "it\'s 3"}')).toEqual([
    ['key', '"total"'],
    ['number', '-12.5'],
    ['key', '"paid"'],
    ['word', 'true'],
    ['key', '"note"'],
    ['string', '"it\'s 3"'],
  ])
})
