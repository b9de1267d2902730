import type { Clock } from '../../../kernel/clock.ts'
import type { ProblemError } from '../../../kernel/errors.ts'
import type { Database, Tx } from '../../database/database.ts'
import { rehearse } from '../../database/rehearsal.ts'
import type { SecretBox } from '../../database/secret-box.ts'
import type { Log } from '../../telemetry/log.ts'
import { isCacheable, type Route } from '../define-route.ts'
import { notAcceptable, scopeMissing, versionConflict } from '../http.errors.ts'
import { acceptsJson, prefersCsv } from './accept.ts'
import { type Admission, assertAllowed, refuseCredential, spendRate } from './admission.ts'
import type { Authenticate, Authentication, Caller } from './caller.ts'
import { type CsvAnswer, streamCsv } from './csv-answer.ts'
import type { CursorCodec } from './cursor.ts'
import { entityTag, type IfMatch } from './entity-tags.ts'
import type { Exchange, Gate } from './exchange.ts'
import {
  type FreshReply,
  findEarlierReply,
  type IdempotencyClaim,
  type IdempotentOutcome,
  type RunInTransaction,
  runOnce,
  runOwnOnce,
  runThenStore,
  type Vault,
} from './idempotency.ts'
import { readClaim } from './idempotency-claim.ts'
import { problemReply, renderProblem } from './problem-reply.ts'
import { createQueryReader, type QueryReader } from './query-parameters.ts'
import {
  assertTagsReadable,
  type BodyLimits,
  decodeParams,
  NO_PARAMS,
  parseIfMatch,
  parseQuery,
  readAndParse,
} from './read-request.ts'
import { finishReply, outcomeReply, type RenderedReply, renderReply } from './rendered-reply.ts'
import { type HeaderList, type Reply, replyHeaders } from './reply.ts'
import type { SharedTransactions } from './shared-transactions.ts'
import { readUpload, type UploadedFile } from './upload.ts'

/**
 * One request through the public API, in the order that the checks are promised:
 *
 *   key (401) → rate (429) → scope (403) → Accept (406) → path and query (400) → read (413, 408) → Content-Type (415)
 *   → parse (400) → validate (422) → an agent's gate (202, 403, 429) → idempotency (409, 422, replay)
 *   → If-Match (404, 412) → the handler's own 404 and 409 → effect
 *
 * Scope comes before existence, so a 403 does not reveal whether the object exists. Validation comes before idempotency,
 * so a refused body may be corrected and sent again under the same key. Whether there is a body at all is known once it
 * was read, and only then does its type matter: an act that takes none is called without one. The size of the URL, the
 * route (404) and the method (405) were checked by the router.
 */
export type Pipeline = Admission &
  BodyLimits & {
    database: Database
    authenticate: Authenticate
    cursors: CursorCodec
    secretBox: SecretBox
    clock: Clock
    log: Log
    docsUrl: string
    /** When absent, every request has a separate transaction. */
    sharedTransactions?: SharedTransactions
    /** Decides about valid requests of agents. When absent, agents have no access. */
    gate?: Gate
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
  file: UploadedFile | undefined
  ifMatch: IfMatch | null
}

type Reader = { route: Route; readQuery: QueryReader | null }

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
      file: undefined,
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
  // If-Match reveals whether the object has changed, so it needs the permission to read it.
  if (work.reader !== null && work.request.headers.has('if-match')) assertAllowed(work.reader.route, caller)
  return proceed(work)
}

function proceed(work: Work): Reply | Promise<Reply> {
  const { request, route, exchange } = work
  const accept = request.headers.get('accept')
  // An agent sees what its gate lets through, which reads JSON.
  const csv = work.caller?.type !== 'agent' && prefersCsv(accept) ? route.csv : undefined
  if (csv === undefined && !acceptsJson(accept)) throw notAcceptable()
  work.params = decodeParams(work.rawParams)
  work.query = parseQuery(route, work.readQuery, exchange)
  if (work.reader !== null) work.ifMatch = parseIfMatch(request)
  else if (isCacheable(route)) assertTagsReadable(request)
  if (csv !== undefined) return answerCsv(work, csv)
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE'
  return hasBody ? readAndAnswer(work) : answer(work)
}

async function readAndAnswer(work: Work): Promise<Reply> {
  const { pipeline, route, request, exchange } = work
  if (route.upload === undefined) work.body = await readAndParse(pipeline, route, request, exchange)
  else {
    work.file = await readUpload(request, route.upload, pipeline.bodyTimeoutMs)
    exchange.requestBytes = work.file.bytes.byteLength
  }
  return answer(work)
}

async function answerCsv(work: Work, csv: CsvAnswer): Promise<Reply> {
  const { route, exchange, headers } = work
  headers.push('Content-Disposition', `attachment; filename="${route.path.slice(1).replaceAll(/[^a-z]+/g, '-')}.csv"`)
  const csvStream = await streamCsv(csv, csv.pages(inputOf(work, NOTHING)))
  return {
    status: 200,
    requestId: exchange.requestId,
    body: null,
    headers,
    isProblem: false,
    isSecret: false,
    csvStream,
  }
}

type Extra = { tx?: Tx; claim?: IdempotencyClaim | null; assertMatch?: (tx: Tx) => Promise<void> }

function answer(work: Work): Reply | Promise<Reply> {
  return work.caller?.type === 'agent' ? answerAgent(work, work.caller) : effect(work)
}

