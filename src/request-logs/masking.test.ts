import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MASK, maskBody, maskPath, maskQuery, maskText } from './masking.ts'

const TOKEN = 'nxk_live_Ab3dEfGhIjKlMnOpQrStUvWxYz0123456789AB'
const HOOK_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const secretNames = [
  'password',
  'new_password',
  'secret',
  'app_secret',
  'token',
  'access_token',
  'verifyToken',
  'api_key',
  'X-Api-Key',
  'apiKey',
  'server_key',
  'signature_key',
  'authorization',
  'Cookie',
  'client_credentials',
  'passphrase',
  'session_id',
  'custom_headers',
  'pin',
  'CVV',
]

describe('tokens anywhere in a text', () => {
  test('are cut to their recognisable beginning', () => {
    expect(maskText(`see ${TOKEN}, please`)).toBe('see nxk_live_Ab3d…, please')
    expect(maskText(`x_${TOKEN}`)).toBe('x_nxk_live_Ab3d…')
    expect(maskText('nxo_AbCdEfGhIjKl and nxr_MnOpQrStUvWx')).toBe('nxo_AbCd… and nxr_MnOp…')
    expect(maskText(`${HOOK_SECRET} whsk_MC4CAQAw/+=`)).toBe('whsec_… whsk_…')
    expect(maskText('Bearer abc.def')).toBe(`Bearer ${MASK}`)
    expect(maskText('EAAGm0PX4ZCpsBAKZCq0ZBZBZAw')).toBe('EAA…')
    expect(maskText('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl')).toBe('eyJ…')
    expect(maskText('xnd_development_abc123 and SB-Mid-server-aBc_12')).toBe('xnd_development_… and SB-Mid-server-…')
    expect(maskText('https://shop:hunter2@example.com/hook')).toBe(`https://shop:${MASK}@example.com/hook`)
  })

  test('that are private keys are masked to their end, also with headers that have dashes', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\nMIIEsecret\n'
    const masked = `-----BEGIN RSA PRIVATE KEY-----${MASK}`
    expect(maskText(`${key}-----END RSA PRIVATE KEY----- rest`)).toBe(`${masked}-----END RSA PRIVATE KEY----- rest`)
    expect(maskText(key)).toBe(masked)
    expect(maskBody(JSON.stringify({ tls: { ca: key } }))).toBe(JSON.stringify({ tls: { ca: masked } }))
  })

  test('that are only a key prefix stay, because a key is recognised by it', () => {
    expect(maskText('nxk_live_Ab3d')).toBe('nxk_live_Ab3d')
  })

  test('are found behind escapes', () => {
    expect(maskBody(`{"note":"${TOKEN.replaceAll('_', '\\u005f')}"}`)).toBe('{"note":"nxk_live_Ab3d…"}')
    expect(maskBody('{"pass\\u0077ord":"hunter2"}')).toBe('{"pass\\u0077ord":"[masked]"}')
    expect(maskQuery(`q=${TOKEN.replaceAll('_', '%5F')}`)).toBe('q=nxk_live_Ab3d%E2%80%A6')
    expect(maskPath(`/chats/${TOKEN.replaceAll('_', '%5f')}/read`)).toBe('/chats/nxk_live_Ab3d%E2%80%A6/read')
  })

  test('are found in member names and in running text', () => {
    expect(maskBody(`{"${TOKEN}":1}`)).toBe('{"nxk_live_Ab3d…":1}')
    expect(maskBody(`it failed with ${TOKEN}`)).toBe('it failed with nxk_live_Ab3d…')
    expect(maskPath(`/messages/${TOKEN}`)).toBe('/messages/nxk_live_Ab3d%E2%80%A6')
  })
})

