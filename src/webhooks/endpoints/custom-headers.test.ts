import { describe, expect, test } from 'bun:test'
import { checkCustomHeaders } from './custom-headers.ts'

test('ordinary headers are accepted and their names put in lower case', () => {
  expect(checkCustomHeaders({ Authorization: 'Bearer abc.def', 'X-Shop': 'a\tb c', 'x-empty': '' })).toEqual({
    ok: true,
    headers: { authorization: 'Bearer abc.def', 'x-shop': 'a\tb c', 'x-empty': '' },
  })
})

describe('headers that are ours are refused', () => {
  test.each([
    'Host',
    'content-length',
    'Content-Type',
    'content-encoding',
    'transfer-encoding',
    'Connection',
    'TE',
    'trailer',
    'upgrade',
    'expect',
    'keep-alive',
    'accept-encoding',
    'User-Agent',
    'proxy-authorization',
    'Proxy-Connection',
    'webhook-id',
    'Webhook-Signature',
    'webhook-anything',
  ])('%s', (name) => {
    expect(checkCustomHeaders({ [name]: 'x' })).toMatchObject({ ok: false, code: 'header_name_reserved', header: name })
  })
})

describe('nothing can break out of its line', () => {
  test.each(['a\r\nx: y', 'a\ny', 'a\rb', 'a\0b', 'a\u007f', ' a', 'a ', '\ta', 'caf\u00e9', 'a\u2028'])(
    'value %p',
    (value) => {
      const check = checkCustomHeaders({ 'x-a': value })
      expect(check).toMatchObject({ ok: false, code: 'header_value_malformed', header: 'x-a' })
      expect(JSON.stringify(check)).not.toContain(JSON.stringify(value))
    },
  )

  test.each(['', 'x a', 'x:', 'x\r\n', 'x(y)', 'é', 'x\0'])('name %p', (name) => {
    expect(checkCustomHeaders({ [name]: 'x' })).toMatchObject({ ok: false, code: 'header_name_malformed' })
  })
})

describe('limits', () => {
  const headers = (count: number, valueLength = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${10 + index}`, 'v'.repeat(valueLength)]))

  test('20 headers are accepted, 21 are not', () => {
    expect(checkCustomHeaders(headers(20)).ok).toBe(true)
    expect(checkCustomHeaders(headers(21))).toMatchObject({ code: 'too_many_headers' })
  })

  test('4 KiB as written are accepted, a byte more is not', () => {
    expect(checkCustomHeaders(headers(1, 4096 - 8)).ok).toBe(true)
    expect(checkCustomHeaders(headers(1, 4096 - 7))).toMatchObject({ code: 'headers_too_large' })
  })

  test('two spellings of one name are refused', () => {
    expect(checkCustomHeaders({ 'X-A': '1', 'x-a': '2' })).toMatchObject({ code: 'header_name_repeated' })
  })

  test('a name with a meaning in JavaScript is just a name', () => {
    const check = checkCustomHeaders(JSON.parse('{"__proto__":"x","constructor":"y"}'))
    expect(check.ok && Object.entries(check.headers)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })
})
