import { listen } from '../../src/platform/runtime/server.ts'

/**
 * What the local stand-ins for payment providers share: they keep what was asked of them, and misbehave on request. A fault
 * applies to the next call only; `after` faults let the call have its effect first.
 */
export type ProviderFault =
  | 'hang_before'
  | 'hang_after'
  | 'status_500_after'
  | 'status_200_page'
  | 'status_403_page'
  | 'status_404_page'
  | 'status_408_page'
  | 'status_502_page'
  | 'status_503_page'
  | 'status_503'
  | 'status_429'
  | 'garbage'
  | 'huge'
  | 'redirect'

export type FaultOptions = {
  /** Only the next call that begins so: `GET /v3/payments/`. */
  on?: string
  /** Said along with a status. */
  retryAfterSeconds?: number
}

export type ProviderRequest = { method: string; path: string; headers: Headers; body: Record<string, unknown> }

export type ProviderServer = {
  url: string
  requests: ProviderRequest[]
  /** Null cancels a requested failure that has not happened yet. */
  failNext(fault: ProviderFault | null, options?: FaultOptions): void
  /** The next answer says something else than what was done. */
  alterNext(alter: (body: Record<string, unknown>) => Record<string, unknown>): void
  stop(): Promise<void>
}

export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

type Options = {
  handle(request: ProviderRequest): Answer
  /** How this provider says that it is down or busy. */
  trouble(status: 429 | 500 | 503): Answer
}

const HUGE_BYTES = 1024 * 1024

export function startProviderServer(options: Options): ProviderServer {
  let alter: ((body: Record<string, unknown>) => Record<string, unknown>) | null = null
  let fault: { kind: ProviderFault; on: string; headers: Record<string, string> } | null = null
  const requests: ProviderRequest[] = []
  const server = listen({
    host: '127.0.0.1',
    port: 0,
    bodyBytesMax: 1024 * 1024,
    async handle(request) {
      const { pathname, search } = new URL(request.url)
      const text = await request.text()
      const body = text === '' ? {} : JSON.parse(text)
      const seen = { method: request.method, path: `${pathname}${search}`, headers: request.headers, body }
      requests.push(seen)
      if (fault === null || !`${seen.method} ${seen.path}`.startsWith(fault.on)) {
        const answer = options.handle(seen)
        const altered = alter?.(answer.body as Record<string, unknown>) ?? answer.body
        alter = null
        return toResponse({ ...answer, body: altered })
      }
      const { kind, headers } = fault
      fault = null
      const response = await misbehave(kind, seen)
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
      return response
    },
    onError: () => new Response('the stand-in itself failed', { status: 599 }),
  })
  const misbehave = (current: ProviderFault, seen: ProviderRequest): Response | Promise<Response> => {
    if (current === 'hang_after' || current === 'status_500_after') options.handle(seen)
    if (current === 'hang_before' || current === 'hang_after') return new Promise(() => {})
    if (current === 'status_500_after') return toResponse(options.trouble(500))
    if (current === 'status_503') return toResponse(options.trouble(503))
    if (current === 'status_429') return toResponse(options.trouble(429))
    const [, pageStatus] = /^status_(\d+)_page$/.exec(current) ?? []
    if (pageStatus !== undefined) return new Response('<html>A proxy in between</html>', { status: Number(pageStatus) })
    if (current === 'huge') return new Response(`"${'x'.repeat(HUGE_BYTES)}"`)
    if (current === 'redirect') return new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } })
    return new Response('{"half":')
  }
  return {
    url: server.url,
    requests,
    failNext(kind, { on = '', retryAfterSeconds } = {}) {
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
      fault = kind === null ? null : { kind, on, headers }
    },
    alterNext(how) {
      alter = how
    },
    stop: () => server.drain(0),
  }
}

const toResponse = ({ status, body, headers }: Answer) => Response.json(body, { status, headers: headers ?? {} })
