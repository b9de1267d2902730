import { type AuditContext, recordAuditAlone } from '../../accounts/audit/audit.ts'
import {
  type AuthorizationContext,
  type ClientRefusal,
  exchangeTokens,
  isForgotten,
  isJustRenewed,
  judgeRenewal,
  type ProtocolAnswer,
  registerClient,
  revokeToken,
} from '../../accounts/oauth/oauth.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId } from '../../kernel/ids.ts'
import { decodeUtf8Strict, parseStrictJson } from '../../platform/http/json/strict-json.ts'
import { networkOf } from '../../platform/http/limits/client-address.ts'
import type { RateLimiter, RateLimitPolicy } from '../../platform/http/limits/rate-limit.ts'
import { readBody } from '../../platform/http/pipeline/body-reader.ts'
import { splitUrl } from '../../platform/http/pipeline/exchange.ts'
import { asProblem } from '../../platform/http/pipeline/problem-reply.ts'
import type { ReadSocketAddress } from '../../platform/runtime/server.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { authorizationServerDocument, protectedResourceDocument } from './metadata.ts'

/**
 * The side of OAuth 2.1 that programs speak to:
 *
 *   /.well-known/…     what there is, for anybody
 *   /oauth/authorize   opened in a browser: goes on to the console, where a person is asked
 *   /oauth/token       a code, or a token to renew with, for tokens
 *   /oauth/register    a program without a document registers
 *   /oauth/revoke      a program revokes its tokens
 *
 * Programs send no cookies and get none. Errors are those of the protocol, not problem documents. These calls are not
 * in the request log, which belongs to an organization: before a token is accepted the organization is unknown, and
 * every body contains a secret.
 */
export type OAuthSiteOptions = {
  authorization: AuthorizationContext
  isRegistrationOn: boolean
  docsUrl: string
  audit: AuditContext
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'requestFinished'>
  rateLimiter: RateLimiter
  readClientAddress: (socketAddress: string, request: Request) => string
  bodyTimeoutMs: number
}

export type OAuthSite = {
  /** Null when the path is another. */
  fetch(request: Request, readSocketAddress: ReadSocketAddress): Response | Promise<Response> | null
}

const BODY_BYTES_MAX = 32 * 1024
const TOKENS: RateLimitPolicy = { name: 'oauth-token', quota: 120, windowSeconds: 60, burst: 60 }
const REGISTRATIONS: RateLimitPolicy = { name: 'oauth-register', quota: 30, windowSeconds: 3600, burst: 15 }

type Call = { address: string; requestId: Id<'req'> }
type Answer = ProtocolAnswer & { headers?: Record<string, string> }
type Endpoint = {
  /** The name in the metrics. */
  id: string
  policy: RateLimitPolicy
  contentType: string
  answer(options: OAuthSiteOptions, body: string, call: Call): Promise<Answer>
}

const FORM = 'application/x-www-form-urlencoded'

const ENDPOINTS: Record<string, Endpoint> = {
  '/oauth/token': { id: 'exchangeOAuthTokens', policy: TOKENS, contentType: FORM, answer: answerTokens },
  '/oauth/revoke': {
    id: 'revokeOAuthToken',
    policy: TOKENS,
    contentType: FORM,
    answer: ({ authorization }, body, { address }) => revokeToken(authorization, address, new URLSearchParams(body)),
  },
  '/oauth/register': {
    id: 'registerOAuthClient',
    policy: REGISTRATIONS,
    contentType: 'application/json',
    answer: answerRegistration,
  },
}

export function createOAuthSite(options: OAuthSiteOptions): OAuthSite {
  const { authorization, isRegistrationOn, docsUrl } = options
  const resourceDocument = protectedResourceDocument({ ...authorization, docsUrl })
  const serverDocument = authorizationServerDocument({ ...authorization, docsUrl, isRegistrationOn })
  const documents = new Map<string, object>([
    ['/.well-known/oauth-protected-resource', resourceDocument],
    ['/.well-known/oauth-protected-resource/mcp', resourceDocument],
    ['/.well-known/oauth-authorization-server', serverDocument],
  ])
  return {
    fetch(request, readSocketAddress) {
      const { fullPath, query } = splitUrl(request.url)
      const document = documents.get(fullPath)
      if (document !== undefined) return sendDocument(request, document)
      if (fullPath === '/oauth/authorize') return goToConsole(request, query)
      const endpoint = ENDPOINTS[fullPath]
      if (endpoint === undefined) return null
      return serve(options, request, {
        endpoint,
        address: options.readClientAddress(readSocketAddress(request), request),
      })
    },
  }
}

const ANYBODY = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': '*',
}

/** Browsers ask beforehand where a client adds a header, such as the revision of MCP it speaks. */
function sendDocument({ method }: Request, document: object): Response {
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: ANYBODY })
  if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
  return new Response(method === 'HEAD' ? null : JSON.stringify(document), {
    headers: { ...ANYBODY, 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=60' },
  })
}

/**
 * The query is not parsed here. It is read after a person has signed in, so an anonymous caller cannot cause an
 * outbound request.
 */
