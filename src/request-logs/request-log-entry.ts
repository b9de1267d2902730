import type { Id } from '../kernel/ids.ts'
import type { Exchange } from '../platform/http/exchange.ts'

/** Where calls stand that belong to no known organization. Not a real id, so that no organization can ever be it. */
export const NO_ORGANIZATION = 'org_none'

/**
 * What waits in memory to be written. Taken from the exchange as it is, because this happens while the caller waits;
 * masking and cutting come later. A body that will not be stored is not held either: pages of a busy list would fill
 * the queue.
 */
export type RequestLogEntry = {
  id: Id<'req'>
  orgId: string
  atMs: number
  callerType: string | null
  callerId: string | null
  authResult: string
  method: string
  route: string | null
  path: string
  fullPath: string
  query: string
  status: number
  errorCode: string | null
  errorDetail: string | null
  durationMs: number
  address: string
  userAgent: string | null
  clientRequestId: string | null
  requestBytes: number
  responseBytes: number
  idempotencyKey: string | null
  isReplayed: boolean
  requestBody: string | null
  responseBody: string | null
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

export function entryOf(exchange: Exchange): RequestLogEntry {
  const { caller, failedKey } = exchange
  const hasBodies = exchange.status >= 400 || !isRead(exchange.method)
  return {
    id: exchange.requestId,
    orgId: caller?.orgId ?? failedKey?.orgId ?? NO_ORGANIZATION,
    atMs: exchange.startedAtMs,
    callerType: caller?.type ?? (failedKey === null ? null : 'key'),
    callerId: caller?.id ?? failedKey?.keyId ?? null,
    authResult: exchange.authenticationFailure ?? (caller === null ? 'none' : 'ok'),
    method: exchange.method,
    route: exchange.route?.id ?? null,
    path: exchange.path,
    fullPath: exchange.fullPath,
    query: exchange.query,
    status: exchange.status,
    errorCode: exchange.errorCode,
    errorDetail: exchange.errorDetail,
    durationMs: exchange.durationMs,
    address: exchange.address,
    userAgent: exchange.userAgent,
    clientRequestId: exchange.clientRequestId,
    requestBytes: exchange.requestBytes,
    responseBytes: exchange.responseBytes,
    idempotencyKey: exchange.idempotencyKey,
    isReplayed: exchange.isReplayed,
    requestBody: hasBodies ? exchange.requestBody : null,
    responseBody: hasBodies ? exchange.responseBody : null,
  }
}

/** The object itself and its short strings, measured: 15,000 plain entries take 9 MB. */
const FIXED_BYTES = 600

/** About how much memory the entry holds. */
export const entryBytes = (entry: RequestLogEntry) =>
  FIXED_BYTES +
  entry.fullPath.length +
  entry.query.length +
  (entry.requestBody?.length ?? 0) +
  (entry.responseBody?.length ?? 0)
