import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { newId, type OrgId } from '../kernel/ids.ts'
import { readSheet, writeSheet } from './attempt-sheets.ts'
import type { AttemptRow } from './attempts.sql.ts'

const orgId: OrgId = newId('org')
const text = fc.string({ unit: 'binary', maxLength: 20 })
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null })
const headers = fc.dictionary(fc.constantFrom('webhook-id', 'webhook-signature', 'traceparent', '__x', 'same'), text)
const times = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms))
const milliseconds = orNull(fc.integer({ min: 0, max: 1e6 }).map((value) => value / 100))

const attempts: fc.Arbitrary<AttemptRow> = fc.record({
  org_id: fc.constant(orgId),
  delivery_id: fc.constant(0).map(() => newId('dlv')),
  id: fc.constant(0).map(() => newId('att')),
  endpoint_id: fc.constant(newId('wep')),
  event_id: fc.constant(0).map(() => newId('evt')),
  number: fc.integer({ min: 1, max: 3 }),
  trigger: fc.constantFrom('auto', 'recover'),
  outcome: fc.constantFrom('succeeded', 'failed'),
  url: text,
  ip: orNull(text),
  http_version: orNull(text),
  request_headers: headers,
  request_bytes: fc.nat(),
  body_sha256: text,
  started_at: times,
  dns_ms: milliseconds,
  connect_ms: milliseconds,
  tls_ms: milliseconds,
  ttfb_ms: milliseconds,
  total_ms: fc.nat(),
  throttled_ms: fc.nat(),
  response_status: orNull(fc.integer({ min: 100, max: 599 })),
  response_headers: orNull(headers),
  response_body: orNull(text),
  is_response_base64: fc.boolean(),
  is_response_truncated: fc.boolean(),
  error_class: orNull(text),
  error_detail: orNull(text),
  retry_after_ms: orNull(fc.nat()),
  next_attempt_at: orNull(times),
  worker_id: text,
  lease_number: fc.nat(),
})

test('whatever attempts hold, a sheet gives back the same ones in the same order', () => {
  fc.assert(
    fc.property(fc.array(attempts, { minLength: 1, maxLength: 6 }), (rows) => {
      expect(readSheet(orgId, writeSheet(rows))).toEqual(rows)
    }),
  )
})

test('what attempts have in common stands on their sheet once', () => {
  const one = fc.sample(attempts, 1)[0] as AttemptRow
  const url = 'https://hooks.example.test/orders'
  const request_headers = { 'user-agent': 'Nexkit/1', 'webhook-id': 'evt_1' }
  const rows = Array.from({ length: 24 }, (_, position) => ({
    ...one,
    id: newId('att'),
    url,
    request_headers: { ...request_headers, 'webhook-id': `evt_${position}` },
  }))
  const sheet = writeSheet(rows)
  expect(sheet.split(url)).toHaveLength(2)
  expect(sheet.split('Nexkit/1')).toHaveLength(2)
})
