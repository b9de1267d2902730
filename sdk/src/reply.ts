export type Answered<T> = { data: T; response: ResponseInfo }

/**
 * What a call returns: a promise of its result. `withResponse()` adds the response, so that results carry neither
 * request ids nor limits.
 */
export class Reply<T> extends Promise<T> {
  readonly #answer: Promise<Answered<T>>

  /** What follows from it is an ordinary promise without a response. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  constructor(answer: Promise<Answered<T>>) {
    // Resolved with a promise, not by its callbacks: only so does the stack of an error lead on to the line of the caller.
    super((resolve) => resolve(answer.then(({ data }) => data)))
    this.#answer = answer
  }

  /** The result together with the status, request id, rate limit and headers of its answer. */
  withResponse(): Promise<Answered<T>> {
    // A failure rejects the promise that is awaited, and is not reported a second time as unhandled.
    this.catch(() => {})
    return this.#answer
  }
}

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
