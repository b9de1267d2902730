import type { Socket } from 'node:net'
import type { Deadline } from './deadline.ts'
import { exchangeFault, faults, OutboundFault } from './outbound-fault.ts'
import type { ResponseParser } from './response-parser.ts'

/**
 * One established connection to a vetted address, carrying one exchange at a time.
 *
 * States: idle → (exchange) busy → idle, or closed at any moment by either side. Listeners are attached once for the
 * life of the socket. Whatever a receiver sends while nothing was asked closes the connection: it could be taken for
 * the answer to the next request.
 */
export class Connection {
  readonly socket: Socket
  /** Connections with the same key are interchangeable. */
  readonly poolKey: string
  readonly address: string
  /** Called once, when the connection can no longer be used. */
  onClosed: ((connection: Connection) => void) | null = null
  /** When it became idle and how long it may stay so; kept here for the pool. */
  idleSinceMs = 0
  idleLimitMs = 0

  #exchange: Exchange | null = null
  #isClosed = false

  constructor(socket: Socket, poolKey: string, address: string) {
    this.socket = socket
    this.poolKey = poolKey
    this.address = address
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('end', () => this.#receiveEnd())
    socket.on('error', (error: NodeJS.ErrnoException) => this.close(exchangeFault(error.code ?? '')))
    socket.on('close', () => this.close())
  }

  get isUsable(): boolean {
    return !this.#isClosed && !this.socket.destroyed
  }

  /** Sends the request and reads the response into the parser. Rejects with an OutboundFault; the connection is then closed. */
  exchange(request: Buffer, parser: ResponseParser, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(faults.reset())
      this.#exchange = { parser, resolve, reject }
      if (deadline.guard(this)) this.socket.write(request)
    })
  }

  #receive(chunk: Buffer): void {
    const exchange = this.#exchange
    if (exchange === null) this.close()
    else this.#advance(exchange, chunk)
  }

  #receiveEnd(): void {
    const exchange = this.#exchange
    if (exchange !== null) this.#advance(exchange, null)
    this.close()
  }

  /** Null is the end of what the receiver sends. */
  #advance(exchange: Exchange, chunk: Buffer | null): void {
    try {
      if (chunk === null) exchange.parser.finish()
      else exchange.parser.push(chunk)
      if (!exchange.parser.isDone) return
      this.#exchange = null
      exchange.resolve()
    } catch (error) {
      this.close(error)
    }
  }

  /** The reason is what an exchange under way ends with. Destroying frees the socket at once, whatever the receiver does. */
  close(reason: unknown = faults.reset()): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.socket.destroy()
    const exchange = this.#exchange
    this.#exchange = null
    exchange?.reject(reason)
    this.onClosed?.(this)
  }
}

type Exchange = { parser: ResponseParser; resolve: () => void; reject: (reason: unknown) => void }

/** A kept connection that the receiver had closed meanwhile: nothing of the request can have been answered. */
export const isStale = (error: unknown, parser: ResponseParser): boolean =>
  error instanceof OutboundFault && error.errorClass === 'reset' && parser.firstByteAtMs === null

/**
 * Idle connections by what they lead to, newest first, because the newest is the least likely to have been closed by
 * the receiver. One timer for all: it is set for the first connection that will be too old, and for nothing when there
 * is none.
 */
export type ConnectionPool = {
  take(poolKey: string): Connection | null
  /** `limitMs` is the receiver's own idea of how long it keeps an idle connection. */
  release(connection: Connection, limitMs: number | null): void
  readonly idleCount: number
  /** Closes all idle connections; later releases are closed at once. */
  close(): void
}

export type PoolLimits = { idleMs: number; idlePerOriginMax: number; idleMax: number }

/** The receiver's clock started when its last byte left, ours when it arrived; and the next request is still to travel. */
const SAFETY_MS = 1000

export function createConnectionPool(limits: PoolLimits): ConnectionPool {
  const idle = new Map<string, Connection[]>()
  let idleCount = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  let isClosed = false

  const isFresh = (connection: Connection, nowMs: number) =>
    nowMs - connection.idleSinceMs < connection.idleLimitMs && connection.isUsable

  function forget(connection: Connection): void {
    const connections = idle.get(connection.poolKey)
    // The newest is at the end, and mostly it is the newest that is taken.
    const index = connections?.lastIndexOf(connection) ?? -1
    if (connections === undefined || index === -1) return
    connections.splice(index, 1)
    idleCount -= 1
    if (connections.length === 0) idle.delete(connection.poolKey)
  }

  function sweep(): void {
    timer = null
    const nowMs = performance.now()
    for (const connection of [...idle.values()].flat()) if (!isFresh(connection, nowMs)) connection.close()
    schedule()
  }

  function schedule(): void {
    if (timer !== null || idleCount === 0) return
    const nowMs = performance.now()
    const dueMs = Math.min(...[...idle.values()].flat().map((each) => each.idleSinceMs + each.idleLimitMs))
    timer = setTimeout(sweep, Math.max(1, dueMs - nowMs))
    timer.unref()
  }

  function keep(connection: Connection, idleLimitMs: number): void {
    connection.idleSinceMs = performance.now()
    connection.idleLimitMs = idleLimitMs
    connection.onClosed = forget
    const connections = idle.get(connection.poolKey)
    if (connections === undefined) idle.set(connection.poolKey, [connection])
    else connections.push(connection)
    idleCount += 1
    schedule()
  }

  return {
    get idleCount() {
      return idleCount
    },
    take(poolKey) {
      const nowMs = performance.now()
      for (let connection = idle.get(poolKey)?.at(-1); connection; connection = idle.get(poolKey)?.at(-1)) {
        forget(connection)
        connection.onClosed = null
        if (isFresh(connection, nowMs)) return connection
        connection.close()
      }
      return null
    },
    release(connection, limitMs) {
      const idleLimitMs = limitMs === null ? limits.idleMs : Math.min(limits.idleMs, limitMs - SAFETY_MS)
      const isFull =
        idleCount >= limits.idleMax || (idle.get(connection.poolKey)?.length ?? 0) >= limits.idlePerOriginMax
      if (isClosed || isFull || idleLimitMs <= 0 || !connection.isUsable) connection.close()
      else keep(connection, idleLimitMs)
    },
    close() {
      isClosed = true
      for (const connection of [...idle.values()].flat()) connection.close()
      if (timer !== null) clearTimeout(timer)
    },
  }
}
