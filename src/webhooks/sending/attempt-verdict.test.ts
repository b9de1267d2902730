import { describe, expect, test } from 'bun:test'
import type { OutboundResult } from '../../platform/outbound-http/outbound-client.ts'
import { judgeAttempt } from './attempt-verdict.ts'

const NOW_MS = 1_790_000_000_000

const result = (fields: Partial<OutboundResult>): OutboundResult => ({
  status: null,
  httpVersion: '1.1',
  responseHeaders: {},
  responseBody: '',
  isResponseBodyBase64: false,
  isResponseTruncated: false,
  retryAfterMs: null,
  control: null,
  startedAtMs: NOW_MS,
  ip: '203.0.113.7',
  isConnectionReused: false,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  ttfbMs: null,
  totalMs: 1,
  requestBytes: 1,
  errorClass: null,
  errorDetail: null,
  ...fields,
})
const judge = (fields: Partial<OutboundResult>) => judgeAttempt(result(fields), NOW_MS)

describe('delivered', () => {
  test.each([200, 201, 204, 299])('%p', (status) => {
    expect(judge({ status })).toMatchObject({ isDelivered: true, outcome: { kind: 'done' }, disable: null })
  })

  test('is not what was cut off after its status', () => {
    expect(judge({ status: 200, errorClass: 'timeout_total', errorDetail: 'late' })).toMatchObject({
      isDelivered: false,
      errorClass: 'timeout_total',
      outcome: { kind: 'retry', isOverload: true },
    })
  })

  test('that asks to be disabled is both', () => {
    expect(judge({ status: 200, control: 'disable' })).toMatchObject({
      isDelivered: true,
      disable: 'receiver_wish',
    })
    expect(judge({ status: 200, control: 'Disable' }).disable).toBe('receiver_wish')
  })

  test('asks for nothing with another value, or with two', () => {
    for (const control of ['explode', 'disable, abort-message']) {
      expect(judge({ status: 200, control }).disable).toBeNull()
      expect(judge({ status: 500, control })).toMatchObject({ outcome: { kind: 'retry' }, disable: null })
    }
  })
})

describe('failed', () => {
  test.each([
    [400, false],
    [401, false],
    [404, false],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
    [504, true],
  ])('%p is tried again; the endpoint is slowed down: %p', (status, isOverload) => {
    expect(judge({ status })).toMatchObject({
      isDelivered: false,
      errorClass: 'status',
      outcome: { kind: 'retry', isOverload },
      disable: null,
    })
  })

  test.each([301, 302, 307, 308])('%p is a redirect that is not followed', (status) => {
    const verdict = judge({ status, responseHeaders: { location: 'https://new.example.com/' } })
    expect(verdict).toMatchObject({ errorClass: 'redirect', outcome: { kind: 'retry', isOverload: false } })
    expect(verdict.errorDetail).toContain('https://new.example.com/')
  })

  test('410 is the end of it and of the endpoint', () => {
    expect(judge({ status: 410 })).toMatchObject({ outcome: { kind: 'failed', reason: 'gone' }, disable: 'gone' })
  })

  test.each([
    [429, true],
    [503, true],
    [500, false],
    [301, false],
  ])('Retry-After with %p delays the delivery, and the whole endpoint: %p', (status, pauses) => {
    const { outcome } = judge({ status, retryAfterMs: 120_000 })
    expect(outcome).toMatchObject({ kind: 'retry', afterMs: 120_000 })
    expect(outcome.pauseLane?.until.getTime()).toBe(pauses ? NOW_MS + 120_000 : (undefined as never))
  })

  test('a long location does not make a long sentence', () => {
    const verdict = judge({ status: 302, responseHeaders: { location: `https://a.example/${'x'.repeat(4000)}` } })
    expect(verdict.errorDetail?.length).toBeLessThanOrEqual(1000)
  })
})
