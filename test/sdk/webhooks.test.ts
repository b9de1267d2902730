import { describe, expect, test } from 'bun:test'
import { runInNewContext } from 'node:vm'
import {
  isKnown,
  isThin,
  verifyWebhook,
  verifyWebhookRequest,
  type WebhookSecret,
  WebhookVerificationError,
} from '../../sdk/src/nexkit.ts'
import type { ReceivedRequest } from '../support/receiver.ts'
import { useSdkServer } from '../support/sdk.ts'
import { until } from '../support/until.ts'
import { useReceivers } from '../support/webhooks.ts'

const server = useSdkServer()
const aReceiver = useReceivers()

/** What an endpoint received when an order was created. */
async function delivered(fields: { payload?: 'full' | 'thin'; signing?: 'v1' | 'v1a' } = {}) {
  const nexkit = server.client()
  const receiver = await aReceiver()
  const endpoint = await nexkit.webhookEndpoints.create({ url: receiver.url, events: ['order.created'], ...fields })
  const order = await nexkit.orders.create({ billingType: 'qris', amount: 12_500, note: 'café ☕' })
  await until(() => receiver.requests.length > 0)
  return { request: receiver.requests[0] as ReceivedRequest, endpoint, order, receiver, nexkit }
}

describe('a webhook that was delivered', () => {
  test('is verified, and its type says what it holds', async () => {
    const { request, endpoint, order } = await delivered()
    const event = await verifyWebhook(request.body, request.headers, endpoint.secret)
    if (!isKnown(event) || event.type !== 'order.created') throw new Error(`not an order: ${event.type}`)
    expect([event.data.id, event.data.total, event.data.note]).toEqual([order.id, 12_500, 'café ☕'])
  })

  test('is verified as text, and as a Request', async () => {
    const { request, endpoint, order } = await delivered()
    const asText = await verifyWebhook(request.body.toString(), new Headers(request.headers), endpoint.secret)
    const init = { method: 'POST', headers: request.headers, body: new Uint8Array(request.body) }
    const asRequest = await verifyWebhookRequest(new Request('http://localhost/hook', init), [endpoint.secret])
    expect([asText.data.id, asRequest.data.id]).toEqual([order.id, order.id])
  })

  test('is verified where bytes and headers are of other classes than those of the runtime', async () => {
    const { request, endpoint, order } = await delivered()
    const bytes = runInNewContext('Uint8Array.from(list)', { list: [...request.body] }) as Uint8Array
    const buffer = runInNewContext('Uint8Array.from(list).buffer', { list: [...request.body] }) as ArrayBuffer
    const headers = { get: (name: string) => request.headers[name] ?? null }
    expect([bytes instanceof Uint8Array, buffer instanceof ArrayBuffer]).toEqual([false, false])
    for (const body of [bytes, buffer])
      expect((await verifyWebhook(body, headers, endpoint.secret)).data.id).toBe(order.id)
  })

  test('is verified by the old and by the new secret while both sign', async () => {
    const { receiver, endpoint, nexkit } = await delivered()
    const { secret } = await nexkit.webhookEndpoints.rotateSecret(endpoint.id)
    await nexkit.orders.create({ billingType: 'qris', amount: 1 })
    await until(() => receiver.requests.length > 1)
    const { body, headers } = receiver.requests[1] as ReceivedRequest
    for (const one of [secret, endpoint.secret, [OTHER_SECRET, secret]])
      expect((await verifyWebhook(body, headers, one)).type).toBe('order.created')
    await expect(verifyWebhook(body, headers, OTHER_SECRET)).rejects.toMatchObject({ reason: 'signature_mismatch' })
  })

  test('with ids alone is thin, and leads to the whole event', async () => {
    const { request, endpoint, order, nexkit } = await delivered({ payload: 'thin' })
    const event = await verifyWebhook(request.body, request.headers, endpoint.secret)
    expect([isThin(event), isKnown(event)]).toEqual([true, false])
    const whole = await nexkit.events.get(event.id)
    expect(isKnown(whole) && whole.type === 'order.created' && whole.data.total).toBe(order.total as number)
  })

  test('is verified by the public keys that the server publishes for the endpoint', async () => {
    const { request, endpoint } = await delivered({ signing: 'v1a' })
    const published = await fetch(`${server.url}/.well-known/webhook-keys.json?endpoint=${endpoint.id}`)
    const { keys } = (await published.json()) as { keys: { kty: string }[] }
    expect(keys.length).toBe(1)
    expect((await verifyWebhook(request.body, request.headers, keys)).type).toBe('order.created')
  })

  test('is refused when a byte of it was changed', async () => {
    const { request, endpoint } = await delivered()
    const changed = Buffer.from(request.body.toString().replace('12500', '12501'))
    expect(changed.equals(request.body)).toBe(false)
    const tampered: [Buffer, Record<string, string>][] = [
      [changed, request.headers],
      [request.body, { ...request.headers, 'webhook-id': 'evt_other' }],
      [
        request.body,
        { ...request.headers, 'webhook-timestamp': String(Number(request.headers['webhook-timestamp']) + 1) },
      ],
    ]
    for (const [body, headers] of tampered)
      await expect(verifyWebhook(body, headers, endpoint.secret)).rejects.toMatchObject({
        reason: 'signature_mismatch',
      })
  })
})

