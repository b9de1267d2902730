import type { Route } from '../define-route.ts'
import { idempotencyKeyInvalid } from '../http.errors.ts'
import type { Caller } from './caller.ts'
import type { Exchange } from './exchange.ts'
import { type IdempotencyClaim, readIdempotencyKey, requestFingerprint } from './idempotency.ts'
import type { UploadedFile } from './upload.ts'

type ClaimingRequest = {
  route: Route
  request: Request
  exchange: Exchange
  params: Record<string, string>
  query: unknown
  body: unknown
  file: UploadedFile | undefined
  caller: Caller | null
}

export function readClaim(work: ClaimingRequest): IdempotencyClaim | null {
  const { route, request, exchange, params, query, body, file, caller } = work
  const header = readIdempotencyKey(request.headers.get('idempotency-key'))
  if (!header.ok)
    throw idempotencyKeyInvalid({
      errors: [{ header: 'Idempotency-Key', code: 'wrong_format', detail: header.detail }],
    })
  exchange.idempotencyKey = header.key
  if (header.key === null) return null
  const content = file === undefined ? body : file.sha256
  const fingerprint = requestFingerprint({ operation: route.id, pathParameters: params, query, body: content })
  return { operation: route.id, key: keyOf(caller, header.key), fingerprint, requestId: exchange.requestId }
}

/**
 * All keys of an organization share theirs, so that a repeat survives a rotation. An agent has its own: what it is talked into
 * must not use up a key that the shop's backend is about to send. No header holds a space, so neither can be taken for the other.
 */
const keyOf = (caller: Caller | null, key: string) => (caller?.type === 'agent' ? `${caller.id} ${key}` : key)
