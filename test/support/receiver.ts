import net, { type AddressInfo, type Socket } from 'node:net'
import tls, { type TlsOptions } from 'node:tls'

/**
 * A webhook receiver at the level of bytes, so that it can misbehave: it hands each complete request, or each bare
 * connection, to the test and sends no answer unless the test does. It listens on loopback, on a port of the system's choosing.
 */
export type Receiver = {
  url: string
  port: number
  /** Requests so far, as received. */
  requests: ReceivedRequest[]
  /** Connections accepted so far, and those of them still open. */
  accepted: number
  open: number
  /** Reads on and drops what comes: a receiver that does not read cannot notice that the other side is gone. */
  resume(): void
  stop(): void
}

export type ReceivedRequest = { head: string; headers: Record<string, string>; body: Buffer; connection: number }

export type ReceiverOptions = {
  onConnection?: (socket: Socket) => void
  onRequest?: (socket: Socket, request: ReceivedRequest) => void
  host?: string
  tls?: TlsOptions
}

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const host = options.host ?? '127.0.0.1'
  const sockets = new Set<Socket>()
  const accept = (socket: Socket) => {
    receiver.accepted += 1
    receiver.open += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      receiver.open -= sockets.delete(socket) ? 1 : 0
    })
    options.onConnection?.(socket)
    if (options.onRequest) readRequests(socket, receiver, options.onRequest)
  }
  const server = options.tls ? tls.createServer(options.tls, accept) : net.createServer(accept)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const shownHost = host.includes(':') ? `[${host}]` : host
  const receiver: Receiver = {
    url: `${options.tls ? 'https' : 'http'}://${shownHost}:${port}/hook`,
    port,
    requests: [],
    accepted: 0,
    open: 0,
    resume() {
      for (const socket of sockets) socket.resume()
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return receiver
}

function readRequests(socket: Socket, receiver: Receiver, onRequest: NonNullable<ReceiverOptions['onRequest']>): void {
  const connection = receiver.accepted
  let input = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    input = Buffer.concat([input, chunk])
    for (let request = takeRequest(input, connection); request !== null; request = takeRequest(input, connection)) {
      input = input.subarray(request.head.length + 4 + request.body.length)
      receiver.requests.push(request)
      onRequest(socket, request)
    }
  })
}

function takeRequest(input: Buffer, connection: number): ReceivedRequest | null {
  const end = input.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = input.toString('latin1', 0, end)
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(/: (.*)/s).slice(0, 2)),
  )
  const length = Number(headers['content-length'] ?? 0)
  const body = input.subarray(end + 4, end + 4 + length)
  return body.length < length ? null : { head, headers, body, connection }
}

/** An ordinary answer. */
export const answer = (status = 200, body = 'ok', headers: Record<string, string> = {}) => {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers })
  return `HTTP/1.1 ${status} Status\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}
