import { activeSpan, beginSpan, type Span, type SpanAttributes } from './spans.ts'
import { traceIdOf } from './traces.ts'

/**
 * The span of one HTTP call to another server, by the semantic conventions. It names the method and the host: a path, a query or a
 * header may hold a token or a phone number.
 */
export type CallStart = {
  /** What is called: the name of a connector, or "webhook". */
  peer: string
  method: string
  url: string
  attributes?: SpanAttributes
  /** The trace that the call belongs to, where it is not that of the work that makes it. */
  traceparent?: string | null
}

export function beginCall({ peer, method, url, attributes, traceparent = null }: CallStart): Span | null {
  const active = activeSpan()
  if (active === null) return null
  const isElsewhere = traceparent !== null && traceIdOf(traceparent) !== traceIdOf(active.traceparent)
  const span = beginSpan(`${method} ${peer}`, {
    kind: 'client',
    parent: isElsewhere ? traceparent : active,
    attributes: { 'http.request.method': method, 'peer.service': peer, ...hostOf(url), ...attributes },
  })
  if (isElsewhere) span?.link(active.traceparent)
  return span
}

function hostOf(url: string): SpanAttributes {
  const { hostname, port, protocol } = URL.parse(url) ?? { hostname: '', port: '', protocol: '' }
  return {
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  }
}

/** With the status, or null when there was no answer; and a code of ours when the call failed. */
export function endCall(
  span: Span | null,
  { status, failure }: { status: number | null; failure: string | null },
): void {
  if (span === null) return
  if (status !== null) span.describe({ 'http.response.status_code': status })
  if (failure !== null) span.fail(failure)
  span.end()
}

/** From the beginning of a call until its status is known. The header `traceparent` is not sent: providers are not ours to trace. */
export async function traceFetch(start: CallStart, send: () => Promise<Response>): Promise<Response> {
  const span = beginCall(start)
  if (span === null) return send()
  try {
    const response = await send()
    endCall(span, { status: response.status, failure: response.status >= 400 ? String(response.status) : null })
    return response
  } catch (error) {
    endCall(span, { status: null, failure: 'no_answer' })
    throw error
  }
}