async function answerAgent(work: Work, caller: Caller): Promise<Reply> {
  const { pipeline, route, params, query, body, request, exchange, headers } = work
  if (pipeline.gate === undefined) throw scopeMissing({ says: 'Agents cannot use this API. Use an API key.' })
  const replay = () => replayEarlier(work, caller)
  const call = {
    ...{ route, caller, params, query, body, request, exchange, headers, replay },
    rehearse: () => rehearseEffect(work),
  }
  return pipeline.gate(call, async () => effect(work))
}

async function rehearseEffect(work: Work): Promise<void> {
  const { route, pipeline } = work
  if (route.rehearse !== undefined) await route.rehearse(inputOf(work, NOTHING))
  else if (route.idempotency === undefined || route.idempotency === 'transaction')
    await rehearse(pipeline.database, async (tx) => run(work, { tx }))
}

async function replayEarlier(work: Work, { orgId }: Caller): Promise<Reply | null> {
  const { pipeline, route } = work
  const claim = route.idempotency === undefined || route.showsSecret ? null : readClaim(work)
  const earlier = claim === null ? null : await findEarlierReply(pipeline.database, orgId, claim)
  return earlier === null ? null : finishReply(work, outcomeReply(work, { replayed: earlier }))
}

function effect(work: Work): Reply | Promise<Reply> {
  const { precheck } = work.route
  return precheck === undefined ? perform(work) : precheck(inputOf(work, NOTHING)).then(() => perform(work))
}

function perform(work: Work): Reply | Promise<Reply> {
  const { route, caller } = work
  if (route.idempotency !== undefined && caller !== null) return answerOnce(work, caller)
  if (work.reader !== null && route.isOwnChange) return answerOwnChange(work, work.reader)
  if (work.reader !== null || route.isChange) return answerChange(work)
  const reply = run(work, NOTHING)
  return reply instanceof Promise ? reply.then((settled) => finishReply(work, settled)) : finishReply(work, reply)
}

function contextOf(work: Work, { tx, claim, assertMatch }: Extra) {
  const { pipeline, exchange, params, query, body, file, caller } = work
  const { requestId, address, fullPath: path } = exchange
  const { request, headers } = work
  const { cursors, database } = pipeline
  const queries = tx ?? database
  const own = { tx, claim, assertMatch }
  return { params, query, body, file, caller, requestId, address, path, cursors, queries, request, headers, ...own }
}

/** A route has forgotten the types of its declaration; what was read by its schemas has them. */
const inputOf = (work: Work, extra: Extra) => contextOf(work, extra) as never

function run(work: Work, extra: Extra): RenderedReply | Promise<RenderedReply> {
  const { route, exchange } = work
  const value = route.handle(inputOf(work, extra))
  return value instanceof Promise
    ? value.then((settled) => renderReply(route, exchange, settled))
    : renderReply(route, exchange, value)
}

/**
 * A change of an object that can be read at the same path. With If-Match, comparing and changing are atomic: the request first
 * takes the lock that every change of the object takes, then reads what a GET would show, in the same transaction (read
 * committed, so each statement sees all earlier commits), and holds the lock until the commit. Of two requests for the same
 * state the second waits for the first, and then finds another state. Health values (a backlog, a last error) may still
 * change under the lock; no request overwrites them.
 *
 * A POST has an Idempotency-Key instead of If-Match: its repeat is replayed, whatever has changed since.
 */
async function answerChange(work: Work): Promise<Reply> {
  const { pipeline, reader, ifMatch, headers } = work
  const { reply, tag } = await pipeline.database.transaction(async (tx) => {
    if (reader !== null && ifMatch !== null) await assertMatch(work, reader, { ifMatch, tx })
    const changed = await run(work, { tx })
    return { reply: changed, tag: reader === null ? null : await tagAfter(work, reader, { reply: changed, tx }) }
  })
  if (tag !== null) headers.push('ETag', tag)
  return finishReply(work, reply)
}

/** The answer has the schema of the GET, so its tag needs no read. */
async function answerOwnChange(work: Work, reader: Reader): Promise<Reply> {
  const { ifMatch, headers, route } = work
  const reply = await run(work, {
    assertMatch: async (tx) => {
      if (ifMatch !== null) await assertMatch(work, reader, { ifMatch, tx })
    },
  })
  if (route.reply.body === reader.route.reply.body) headers.push('ETag', entityTag(reply.body))
  return finishReply(work, reply)
}

async function assertMatch(work: Work, reader: Reader, { ifMatch, tx }: { ifMatch: IfMatch; tx: Tx }): Promise<void> {
  await work.route.lock?.(tx, inputOf(work, { tx }))
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
      ? await runTransaction(work, { orgId, claim, vault, renderRefusal, run: async (tx) => run(work, { tx }) })
      : claim === null
        ? { fresh: await commitOwn() }
        : route.idempotency === 'own'
          ? await runOwnOnce(database, orgId, claim, commitOwn)
          : await runThenStore(database, orgId, claim, commitOwn)
  return finishReply(work, outcomeReply(work, outcome))
}

function runTransaction(
  { pipeline, route, params }: Work,
  request: Omit<RunInTransaction, 'database'>,
): Promise<IdempotentOutcome> {
  const { database, sharedTransactions } = pipeline
  if (route.sharedBy === undefined) return runOnce({ ...request, database })
  const subject = route.sharedBy(params)
  const reading = { ...request, opensWithReads: true }
  return subject === null || sharedTransactions === undefined
    ? runOnce({ ...reading, database })
    : sharedTransactions.run({ ...reading, subject })
}
