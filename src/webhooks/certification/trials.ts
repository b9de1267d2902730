import { createHmac } from 'node:crypto'
import { parseSigningSecret, SECRET_PREFIX, type SigningKey } from '../signature.ts'
import type { BugCode } from './bugs.ts'
import {
  type Envelope,
  type Message,
  makeEnvelope,
  makeMessage,
  nowSeconds,
  sealMessage,
  type Workbench,
} from './messages.ts'

/**
 * Sent only when the plain event was refused, to find out why: each is signed the way a receiver with a certain mistake
 * would expect it. The one that is accepted names the mistake. None of them is any use to a third party: it is the real
 * secret, read wrongly, that signs them.
 */
export type Trial = { bug: BugCode; title: string; message: (bench: Workbench) => Message }

type Reading = {
  key: Buffer
  /** What is hashed instead of id, timestamp and body. */
  content?: (parts: { id: string; timestamp: number; body: string }) => string
  encoding?: 'base64' | 'hex'
  version?: string
  isMilliseconds?: boolean
}

export function trialsFor({ target }: Workbench): Trial[] {
  const isSeveral = target.keys.length > 1
  const hasV1 = target.keys.some((key) => key.version === 'v1')
  return [
    ...(isSeveral ? target.keys.map(aloneTrial) : []),
    ...target.secrets.flatMap((secret) => [...(hasV1 ? [] : [symmetricTrial(secret)]), ...misreadings(secret)]),
  ]
}

const aloneTrial = (key: SigningKey): Trial => ({
  bug: 'header_compared_whole',
  title: 'One signature where the endpoint has several',
  message: (bench) => sealMessage(bench, makeEnvelope(bench), { keys: [key] }),
})

const symmetricTrial = (secret: string): Trial => ({
  bug: 'v1a_not_supported',
  title: 'Signed with v1 where the endpoint asks for v1a',
  message: (bench) => {
    const keys: SigningKey[] = [{ version: 'v1', secret: parseSigningSecret(secret) as Buffer }]
    return sealMessage(bench, makeEnvelope(bench), { keys })
  },
})

function misreadings(secret: string): Trial[] {
  const encoded = secret.slice(SECRET_PREFIX.length)
  const key = Buffer.from(encoded, 'base64')
  return [
    trial('secret_as_text', 'The base64 text of the secret as key', { key: Buffer.from(encoded) }),
    trial('secret_as_text', 'The whole text of the secret as key', { key: Buffer.from(secret) }),
    trial('secret_prefix_decoded', 'The secret decoded with its prefix', { key: Buffer.from(secret, 'base64') }),
    trial('digest_as_hex', 'A hexadecimal digest', { key, encoding: 'hex' }),
    trial('version_not_removed', 'A signature without its version', { key, version: '' }),
    trial('version_not_removed', 'A hexadecimal signature without its version', { key, version: '', encoding: 'hex' }),
    trial('body_alone_hashed', 'A signature of the body alone', { key, content: ({ body }) => body }),
    trial('body_reserialized', 'A signature of the body in another spelling', {
      key,
      content: ({ id, timestamp, body }) => `${id}.${timestamp}.${spellWithBlanks(JSON.parse(body))}`,
    }),
    trial('milliseconds_expected', 'A timestamp in milliseconds', { key, isMilliseconds: true }),
  ]
}

const trial = (bug: BugCode, title: string, reading: Reading): Trial => ({
  bug,
  title,
  message: (bench) => misread(bench, makeEnvelope(bench), reading),
})

function misread(bench: Workbench, envelope: Envelope, reading: Reading): Message {
  const { key, encoding = 'base64', version = 'v1,', content = signedText } = reading
  const body = JSON.stringify(envelope)
  const timestamp = reading.isMilliseconds ? bench.clock.now() : nowSeconds(bench)
  const digest = createHmac('sha256', key)
    .update(content({ id: envelope.id, timestamp, body }))
    .digest(encoding)
  return makeMessage(bench, { id: envelope.id, timestamp, signature: version + digest, body: Buffer.from(body) })
}

const signedText = ({ id, timestamp, body }: { id: string; timestamp: number; body: string }) =>
  `${id}.${timestamp}.${body}`

/** A blank after every comma and colon: the default of Python and of several others. */
function spellWithBlanks(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spellWithBlanks).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spellWithBlanks(member)}`)
  return `{${members.join(', ')}}`
}
