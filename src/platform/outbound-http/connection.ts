import type { Socket } from 'node:net'
import { AttemptFault, exchangeFault, faults } from './attempt-fault.ts'
import type { Deadline } from './deadline.ts'
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

  /** Sends the request and reads the response into the parser. Rejects with an AttemptFault; the connection is then closed. */
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
  error instanceof AttemptFault && error.errorClass === 'reset' && parser.firstByteAtMs === null
