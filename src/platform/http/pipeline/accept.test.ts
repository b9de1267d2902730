import { expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { acceptsJson, chooseEncoding, compressAnswer, compressBody, encodingFor, isJsonContentType } from './accept.ts'

test('JSON is welcome where the header is missing or names it, its family or anything', () => {
  for (const header of [
    null,
    '',
    '*/*',
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/*',
    'text/html, application/xml;q=0.9, */*;q=0.8',
    'text/html,application/json;q=0.1',
    'application/json;q=1.000',
    ' text/plain , application/json ',
  ]) {
    expect(acceptsJson(header)).toBe(true)
  }
})

test('JSON is not welcome where the header leaves it out or excludes it', () => {
  for (const header of [
    'text/html',
    'application/xml',
    'application/jsonp',
    'application/problem+json',
    'application/json;q=0',
    'application/json;q=0.000, */*',
    '*/*;q=0',
    'application/*;q=0, */*',
    'application/json;q=nonsense',
    'nonsense',
    ',',
  ]) {
    expect(acceptsJson(header)).toBe(false)
  }
})

test('a JSON body may carry parameters, as long as it is UTF-8', () => {
  for (const header of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset="UTF-8"',
    'application/json;',
    'application/json ; v=1; charset=us-ascii',
  ]) {
    expect(isJsonContentType(header)).toBe(true)
  }
})

test('anything else is not a JSON body', () => {
  for (const header of [
    null,
    '',
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/json, application/json',
    'application/merge-patch+json',
    'application/json; charset=utf-16',
    'application/json; charset="latin1"',
    'text/plain; application/json',
  ]) {
    expect(isJsonContentType(header)).toBe(false)
  }
})

test('the best liked of the encodings we speak is chosen, the given one at equal liking', () => {
  expect(chooseEncoding('gzip, deflate, br', 'br')).toBe('br')
  expect(chooseEncoding('gzip, deflate, br', 'gzip')).toBe('gzip')
  expect(chooseEncoding('gzip;q=0.5, br;q=1.0', 'gzip')).toBe('br')
  expect(chooseEncoding('gzip;q=1.0, br;q=0.5', 'br')).toBe('gzip')
  expect(chooseEncoding('GZIP', 'br')).toBe('gzip')
  expect(chooseEncoding('x-gzip', 'br')).toBe('gzip')
  expect(chooseEncoding('*', 'br')).toBe('br')
  expect(chooseEncoding('br;q=0, *', 'br')).toBe('gzip')
  expect(chooseEncoding('identity;q=0.5, gzip;q=0.5', 'br')).toBe('gzip')
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
    expect(chooseEncoding(header, 'br')).toBeNull()
  }
})

test('an answer comes back whole from both encodings, whether it is small or large', async () => {
  for (const count of [20, 2_000]) {
    const bytes = Buffer.from(JSON.stringify(Array.from({ length: count }, (_, index) => ({ index, status: 'paid' }))))
    const [br, gzipped] = await Promise.all([compressAnswer(bytes, 'br'), compressAnswer(bytes, 'gzip')])
    expect([brotliDecompressSync(br).equals(bytes), gunzipSync(gzipped).equals(bytes)]).toEqual([true, true])
    expect(Math.max(br.byteLength, gzipped.byteLength)).toBeLessThan(bytes.byteLength / 2)
  }
})

test('a small answer goes out as gzip and waits for no other thread, a large one as Brotli', () => {
  expect([encodingFor(16_000), encodingFor(17_000)]).toEqual(['gzip', 'br'])
  expect(compressAnswer(Buffer.alloc(16_000, 'a'), 'gzip')).toBeInstanceOf(Uint8Array)
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
