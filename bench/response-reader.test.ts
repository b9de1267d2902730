import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ResponseReader } from './response-reader.ts'

const withLength = 'HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello\r\n\r\nyo'
const chunked =
  'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n'
const chunkedWithTrailer = chunked.replace(/\r\n\r\n$/, '\r\nExpires: never\r\n\r\n')
const empty = 'HTTP/1.1 204 No Content\r\nDate: today\r\n\r\n'
const emptyWithLength = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

const responses = [
  { text: withLength, status: 201 },
  { text: chunked, status: 404 },
  { text: chunkedWithTrailer, status: 404 },
  { text: empty, status: 204 },
  { text: emptyWithLength, status: 200 },
]

describe('reading responses', () => {
  test('a response is complete with its last byte and not before, however it was cut into pieces', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })
    const sequence = fc.array(fc.record({ response: fc.constantFrom(...responses), cuts }), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(sequence, (plan) => {
        const reader = new ResponseReader()
        for (const { response, cuts } of plan) {
          const statuses = cutInPieces(response.text, cuts).map((piece) => reader.read(Buffer.from(piece)))
          const expected = statuses.map((_, index) => (index === statuses.length - 1 ? response.status : null))
          expect(statuses).toEqual(expected)
        }
      }),
    )
  })
})

function cutInPieces(text: string, cuts: number[]): string[] {
  const places = [...new Set(cuts.map((cut) => Math.floor(cut * text.length)))].toSorted((one, other) => one - other)
  const pieces = [0, ...places].map((start, index) => text.slice(start, places[index] ?? text.length))
  return pieces.filter((piece) => piece !== '')
}
