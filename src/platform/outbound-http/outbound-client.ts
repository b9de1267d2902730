import type { Clock } from '../../kernel/clock.ts'
import type { Cidr } from '../http/limits/client-address.ts'
import { resolveHost } from '../runtime/resolve-host.ts'
import { createHostVetter, type HostVetter, type ResolveHost } from './addresses.ts'
import { type Connection, type ConnectionPool, createConnectionPool, isStale, type PoolLimits } from './connections.ts'
import { createDeadlines, type Deadline, type Deadlines, type Phase } from './deadline.ts'
import { type DialTarget, dialFirst } from './dial.ts'
import { faults, type OutboundErrorClass, OutboundFault } from './outbound-fault.ts'
import { createDestinations, type Destination, type Destinations, requestBytes } from './outbound-request.ts'
import { createHeadReader, type HeadReader } from './response-head.ts'
import { type ResponseLimits, ResponseParser } from './response-parser.ts'
import { type ResponseRecord, recordResponse } from './response-record.ts'
import { createTlsContexts, type TlsContexts, type TlsMaterial } from './tls-context.ts'

export { isCutOff, type OutboundErrorClass, outboundErrorClasses } from './outbound-fault.ts'
export { HEADER_NAME, HEADER_VALUE } from './outbound-request.ts'
export { findAuthorityProblem, isTlsMaterialReadable, type TlsMaterial } from './tls-context.ts'

/**
 * One HTTP POST to a URL that a customer chose. It connects to the very address that the guard judged. `node:http` could be given that
 * address as well, but costs nearly twice the processor time per request (docs/decisions/0020-deliveries-keep-their-own-client.md),
 * so this speaks HTTP/1.1 over sockets itself.
 *
 * An attempt: resolve once → judge every answer → connect to that very address → compare what was connected to →
 * (TLS) → send → read the head and an excerpt of the body → keep the connection or destroy it. A connection kept from
 * before skips to "send"; it was judged when it was opened. If such a connection turns out to have been closed, at once
 * and before a byte of response came, the request goes out once more on a new one, as part of the same attempt. One deadline
 * stands over all of it. Redirects are not followed, proxies from the environment not used, bodies not inflated.
 */
export type OutboundClientOptions = {
  /** Private ranges the operator opened. */
  allowedRanges: readonly Cidr[]
  clock: Clock
  userAgent: string
  /** Where something is to be fetched instead of posted. */
  method?: 'GET'
  /** A response header by which a receiver may steer us, in lower case. Read over TLS only. */
  controlHeader?: string
  resolve?: ResolveHost
  limits?: Partial<OutboundLimits>
}

type OutboundLimits = ResponseLimits &
  PoolLimits & {
    /** A kept connection that is lost later than this after sending had not been closed before. */
    staleMs: number
  }

export type OutboundRequest = {
  url: string
  /** Everything but what describes the connection; `content-type` and the `webhook-*` headers included. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  /** For the whole attempt, the response body included. */
  timeoutMs: number
  /** For resolving, for connecting and for the TLS handshake, each. */
  connectTimeoutMs: number
  tls?: TlsMaterial
  /** Cuts the attempt off; `send` then rejects with the signal's reason and nothing is known of the outcome. */
  signal?: AbortSignal
}

/** A response is complete only when `errorClass` is null: a status with an error class was cut off on the way. */
export type OutboundResult = ResponseRecord & {
  startedAtMs: number
  /** The address dialled; null when it never came to that. */
  ip: string | null
  isConnectionReused: boolean
  /** Null for phases that did not happen or did not end; a reused connection has none of the first three. */
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  /** From sending the request to the first byte of the response. */
  ttfbMs: number | null
  totalMs: number
  /** Head and body as written. */
  requestBytes: number
  errorClass: OutboundErrorClass | null
  errorDetail: string | null
}

export type OutboundClient = {
  /** Rejects only for a malformed request or an aborted signal; whatever the receiver does is a result. */
  send(request: OutboundRequest): Promise<OutboundResult>
  /** Closes idle connections; attempts under way finish. */
  close(): void
  readonly idleConnections: number
}