describe('values under a secret name', () => {
  test('are masked whatever their type and depth, and the structure stays', () => {
    for (const name of secretNames) {
      const body = {
        a: [{ [name]: 'hunter2' }],
        [name]: { deep: ['x1', 7, true, null], more: { y: 'z9' } },
        kept: 'yes',
      }
      expect(JSON.parse(maskBody(JSON.stringify(body, null, 2)))).toEqual({
        a: [{ [name]: MASK }],
        [name]: { deep: [MASK, MASK, true, null], more: { y: MASK } },
        kept: 'yes',
      })
    }
  })

  test('are masked in a query, and names that merely contain a short word are left alone', () => {
    expect(maskQuery('limit=5&access_token=abc&pin=1234&q=a%2Bb')).toBe(
      `limit=5&access_token=${MASK}&pin=${MASK}&q=a%2Bb`,
    )
    expect(maskQuery('shipping=1&author=Ana&key_prefix=nxk_live_Ab3d&token=')).toBe(
      'shipping=1&author=Ana&key_prefix=nxk_live_Ab3d&token=',
    )
  })

  test('are masked in text that is no valid JSON', () => {
    expect(maskBody("{password: 'hunter2', a: 1}")).toBe('{password: "[masked]", a: 1}')
    expect(maskBody('{"password": hunt:er2')).not.toContain('er2')
    expect(maskBody('{"a":1 "secret" : "x7"')).toBe('{"a":1 "secret" : "[masked]"')
    expect(maskBody('user=ana&password=hunter2&b=1')).toBe(`user=ana&password=${MASK}&b=1`)
    expect(maskText('Authorization: Basic YTpi, sent')).toBe(`Authorization: ${MASK}`)
    expect(maskText('Cookie: a=1; b=2\nHost: x')).toBe(`Cookie: ${MASK}\nHost: x`)
  })

  test('are masked in JSON and addresses inside a string', () => {
    const body = JSON.stringify({ raw: '{"app_secret":"hunter2"}', url: 'https://x.test/hook?token=hunter2&a=1' })
    expect(JSON.parse(maskBody(body))).toEqual({
      raw: '{"app_secret":"[masked]"}',
      url: `https://x.test/hook?token=${MASK}&a=1`,
    })
  })
})

describe('any body', () => {
  const secret = fc.string({ unit: fc.constantFrom(...'QWXZ'), minLength: 12, maxLength: 12 })
  const plainName = fc.constantFrom('to', 'body', 'items', 'note', 'customer')
  const plain = fc.oneof(fc.string({ unit: fc.constantFrom(...'abc ,:{}"\\\n') }), fc.integer(), fc.boolean())

  /** A tree with one secret under a secret name, or as a token in some text. */
  const bodyWith = (hidden: string) =>
    fc.letrec<{ leaf: unknown; tree: unknown }>((tie) => ({
      leaf: fc.oneof(
        plain,
        fc.constantFrom(...secretNames).map((name) => ({ [name]: hidden })),
        fc.constantFrom(...secretNames).map((name) => ({ [name]: [{ x: hidden }] })),
        fc.constant(`use nxk_live_Ab3d${hidden} now`),
      ),
      tree: fc.oneof(
        { maxDepth: 4 },
        tie('leaf'),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(plainName, tie('tree'), { maxKeys: 3 }),
      ),
    })).tree

  test('keeps its shape and its other values, and loses every secret', () => {
    const shapeOf = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shapeOf)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
          : typeof value
    fc.assert(
      fc.property(
        secret.chain((hidden) => fc.tuple(fc.constant(hidden), bodyWith(hidden))),
        ([hidden, body]) => {
          const text = JSON.stringify(body)
          const masked = maskBody(text)
          expect(masked).not.toContain(hidden)
          expect(shapeOf(JSON.parse(masked))).toEqual(shapeOf(body))
          if (!text.includes(hidden)) expect(masked).toBe(text)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('may end anywhere: the beginning of a secret does not show either', () => {
    const wrapped = secret.chain((hidden) =>
      fc.tuple(fc.constant(hidden), bodyWith(hidden), fc.double({ min: 0, max: 1, noNaN: true })),
    )
    fc.assert(
      fc.property(wrapped, ([hidden, body, where]) => {
        const text = JSON.stringify({ body })
        const masked = maskBody(text.slice(0, Math.floor(text.length * where)))
        expect(masked).not.toContain(hidden.slice(0, 2))
      }),
      { numRuns: 1000 },
    )
  })

  test('is masked in time that does not explode, however hostile it is', () => {
    const size = 12_288
    for (const unit of [
      'a',
      'token',
      'eyJ',
      '"',
      '\\',
      '{"password":',
      '[',
      '://a:',
      'nxk_',
      'bearer ',
      ' ',
      ':@',
      '-----BEGIN ',
    ]) {
      const text = `{"token":"${unit.repeat(size / unit.length)}`
      for (const mask of [maskBody, maskText, maskQuery, maskPath]) {
        const startedAt = performance.now()
        mask(text)
        expect(performance.now() - startedAt).toBeLessThan(200)
      }
    }
  })
})
