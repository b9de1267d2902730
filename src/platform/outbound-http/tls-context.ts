import { X509Certificate } from 'node:crypto'
import tls from 'node:tls'
import { dropOldest } from '../../kernel/recent-map.ts'

/** What an endpoint adds to TLS, in PEM: a bundle of further authorities, and a certificate of ours with its key. */
export type TlsMaterial = { ca?: string; cert?: string; key?: string }

/** Parsing the system's authorities takes milliseconds, so contexts are kept; the oldest goes when there are too many. */
export type TlsContexts = { get(material: TlsMaterial | undefined): TlsContext }

export type TlsContext = {
  /** Connections made with other material are other connections: a client certificate must not be lent to anyone. */
  key: string
  secureContext: tls.SecureContext
}

const CONTEXTS_MAX = 256
const VERSION_MIN = 'TLSv1.2'

export function createTlsContexts(): TlsContexts {
  const contexts = new Map<string, TlsContext>()
  let made = 0
  return {
    get(material) {
      const id = materialId(material)
      const known = contexts.get(id)
      if (known !== undefined) return known
      made += 1
      const context = { key: String(made), secureContext: createContext(material ?? {}) }
      if (contexts.size >= CONTEXTS_MAX) dropOldest(contexts)
      contexts.set(id, context)
      return context
    },
  }
}

const materialId = (material: TlsMaterial | undefined) =>
  material === undefined ? '' : JSON.stringify([material.ca ?? null, material.cert ?? null, material.key ?? null])

/** Throws when the material cannot be read or the key does not belong to the certificate. */
function createContext({ ca, cert, key }: TlsMaterial): tls.SecureContext {
  return tls.createSecureContext({
    minVersion: VERSION_MIN,
    // Naming any authority replaces the default ones, and an extra bundle is meant to be extra.
    ...(ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  })
}

const PEM_BEGIN = /-----BEGIN /g
const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----[^-]*-----END \1-----/g
const CERTIFICATE_LABEL = /^(?:X509 |TRUSTED )?CERTIFICATE$/

type AuthorityProblem = 'private_key' | 'unreadable'

/**
 * What is wrong with a bundle of authorities, for the moment an endpoint is saved. The TLS library passes over whatever it
 * cannot read in one, so a bundle without a single certificate would be accepted and trust no further authority.
 */
export function findAuthorityProblem(bundle: string): AuthorityProblem | null {
  if (/-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY-----/.test(bundle)) return 'private_key'
  const blocks = [...bundle.matchAll(PEM_BLOCK)]
  const isWhole = blocks.length > 0 && blocks.length === bundle.match(PEM_BEGIN)?.length
  return isWhole && blocks.every(isCertificate) ? null : 'unreadable'
}

function isCertificate([pem, label = '']: RegExpExecArray): boolean {
  try {
    return CERTIFICATE_LABEL.test(label) && new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** For the moment an endpoint is saved. */
export function isTlsMaterialReadable(material: TlsMaterial): boolean {
  if ((material.cert === undefined) !== (material.key === undefined)) return false
  try {
    createContext(material)
    return true
  } catch {
    return false
  }
}