const OUTBOUND_LIMITS: OutboundLimits = {
  headBytesMax: 16 * 1024,
  headersMax: 100,
  excerptBytesMax: 16 * 1024,
  drainBytesMax: 48 * 1024,
  idleMs: 30_000,
  // As many as a process has in flight at most: fewer, and a fast receiver of all of them is dialled over and over.
  idlePerOriginMax: 512,
  idleMax: 1024,
  staleMs: 1_000,
}

export function createOutboundClient(options: OutboundClientOptions): OutboundClient {
  const limits = { ...OUTBOUND_LIMITS, ...options.limits }
  const workshop: Workshop = {
    options,
    limits,
    destinations: createDestinations(options.userAgent, options.method),
    deadlines: createDeadlines(),
    readHead: createHeadReader(limits.headersMax, options.controlHeader),
    pool: createConnectionPool(limits),
    tlsContexts: createTlsContexts(),
    vetHost: createHostVetter(options.resolve ?? resolveHost, options.allowedRanges),
  }
  return {
    send: (request) => sendAttempt(workshop, request),
    close: () => workshop.pool.close(),
    get idleConnections() {
      return workshop.pool.idleCount
    },
  }
}

type Workshop = {
  options: OutboundClientOptions
  limits: OutboundLimits
  destinations: Destinations
  deadlines: Deadlines
  readHead: HeadReader
  pool: ConnectionPool
  tlsContexts: TlsContexts
  vetHost: HostVetter
}

/** What is known of an attempt so far. */
type Attempt = {
  request: OutboundRequest
  destination: Destination
  bytes: Buffer
  deadline: Deadline
  startedAtMs: number
  startMs: number
  parser: ResponseParser
  connection: Connection | null
  ip: string | null
  isConnectionReused: boolean
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  sentMs: number
}

async function sendAttempt(workshop: Workshop, request: OutboundRequest): Promise<OutboundResult> {
  const attempt = beginAttempt(workshop, request)
  let fault: OutboundFault | null = null
  try {
    await exchangeOnAny(workshop, attempt, findTarget(workshop, attempt))
  } catch (error) {
    if (!(error instanceof OutboundFault)) throw error
    fault = error
  } finally {
    attempt.deadline.clear()
  }
  if (fault === null) settleConnection(workshop, attempt)
  return resultOf(workshop, attempt, fault)
}

function beginAttempt(workshop: Workshop, request: OutboundRequest): Attempt {
  const { options, destinations, deadlines } = workshop
  const destination = destinations(request.url)
  const { headers, body } = request
  return {
    request,
    destination,
    bytes: requestBytes({ headStart: destination.headStart, headers, body }),
    deadline: deadlines.start(request.timeoutMs, request.signal),
    startedAtMs: options.clock.now(),
    startMs: performance.now(),
    parser: newParser(workshop),
    connection: null,
    ip: null,
    isConnectionReused: false,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    sentMs: 0,
  }
}

const newParser = ({ limits, readHead }: Workshop) => new ResponseParser(limits, readHead)

function findTarget({ tlsContexts }: Workshop, { destination, request }: Attempt): DialTarget {
  const { host, port, origin } = destination
  if (!destination.isHttps) return { host, port, poolKey: origin, tls: null }
  const tls = readTls(tlsContexts, request.tls)
  return { host, port, poolKey: `${origin} ${tls.key}`, tls }
}

function readTls(contexts: TlsContexts, material: TlsMaterial | undefined) {
  try {
    return contexts.get(material)
  } catch {
    throw faults.tls('The CA bundle or the client certificate of this endpoint cannot be read.')
  }
}

