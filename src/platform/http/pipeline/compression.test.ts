import { expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { chooseEncoding, compressBody } from './compression.ts'

test('the best liked of the encodings we speak is chosen, Brotli at equal liking', () => {
  expect(chooseEncoding('gzip, deflate, br')).toBe('br')
  expect(chooseEncoding('gzip;q=1.0, br;q=0.5')).toBe('gzip')
  expect(chooseEncoding('GZIP')).toBe('gzip')
  expect(chooseEncoding('x-gzip')).toBe('gzip')
  expect(chooseEncoding('*')).toBe('br')
  expect(chooseEncoding('br;q=0, *')).toBe('gzip')
  expect(chooseEncoding('identity;q=0.5, gzip;q=0.5')).toBe('gzip')
})

test('nothing is chosen where nothing we speak is wanted, or the plain body is wanted more', () => {
  for (const header of [
    null,
    '',
    'identity',
    'deflate, zstd',
    'gzip;q=0, br;q=0',
    '*;q=0',
    'identity, gzip;q=0.5',
    'gzip;q=x',
  ]) {
    expect(chooseEncoding(header)).toBeNull()
  }
})

test('a body comes back whole and was smaller on the way', async () => {
  const bytes = Buffer.from(
    JSON.stringify(Array.from({ length: 200 }, (_, index) => ({ index, status: 'paid', note: 'é' }))),
  )
  const br = await compressBody(bytes, 'br')
  const gzipped = await compressBody(bytes, 'gzip')
  expect(brotliDecompressSync(br).equals(bytes)).toBe(true)
  expect(gunzipSync(gzipped).equals(bytes)).toBe(true)
  expect(Math.max(br.byteLength, gzipped.byteLength)).toBeLessThan(bytes.byteLength / 4)
})
