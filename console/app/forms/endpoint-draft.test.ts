import { expect, test } from 'bun:test'
import { endpointExample, WebhookEndpointChange } from '../../../src/webhooks/endpoints/endpoints.schemas.ts'
import type { Endpoint } from '../api/webhooks.ts'
import {
  changesOf,
  type DeliveryDraft,
  type EndpointDraft,
  endpointDraftOf,
  endpointProblemsOf,
  isEndpointSound,
  rowsOf,
  withRow,
} from './endpoint-draft.ts'

const anEndpoint = (settings: Partial<Endpoint> = {}): Endpoint => ({ ...endpointExample, ...settings })

/** What is sent when this was typed into the form of this endpoint. */
const sentFor = (base: Endpoint | undefined, delivery: Partial<DeliveryDraft>, plain: Partial<EndpointDraft> = {}) => {
  const draft = endpointDraftOf(base, 'en')
  return changesOf({ ...draft, ...plain, delivery: { ...draft.delivery, ...delivery } }, base)
}
const isRefused = (delivery: Partial<DeliveryDraft>) => {
  const draft = endpointDraftOf(undefined, 'en')
  return !isEndpointSound(endpointProblemsOf({ ...draft, delivery: { ...draft.delivery, ...delivery } }))
}
const noTls = { ca: '', client_certificate: '', client_key: '' }

test('everything that the API lets one set is somewhere in the form', () => {
  const set = sentFor(
    anEndpoint({ events: ['order.*'], custom_headers: {} }),
    {
      ordering: 'strict',
      payload: 'thin',
      signing: 'both',
      maxPerSecond: 5,
      timeoutSeconds: 10,
      headers: { fate: 'replaced', rows: [{ key: 0, name: 'x-team', value: 'payments' }] },
      tls: { fate: 'replaced', ...noTls, ca: '-----BEGIN CERTIFICATE-----' },
    },
    {
      url: 'https://other.example.com/',
      verifyToken: 'a token',
      number: 'num_01k9x3m5q8e0t9v7a2b4c6d8fg',
      events: ['*'],
      filter: 'data.payment.method = qris, cash',
      description: 'Other',
      retries: { isOwn: true, waits: '1 s', byEvent: [] },
    },
  )
  expect(Object.keys(set).toSorted()).toEqual(Object.keys(WebhookEndpointChange.shape).toSorted())
  // Which events there are is known where all capabilities are.
  const { events: _, ...rest } = set
  expect(WebhookEndpointChange.parse(rest)).toEqual(rest as never)
})

test('saving what was not touched changes nothing', () => {
  const strange: Partial<Endpoint> = {
    ordering: 'by_key',
    payload: 'thin',
    signing: 'v1a',
    max_per_second: 0.5,
    timeout_ms: 7350,
    tls: { ca: true, client_certificate: true },
    description: null,
  }
  for (const endpoint of [anEndpoint(), anEndpoint(strange)]) expect(sentFor(endpoint, {})).toEqual({})
})

test('a new endpoint asks for nothing but what was chosen', () => {
  const plain = { url: ' https://a.example.com ' }
  expect(sentFor(undefined, {}, plain)).toEqual({ url: 'https://a.example.com', events: ['*'] })
  expect(sentFor(undefined, { timeoutSeconds: 15, ordering: 'strict' }, plain)).toEqual({
    url: 'https://a.example.com',
    events: ['*'],
    ordering: 'strict',
  })
})

test('a field that is emptied goes back to the standard', () => {
  const endpoint = anEndpoint({ max_per_second: 5, timeout_ms: 7350 })
  expect(sentFor(endpoint, { maxPerSecond: '', timeoutSeconds: '' })).toEqual({
    max_per_second: null,
    timeout_ms: 15_000,
  })
  expect(sentFor(endpoint, { maxPerSecond: '0.5', timeoutSeconds: 7.5 })).toEqual({
    max_per_second: 0.5,
    timeout_ms: 7500,
  })
  expect([4.9, 30.5, '0'].map((timeoutSeconds) => isRefused({ timeoutSeconds }))).toEqual([true, true, true])
  expect([5, 30, '', '7.5'].map((timeoutSeconds) => isRefused({ timeoutSeconds }))).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('headers are left alone, given anew as a whole, or removed', () => {
  const endpoint = anEndpoint({ custom_headers: { authorization: '••••', 'x-team': '••••' } })
  const [first, second] = rowsOf(Object.keys(endpoint.custom_headers))
  if (first === undefined || second === undefined) throw new Error('a row for each name')
  expect([first.name, first.value]).toEqual(['authorization', ''])
  const rows = [{ ...first, value: ' Bearer abc ' }]
  expect(sentFor(endpoint, { headers: { fate: 'replaced', rows } })).toEqual({
    custom_headers: { authorization: 'Bearer abc' },
  })
  expect(sentFor(endpoint, { headers: { fate: 'kept', rows } })).toEqual({})
  expect(sentFor(endpoint, { headers: { fate: 'removed', rows } })).toEqual({ custom_headers: {} })
  expect(sentFor(endpoint, { headers: { fate: 'replaced', rows: [] } })).toEqual({ custom_headers: {} })
  expect(sentFor(anEndpoint({ custom_headers: {} }), { headers: { fate: 'replaced', rows: [] } })).toEqual({})
})

test('every header has a name that no other has, and a value: no mask and no empty one takes its place', () => {
  const rows = [
    { key: 0, name: 'X-Team', value: 'a' },
    { key: 1, name: ' x-team', value: '' },
    { key: 2, name: '', value: 'b' },
  ]
  const draft = endpointDraftOf(undefined, 'en')
  const headers = { fate: 'replaced' as const, rows }
  const { delivery } = endpointProblemsOf({ ...draft, delivery: { ...draft.delivery, headers } })
  expect([...delivery.headers]).toEqual([
    [1, { name: 'repeated', value: 'required' }],
    [2, { name: 'required' }],
  ])
  expect(isRefused({ headers })).toBe(true)
  expect(isRefused({ headers: { ...headers, fate: 'removed' } })).toBe(false)
  expect(withRow(rows).map(({ key }) => key)).toEqual([0, 1, 2, 3])
})

test('certificates are removed only on purpose', () => {
  const endpoint = anEndpoint({ tls: { ca: true, client_certificate: false } })
  expect(sentFor(endpoint, { tls: { fate: 'replaced', ...noTls } })).toEqual({})
  expect(sentFor(endpoint, { tls: { fate: 'removed', ...noTls } })).toEqual({ tls: null })
  expect(sentFor(endpoint, { tls: { fate: 'replaced', ...noTls, ca: ' pem\n' } })).toEqual({ tls: { ca: 'pem' } })
})
