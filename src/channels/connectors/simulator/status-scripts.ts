import type { ReportedStatus } from '../../channel-connector.ts'
import type { MessageContent } from '../../content/content.ts'
import { errorWithCode, type NetworkError, networkErrors } from './network-errors.ts'
import { drawMs, type Seed } from './seeded.ts'

/**
 * What the network reports about a message after it took it: one hook after the other, each with the statuses it brings.
 * A hook comes when the last of its statuses has happened; networks report together what happens close together.
 */
export type StatusScript = readonly Hook[]

export type Hook = {
  statuses: readonly Reported[]
  /** After acceptance, when it comes late. */
  afterMs?: number
  /** Networks repeat hooks. */
  times?: number
  /** The customer writes back. */
  isAnswered?: boolean
}

export type Reported = { status: ReportedStatus; afterMs: number; error?: NetworkError }

/** What kind of message it is, as far as its script depends on it. Null for what only ever comes in. */
export type Form = 'message' | 'template' | 'voice' | 'reaction'

export function formOf(content: MessageContent): Form | null {
  if (content.type === 'order' || content.type === 'system' || content.type === 'unsupported') return null
  if (content.type === 'template' || content.type === 'reaction') return content.type
  return content.type === 'audio' && content.media.voice === true ? 'voice' : 'message'
}

/** A script that a test writes: statuses in the sequence of their reports. What is not listed is never reported. */
export type ListedStatus = {
  status: ReportedStatus
  /** After acceptance; the usual time by default. */
  after_ms?: number | undefined
  /** How often it is reported. */
  times?: number | undefined
  /** Of Meta, with `failed`. */
  error_code?: number | undefined
}

export type Script = ScriptName | readonly ListedStatus[]

type Delays = { sentMs: number; deliveredMs: number; readMs: number }

const drawDelays = (seed: Seed, recipient: string): Delays => {
  const deliveredMs = drawMs(seed, `delivered ${recipient}`, { minMs: 100, maxMs: 300 })
  return {
    sentMs: Math.floor(deliveredMs / 2),
    deliveredMs,
    readMs: drawMs(seed, `read ${recipient}`, { minMs: 1_000, maxMs: 3_800 }),
  }
}

const SLOW_MS = 10_000

const SCRIPTS = {
  ordinary: ({ sentMs, deliveredMs, readMs }) => [
    { statuses: [sent(sentMs), delivered(deliveredMs)] },
    { statuses: [read(readMs)] },
  ],
  answering: ({ sentMs, deliveredMs, readMs }) => [
    { statuses: [sent(sentMs), delivered(deliveredMs)] },
    { statuses: [read(readMs)], isAnswered: true },
  ],
  unread: ({ sentMs, deliveredMs }) => [{ statuses: [sent(sentMs), delivered(deliveredMs)] }],
  undelivered: ({ sentMs }) => [{ statuses: [sent(sentMs)] }],
  watching: ({ sentMs, deliveredMs }) => [{ statuses: [sent(sentMs), read(deliveredMs)] }],
  slow: ({ sentMs, deliveredMs, readMs }) => [
    { statuses: [sent(sentMs)] },
    { statuses: [delivered(SLOW_MS + deliveredMs)] },
    { statuses: [read(2 * SLOW_MS + readMs)] },
  ],
  repeated: ({ sentMs, deliveredMs, readMs }) => [
    { statuses: [sent(sentMs)], times: 3 },
    { statuses: [delivered(deliveredMs)], times: 3 },
    { statuses: [read(readMs)], times: 3 },
  ],
  reversed: ({ sentMs, deliveredMs, readMs }) => [
    { statuses: [read(readMs)] },
    { statuses: [delivered(deliveredMs)], afterMs: readMs + 200 },
    { statuses: [sent(sentMs)], afterMs: readMs + 400 },
  ],
  failing: ({ deliveredMs }) => [{ statuses: [failed(deliveredMs, networkErrors.undeliverable)] }],
  failing_late: ({ sentMs, readMs }) => [
    { statuses: [sent(sentMs)] },
    { statuses: [failed(readMs, networkErrors.undeliverable)] },
  ],
  window_closed: ({ deliveredMs }) => [{ statuses: [failed(deliveredMs, networkErrors.windowClosed)] }],
} as const satisfies Record<string, (delays: Delays) => StatusScript>

export type ScriptName = keyof typeof SCRIPTS

export const isScriptName = (name: string): name is ScriptName => Object.hasOwn(SCRIPTS, name)

function sent(afterMs: number): Reported {
  return { status: 'sent', afterMs }
}
function delivered(afterMs: number): Reported {
  return { status: 'delivered', afterMs }
}
function read(afterMs: number): Reported {
  return { status: 'read', afterMs }
}
function failed(afterMs: number, error: NetworkError): Reported {
  return { status: 'failed', afterMs, error }
}

export function scriptOf(
  named: Script,
  form: Form,
  { seed, recipient }: { seed: Seed; recipient: string },
): StatusScript {
  const delays = drawDelays(seed, recipient)
  const script = typeof named === 'string' ? (SCRIPTS[named](delays) as StatusScript) : hooksOf(named, delays)
  if (form === 'reaction') return script.map(onlySent).filter(({ statuses }) => statuses.length > 0)
  return form === 'voice' ? script.map(withPlayed) : script
}

/** Each status has its own hook, which comes no earlier than the hooks before it. */
function hooksOf(listed: readonly ListedStatus[], { sentMs, deliveredMs, readMs }: Delays): StatusScript {
  const usualMs = {
    sent: sentMs,
    delivered: deliveredMs,
    read: readMs,
    played: readMs + LISTENING_MS,
    failed: deliveredMs,
  }
  let dueMs = 0
  return listed.map(({ status, after_ms: afterMs = usualMs[status], times = 1, error_code: code }): Hook => {
    dueMs = Math.max(dueMs, afterMs)
    const error = errorWithCode(code ?? networkErrors.undeliverable.code)
    return { statuses: [{ status, afterMs, ...(status === 'failed' && { error }) }], afterMs: dueMs, times }
  })
}

/** A reaction is never delivered or read, as far as the network tells. */
const onlySent = ({ isAnswered: _, ...hook }: Hook): Hook => ({
  ...hook,
  statuses: hook.statuses.filter(({ status }) => status === 'sent' || status === 'failed'),
})

const LISTENING_MS = 800

/** Who reads a voice note listens to it. */
const withPlayed = (hook: Hook): Hook => ({
  ...hook,
  statuses: hook.statuses.flatMap((reported) =>
    reported.status === 'read'
      ? [reported, { status: 'played' as const, afterMs: reported.afterMs + LISTENING_MS }]
      : [reported],
  ),
})

/** When a hook comes, after acceptance. */
export const hookDueMs = ({ statuses, afterMs = 0 }: Hook): number =>
  Math.max(afterMs, ...statuses.map((reported) => reported.afterMs))

/** The network posts its hooks in pulses, so that what becomes due close together is reported together. */
const PULSE_MS = 200

export const pulseAfter = (ms: number): Date => new Date(Math.ceil(ms / PULSE_MS) * PULSE_MS)
