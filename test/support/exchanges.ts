import { newId } from '../../src/kernel/ids.ts'
import type { Exchange } from '../../src/platform/http/pipeline/exchange.ts'

/** A call of `GET /me` without a caller, as the pipeline leaves it. */
export const anExchange = (fields: Partial<Exchange> = {}): Exchange => ({
  requestId: newId('req'),
  startedAtMs: Date.now(),
  startedTickMs: 0,
  durationMs: 1.5,
  method: 'GET',
  route: { id: 'getMe', path: '/me' } as never,
  path: '/me',
  fullPath: '/api/public/v1/me',
  query: '',
  address: '203.0.113.7',
  userAgent: 'shop/1.0',
  clientRequestId: null,
  caller: null,
  failedKey: null,
  authenticationFailure: null,
  idempotencyKey: null,
  isReplayed: false,
  requestBytes: 0,
  requestBody: null,
  responseBytes: 0,
  requestHeaders: null,
  responseHeaders: null,
  responseBody: null,
  status: 200,
  errorCode: null,
  errorDetail: null,
  span: null,
  ...fields,
})
