import { connect } from 'node:net'
import { createGarbageCollection, createQuietWatch } from './quiet-watch.ts'

/** Asks the operating system, which costs a microsecond: only where the address is needed. */
export type ReadSocketAddress = (request: Request) => string

/** The listening socket. Everything above it speaks web-standard Request and Response. */
export type Handler = (request: Request, readSocketAddress: ReadSocketAddress) => Response | Promise<Response>

export type ListenOptions = {
  host: string
  port: number
  /** Several processes may share the port; the kernel spreads connections over them. */
  sharePort?: boolean
  bodyBytesMax: number
  handle: Handler
  onError: (error: unknown) => Response
  /** Called once, when the start is over and no request is under way. */
  onStarted?: () => void
}

export type ListeningServer = {
  port: number
  url: string
  /** The same for programs on this machine, also where it listens at every address. */
  localUrl: string
  /** From now on every response closes its connection, so that none is closed while a request is on its way. */
  endKeepAlive(): void
  /** Stops accepting and waits for requests under way; after the limit, connections are cut. */
  drain(timeoutMs: number): Promise<void>
}

/** A connection on which nothing happens for this long is closed. */
const IDLE_TIMEOUT_SECONDS = 60
/** Without a request for this long, memory that is no longer needed is returned. */
const QUIET_MS = 20_000

export function listen(options: ListenOptions): ListeningServer {
  const readSocketAddress: ReadSocketAddress = (request) => server.requestIP(request)?.address ?? ''
  const quiet = createQuietWatch({
    quietMs: QUIET_MS,
    onQuiet: createGarbageCollection(options.onStarted ?? (() => {})),
  })
  quiet.note()
  let isEnding = false
  const handle = (request: Request) => {
    if (!hasOneHost(request)) return refuseHost()
    const answer = options.handle(request, readSocketAddress)
    return isEnding ? Promise.resolve(answer).then(closing) : answer
  }
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    reusePort: options.sharePort ?? false,
    maxRequestBodySize: options.bodyBytesMax,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    development: false,
    fetch(request) {
      quiet.note()
      return handle(request)
    },
    error: options.onError,
  })
  // Only a server on a socket file has no port.
  const port = server.port as number
  return {
    port,
    url: urlOf(options.host, port),
    localUrl: urlOf(reachableHost(options.host), port),
    endKeepAlive() {
      isEnding = true
    },
    async drain(timeoutMs) {
      quiet.stop()
      const finished = server.stop(false)
      const timer = setTimeout(() => server.stop(true), timeoutMs)
      await finished
      clearTimeout(timer)
    },
  }
}

function closing(answer: Response): Response {
  answer.headers.set('Connection', 'close')
  return answer
}

/** A port that no program listens on at the moment. */
export async function findFreePort(host: string): Promise<number> {
  const unavailable = () => new Response(null, { status: 503 })
  const probe = listen({ host, port: 0, bodyBytesMax: 0, handle: unavailable, onError: unavailable })
  await probe.drain(0)
  return probe.port
}

/**
 * Two Host headers reach us joined by a comma, and a proxy in front may have gone by the other one (RFC 9112, 3.2). For an
 * invalid host the runtime creates a URL without a host.
 */
const hasOneHost = ({ url, headers }: Request): boolean =>
  !url.startsWith('/') && headers.get('host')?.includes(',') !== true

const refuseHost = () => new Response('Send exactly one Host header, with a valid host.\n', { status: 400 })

/** Whether a process accepts connections there. Connects without an HTTP request, which a proxy in the environment would divert. */
export const isListening = ({ host, port }: Pick<ListenOptions, 'host' | 'port'>): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: reachableHost(host) })
    const answer = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })

const urlOf = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const reachableHost = (host: string) => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host
