import net, { type Socket } from 'node:net'
import tls from 'node:tls'
import { lastOf } from '../../kernel/lists.ts'
import { canonicalAddress } from './addresses.ts'
import { Connection } from './connections.ts'
import type { Deadline } from './deadline.ts'
import { connectFault, faults, handshakeFault, OutboundFault } from './outbound-fault.ts'
import type { TlsContext } from './tls-context.ts'

/**
 * Makes a connection to one of the vetted addresses. States: connecting → (TLS: shaking hands) → open. Each of the two
 * has the connect timeout, and both stand under the deadline of the attempt. The socket is given an address, never a
 * name, so nothing is resolved a second time; the name serves only TLS, for the server name and the certificate check.
 */
export type DialTarget = {
  host: string
  port: number
  poolKey: string
  tls: TlsContext | null
}

type DialOptions = { deadline: Deadline; connectTimeoutMs: number }

type Dialled = { connection: Connection; connectMs: number; tlsMs: number | null }

/** A name with dozens of dead addresses must not eat up the attempt. */
const ADDRESSES_TRIED_MAX = 4

/**
 * Tries one address after the other, since a name may have an IPv6 address that this machine has no route to. All but
 * the last get half of the time that is left. `onDial` is called with each address before it is dialled.
 */
export async function dialFirst(
  target: DialTarget,
  addresses: readonly string[],
  options: DialOptions & { onDial: (address: string) => void },
): Promise<Dialled> {
  const candidates = addresses.slice(0, ADDRESSES_TRIED_MAX)
  let leftMs = options.connectTimeoutMs
  for (const address of candidates.slice(0, -1)) {
    const startedAtMs = performance.now()
    try {
      options.onDial(address)
      return await dial(target, address, { ...options, connectTimeoutMs: leftMs / 2 })
    } catch (error) {
      if (!isWorthAnotherAddress(error)) throw error
      leftMs -= performance.now() - startedAtMs
    }
  }
  const last = lastOf(candidates)
  options.onDial(last)
  return dial(target, last, { ...options, connectTimeoutMs: leftMs })
}

/** Only when nothing was reached: a receiver that answered wrongly at one address is not asked again at the next. */
const isWorthAnotherAddress = (error: unknown) =>
  error instanceof OutboundFault && (error.errorClass === 'refused' || error.errorClass === 'timeout_connect')

function dial(target: DialTarget, address: string, options: DialOptions): Promise<Dialled> {
  return options.deadline.run((resolve, reject) => {
    const startedAtMs = performance.now()
    const socket = openSocket(target, address)
    let connectedAtMs: number | null = null
    let timer = setTimeout(() => fail(faults.connectTimeout()), options.connectTimeoutMs)
    const stop = () => {
      clearTimeout(timer)
      socket.destroy()
    }
    const fail = (fault: OutboundFault) => {
      stop()
      reject(fault)
    }
    const onError = (error: NodeJS.ErrnoException) =>
      fail(connectedAtMs === null ? connectFault(error.code ?? '') : handshakeFault(error.code ?? ''))
    const onClose = () => fail(connectedAtMs === null ? faults.refused() : faults.reset())
    const open = () => {
      clearTimeout(timer)
      socket.off('error', onError).off('close', onClose)
      const connectMs = (connectedAtMs as number) - startedAtMs
      const tlsMs = target.tls === null ? null : performance.now() - (connectedAtMs as number)
      resolve({ connection: new Connection(socket, target.poolKey, address), connectMs, tlsMs })
    }
    socket.on('error', onError).on('close', onClose)
    socket.once('connect', () => {
      connectedAtMs = performance.now()
      clearTimeout(timer)
      if (!isSameAddress(socket, address)) fail(faults.blockedAddress())
      else if (target.tls === null) open()
      else timer = setTimeout(() => fail(faults.handshakeTimeout()), options.connectTimeoutMs)
    })
    if (target.tls !== null) socket.once('secureConnect', open)
    return stop
  })
}

function openSocket(target: DialTarget, address: string): Socket {
  const where = { host: address, port: target.port, noDelay: true }
  if (target.tls === null) return net.connect(where)
  return tls.connect({
    ...where,
    secureContext: target.tls.secureContext,
    // Set outright: left out, an environment variable could switch the check off for the whole process.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    // An address as host is checked against the addresses in the certificate, and is not a legal server name.
    ...(net.isIP(target.host) === 0 ? { servername: target.host } : {}),
  })
}

/** Defence in depth: what the operating system says it is connected to must be what was vetted. */
function isSameAddress(socket: Socket, address: string): boolean {
  const remote = canonicalAddress(socket.remoteAddress ?? '')
  return remote !== null && remote === canonicalAddress(address)
}
