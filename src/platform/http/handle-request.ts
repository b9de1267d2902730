import type { Clock } from '../../kernel/clock.ts'
import { ProblemError } from '../../kernel/errors.ts'
import type { Database, Tx } from '../database/database.ts'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import type { SecretBox } from '../database/secret-box.ts'
import type { Log } from '../telemetry/log.ts'
import { acceptsJson, isJsonContentType } from './accept.ts'
import { type Admission, assertAllowed, refuseCredential, spendRate } from './admission.ts'
import { readBody } from './body-reader.ts'
import type { Authenticate, Authentication, Caller } from './caller.ts'
import type { CursorCodec } from './cursor.ts'
import { isCacheable, type Route } from './define-route.ts'
import { entityTag, type IfMatch, readIfMatch, TAGS_CHARACTERS_MAX } from './entity-tags.ts'
import type { Exchange } from './exchange.ts'
import { breaksSchema, countOf, refuseValues } from './field-refusals.ts'
import {
  bodyTooLarge,
  idempotencyKeyInvalid,
  ifMatchInvalid,
  ifNoneMatchTooLong,
  internalError,
  jsonProblems,
  mediaTypeUnsupported,
  notAcceptable,
  parameterInvalid,
  pathInvalid,
  requestTimeout,
  scopeMissing,
  unavailable,
  validationFailed,
  versionConflict,
} from './http.errors.ts'
import {
  type FreshReply,
  findEarlierReply,
  type IdempotencyClaim,
  type IdempotentOutcome,
  runOnce,
  runOwnOnce,
  type Vault,
} from './idempotency.ts'
import { readIdempotencyKey, requestFingerprint } from './idempotency-key.ts'
import { problemOf } from './problem.ts'
import { createQueryReader, type QueryReader } from './query-parameters.ts'
import { type HeaderList, type Rendered, type Reply, renderOnce, replyHeaders } from './reply.ts'
import { renderValue } from './reply-shape.ts'
import { decodeUtf8Strict, parseStrictJson } from './strict-json.ts'
import { nextPageLink } from './url-parts.ts'
import { fieldProblems, inBody, inQuery, isBeyondSchema } from './validation.ts'

/**
 * One request through the public API, in the order that the checks are promised:
 *
 *   key (401) → rate (429) → scope (403) → Accept (406) → path and query (400) → read (413, 408) → Content-Type (415)
 *   → parse (400) → validate (422) → idempotency (409, 422, replay) → If-Match (404, 412) → the handler's own 404 and 409
 *   → effect
 *
 * Scope comes before existence, so a 403 does not tell whether the object exists. Validation comes before idempotency,
 * so a refused body may be corrected and sent again under the same key. Whether there is a body at all is known once it
 * was read, and only then does its type matter: an act that takes none is called without one. The size of the URL, the
 * route (404) and the method (405) were checked by the router.
 */
export type Pipeline = Admission & {
  database: Database
  authenticate: Authenticate
  cursors: CursorCodec
  secretBox: SecretBox
  clock: Clock
  log: Log
  docsUrl: string
  bodyBytesMax: number
  bodyTimeoutMs: number
  /** Decides about valid requests of agents. Where there is none, agents have no business. */
  gate?: Gate
}

/** Stands between a valid request and what it asks for. It may run it or not, and shows of the answer what is to be seen. */
export type Gate = (call: GatedCall, run: () => Promise<Reply>) => Promise<Reply>

export type GatedCall = {
  route: Route
  caller: Caller
  params: Record<string, string>
  query: unknown
  body: unknown
  request: Request
  exchange: Exchange
  headers: HeaderList
  /** What a repeat under the same Idempotency-Key gets; null when this is none. Nothing runs. */
  replay: () => Promise<Reply | null>
}

const EXPIRY_WARNING_MS = 14 * 24 * 3600 * 1000
export type RouteHandler = (
  request: Request,
  exchange: Exchange,
  params: Record<string, string>,
) => Reply | Promise<Reply>

/** One request of one route on its way through the steps; each step fills in what it found out. */
type Work = {
  readonly pipeline: Pipeline
  readonly route: Route
  readonly readQuery: QueryReader | null
  /** Where what the route changes can be read; null when it changes nothing that can be. */
  readonly reader: Reader | null
  readonly request: Request
  readonly exchange: Exchange
  readonly rawParams: Record<string, string>
  readonly headers: HeaderList
  caller: Caller | null
  params: Record<string, string>
  query: unknown
  body: unknown
  ifMatch: IfMatch | null
}

