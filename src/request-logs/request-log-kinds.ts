import type { Exchange } from '../platform/http/pipeline/exchange.ts'
import { clean, cleanPath } from './masking.ts'

/**
 * The kinds of calls in a batch row: who called what, from where, with which outcome. Most calls come from a few callers, programs
 * and routes, so a row stores each kind once, and each call refers to it by its number.
 */
type Kinds = {
  /** As JSON, in the order of their numbers. */
  readonly texts: readonly string[]
  numberOf(exchange: Exchange): number
}

type Known = { number: number; example: Exchange }

/** True when the path has no parameter, so that all calls of the route share it. */
export const isFixedPath = ({ path, route }: Exchange) => path === route?.path

/** An exchange without what takes memory. */
export const NO_SIDES = { requestHeaders: null, requestBody: null, responseHeaders: null, responseBody: null }

export function createKinds(): Kinds {
  const texts: string[] = []
  const known = new Map<string, Known>()
  let last: Known | null = null
  return {
    texts,
    numberOf(exchange) {
      if (last !== null && isSameKind(last.example, exchange)) return last.number
      const key = keyOf(exchange)
      let found = known.get(key)
      if (found === undefined) {
        found = { number: texts.length, example: { ...exchange, ...NO_SIDES } }
        known.set(key, found)
        texts.push(textOf(key, exchange))
      }
      last = found
      return found.number
    },
  }
}

/** Comparing with the call before is cheaper than a key, and mostly enough. */
const isSameKind = (one: Exchange, other: Exchange) =>
  one.caller === other.caller &&
  one.route === other.route &&
  one.status === other.status &&
  one.method === other.method &&
  one.address === other.address &&
  one.userAgent === other.userAgent &&
  one.errorCode === other.errorCode &&
  one.failedKey === other.failedKey &&
  one.authenticationFailure === other.authenticationFailure &&
  one.fullPath === other.fullPath &&
  one.path === other.path

const basePathOf = ({ fullPath, path }: Exchange) => fullPath.slice(0, fullPath.length - path.length)

/** The user agent is last because it alone may contain the separator. */
const keyOf = (exchange: Exchange) =>
  [
    exchange.caller?.type ?? '',
    exchange.caller?.id ?? exchange.failedKey?.caller.id ?? '',
    exchange.route?.id ?? '',
    exchange.status,
    exchange.method,
    exchange.address,
    exchange.errorCode ?? '',
    exchange.authenticationFailure ?? '',
    isFixedPath(exchange),
    basePathOf(exchange),
    exchange.userAgent === null ? '' : `=${exchange.userAgent}`,
  ].join('\n')

const REMEMBERED_MAX = 1000
const remembered = new Map<string, string>()

/** Reuses the masked text of a kind across batch rows. The cache is cleared when it is full. */
function textOf(key: string, exchange: Exchange): string {
  const found = remembered.get(key)
  if (found !== undefined) return found
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  const text = JSON.stringify(describe(exchange))
  remembered.set(key, text)
  return text
}

/** Undefined members are left out, and read as null. */
function describe(exchange: Exchange) {
  const { caller, failedKey, route, userAgent } = exchange
  return {
    caller_type: (caller ?? failedKey?.caller)?.type,
    caller_id: (caller ?? failedKey?.caller)?.id,
    auth_result: exchange.authenticationFailure ?? (caller === null ? 'none' : 'ok'),
    method: clean(exchange.method),
    route: route?.id,
    base_path: clean(basePathOf(exchange)),
    path: isFixedPath(exchange) ? cleanPath(exchange.path) : undefined,
    status: exchange.status,
    error_code: exchange.errorCode ?? undefined,
    address: exchange.address,
    user_agent: userAgent === null ? undefined : clean(userAgent),
  }
}