function goToConsole({ method }: Request, query: string): Response {
  if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
  const location = `/console/connect?${new URLSearchParams({ request: query })}`
  return new Response(null, {
    status: 302,
    headers: { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  })
}

async function serve(
  options: OAuthSiteOptions,
  request: Request,
  { endpoint, address }: { endpoint: Endpoint; address: string },
): Promise<Response> {
  const startedMs = performance.now()
  const call = { address, requestId: newId('req', options.clock.now()) }
  const answer = await answerTo(options, request, { endpoint, call }).catch((error) => fail(options, error, endpoint))
  options.metrics.requestFinished(endpoint.id, answer.status, performance.now() - startedMs)
  return new Response(answer.body === null ? null : JSON.stringify(answer.body), {
    status: answer.status,
    headers: {
      ...(answer.body !== null && { 'Content-Type': 'application/json' }),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': call.requestId,
      ...answer.headers,
    },
  })
}

/** While the database is away a program is to come again; anything else is a bug, logged whole. */
function fail({ log }: OAuthSiteOptions, error: unknown, { id }: Endpoint): Answer {
  const isAway = asProblem(error).status === 503
  if (isAway) log.warn({ operation: id, err: error }, 'a program could not be answered')
  else log.error({ operation: id, err: error }, 'a program could not be answered')
  return refuse(isAway ? 503 : 500, 'server_error', 'Something went wrong here. Try again later.')
}

type Work = { endpoint: Endpoint; call: Call }

async function answerTo(options: OAuthSiteOptions, request: Request, { endpoint, call }: Work): Promise<Answer> {
  if (request.method !== 'POST') return { ...refuse(405, 'invalid_request', 'Use POST.'), headers: { Allow: 'POST' } }
  const { allowed, retryAfterSeconds } = options.rateLimiter.check(
    `address ${networkOf(call.address)}`,
    endpoint.policy,
  )
  if (!allowed)
    return {
      ...refuse(429, 'temporarily_unavailable', 'This IP address sent too many requests.'),
      headers: { 'Retry-After': String(retryAfterSeconds) },
    }
  const [contentType = ''] = (request.headers.get('content-type') ?? '').split(';')
  if (contentType.trim().toLowerCase() !== endpoint.contentType)
    return refuse(400, 'invalid_request', `Send a body of the type ${endpoint.contentType}.`)
  const read = await readBody(request, { bytesMax: BODY_BYTES_MAX, timeoutMs: options.bodyTimeoutMs })
  if (!read.ok) return refuse(read.reason === 'too_large' ? 413 : 400, 'invalid_request', 'The body could not be read.')
  const body = decodeUtf8Strict(read.bytes)
  if (body === null || body.includes('\u0000') || /%00/.test(body))
    return refuse(400, 'invalid_request', 'The body is not valid UTF-8.')
  return endpoint.answer(options, body, call)
}

const refuse = (status: number, error: string, description: string): Answer => ({
  status,
  body: { error, error_description: description },
})

async function answerTokens(options: OAuthSiteOptions, body: string, call: Call): Promise<Answer> {
  const { authorization } = options
  const form = new URLSearchParams(body)
  const renewed = form.get('grant_type') === 'refresh_token' ? form.get('refresh_token') : null
  if (renewed === null) return exchangeTokens(authorization, call.address, form)
  const { isRefused, reusedOf } = await judgeRenewal(authorization, renewed)
  if (isRefused) return refuse(400, 'invalid_grant', 'This connection is no longer valid. Connect again.')
  const answer = await renewOrRepeat(
    () => exchangeTokens(authorization, call.address, form),
    () => isJustRenewed(authorization, renewed),
  )
  if (reusedOf !== null && (await isForgotten(authorization, renewed))) await recordReuse(options, reusedOf, call)
  return answer
}

const REPEATS_MAX = 5
const REPEAT_AFTER_MS = 100

/**
 * Two of the same program renew at once. The library refuses the slower one until it has written down what it answered the
 * faster, and a program that is refused throws its tokens away and asks the person again.
 */
async function renewOrRepeat(renew: () => Promise<Answer>, isToBeRepeated: () => Promise<boolean>): Promise<Answer> {
  let answer = await renew()
  for (let repeats = 0; answer.status === 400 && repeats < REPEATS_MAX && (await isToBeRepeated()); repeats++) {
    await new Promise((resolve) => setTimeout(resolve, REPEAT_AFTER_MS))
    answer = await renew()
  }
  return answer
}

/** The owner is looked up before the library revokes the token family, because afterwards it cannot be found. */
const recordReuse = (
  { audit }: OAuthSiteOptions,
  { orgId, agentId, name }: NonNullable<Awaited<ReturnType<typeof judgeRenewal>>['reusedOf']>,
  { requestId, address }: Call,
) =>
  recordAuditAlone(audit, orgId, {
    actor: { type: 'agent', id: agentId, name },
    act: 'connectionTokenReused',
    subject: agentId,
    requestId,
    address,
  })

async function answerRegistration(options: OAuthSiteOptions, body: string): Promise<Answer> {
  if (!options.isRegistrationOn)
    return refuse(403, 'access_denied', 'Programs cannot register on this server. Use the token of an agent instead.')
  const parsed = parseStrictJson(body)
  const result = parsed.ok
    ? await registerClient(options.authorization, parsed.value)
    : { refusal: { error: 'invalid_client_metadata', description: 'The body is not valid JSON.' } }
  return 'registered' in result ? { status: 201, body: result.registered } : refusalOf(result.refusal)
}

const refusalOf = ({ error, description }: ClientRefusal): Answer =>
  refuse(error === 'temporarily_unavailable' ? 503 : 400, error, description)
