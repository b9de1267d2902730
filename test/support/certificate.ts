import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'

/**
 * Certificates generated on the spot, so that none in the repository ever expires and no private key is kept in it. Just
 * enough of X.509 in DER for a TLS library to accept or refuse: names, validity, the subject's alternative names.
 */
export type TestCertificate = { cert: string; key: string; privateKey: KeyObject; subject: string }

export type CertificateOptions = {
  subject: string
  hostNames?: readonly string[]
  addresses?: readonly string[]
  /** Self-signed when absent. */
  issuer?: TestCertificate
  isAuthority?: boolean
  notAfter?: Date
}

export function createTestCertificate(options: CertificateOptions): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const tbs = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    distinguishedName(options.issuer?.subject ?? options.subject),
    validity(options.notAfter),
    distinguishedName(options.subject),
    publicKey.export({ format: 'der', type: 'spki' }),
    tagged(0xa3, sequence(...extensions(options))),
  )
  const signature = sign('sha256', tbs, options.issuer?.privateKey ?? privateKey)
  const der = sequence(tbs, ECDSA_WITH_SHA256, bitString(signature))
  return {
    cert: new X509Certificate(der).toString(),
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    privateKey,
    subject: options.subject,
  }
}

function extensions({ hostNames = [], addresses = [], isAuthority = false }: CertificateOptions): Buffer[] {
  const names = [
    ...hostNames.map((name) => tagged(0x82, Buffer.from(name, 'ascii'))),
    ...addresses.map((address) => tagged(0x87, Buffer.from(address.split('.').map(Number)))),
  ]
  const constraints = extension('551d13', sequence(...(isAuthority ? [tagged(0x01, Buffer.from([0xff]))] : [])))
  return names.length === 0 ? [constraints] : [constraints, extension('551d11', sequence(...names))]
}

const extension = (oidHex: string, value: Buffer) =>
  sequence(tagged(0x06, Buffer.from(oidHex, 'hex')), tagged(0x04, value))

const DAY_MS = 24 * 60 * 60 * 1000

function validity(notAfter = new Date(Date.now() + DAY_MS)): Buffer {
  const notBefore = new Date(Math.min(Date.now(), notAfter.getTime()) - DAY_MS)
  return sequence(generalizedTime(notBefore), generalizedTime(notAfter))
}

const generalizedTime = (time: Date) =>
  tagged(0x18, Buffer.from(`${time.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`, 'ascii'))

const distinguishedName = (commonName: string) =>
  sequence(tagged(0x31, sequence(tagged(0x06, Buffer.from('550403', 'hex')), tagged(0x0c, Buffer.from(commonName)))))

function tagged(tag: number, content: Buffer): Buffer {
  const length =
    content.length < 0x80
      ? Buffer.from([content.length])
      : content.length < 0x100
        ? Buffer.from([0x81, content.length])
        : Buffer.from([0x82, content.length >> 8, content.length & 0xff])
  return Buffer.concat([Buffer.from([tag]), length, content])
}

const sequence = (...parts: Buffer[]) => tagged(0x30, Buffer.concat(parts))
const integer = (bytes: Buffer) => tagged(0x02, bytes)
const bitString = (bytes: Buffer) => tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]))

const ECDSA_WITH_SHA256 = sequence(tagged(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
