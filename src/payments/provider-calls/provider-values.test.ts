import { expect, test } from 'bun:test'
import {
  cutText,
  plainText,
  readJsonObject,
  readRupiah,
  readText,
  readTime,
  readWibTime,
  writeWibTime,
} from './provider-values.ts'

test.each([
  [25_000, 25_000],
  [0, 0],
  ['25000', 25_000],
  ['25000.0', 25_000],
  ['25000.00', 25_000],
  ['0', 0],
  ['999999999999999', 999_999_999_999_999],
])('%p is %p rupiah', (value, amount) => {
  expect(readRupiah(value)).toBe(amount)
})

test.each([
  25_000.5,
  -1,
  Number.NaN,
  2 ** 53,
  '25000.01',
  '25000.',
  '25,000',
  '25.000',
  '025000',
  '-1',
  '+1',
  ' 1',
  '1e3',
  '0x10',
  '',
  null,
  undefined,
  true,
  {},
  '9999999999999999',
])('%p is no amount', (value) => {
  expect(readRupiah(value)).toBeNull()
})

test('a WIB time is seven hours ahead of UTC, both ways', () => {
  expect(readWibTime('2026-01-31 00:30:00')?.toISOString()).toBe('2026-01-30T17:30:00.000Z')
  expect(writeWibTime(new Date('2026-01-30T17:30:00.999Z'))).toBe('2026-01-31 00:30:00 +0700')
  for (const text of ['2026-01-31T00:30:00', '2026-13-31 00:30:00', '2026-01-31', '', null])
    expect(readWibTime(text)).toBeNull()
  expect(readTime('not a time')).toBeNull()
})

test('a time that the database refuses is read as null', () => {
  expect(readTime('9999-12-31T23:59:59Z')?.getUTCFullYear()).toBe(9999)
  expect(readTime('1970-01-01T00:00:00Z')?.getTime()).toBe(0)
  for (const text of ['0000-01-01T00:00:00Z', '-000100-01-01T00:00:00Z', '170666', '+010000-01-01T00:00:00Z'])
    expect(readTime(text)).toBeNull()
  expect(readWibTime('0000-01-01 00:00:00')).toBeNull()
})

test('only objects of JSON in sound UTF-8 are read, and nothing is inherited', () => {
  const read = (text: string) => readJsonObject(new TextEncoder().encode(text))
  expect(read('{"a":1}')).toEqual({ a: 1 })
  for (const text of ['', '[]', 'null', '"a"', '{"a":', '{"a":1}x']) expect(read(text)).toBeNull()
  expect(readJsonObject(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBeNull()
  expect(readText({}, 'toString')).toBeNull()
  expect([readText({ a: 7 }, 'a'), readText({ a: '' }, 'a'), readText({ a: [] }, 'a')]).toEqual(['7', null, null])
})

test('text is cut by characters and reduced to what networks take', () => {
  expect(cutText('👍👍👍', 2)).toBe('👍👍')
  expect(plainText('  Toko  Café – ☕  Kopi ', 12)).toBe('Toko Cafe Ko')
  expect(plainText('喫茶店', 10)).toBe('')
})
