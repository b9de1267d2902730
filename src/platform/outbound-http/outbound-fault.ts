/**
 * Why an attempt came to no complete response. The sentence is for the owner of the endpoint and names the class of the
 * failure only: the raw error of the socket would show an outsider what answers inside our network.
 */
export const outboundErrorClasses = [
  'dns',
  'blocked_address',
  'refused',
  'reset',
  'tls',
  'timeout_connect',
  'timeout_total',
  'protocol',
  'too_large',
] as const

export type OutboundErrorClass = (typeof outboundErrorClasses)[number]

/** Whether a failure of this class means that no whole answer came; a status may have come all the same. */
export const isCutOff = (errorClass: string | null): boolean =>
  outboundErrorClasses.some((known) => known === errorClass)

export class OutboundFault extends Error {
  override readonly name = 'OutboundFault'
  readonly errorClass: OutboundErrorClass

  constructor(errorClass: OutboundErrorClass, says: string) {
    super(says)
    this.errorClass = errorClass
  }
}

export const faults = {
  dnsFailed: () => new OutboundFault('dns', 'The host name could not be resolved.'),
  dnsTimeout: () => new OutboundFault('dns', 'The host name was not resolved in time.'),
  blockedAddress: () =>
    new OutboundFault('blocked_address', 'The host name resolves to an address that webhooks must not be sent to.'),
  refused: () => new OutboundFault('refused', 'The receiver could not be reached, or refused the connection.'),
  outOfSockets: () => new OutboundFault('refused', 'This server could not open another connection.'),
  reset: () => new OutboundFault('reset', 'The receiver closed the connection before its response was complete.'),
  connectTimeout: () => new OutboundFault('timeout_connect', 'The connection was not established in time.'),
  handshakeTimeout: () => new OutboundFault('timeout_connect', 'The TLS handshake was not finished in time.'),
  totalTimeout: () => new OutboundFault('timeout_total', 'The receiver did not finish its response in time.'),
  tls: (says: string) => new OutboundFault('tls', says),
} as const

const UNTRUSTED = 'The certificate of the receiver is not signed by a trusted authority.'

const TLS_SENTENCES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate of the receiver has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the receiver is not valid yet.',
  CERT_REVOKED: 'The certificate of the receiver was revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the receiver is for another host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
}

const OUT_OF_SOCKETS = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']
const CONNECTION_LOST = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_DESTROYED', 'ERR_SOCKET_CLOSED']

/** What failed while the connection was being made. */
export function connectFault(code: string): OutboundFault {
  if (code === 'ETIMEDOUT') return faults.connectTimeout()
  return OUT_OF_SOCKETS.includes(code) ? faults.outOfSockets() : faults.refused()
}

/** Between the first and the last message of the handshake; a connection that is simply cut is no verdict on TLS. */
export function handshakeFault(code: string): OutboundFault {
  if (CONNECTION_LOST.includes(code)) return faults.reset()
  return faults.tls(TLS_SENTENCES[code] ?? 'The TLS handshake failed.')
}

/** On an established connection. With TLS 1.3 a refused client certificate is heard of only here. */
export function exchangeFault(code: string): OutboundFault {
  if (code === 'ETIMEDOUT') return faults.totalTimeout()
  return code.startsWith('ERR_SSL')
    ? faults.tls('The receiver ended the TLS connection with an error.')
    : faults.reset()
}
