import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createCursorCodec } from './cursor.ts'

const codec = createCursorCodec(new Uint8Array(32).fill(7))
const orders = { list: 'listOrders', sort: '-created_at', filters: { status: ['paid'], phone: null } }
const position = ['2026-11-14T09:30:00.000Z', 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg']

const anyPosition = fc.array(
  fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.integer(), fc.constant(null)),
  { maxLength: 4 },
)

describe('a cursor', () => {
  test('brings back its position', () => {
    fc.assert(
      fc.property(anyPosition, (tuple) => {
        const text = codec.encode({ ...orders, position: tuple })
        expect(text).toMatch(/^[A-Za-z0-9_-]{1,512}$/)
        expect(codec.decode(text, orders)).toEqual({ ok: true, position: tuple })
      }),
      { numRuns: 300 },
    )
  })

  test('does not depend on the order in which the filters were written', () => {
    const text = codec.encode({ ...orders, position })
    expect(codec.decode(text, { ...orders, filters: { phone: null, status: ['paid'] } }).ok).toBe(true)
  })

  test('is refused for another list, sort or filter', () => {
    const text = codec.encode({ ...orders, position })
    expect(codec.decode(text, { ...orders, list: 'listChats' })).toEqual({ ok: false })
    expect(codec.decode(text, { ...orders, sort: 'created_at' })).toEqual({ ok: false })
    expect(codec.decode(text, { ...orders, filters: { status: ['expired'], phone: null } })).toEqual({ ok: false })
  })

  test('is refused once any character was changed, added or lost', () => {
    const text = codec.encode({ ...orders, position })
    const anyCharacter = fc.constantFrom(...'ABCxyz019_-+/= %é\0')
    fc.assert(
      fc.property(
        fc.nat({ max: text.length - 1 }),
        anyCharacter,
        fc.constantFrom('change', 'add', 'lose'),
        (at, character, deed) => {
          const tampered = {
            change: text.slice(0, at) + character + text.slice(at + 1),
            add: text.slice(0, at) + character + text.slice(at),
            lose: text.slice(0, at) + text.slice(at + 1),
          }[deed]
          fc.pre(tampered !== text)
          expect(codec.decode(tampered, orders)).toEqual({ ok: false })
        },
      ),
      { numRuns: 1_000 },
    )
    for (const suffix of ['=', '==', ' ', '\n', 'A']) expect(codec.decode(text + suffix, orders).ok).toBe(false)
  })

  test('is refused at each character changed to each other one of its alphabet', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const text = codec.encode({ ...orders, position: [1] })
    for (let at = 0; at < text.length; at++) {
      for (const character of alphabet) {
        if (character === text[at]) continue
        expect(codec.decode(text.slice(0, at) + character + text.slice(at + 1), orders).ok).toBe(false)
      }
    }
  })

  test('of another secret, or no cursor at all, is refused', () => {
    const foreign = createCursorCodec(new Uint8Array(32).fill(8)).encode({ ...orders, position })
    for (const text of [foreign, '', 'x', 'ord_1', 'A'.repeat(22), 'A'.repeat(100_000)]) {
      expect(codec.decode(text, orders)).toEqual({ ok: false })
    }
  })

  test('that would be too long to send is a bug, not a silent cut', () => {
    expect(() => codec.encode({ ...orders, position: ['x'.repeat(500)] })).toThrow('too long')
  })
})