type Reader = { route: Route; readQuery: QueryReader | null }

/** Shared by all paths without parameters, so that one comparison tells that there are none. */
export const NO_PARAMS: Record<string, string> = Object.freeze({})
const NOTHING = Object.freeze({})

/**
 * Everything that can be worked out once per route is worked out here, not per request; the siblings of a route are those of
 * its path. A step that has its answer at hand (a known key, no body to read, a handler that asks no database) answers
 * without a promise: on a hot path each one costs more than the step itself.
 */
export function createRouteHandler(pipeline: Pipeline, route: Route, siblings: readonly Route[]): RouteHandler {
  const readQuery = queryReaderOf(route)
  const reader = readerOf(route, siblings)
  return (request, exchange, rawParams) => {
    const headers = replyHeaders(request)
    const work: Work = {
      pipeline,
      route,
      readQuery,
      reader,
      request,
      exchange,
      rawParams,
      headers,
      caller: null,
      params: NO_PARAMS,
      query: undefined,
      body: undefined,
      ifMatch: null,
    }
    try {
      const reply = route.access.type === 'open' ? proceed(work) : admit(work)
      return reply instanceof Promise ? reply.catch((error) => problemReply(pipeline, exchange, error, headers)) : reply
    } catch (error) {
      return problemReply(pipeline, exchange, error, headers)
    }
  }
}

const queryReaderOf = ({ query }: Route) => (query === undefined ? null : createQueryReader(query))

/** Found out when routes are mounted, so that a change which does not keep to If-Match is never served. */
function readerOf(route: Route, siblings: readonly Route[]): Reader | null {
  const isChange = route.method === 'PATCH' || route.method === 'PUT' || route.method === 'DELETE'
  const read = isChange ? siblings.find(({ method, path }) => method === 'GET' && path === route.path) : undefined
  if ((read === undefined) !== (route.lock === undefined))
    throw new Error(
      `route ${route.id} must be a change with a lock exactly when a GET of its path shows what it changes`,
    )
  return read === undefined ? null : { route: read, readQuery: queryReaderOf(read) }
}

function admit(work: Work): Reply | Promise<Reply> {
  const authentication = work.pipeline.authenticate(work.request, work.exchange.address)
  return authentication instanceof Promise
    ? authentication.then((settled) => admitAs(work, settled))
    : admitAs(work, authentication)
}

function admitAs(work: Work, authentication: Authentication): Reply | Promise<Reply> {
  const { pipeline, exchange, headers, route } = work
  if (!authentication.ok) throw refuseCredential(pipeline, exchange, authentication)
  const { caller } = authentication
  exchange.caller = caller
  work.caller = caller
  if (caller.rateLimit !== null) spendRate(pipeline, caller, caller.rateLimit, headers)
  if (caller.expiresAt !== null && caller.expiresAt.getTime() - pipeline.clock.now() < EXPIRY_WARNING_MS)
    headers.push('Key-Expires-At', caller.expiresAt.toISOString())
  assertAllowed(route, caller)
  // Whoever asks whether something is still as they saw it asks to see it.
  if (work.reader !== null && work.request.headers.has('if-match')) assertAllowed(work.reader.route, caller)
  return proceed(work)
}

function proceed(work: Work): Reply | Promise<Reply> {
  const { request, route, exchange } = work
  if (!acceptsJson(request.headers.get('accept'))) throw notAcceptable()
  work.params = decodeParams(work.rawParams)
  work.query = parseQuery(route, work.readQuery, exchange)
  if (work.reader !== null) work.ifMatch = parseIfMatch(request)
  else if (isCacheable(route)) assertTagsReadable(request)
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE'
  return hasBody ? readAndAnswer(work) : answer(work)
}

async function readAndAnswer(work: Work): Promise<Reply> {
  work.body = await readAndParse(work.pipeline, work.route, work.request, work.exchange)
  return answer(work)
}

function decodeParams(rawParams: Record<string, string>): Record<string, string> {
  if (rawParams === NO_PARAMS) return NO_PARAMS
  const params: Record<string, string> = {}
  for (const name in rawParams) {
    const raw = rawParams[name] as string
    try {
      params[name] = raw.includes('%') ? decodeURIComponent(raw) : raw
    } catch {
      throw pathInvalid()
    }
    if ((params[name] as string).includes('\u0000'))
      throw pathInvalid({ says: 'The path holds a NUL character. Remove it.' })
  }
  return params
}