/** On a kept connection if there is one, and on a new one if the receiver had closed that meanwhile. */
async function exchangeOnAny(workshop: Workshop, attempt: Attempt, target: DialTarget): Promise<void> {
  const kept = workshop.pool.take(target.poolKey)
  if (kept === null) return exchangeOnNew(workshop, attempt, target)
  try {
    attempt.isConnectionReused = true
    return await exchangeOn(kept, attempt)
  } catch (error) {
    const isAtOnce = performance.now() - attempt.sentMs < workshop.limits.staleMs
    if (!isAtOnce || !isStale(error, attempt.parser)) throw error
    attempt.isConnectionReused = false
    attempt.ip = null
    attempt.parser = newParser(workshop)
    return exchangeOnNew(workshop, attempt, target)
  }
}

async function exchangeOnNew({ vetHost }: Workshop, attempt: Attempt, target: DialTarget): Promise<void> {
  const { connectTimeoutMs } = attempt.request
  const resolvingFromMs = performance.now()
  const addresses = await attempt.deadline.run(vetPhase(vetHost, target.host, connectTimeoutMs))
  attempt.dnsMs = performance.now() - resolvingFromMs
  const dialled = await dialFirst(target, addresses, {
    deadline: attempt.deadline,
    connectTimeoutMs,
    onDial: (address) => {
      attempt.ip = address
    },
  })
  attempt.connectMs = dialled.connectMs
  attempt.tlsMs = dialled.tlsMs
  await exchangeOn(dialled.connection, attempt)
}

/** A lookup cannot be called off; its late answer is ignored. */
function vetPhase(vetHost: HostVetter, host: string, timeoutMs: number): Phase<readonly string[]> {
  return (resolve, reject) => {
    const timer = setTimeout(() => reject(faults.dnsTimeout()), timeoutMs)
    vetHost(host)
      .then((verdict) => {
        if (verdict.kind === 'allowed') resolve(verdict.addresses)
        else reject(verdict.kind === 'blocked' ? faults.blockedAddress() : faults.dnsFailed())
      }, reject)
      .finally(() => clearTimeout(timer))
    return () => clearTimeout(timer)
  }
}

function exchangeOn(connection: Connection, attempt: Attempt): Promise<void> {
  attempt.connection = connection
  attempt.ip = connection.address
  attempt.sentMs = performance.now()
  return connection.exchange(attempt.bytes, attempt.parser, attempt.deadline)
}

/** Kept only when both sides are through with it: a receiver may answer before it has read the whole request. */
function settleConnection({ pool }: Workshop, { connection, parser }: Attempt): void {
  if (connection === null) return
  const seconds = parser.keepAliveSeconds
  if (!parser.isReusable || connection.socket.writableLength > 0) connection.close()
  else pool.release(connection, seconds === null ? null : seconds * 1000)
}

function resultOf({ options }: Workshop, attempt: Attempt, fault: OutboundFault | null): OutboundResult {
  const { parser, destination } = attempt
  const response = recordResponse(parser, { nowMs: options.clock.now(), isHttps: destination.isHttps })
  // Written out: copying an object property by property is slow enough to show where it is done at every attempt.
  return {
    status: response.status,
    httpVersion: response.httpVersion,
    responseHeaders: response.responseHeaders,
    responseBody: response.responseBody,
    isResponseBodyBase64: response.isResponseBodyBase64,
    isResponseTruncated: response.isResponseTruncated,
    retryAfterMs: response.retryAfterMs,
    control: response.control,
    startedAtMs: attempt.startedAtMs,
    ip: attempt.ip,
    isConnectionReused: attempt.isConnectionReused,
    dnsMs: roundMs(attempt.dnsMs),
    connectMs: roundMs(attempt.connectMs),
    tlsMs: roundMs(attempt.tlsMs),
    ttfbMs: parser.firstByteAtMs === null ? null : roundMs(parser.firstByteAtMs - attempt.sentMs),
    totalMs: rounded(performance.now() - attempt.startMs),
    requestBytes: attempt.bytes.length,
    errorClass: fault?.errorClass ?? null,
    errorDetail: fault?.message ?? null,
  }
}

const rounded = (ms: number) => Math.round(ms * 100) / 100
const roundMs = (ms: number | null) => (ms === null ? null : rounded(ms))
