import { describe, expect, test } from 'bun:test'
import { QrisError, type QrisProblem } from './qris-problem.ts'
import { countCharacters, parseTemplate, parseTlv, type TlvObject, writeTlv } from './tlv.ts'

function problemOf(act: () => unknown): QrisProblem {
  try {
    act()
  } catch (error) {
    if (error instanceof QrisError) return error.problem
    throw error
  }
  throw new Error('nothing was refused')
}

const placeOf = (act: () => unknown) => {
  const { code, path, offsetBytes } = problemOf(act)
  return { code, path, offsetBytes }
}

describe('reading', () => {
  test('returns objects in the order of the text, with their positions', () => {
    expect(parseTlv('0002015802ID')).toEqual([
      { tag: '00', value: '01', start: 0, valueStart: 4 },
      { tag: '58', value: 'ID', start: 6, valueStart: 10 },
    ])
    expect(parseTlv('')).toEqual([])
  })

  test('counts characters, also those that take two places in a string', () => {
    expect(parseTlv('5904🍜ABC6002ÉÉ').map(({ tag, value }) => [tag, value])).toEqual([
      ['59', '🍜ABC'],
      ['60', 'ÉÉ'],
    ])
    expect(countCharacters('🍜ABC')).toBe(4)
  })

  test('gives the places inside a template in the whole payload', () => {
    const text = '00020162070703A01'
    const template = parseTlv(text)[1] as TlvObject
    expect(parseTemplate(text, template)).toEqual([{ tag: '07', value: 'A01', start: 10, valueStart: 14 }])
  })
})

describe('a structure that breaks off is reported with tag and byte', () => {
  test.each([
    ['000201A9', { code: 'tag_malformed', path: null, offsetBytes: 6 }],
    ['0002015', { code: 'tag_malformed', path: null, offsetBytes: 6 }],
    ['000201 ', { code: 'tag_malformed', path: null, offsetBytes: 6 }],
    ['00020158', { code: 'length_malformed', path: '58', offsetBytes: 6 }],
    ['000201580', { code: 'length_malformed', path: '58', offsetBytes: 6 }],
    ['00020158+2ID', { code: 'length_malformed', path: '58', offsetBytes: 6 }],
    ['0002015900', { code: 'length_malformed', path: '59', offsetBytes: 6 }],
    ['0002015803ID', { code: 'value_overrun', path: '58', offsetBytes: 6 }],
    ['5903ÉÉÉ5803ID', { code: 'value_overrun', path: '58', offsetBytes: 10 }],
    ['5802ID5802ID', { code: 'tag_repeated', path: '58', offsetBytes: 6 }],
    ['٠٠02015802ID', { code: 'tag_malformed', path: null, offsetBytes: 0 }],
  ] as const)('%j', (text, place) => {
    expect(placeOf(() => parseTlv(text))).toEqual(place)
  })

  test('inside a template too, which may not reach beyond its own end', () => {
    const text = '62070705A016104ABCD'
    const template = parseTlv(text)[0] as TlvObject
    expect(placeOf(() => parseTemplate(text, template))).toEqual({
      code: 'value_overrun',
      path: '62.07',
      offsetBytes: 4,
    })
  })
})

describe('writing', () => {
  test('is the reverse of reading', () => {
    const text = '0002015904🍜ABC'
    expect(writeTlv(parseTlv(text))).toBe(text)
  })

  test('refuses what no two digits of length can say', () => {
    for (const value of ['', 'x'.repeat(100)])
      expect(placeOf(() => writeTlv([{ tag: '01', value }], '62'))).toEqual({
        code: 'value_unwritable',
        path: '62.01',
        offsetBytes: null,
      })
    expect(writeTlv([{ tag: '01', value: 'x'.repeat(99) }])).toStartWith('0199xxx')
    expect(problemOf(() => writeTlv([{ tag: '1', value: 'x' }])).code).toBe('value_unwritable')
  })
})
