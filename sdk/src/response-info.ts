/** What the server said beside the result. */
export type ResponseInfo = {
  status: number
  headers: Headers
  /** Note it when something goes wrong: the request log of the console finds the call by it. */
  requestId: string | null
  /** Null where no limit holds. */
  rateLimit: RateLimit | null
  /** The answer of an earlier request with the same Idempotency-Key: nothing was done this time. */
  isReplayed: boolean
  /** For `ifMatch`, where the answer has one. */
  etag: string | null
}

export type RateLimit = {
  /** Requests in each window of this many seconds. */
  limit: number
  windowSeconds: number
  /** How many would pass right now. */
  remaining: number
  /** Until there are more. */
  resetSeconds: number
}

export const responseInfo = ({ status, headers }: Response): ResponseInfo => ({
  status,
  headers,
  requestId: headers.get('x-request-id'),
  rateLimit: readRateLimit(headers),
  isReplayed: headers.get('idempotent-replayed') === 'true',
  etag: headers.get('etag'),
})

/** `RateLimit: "key";r=199;t=1` beside `RateLimit-Policy: "key";q=100;w=1`: the first of several is the tightest. */
function readRateLimit(headers: Headers): RateLimit | null {
  const state = parametersOf(headers.get('ratelimit'))
  const policy = parametersOf(headers.get('ratelimit-policy'))
  const [limit, windowSeconds, remaining, resetSeconds] = [policy.q, policy.w, state.r, state.t]
  if (limit === undefined || windowSeconds === undefined || remaining === undefined) return null
  return { limit, windowSeconds, remaining, resetSeconds: resetSeconds ?? 0 }
}

const parametersOf = (header: string | null): Record<string, number> =>
  Object.fromEntries(
    [
      ...(header ?? '')
        .split(',', 1)
        .join()
        .matchAll(/;\s*([a-z-]+)=(\d+)/g),
    ].map(([, name, value]) => [name, Number(value)]),
  )

/** In seconds from now; the header may also name a moment. */
export function retryAfterSeconds(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim()
  if (!value) return null
  if (/^\d+$/.test(value)) return Number(value)
  const moment = Date.parse(value)
  return Number.isNaN(moment) ? null : Math.max(0, Math.ceil((moment - Date.now()) / 1000))
}
