import { setTimeout as pause } from 'node:timers/promises'
import type { ProblemError } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'
import type { Database } from '../database/database.ts'
import { type Migration, pendingMigrations } from '../database/migrate.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { methodNotAllowed, routeNotFound, sessionRequired, unauthenticated } from './http.errors.ts'
import { problemOf } from './problem.ts'

/**
 * The paths outside the public API: health for the operator, metrics for Prometheus, and the internal API of the dashboard,
 * which takes a session and answers 401 to everything else, API keys included.
 */
export type OperatingSite = {
  fetch(request: Request, socketAddress: string): Promise<Response>
  /** Ends when load balancers had time to notice, at once when none has been checking. */
  beginDrain(): Promise<void>
}

export type OperatingSiteOptions = {
  database: Database
  migrations: Migration[]
  metrics: Metrics
  metricsToken: string | null
  docsUrl: string
  version: string
  /** Small JSON documents that anyone may read, by path. */
  documents?: Record<string, (url: URL) => Promise<object>>
}

const DASHBOARD_PATH = /^\/api\/(auth|proxy|console)(\/|$)/
const LOOPBACK = /^(::1|127\.\d+\.\d+\.\d+|::ffff:127\.\d+\.\d+\.\d+)$/

export function createOperatingSite(options: OperatingSiteOptions): OperatingSite {
  let isDraining = false
  const checks = createCheckWatch()
  const problem = (request: Request, error: ProblemError) => {
    const requestId = newId('req')
    const path = new URL(request.url).pathname
    return new Response(JSON.stringify(problemOf(error, { requestId, path, docsUrl: options.docsUrl })), {
      status: error.status,
      headers: {
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
        'X-Request-Id': requestId,
        ...error.options.headers,
      },
    })
  }
  const pages: Record<string, (request: Request, socketAddress: string) => Promise<Response>> = {
    '/': async () => new Response(null, { status: 302, headers: { Location: '/docs' } }),
    '/healthz': async () => state(200, { status: 'ok', version: options.version }),
    '/readyz': async () => {
      if (isDraining) checks.noteRefused()
      if (isDraining) return state(503, { status: 'draining' })
      const answer = await readiness(options)
      if (answer.ok) checks.noteReady()
      return answer
    },
    '/metrics': async (request, socketAddress) => {
      if (!mayReadMetrics(request, socketAddress, options.metricsToken))
        return problem(
          request,
          unauthenticated({
            says: 'Metrics are available from loopback, or with "Authorization: Bearer" and the METRICS_TOKEN of this server.',
          }),
        )
      return new Response(await options.metrics.text(), {
        headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
      })
    },
  }
  return {
    async fetch(request, socketAddress) {
      const path = new URL(request.url).pathname
      if (DASHBOARD_PATH.test(path))
        return problem(request, sessionRequired({ headers: { 'WWW-Authenticate': 'Session realm="dashboard"' } }))
      const document = options.documents?.[path]
      const page =
        document === undefined ? pages[path] : async () => publicDocument(await document(new URL(request.url)))
      if (page === undefined) return problem(request, routeNotFound())
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return problem(request, methodNotAllowed({ headers: { Allow: 'GET, HEAD' } }))
      return page(request, socketAddress)
    },
    beginDrain() {
      isDraining = true
      return checks.untilNoticed()
    },
  }
}

/** So many checks in a row are a balancer's; single ones come from scripts. */
const CHECKS_KEPT = 4
const CHECK_GAP_MS_MAX = 5_000
/** Balancers take a node out after a few refused checks. */
const REFUSALS_MIN = 3
const NOTICE_MS_MIN = 1_500
const NOTICE_MS_MAX = 5_000
const LOOK_MS = 50

/**
 * Load balancers check /readyz at an interval, and send requests to a node until a few checks were refused. A node that closed its
 * port at once would fail those requests.
 */
function createCheckWatch() {
  const times: number[] = []
  let refusals = 0
  return {
    noteReady() {
      times.push(performance.now())
      if (times.length > CHECKS_KEPT) times.shift()
    },
    noteRefused() {
      refusals += 1
    },
    async untilNoticed(): Promise<void> {
      const startedMs = performance.now()
      const newestMs = times.length < CHECKS_KEPT ? Number.NEGATIVE_INFINITY : (times.at(-1) ?? 0)
      if (startedMs - newestMs > CHECK_GAP_MS_MAX) return
      for (;;) {
        const waitedMs = performance.now() - startedMs
        if (waitedMs > NOTICE_MS_MAX || (waitedMs > NOTICE_MS_MIN && refusals >= REFUSALS_MIN)) return
        await pause(LOOK_MS)
      }
    },
  }
}

const state = (status: number, body: object) =>
  new Response(JSON.stringify(body), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(status === 503 && { 'Retry-After': '1' }),
    },
  })

const publicDocument = (body: object) =>
  new Response(JSON.stringify(body), {
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=60',
      'Access-Control-Allow-Origin': '*',
    },
  })

async function readiness({ database, migrations }: OperatingSiteOptions): Promise<Response> {
  try {
    const pending = await pendingMigrations(database, migrations)
    if (pending.length > 0) return state(503, { status: 'not_migrated', pending })
    const { mode } = await database.one<{ mode: string }>`select current_setting('transaction_read_only') as mode`
    if (mode === 'on') return state(503, { status: 'database_read_only' })
    return state(200, { status: 'ready' })
  } catch {
    return state(503, { status: 'database_unreachable' })
  }
}

/** A request that came through a proxy on this machine is not from loopback, whatever its socket says. */
function mayReadMetrics(request: Request, socketAddress: string, token: string | null): boolean {
  if (LOOPBACK.test(socketAddress) && !request.headers.has('x-forwarded-for') && !request.headers.has('forwarded'))
    return true
  const sent = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return token !== null && sent !== undefined && isSameSecret(sent, token)
}
