import { createSigningKeyPair, createSigningSecret, parseSigningKey, type SigningKey } from '../signing/signing.ts'
import type { BugCode } from './bugs.ts'
import { type Message, makeEnvelope, sealMessage, type Workbench, withoutSignature } from './messages.ts'

/**
 * The probes, in the order they are sent. A genuine one must be answered with 2xx, any other must be refused. `bugs` names
 * what the wrong answer gives away; where a probe needs more than one message, all of them are judged by the worst answer.
 */
export type Probe = {
  name: ProbeName
  title: string
  expected: string
  isGenuine: boolean
  messages: (bench: Workbench) => Message[]
  bugs: ProbeBugs
}

/** What each wrong answer means. For a genuine probe the absent ones are those of `refused`. */
export type ProbeBugs = { accepted?: BugCode; refused?: BugCode; failed?: BugCode; unanswered?: BugCode }

export const probeNames = [
  'plain',
  'forged_signature',
  'missing_signature',
  'tampered_body',
  'old_timestamp',
  'future_timestamp',
  'duplicate',
  'reordered_pair',
  'unknown_type',
  'unknown_members',
  'unicode_body',
  'unusual_spelling',
  'large_body',
  'rotated_known_last',
  'rotated_known_first',
  'response_time',
] as const

export type ProbeName = (typeof probeNames)[number]

const FAR_OFF_SECONDS = 600
const EARLIER_MS = 60_000
const LARGE_BODY_BYTES = 200 * 1024
const UNKNOWN_TYPE = 'certification.unknown_type'
/** Latin with accents, a symbol, a character of four bytes, another direction, and a separator that JSON allows. */
const UNICODE_TEXT = 'café ☕ 👋🏽 日本語 مرحبا \u2028 ｆｕｌｌ'

const ACCEPT = 'status 2xx'
const REFUSE = 'status 401 or 400'

const genuine = (
  name: ProbeName,
  title: string,
  messages: Probe['messages'],
  bugs: ProbeBugs,
  expected = ACCEPT,
): Probe => ({ name, title, expected, isGenuine: true, messages, bugs })

const forged = (name: ProbeName, title: string, message: (bench: Workbench) => Message, accepted: BugCode): Probe => ({
  name,
  title,
  expected: REFUSE,
  isGenuine: false,
  messages: (bench) => [message(bench)],
  bugs: { accepted, failed: 'forgery_fails', unanswered: 'forgery_not_answered' },
})

const one = (seal: (bench: Workbench) => Message) => (bench: Workbench) => [seal(bench)]

export const plainProbe = genuine(
  'plain',
  'A plain event, signed like every delivery',
  one((bench) => sealMessage(bench, makeEnvelope(bench))),
  { refused: 'genuine_refused', failed: 'handler_fails', unanswered: 'not_answered' },
)