function parseQuery(route: Route, readQuery: QueryReader | null, exchange: Exchange): unknown {
  if (route.query === undefined || readQuery === null) {
    const first = exchange.query === '' ? undefined : new URLSearchParams(exchange.query).keys().next().value
    if (first === undefined) return undefined
    const detail = `This endpoint takes no parameters; "${first}" is unknown.`
    throw parameterInvalid({ errors: [{ parameter: first, code: 'parameter_unknown', detail }] })
  }
  const { values, problems } = readQuery(new URLSearchParams(exchange.query))
  const result = route.query.safeParse(values)
  if (!result.success) problems.push(...fieldProblems(route.query, values, result.error, inQuery))
  if (problems.length > 0)
    throw parameterInvalid({ says: countOf(problems.length, 'query parameter'), errors: problems })
  return result.data
}

function parseIfMatch(request: Request): IfMatch | null {
  const header = readIfMatch(request.headers.get('if-match'))
  if (header.ok) return header.ifMatch
  throw ifMatchInvalid({ errors: [{ header: 'If-Match', code: 'wrong_format', detail: header.detail }] })
}

function assertTagsReadable(request: Request): void {
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch !== null && ifNoneMatch.length > TAGS_CHARACTERS_MAX) throw ifNoneMatchTooLong()
}

async function readAndParse(pipeline: Pipeline, route: Route, request: Request, exchange: Exchange): Promise<unknown> {
  const read = await readBody(request, { bytesMax: pipeline.bodyBytesMax, timeoutMs: pipeline.bodyTimeoutMs })
  if (!read.ok) throw bodyProblem(pipeline, read.reason)
  exchange.requestBytes = read.bytes.byteLength
  if (read.bytes.byteLength === 0 && route.body === undefined) return undefined
  if (read.bytes.byteLength === 0 && route.isBodyOptional) return validateBody(route, {})
  if (!isJsonContentType(request.headers.get('content-type')))
    throw mediaTypeUnsupported({ headers: { Accept: 'application/json' } })
  const text = decodeUtf8Strict(read.bytes)
  if (text === null) throw jsonProblems.json_text_invalid({ says: 'The body is not valid UTF-8.' })
  exchange.requestBody = text
  const parsed = parseStrictJson(text)
  if (!parsed.ok) throw jsonProblems[parsed.problem.code]({ says: parsed.problem.detail })
  return validateBody(route, parsed.value)
}

function validateBody(route: Route, value: unknown): unknown {
  if (route.body === undefined) {
    if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return undefined
    throw validationFailed({
      says: 'This endpoint takes no body. Leave it out.',
      errors: [{ pointer: '#', code: 'body_unexpected', detail: 'Send no body, or an empty object.' }],
    })
  }
  const result = route.body.safeParse(value)
  if (result.success) return result.data
  const errors = fieldProblems(route.body, value, result.error, inBody)
  throw isBeyondSchema(result.error) ? refuseValues(errors) : breaksSchema(errors)
}

export function bodyProblem(pipeline: Pipeline, reason: string): ProblemError {
  switch (reason) {
    case 'too_large':
      return bodyTooLarge({ params: { bytes_max: pipeline.bodyBytesMax } })
    case 'encoding_unsupported':
      return mediaTypeUnsupported({
        says: 'This Content-Encoding is not supported. Send the body plain or as gzip.',
        headers: { Accept: 'application/json', 'Accept-Encoding': 'gzip' },
      })
    case 'encoding_invalid':
      return jsonProblems.json_invalid({ says: 'The body is not valid gzip, although Content-Encoding says so.' })
    default:
      return requestTimeout({ params: { timeout_ms: pipeline.bodyTimeoutMs } })
  }
}

type Extra = { tx?: Tx; claim?: IdempotencyClaim | null }

function answer(work: Work): Reply | Promise<Reply> {
  return work.caller?.type === 'agent' ? answerAgent(work, work.caller) : effect(work)
}

async function answerAgent(work: Work, caller: Caller): Promise<Reply> {
  const { pipeline, route, params, query, body, request, exchange, headers } = work
  if (pipeline.gate === undefined) throw scopeMissing({ says: 'Agents are not served here.' })
  const replay = () => replayEarlier(work, caller)
  const call = { route, caller, params, query, body, request, exchange, headers, replay }
  return pipeline.gate(call, async () => effect(work))
}

async function replayEarlier(work: Work, { orgId }: Caller): Promise<Reply | null> {
  const { pipeline, route } = work
  const claim = route.idempotency === undefined || route.showsSecret ? null : readClaim(work)
  const earlier = claim === null ? null : await findEarlierReply(pipeline.database, orgId, claim)
  return earlier === null ? null : finishReply(work, outcomeReply(work, { replayed: earlier }))
}

