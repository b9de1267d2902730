import type { Id } from '../kernel/ids.ts'
import type { Exchange } from '../platform/http/exchange.ts'

/** Where calls stand that belong to no known organization. Not a real id, so that no organization can ever be it. */
export const NO_ORGANIZATION = 'org_none'

/** What is kept of an exchange. A body that will not be stored is not held either: long lists would fill the memory. */
export type RequestLogEntry = {
  id: Id<'req'>
  orgId: string
  callerType: string | null
  callerId: string | null
  authResult: string
  method: string
  route: string | null
  path: string
  fullPath: string
  /** The path is the route's own, without anything the caller chose. */
  isFixedPath: boolean
  query: string
  status: number
  errorCode: string | null
  errorDetail: string | null
  durationUs: number
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

/** What an integer column holds: 35 minutes. */
const DURATION_US_MAX = 2_147_483_647

const isRead = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

export function entryOf(exchange: Exchange): RequestLogEntry {
  const { caller, failedKey } = exchange
  const keepsBodies = exchange.status >= 400 || !isRead(exchange.method)
  return {
    id: exchange.requestId,
    orgId: caller?.orgId ?? failedKey?.orgId ?? NO_ORGANIZATION,
    callerType: caller?.type ?? (failedKey === null ? null : 'key'),
    callerId: caller?.id ?? failedKey?.keyId ?? null,
    authResult: exchange.authenticationFailure ?? (caller === null ? 'none' : 'ok'),
    method: exchange.method,
    route: exchange.route?.id ?? null,
    path: exchange.path,
    fullPath: exchange.fullPath,
    isFixedPath: exchange.path === exchange.route?.path,
    query: exchange.query,
    status: exchange.status,
    errorCode: exchange.errorCode,
    errorDetail: exchange.errorDetail,
    durationUs: Math.min(Math.round(exchange.durationMs * 1000), DURATION_US_MAX),
    address: exchange.address,
    userAgent: exchange.userAgent,
    clientRequestId: exchange.clientRequestId,
    requestBytes: exchange.requestBytes,
    responseBytes: exchange.responseBytes,
    idempotencyKey: exchange.idempotencyKey,
    isReplayed: exchange.isReplayed,
    requestBody: keepsBodies ? exchange.requestBody : null,
    responseBody: keepsBodies ? exchange.responseBody : null,
  }
}

export const hasBodies = (entry: RequestLogEntry) => entry.requestBody !== null || entry.responseBody !== null