export const probes: readonly Probe[] = [
  plainProbe,
  forged(
    'forged_signature',
    'Signed with a key of another endpoint',
    (bench) => sealMessage(bench, makeEnvelope(bench), { keys: [makeStranger(bench)] }),
    'does_not_verify',
  ),
  forged(
    'missing_signature',
    'Without the webhook-signature header',
    (bench) => withoutSignature(sealMessage(bench, makeEnvelope(bench))),
    'accepts_unsigned',
  ),
  forged('tampered_body', 'The body was changed after it was signed', tamper, 'body_not_covered'),
  forged(
    'old_timestamp',
    'Correctly signed ten minutes ago',
    (bench) => sealMessage(bench, makeEnvelope(bench), { skewSeconds: -FAR_OFF_SECONDS }),
    'no_timestamp_check',
  ),
  forged(
    'future_timestamp',
    'Correctly signed, with a timestamp ten minutes ahead',
    (bench) => sealMessage(bench, makeEnvelope(bench), { skewSeconds: FAR_OFF_SECONDS }),
    'future_timestamp_accepted',
  ),
  genuine('duplicate', 'The same event twice', sendTwice, { refused: 'duplicate_refused' }, 'status 2xx for both'),
  genuine(
    'reordered_pair',
    'Two events, the newer one first',
    (bench) => [sealMessage(bench, makeEnvelope(bench)), sealMessage(bench, makeEnvelope(bench, madeEarlier(bench)))],
    { refused: 'order_assumed' },
    'status 2xx for both',
  ),
  genuine(
    'unknown_type',
    'An event type that does not exist yet',
    one((bench) => sealMessage(bench, makeEnvelope(bench, { type: UNKNOWN_TYPE, data: { object: 'unknown' } }))),
    { refused: 'unknown_type_refused', failed: 'unknown_type_fails', unanswered: 'unknown_type_fails' },
  ),
  genuine(
    'unknown_members',
    'Fields that do not exist yet',
    one((bench) => sealMessage(bench, makeEnvelope(bench, addUnknownMembers(bench)))),
    { refused: 'unknown_members_refused' },
  ),
  genuine(
    'unicode_body',
    'Text beyond ASCII in the body',
    one((bench) => sealMessage(bench, makeEnvelope(bench, { previous: { note: UNICODE_TEXT } }))),
    { refused: 'body_reencoded' },
  ),
  genuine(
    'unusual_spelling',
    'The same JSON, written with line breaks and escapes',
    one((bench) => {
      const envelope = makeEnvelope(bench)
      return sealMessage(bench, envelope, { text: spellUnusually(envelope) })
    }),
    { refused: 'body_reserialized' },
  ),
  genuine(
    'large_body',
    'A body of 200 KiB',
    one((bench) => sealMessage(bench, makeEnvelope(bench, { previous: { note: 'x'.repeat(LARGE_BODY_BYTES) } }))),
    { refused: 'large_body_refused', unanswered: 'large_body_not_answered' },
  ),
  genuine(
    'rotated_known_last',
    'A retry during a rotation: signed with a new secret first and the known one second',
    one((bench) => sealRotated(bench, [makeStranger(bench), ...bench.target.keys])),
    { refused: 'first_signature_only' },
  ),
  genuine(
    'rotated_known_first',
    'A retry during a rotation: signed with the known secret first and another one second',
    one((bench) => sealRotated(bench, [...bench.target.keys, makeStranger(bench)])),
    { refused: 'header_compared_whole' },
  ),
]

const madeEarlier = ({ clock }: Workbench) => {
  const happenedAt = new Date(clock.now() - EARLIER_MS).toISOString()
  return { created_at: happenedAt, timestamp: happenedAt }
}

const sealRotated = (bench: Workbench, keys: readonly SigningKey[]) =>
  sealMessage(bench, makeEnvelope(bench), { keys, attempt: 2 })

function sendTwice(bench: Workbench): Message[] {
  const message = sealMessage(bench, makeEnvelope(bench))
  return [message, message]
}

/** Of the kind the receiver reads: an endpoint that signs with `v1a` alone is given a strange key of that kind. */
function makeStranger({ target }: Workbench): SigningKey {
  const isSymmetric = target.keys.some((key) => key.version === 'v1')
  const text = isSymmetric ? createSigningSecret() : createSigningKeyPair().privateKey
  return parseSigningKey(text) as SigningKey
}

function tamper(bench: Workbench): Message {
  const envelope = makeEnvelope(bench)
  const { headers } = sealMessage(bench, envelope)
  return { headers, body: Buffer.from(JSON.stringify({ ...envelope, previous: { id: envelope.id } })) }
}

const addUnknownMembers = ({ type }: Workbench) => ({
  data: { ...(type.example as object), certification_member: { is: ['new'] } },
  certification_member: 'new',
})

/** Only blanks and escapes: values, their order and the form of numbers stay, so that every parser reads the same. */
const spellUnusually = (envelope: object) =>
  JSON.stringify(envelope, null, 2).replace('"object": "event"', '"object": "\\u0065vent"')