function effect(work: Work): Reply | Promise<Reply> {
  const { route, caller } = work
  if (route.idempotency !== undefined && caller !== null) return answerOnce(work, caller)
  if (work.reader !== null) return answerChange(work, work.reader)
  const reply = run(work, NOTHING)
  return reply instanceof Promise ? reply.then((settled) => finishReply(work, settled)) : finishReply(work, reply)
}

function contextOf(work: Work, { tx, claim }: Extra) {
  const { pipeline, exchange, params, query, body, caller } = work
  const { requestId, address, fullPath: path } = exchange
  const { request, headers } = work
  const { cursors, database } = pipeline
  const queries = tx ?? database
  return { params, query, body, caller, requestId, address, path, cursors, queries, request, headers, tx, claim }
}

function run(work: Work, extra: Extra): RenderedReply | Promise<RenderedReply> {
  const { route, exchange } = work
  const value = route.handle(contextOf(work, extra) as never)
  return value instanceof Promise
    ? value.then((settled) => renderReply(route, exchange, settled))
    : renderReply(route, exchange, value)
}

/**
 * A change of what can be read at the same path. With If-Match, comparing and changing are one step: the lock of the thing is
 * taken first, which everybody takes who changes what a caller can change; what a GET would show now is read behind it, in
 * the same transaction, in which every statement sees all that was committed before it; and the lock is kept until the
 * change is committed. Of two requests for the same state the second waits for the first, and then finds another state.
 * Figures that tell how things go (a backlog, a last error) may still move behind the lock; no change overwrites them.
 *
 * A POST has its Idempotency-Key and is not asked for If-Match: its repeat is replayed, whatever has changed since.
 */
async function answerChange(work: Work, reader: Reader): Promise<Reply> {
  const { pipeline, ifMatch, headers } = work
  const { reply, tag } = await pipeline.database.transaction(async (tx) => {
    if (ifMatch !== null) await assertMatch(work, reader, { ifMatch, tx })
    const changed = await run(work, { tx })
    return { reply: changed, tag: await tagAfter(work, reader, { reply: changed, tx }) }
  })
  if (tag !== null) headers.push('ETag', tag)
  return finishReply(work, reply)
}

async function assertMatch(work: Work, reader: Reader, { ifMatch, tx }: { ifMatch: IfMatch; tx: Tx }): Promise<void> {
  await work.route.lock?.(tx, contextOf(work, { tx }) as never)
  const tag = await readTag(work, reader, tx)
  if (!ifMatch.accepts(tag)) throw versionConflict({ headers: { ETag: tag } })
}

/** Of what a GET of the same URL would show this caller now. */
async function readTag(work: Work, { route, readQuery }: Reader, tx: Tx): Promise<string> {
  const query = parseQuery(route, readQuery, work.exchange)
  const value = await route.handle({ ...contextOf(work, { tx }), query, body: undefined, headers: [] } as never)
  return entityTag(renderReply(route, work.exchange, value).body)
}

/** For the next change. An answer of the same schema is what a GET would show; any other costs a read, for those who ask. */
async function tagAfter(
  work: Work,
  reader: Reader,
  { reply, tx }: { reply: RenderedReply; tx: Tx },
): Promise<string | null> {
  const { body } = work.route.reply
  if (body === null) return null
  if (body === reader.route.reply.body) return entityTag(reply.body)
  return work.ifMatch === null ? null : readTag(work, reader, tx)
}

const vaultFor = (secretBox: SecretBox, operation: string): Vault => ({
  seal: (text) => secretBox.seal(text, `stored reply of ${operation}`),
  open: (text) => secretBox.open(text, `stored reply of ${operation}`),
})

async function answerOnce(work: Work, { orgId }: Caller): Promise<Reply> {
  const { pipeline, route, exchange } = work
  const { database } = pipeline
  const claim = readClaim(work)
  const renderRefusal = (error: ProblemError): FreshReply => ({
    status: error.status,
    body: renderProblem(pipeline, exchange, error),
    location: null,
  })
  const vault = route.showsSecret ? vaultFor(pipeline.secretBox, route.id) : null
  const commitOwn = async () => run(work, { claim })
  const outcome =
    route.idempotency === 'transaction'
      ? await runOnce({ database, orgId, claim, vault, run: async (tx) => run(work, { tx }), renderRefusal })
      : claim === null
        ? { fresh: await commitOwn() }
        : await runOwnOnce(database, orgId, claim, commitOwn)
  return finishReply(work, outcomeReply(work, outcome))
}

