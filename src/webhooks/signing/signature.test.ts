import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { createPublicKey, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import {
  createSigningKeyPair,
  createSigningSecret,
  parsePublicKey,
  parseSigningKey,
  parseSigningSecret,
  publicJwk,
  publicJwkSet,
  type SigningKey,
  signatureHeader,
  signedHeaders,
} from './signature.ts'

const SECRET_A = 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA='
const SECRET_B = 'whsec_oKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9vr8='
const PRIVATE_KEY = 'whsk_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwfqSmxj4pxSCr71UHsTLsX5lUd2rr6+e5JCHuppFEbSLA=='
const PUBLIC_KEY = 'whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw='
const BODY_TEXT =
  '{"type":"order.paid","timestamp":"2023-11-14T22:13:20.000Z","data":{"id":"ord_1","amount":12500,"currency":"IDR","note":"café ☕"}}'
const CONTENT = { id: 'msg_0001', timestampSeconds: 1_700_000_000, body: Buffer.from(BODY_TEXT) }
const SIGNATURE_A = 'v1,7/TAwyRAL5lyBA1W/3CqC4MV7WpZ4bmkYzVfqRAnzoE='
const SIGNATURE_B = 'v1,Vzm3hbzcRrO15fQYm4XQdUhkIRqhRM83xv/l4GIH5k4='
const SIGNATURE_V1A = 'v1a,1l2HjbCzprVpkdD8u4WazWH5mdUrwzVg7cMDbrPdXZfBIRgMZ0mWX/MNgBF8Z1W/SjhZcJ4a6OdLVC1DCTESAg=='

const key = (text: string) => parseSigningKey(text) as SigningKey

afterEach(() => {
  setSystemTime()
})

describe('the published vectors', () => {
  test('the body has 133 bytes in 130 characters, so a length in characters would be found out', () => {
    expect([CONTENT.body.length, BODY_TEXT.length]).toEqual([133, 130])
  })

  test.each([
    ['v1 with secret A', SECRET_A, SIGNATURE_A],
    ['v1 with secret B', SECRET_B, SIGNATURE_B],
    ['v1a', PRIVATE_KEY, SIGNATURE_V1A],
  ])('%s matches', (_name, keyText, signature) => {
    expect(signatureHeader([key(keyText)], CONTENT)).toBe(signature)
  })

  test('during rotation the header holds the newest secret first, one space between the entries', () => {
    expect(signatureHeader([key(SECRET_B), key(SECRET_A)], CONTENT)).toBe(`${SIGNATURE_B} ${SIGNATURE_A}`)
  })

  test('v1 entries stand before v1a entries whatever the order of the keys', () => {
    expect(signatureHeader([key(PRIVATE_KEY), key(SECRET_B), key(SECRET_A)], CONTENT)).toBe(
      `${SIGNATURE_B} ${SIGNATURE_A} ${SIGNATURE_V1A}`,
    )
  })

  test('the public key of the v1a vector verifies its signature', () => {
    const signature = Buffer.from(SIGNATURE_V1A.slice('v1a,'.length), 'base64')
    const signed = Buffer.concat([Buffer.from('msg_0001.1700000000.'), CONTENT.body])
    expect(verify(null, signed, parsePublicKey(PUBLIC_KEY) as never, signature)).toBe(true)
  })
})

describe('the official JavaScript library', () => {
  const headersAt = (timestampSeconds: number, secrets: string[]) =>
    signedHeaders(secrets.map(key), { ...CONTENT, timestampSeconds })
  const at = (timestampSeconds: number) => setSystemTime(new Date(timestampSeconds * 1000))

  test('accepts a first attempt', () => {
    at(CONTENT.timestampSeconds + 10)
    const headers = headersAt(CONTENT.timestampSeconds, [SECRET_A])
    expect(new Webhook(SECRET_A).verify(BODY_TEXT, headers)).toEqual(JSON.parse(BODY_TEXT))
  })

  test('accepts a retry ten minutes later that was signed anew, and refuses the first signature by then', () => {
    const retrySeconds = CONTENT.timestampSeconds + 600
    at(retrySeconds)
    const retry = headersAt(retrySeconds, [SECRET_A])
    expect(new Webhook(SECRET_A).verify(CONTENT.body, retry)).toEqual(JSON.parse(BODY_TEXT))
    expect(retry['webhook-id']).toBe('msg_0001')
    expect(() => new Webhook(SECRET_A).verify(BODY_TEXT, headersAt(CONTENT.timestampSeconds, [SECRET_A]))).toThrow(
      'too old',
    )
  })

  test('accepts either secret during rotation, and only the new one after it', () => {
    at(CONTENT.timestampSeconds)
    const during = headersAt(CONTENT.timestampSeconds, [SECRET_B, SECRET_A])
    for (const secret of [SECRET_A, SECRET_B]) expect(new Webhook(secret).verify(BODY_TEXT, during)).toBeDefined()
    const after = headersAt(CONTENT.timestampSeconds, [SECRET_B])
    expect(new Webhook(SECRET_B).verify(BODY_TEXT, after)).toBeDefined()
    expect(() => new Webhook(SECRET_A).verify(BODY_TEXT, after)).toThrow('No matching signature')
  })

  test('passes over a v1a entry beside v1', () => {
    at(CONTENT.timestampSeconds)
    const headers = headersAt(CONTENT.timestampSeconds, [SECRET_A, PRIVATE_KEY])
    expect(new Webhook(SECRET_A).verify(BODY_TEXT, headers)).toBeDefined()
  })

  test('accepts a secret made here', () => {
    const secret = createSigningSecret()
    at(CONTENT.timestampSeconds)
    expect(new Webhook(secret).verify(BODY_TEXT, headersAt(CONTENT.timestampSeconds, [secret]))).toBeDefined()
  })
})

describe('keys', () => {
  test('a new secret is whsec_ and padded base64 of 32 random bytes', () => {
    expect(createSigningSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(parseSigningSecret(createSigningSecret())?.length).toBe(32)
    expect(createSigningSecret()).not.toBe(createSigningSecret())
  })

  test('a secret of 24 to 64 bytes is read, a shorter or longer one is not', () => {
    const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
    const readLengths = [23, 24, 32, 64, 65].map((bytes) => parseSigningSecret(secretOf(bytes))?.length ?? null)
    expect(readLengths).toEqual([null, 24, 32, 64, null])
  })

  test.each([
    ['without padding', SECRET_A.slice(0, -1)],
    ['with the URL-safe alphabet', `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}=`],
    ['with a space inside', SECRET_A.replace('BAUG', 'BA UG')],
    ['with a line break at the end', `${SECRET_A}\n`],
    ['without the prefix', SECRET_A.slice('whsec_'.length)],
    ['with another prefix', SECRET_A.replace('whsec_', 'whsek_')],
    ['with stray bits in the last character', SECRET_A.replace('yA=', 'yB=')],
    ['with nothing after the prefix', 'whsec_'],
  ])('a secret %s is refused', (_name, text) => {
    expect(parseSigningSecret(text)).toBeNull()
    expect(parseSigningKey(text)).toBeNull()
  })

  test('a new key pair signs what its public key verifies', () => {
    const pair = createSigningKeyPair()
    expect(pair.privateKey).toMatch(/^whsk_[A-Za-z0-9+/]{86}==$/)
    expect(pair.publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
    const signature = Buffer.from(signatureHeader([key(pair.privateKey)], CONTENT).slice('v1a,'.length), 'base64')
    const signed = Buffer.concat([Buffer.from('msg_0001.1700000000.'), CONTENT.body])
    expect(verify(null, signed, parsePublicKey(pair.publicKey) as never, signature)).toBe(true)
  })

  test('a private key whose public half belongs to another seed is refused', () => {
    const bytes = Buffer.from(PRIVATE_KEY.slice('whsk_'.length), 'base64')
    const other = Buffer.from(createSigningKeyPair().publicKey.slice('whpk_'.length), 'base64')
    bytes.set(other, 32)
    expect(parseSigningKey(`whsk_${bytes.toString('base64')}`)).toBeNull()
    expect(parseSigningKey(`whsk_${Buffer.alloc(32, 7).toString('base64')}`)).toBeNull()
  })

  test('a public key is published as a JSON Web Key that any library can load', () => {
    const jwk = publicJwk(PUBLIC_KEY)
    expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' })
    const signature = Buffer.from(SIGNATURE_V1A.slice('v1a,'.length), 'base64')
    const signed = Buffer.concat([Buffer.from('msg_0001.1700000000.'), CONTENT.body])
    expect(verify(null, signed, createPublicKey({ key: { ...jwk }, format: 'jwk' }), signature)).toBe(true)
    expect(publicJwkSet([PUBLIC_KEY])).toEqual({ keys: [jwk] })
  })

  test('the key id is the RFC 7638 thumbprint', () => {
    // The Ed25519 key and thumbprint printed in RFC 8037, appendix A.3.
    const published = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url').toString('base64')
    expect(publicJwk(`whpk_${published}`).kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  })

  test('a private key is never published by mistake', () => {
    expect(() => publicJwk(PRIVATE_KEY)).toThrow('not a public signing key')
  })
})

describe('content that could be read in two ways is not signed', () => {
  test.each(['msg.0001', 'msg 1', '', 'msg_1\n', 'é'])('id %p', (id) => {
    expect(() => signatureHeader([key(SECRET_A)], { ...CONTENT, id })).toThrow('webhook id')
  })

  test.each([1.5, -1, Number.NaN, 2 ** 60])('timestamp %p', (timestampSeconds) => {
    expect(() => signatureHeader([key(SECRET_A)], { ...CONTENT, timestampSeconds })).toThrow('webhook timestamp')
  })

  test('nor is anything sent without a key', () => {
    expect(() => signatureHeader([], CONTENT)).toThrow('at least one signing key')
  })
})