const OTHER_SECRET = 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA='

/** The vectors that other implementations of Standard Webhooks agree on. */
describe('the published vectors', () => {
  const SECRET_A = OTHER_SECRET
  const SECRET_B = 'whsec_oKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9vr8='
  const PUBLIC_KEY = 'whpk_6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw='
  const SIGNATURE_A = 'v1,7/TAwyRAL5lyBA1W/3CqC4MV7WpZ4bmkYzVfqRAnzoE='
  const SIGNATURE_B = 'v1,Vzm3hbzcRrO15fQYm4XQdUhkIRqhRM83xv/l4GIH5k4='
  const SIGNATURE_V1A = 'v1a,1l2HjbCzprVpkdD8u4WazWH5mdUrwzVg7cMDbrPdXZfBIRgMZ0mWX/MNgBF8Z1W/SjhZcJ4a6OdLVC1DCTESAg=='
  const BODY =
    '{"type":"order.paid","timestamp":"2023-11-14T22:13:20.000Z","data":{"id":"ord_1","amount":12500,"currency":"IDR","note":"café ☕"}}'
  const SIGNED_SECONDS = 1_700_000_000

  type Fields = {
    secrets?: WebhookSecret | WebhookSecret[]
    headers?: Record<string, string>
    skewSeconds?: number
    body?: string
  }
  const verified = (signature: string, { secrets = SECRET_A, headers, skewSeconds = 10, body = BODY }: Fields = {}) =>
    verifyWebhook(
      body,
      {
        'Webhook-Id': 'msg_0001',
        'Webhook-Timestamp': String(SIGNED_SECONDS),
        'Webhook-Signature': signature,
        ...headers,
      },
      secrets,
      { now: new Date((SIGNED_SECONDS + skewSeconds) * 1000) },
    )

  test.each([
    ['v1 with secret A', SIGNATURE_A, SECRET_A],
    ['v1 with secret B', SIGNATURE_B, SECRET_B],
    ['v1a with the public key', SIGNATURE_V1A, PUBLIC_KEY],
    ['a rotation with the old secret', `${SIGNATURE_B} ${SIGNATURE_A}`, SECRET_A],
    ['both versions with the secret', `${SIGNATURE_A} ${SIGNATURE_V1A}`, SECRET_A],
    ['both versions with the public key', `${SIGNATURE_A} ${SIGNATURE_V1A}`, PUBLIC_KEY],
  ])('%s is accepted', async (_, signature, secrets) => {
    expect((await verified(signature, { secrets })).type).toBe('order.paid')
  })

  test.each([
    ['signature_mismatch', SIGNATURE_B, {}],
    ['signature_mismatch', SIGNATURE_V1A, { secrets: SECRET_A }],
    ['signature_mismatch', SIGNATURE_V1A.replace('1l2', '1l3'), { secrets: PUBLIC_KEY }],
    ['signature_mismatch', SIGNATURE_A.replace('v1,', 'v2,'), {}],
    ['signature_mismatch', 'v1,', {}],
    ['signature_mismatch', 'v1,***', {}],
    ['signature_mismatch', SIGNATURE_A, { body: `${BODY} ` }],
    ['header_missing', '', {}],
    ['header_malformed', SIGNATURE_A, { headers: { 'Webhook-Timestamp': '1700000000.5' } }],
    ['header_malformed', SIGNATURE_A, { headers: { 'Webhook-Id': 'msg.0001' } }],
    ['header_malformed', Array.from({ length: 17 }, () => SIGNATURE_A).join(' '), {}],
    ['timestamp_too_old', SIGNATURE_A, { skewSeconds: 301 }],
    ['timestamp_too_new', SIGNATURE_A, { skewSeconds: -301 }],
  ] as [string, string, Fields][])('%s: %s is refused', async (reason, signature, fields) => {
    const refusal = verified(signature, fields)
    await expect(refusal).rejects.toBeInstanceOf(WebhookVerificationError)
    await expect(refusal).rejects.toMatchObject({ reason })
  })

  test('a clock that is five minutes off is good enough', async () => {
    for (const skewSeconds of [300, -300])
      expect((await verified(SIGNATURE_A, { skewSeconds })).type).toBe('order.paid')
  })

  test('what is no secret, or no raw body, is a mistake of the program and said without the secret', async () => {
    for (const secrets of ['hunter2', 'whsec_hunter2!', 'whpk_', { kty: 'RSA' }]) {
      const error = await verified(SIGNATURE_A, { secrets }).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(TypeError)
      expect(String(error)).not.toContain('hunter2')
    }
    await expect(verified(SIGNATURE_A, { body: JSON.parse(BODY) })).rejects.toThrow('raw body')
  })
})

test('an event of a type that is not in the catalogue comes through', async () => {
  const body = JSON.stringify({ object: 'event', id: 'evt_1', type: 'parcel.shipped', data: { object: 'parcel' } })
  const key = await crypto.subtle.importKey(
    'raw',
    Uint8Array.from({ length: 32 }, (_, index) => index + 1),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`evt_1.${timestamp}.${body}`))
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${Buffer.from(signature).toString('base64')}`,
  }
  const event = await verifyWebhook(body, headers, OTHER_SECRET)
  expect([event.type, isKnown(event), event.data]).toEqual(['parcel.shipped', false, { object: 'parcel' }])
})