function readClaim({ route, request, exchange, params, query, body, caller }: Work): IdempotencyClaim | null {
  const header = readIdempotencyKey(request.headers.get('idempotency-key'))
  if (!header.ok)
    throw idempotencyKeyInvalid({
      errors: [{ header: 'Idempotency-Key', code: 'wrong_format', detail: header.detail }],
    })
  exchange.idempotencyKey = header.key
  if (header.key === null) return null
  const fingerprint = requestFingerprint({ operation: route.id, pathParameters: params, query, body })
  return { operation: route.id, key: keyOf(caller, header.key), fingerprint, requestId: exchange.requestId }
}

/**
 * All keys of an organization share theirs, so that a repeat survives a rotation. An agent has its own: what it is talked into
 * must not use up a key that the shop's backend is about to send. No header holds a space, so neither can be taken for the other.
 */
const keyOf = (caller: Caller | null, key: string) => (caller?.type === 'agent' ? `${caller.id} ${key}` : key)

type RenderedReply = FreshReply & { rendered?: Rendered; nextCursor?: string | null }

/** Only a list that goes on has one. */
const nextCursorOf = (value: { object?: unknown; next_cursor?: string | null }) =>
  value.object === 'list' ? (value.next_cursor ?? null) : null

/** A handler that answers with the same frozen object again gets the same text again. */
const rendered = new WeakMap<object, Rendered>()

function renderReply(route: Route, exchange: Exchange, value: unknown): RenderedReply {
  const { status, body: schema } = route.reply
  if (schema === null) return { status, body: '', location: null }
  const known = rendered.get(value as object)
  if (known !== undefined) return { status, body: known.body, location: null, rendered: known }
  const body = renderValue(schema, value)
  if (Object.isFrozen(value)) rendered.set(value as object, renderOnce(body))
  const basePath = exchange.fullPath.slice(0, exchange.fullPath.length - exchange.path.length)
  const location = route.location === undefined ? null : basePath + route.location(value as never)
  return { status, body, location, nextCursor: nextCursorOf(value as object) }
}

function outcomeReply({ exchange, headers }: Work, outcome: IdempotentOutcome): FreshReply {
  if ('fresh' in outcome) return outcome.fresh
  exchange.isReplayed = true
  headers.push('Idempotent-Replayed', 'true', 'Original-Request-Id', outcome.replayed.requestId)
  return outcome.replayed
}

function finishReply({ route, exchange, headers }: Work, reply: RenderedReply): Reply {
  if (reply.location !== null) headers.push('Location', reply.location)
  if (reply.nextCursor) headers.push('Link', nextPageLink(exchange, reply.nextCursor))
  return {
    status: reply.status,
    requestId: exchange.requestId,
    body: reply.body === '' ? null : reply.body,
    headers,
    isProblem: reply.status >= 400,
    isSecret: route.showsSecret ?? false,
    rendered: reply.rendered,
  }
}

function setHeaders(headers: HeaderList, values: Record<string, string> | undefined): void {
  for (const name in values) headers.push(name, values[name] as string)
}

const renderProblem = (pipeline: Pipeline, exchange: Exchange, error: ProblemError) =>
  JSON.stringify(
    problemOf(error, { requestId: exchange.requestId, path: exchange.fullPath, docsUrl: pipeline.docsUrl }),
  )

/** What is not a declared problem is either the database being away, which passes, or a bug, which is logged whole. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (isDatabaseUnavailable(error)) return unavailable({ headers: { 'Retry-After': '1' }, cause: error })
  return internalError({ cause: error })
}

export function problemReply(
  pipeline: Pick<Pipeline, 'log' | 'docsUrl'>,
  exchange: Exchange,
  thrown: unknown,
  headers: HeaderList,
): Reply {
  const error = asProblem(thrown)
  exchange.errorCode = error.code
  exchange.errorDetail = error.options.detail ?? null
  if (error.status >= 500) logFailure(pipeline.log, exchange, error)
  setHeaders(headers, error.options.headers)
  const body = renderProblem(pipeline as Pipeline, exchange, error)
  const { requestId } = exchange
  return { status: error.status, requestId, body, headers, isProblem: true, isSecret: false }
}

function logFailure(log: Log, exchange: Exchange, error: ProblemError): void {
  const fields = {
    request_id: exchange.requestId,
    route: exchange.route?.id,
    code: error.code,
    err: error.cause ?? error,
  }
  if (error.status === 500) log.error(fields, 'request failed')
  else log.warn(fields, 'request could not be served')
}
