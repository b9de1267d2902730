import { createHmac } from 'node:crypto'
import { parseSigningSecret, SECRET_PREFIX, type SigningKey } from '../signing/signing.ts'
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
    ...SPELLINGS.map(({ says, spell }) =>
      trial('body_reserialized', `A signature of the body ${says}`, {
        key,
        content: ({ id, timestamp, body }) => `${id}.${timestamp}.${spell(JSON.parse(body))}`,
      }),
    ),
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

/** How libraries write JSON by default, or when they are asked to. The one that is accepted says what the receiver does. */
const SPELLINGS: readonly { says: string; spell: (value: unknown) => string }[] = [
  { says: 'with a blank after commas and colons, as Python writes it', spell: (value) => spellWithBlanks(value) },
  { says: 'with sorted keys', spell: (value) => JSON.stringify(sortKeys(value)) },
  { says: 'with sorted keys and blanks', spell: (value) => spellWithBlanks(sortKeys(value)) },
  { says: 'with escaped slashes, as PHP writes it', spell: (value) => escapeSlashes(JSON.stringify(value)) },
  { says: 'pretty-printed with two blanks', spell: (value) => JSON.stringify(value, null, 2) },
  { says: 'pretty-printed with four blanks', spell: (value) => JSON.stringify(value, null, 4) },
  { says: 'pretty-printed with sorted keys', spell: (value) => JSON.stringify(sortKeys(value), null, 2) },
  { says: 'with a line break at its end', spell: (value) => `${JSON.stringify(value)}\n` },
]

const escapeSlashes = (text: string) => text.replaceAll('/', '\\/')

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sortKeys(member)]))
}

/** A blank after every comma and colon: the default of Python and of several others. */
function spellWithBlanks(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spellWithBlanks).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spellWithBlanks(member)}`)
  return `{${members.join(', ')}}`
}
