import { describe, expect, test } from 'bun:test'
import {
  createSigningKeyPair,
  createSigningSecret,
  parseSigningKey,
  type SigningKey,
  signedHeaders,
} from '../../src/webhooks/signing/signature.ts'
import { TOLERANCE_SECONDS, verifySignature } from './webhook-verification.ts'

const NOW_SECONDS = 1_700_000_000
const NOW_MS = NOW_SECONDS * 1000
const BODY = Buffer.from('{"type":"order.paid","data":{"note":"café ☕"}}')
const secret = createSigningSecret()
const older = createSigningSecret()
const pair = createSigningKeyPair()

const headersOf = (texts: string[], timestampSeconds = NOW_SECONDS) =>
  signedHeaders(
    texts.map((text) => parseSigningKey(text) as SigningKey),
    { id: 'evt_1', timestampSeconds, body: BODY },
  )
const check = (headers: Headers | Record<string, string | undefined>, secrets = [secret], body: Uint8Array = BODY) =>
  verifySignature(headers, body, secrets, TOLERANCE_SECONDS, NOW_MS)

describe('a genuine delivery is accepted', () => {
  test('with the secret', () => expect(check(headersOf([secret]))).toEqual({ ok: true }))
  test('with the public key', () => expect(check(headersOf([pair.privateKey]), [pair.publicKey])).toEqual({ ok: true }))
  test('whichever of two secrets the receiver still holds', () => {
    for (const held of [secret, older]) expect(check(headersOf([secret, older]), [held])).toEqual({ ok: true })
  })
  test('by a receiver that has several secrets', () => {
    expect(check(headersOf([secret]), [older, pair.publicKey, secret])).toEqual({ ok: true })
  })
  test('from Headers as well as from a plain object with any spelling of the names', () => {
    expect(check(new Headers(headersOf([secret])))).toEqual({ ok: true })
    const upper = Object.fromEntries(
      Object.entries(headersOf([secret])).map(([name, value]) => [name.toUpperCase(), value]),
    )
    expect(check(upper)).toEqual({ ok: true })
  })
  test('up to exactly the tolerance either way', () => {
    for (const skew of [-300, 300]) expect(check(headersOf([secret], NOW_SECONDS + skew))).toEqual({ ok: true })
  })
})

describe('anything else is refused with its reason', () => {
  test('another secret', () => {
    expect(check(headersOf([older]))).toEqual({ ok: false, reason: 'signature_mismatch' })
    expect(check(headersOf([pair.privateKey]), [createSigningKeyPair().publicKey])).toMatchObject({ ok: false })
  })
  test('a changed body, id or timestamp', () => {
    const headers = headersOf([secret])
    expect(check(headers, [secret], Buffer.from('{}'))).toMatchObject({ reason: 'signature_mismatch' })
    expect(check({ ...headers, 'webhook-id': 'evt_2' })).toMatchObject({ reason: 'signature_mismatch' })
    expect(check({ ...headers, 'webhook-timestamp': String(NOW_SECONDS + 1) })).toMatchObject({
      reason: 'signature_mismatch',
    })
  })
  test('a second more than the tolerance', () => {
    expect(check(headersOf([secret], NOW_SECONDS - 301))).toMatchObject({ reason: 'timestamp_too_old' })
    expect(check(headersOf([secret], NOW_SECONDS + 301))).toMatchObject({ reason: 'timestamp_too_new' })
  })
  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('a missing %s', (name) => {
    expect(check({ ...headersOf([secret]), [name]: undefined })).toMatchObject({ reason: 'header_missing' })
  })
  test.each(['1700000000.5', '1.7e9', ' 1700000000', '0x6553f100', '-1'])('a timestamp written %p', (timestamp) => {
    expect(check({ ...headersOf([secret]), 'webhook-timestamp': timestamp })).toMatchObject({
      reason: 'header_malformed',
    })
  })
  test('an id with a full stop', () => {
    expect(check({ ...headersOf([secret]), 'webhook-id': 'evt.1' })).toMatchObject({ reason: 'header_malformed' })
  })
  test('a signature under another version, without padding, or shortened', () => {
    const headers = headersOf([secret])
    const signature = headers['webhook-signature'] as string
    for (const forged of [`v2,${signature.slice(3)}`, signature.slice(0, -1), signature.slice(0, 20), 'v1,', 'v1'])
      expect(check({ ...headers, 'webhook-signature': forged })).toMatchObject({ reason: 'signature_mismatch' })
  })
  test('more signatures than any rotation has', () => {
    const signature = headersOf([secret])['webhook-signature'] as string
    const flood = { ...headersOf([secret]), 'webhook-signature': Array(17).fill(signature).join(' ') }
    expect(check(flood)).toMatchObject({ reason: 'header_malformed' })
  })
})

test('an unreadable secret is the receiver’s mistake and is thrown, without repeating it', () => {
  expect(() => check(headersOf([secret]), ['hunter2'])).toThrow(/^a secret is neither/)
})
