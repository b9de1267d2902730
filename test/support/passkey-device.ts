import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/**
 * A device with one passkey (WebAuthn, ES256, no attestation), for tests without a browser. What it says is JSON, as the console
 * sends it.
 */
export function createPasskeyDevice(origin: string) {
  const id = randomBytes(16)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const rpHash = sha256(new URL(origin).hostname)
  let counter = 0
  const authenticatorData = (flags: number, credential = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([rpHash, Buffer.of(flags), count, credential])
  }
  const clientData = (type: string, challenge: string) => Buffer.from(JSON.stringify({ type, challenge, origin }))
  const shared = { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} }
  const flagsOf = (isUserChecked: boolean) => USER_PRESENT | (isUserChecked ? USER_CHECKED : 0)
  return {
    register({ challenge }: { challenge: string }, isUserChecked = true) {
      const key = map([
        [number(1), number(2)],
        [number(3), number(-7)],
        [number(-1), number(1)],
        [number(-2), bytes(Buffer.from(x, 'base64url'))],
        [number(-3), bytes(Buffer.from(y, 'base64url'))],
      ])
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, key])
      const attestationObject = map([
        [word('fmt'), word('none')],
        [word('attStmt'), map([])],
        [word('authData'), bytes(authenticatorData(flagsOf(isUserChecked) | HAS_CREDENTIAL, credential))],
      ])
      const clientDataJSON = text(clientData('webauthn.create', challenge))
      return {
        ...shared,
        response: { clientDataJSON, attestationObject: text(attestationObject), transports: ['internal'] },
      }
    },
    signIn({ challenge }: { challenge: string }, isUserChecked = true) {
      counter += 1
      const client = clientData('webauthn.get', challenge)
      const data = authenticatorData(flagsOf(isUserChecked))
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...shared,
        response: { clientDataJSON: text(client), authenticatorData: text(data), signature: text(signature) },
      }
    },
  }
}

const USER_PRESENT = 0x01
const USER_CHECKED = 0x04
const HAS_CREDENTIAL = 0x40

const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest()
const text = (value: Buffer) => value.toString('base64url')

/** As much of CBOR (RFC 8949) as a credential needs. */
const head = (major: number, value: number) =>
  value < 24 ? Buffer.of((major << 5) | value) : Buffer.of((major << 5) | 24, value)
const number = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])
const word = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])
const map = (pairs: [Buffer, Buffer][]) => Buffer.concat([head(5, pairs.length), ...pairs.flat()])
