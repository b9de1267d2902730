import type { OutboundErrorClass } from '../../platform/outbound-http/outbound-client.ts'
import { type BugCode, bugs, type Grade, gradeOf, rankBugs, type Severity, summaryOf } from './bugs.ts'
import type { Message } from './messages.ts'
import { type Probe, type ProbeBugs, type ProbeName, plainProbe } from './probes.ts'

/** From answers to verdicts, and from all of them to the report. Pure: everything was sent before. */
export type Answer = {
  status: number | null
  errorClass: OutboundErrorClass | null
  errorDetail: string | null
  totalMs: number
  location: string | null
  /** The receiver's time, where its answer has one. */
  dateMs: number | null
  receivedAtMs: number
  body: string | null
}

export type Exchange = { message: Message; answer: Answer }

type Reading = 'accepted' | 'refused' | 'redirected' | 'limited' | 'failed' | 'unanswered'

/** From best to worst for a genuine message. */
const READINGS: readonly Reading[] = ['accepted', 'limited', 'redirected', 'refused', 'failed', 'unanswered']

export function readAnswer({ status, errorClass }: Answer): Reading {
  if (status === null || errorClass !== null) return 'unanswered'
  if (status >= 200 && status <= 299) return 'accepted'
  if (status >= 300 && status <= 399) return 'redirected'
  if (status === 429) return 'limited'
  return status >= 500 ? 'failed' : 'refused'
}

const worstReading = (exchanges: readonly Exchange[]): Reading =>
  READINGS[Math.max(...exchanges.map(({ answer }) => READINGS.indexOf(readAnswer(answer))))] as Reading

/** What one probe gives away, without a look at the others. Null when the receiver did right. */
export function bugShownBy({ isGenuine, bugs: meanings }: Probe, exchanges: readonly Exchange[]): BugCode | null {
  const reading = worstReading(exchanges)
  if (reading === 'limited') return 'rate_limited'
  return isGenuine ? genuineBug(reading, meanings) : forgeryBug(reading, meanings)
}

function genuineBug(reading: Reading, meanings: ProbeBugs): BugCode | null {
  if (reading === 'accepted') return null
  const refused = meanings.refused ?? 'answers_unsteadily'
  if (reading === 'unanswered') return meanings.unanswered ?? 'answers_unsteadily'
  return reading === 'failed' ? (meanings.failed ?? refused) : refused
}

function forgeryBug(reading: Reading, meanings: ProbeBugs): BugCode | null {
  if (reading === 'accepted') return meanings.accepted ?? 'does_not_verify'
  if (reading === 'failed') return meanings.failed ?? null
  return reading === 'unanswered' ? (meanings.unanswered ?? null) : null
}

const NO_CONNECTION: readonly OutboundErrorClass[] = ['dns', 'blocked_address', 'refused', 'tls', 'timeout_connect']
const CLOCK_OFF_MS = 5 * 60 * 1000
const NOT_THERE = [404, 405, 410]

/** Why a plain event was not accepted, as far as its answer alone shows; null when only trials can. */
export function plainFault({ answer }: Exchange): BugCode | null {
  if (answer.errorClass !== null && NO_CONNECTION.includes(answer.errorClass)) return 'not_reached'
  const reading = readAnswer(answer)
  if (reading === 'unanswered') return 'not_answered'
  if (reading === 'redirected') return 'redirects'
  if (reading === 'limited') return 'rate_limited'
  if (answer.status !== null && NOT_THERE.includes(answer.status)) return 'url_not_found'
  const isClockOff = answer.dateMs !== null && Math.abs(answer.dateMs - answer.receivedAtMs) > CLOCK_OFF_MS
  return isClockOff ? 'clock_off' : null
}

type Verdict = 'pass' | 'warn' | 'fail' | 'skipped'

export type ProbeRun = {
  name: ProbeName
  title: string
  expected: string
  exchanges: Exchange[]
  bug: BugCode | null
  /** Why it was not sent, or what was measured. */
  detail: string | null
}

export const verdictOf = ({ bug, exchanges, detail }: ProbeRun): Verdict => {
  if (exchanges.length === 0 && detail === null) return 'skipped'
  if (bug === null) return 'pass'
  return bugs[bug].severity === 'minor' ? 'warn' : 'fail'
}

/** One mistake shows in several probes and should be named once: a clue of one probe explains another. */
const EXPLANATIONS: readonly { clue: [ProbeName, BugCode]; explains: [ProbeName, BugCode, BugCode][] }[] = [
  {
    clue: ['forged_signature', 'does_not_verify'],
    explains: [
      ['missing_signature', 'accepts_unsigned', 'does_not_verify'],
      ['tampered_body', 'body_not_covered', 'does_not_verify'],
      ['old_timestamp', 'no_timestamp_check', 'does_not_verify'],
      ['future_timestamp', 'future_timestamp_accepted', 'does_not_verify'],
    ],
  },
  {
    clue: ['old_timestamp', 'no_timestamp_check'],
    explains: [['future_timestamp', 'future_timestamp_accepted', 'no_timestamp_check']],
  },
  {
    clue: ['unusual_spelling', 'body_reserialized'],
    explains: [['unicode_body', 'body_reencoded', 'body_reserialized']],
  },
  {
    clue: ['rotated_known_first', 'header_compared_whole'],
    explains: [['rotated_known_last', 'first_signature_only', 'header_compared_whole']],
  },
]

export function explainBugs(runs: readonly ProbeRun[]): ProbeRun[] {
  const shown = (name: ProbeName) => runs.find((run) => run.name === name)?.bug
  const replacements = EXPLANATIONS.filter((rule) => shown(rule.clue[0]) === rule.clue[1]).flatMap(
    (rule) => rule.explains,
  )
  return runs.map((run) => {
    const better = replacements.find(([name, bug]) => name === run.name && bug === run.bug)
    return better === undefined ? run : { ...run, bug: better[2] }
  })
}

type FoundBug = { code: BugCode; severity: Severity; says: string; probes: ProbeName[] }

export type Judgement = { grade: Grade; summary: string; bugs: FoundBug[] }

export function judgeRuns(runs: readonly ProbeRun[]): Judgement {
  const found = rankBugs(runs.flatMap((run) => run.bug ?? []))
  const plain = runs.find((run) => run.name === plainProbe.name)
  const isPlainAccepted = plain !== undefined && plain.exchanges.length > 0 && plain.bug === null
  const grade = gradeOf(found, isPlainAccepted)
  return {
    grade,
    summary: summaryOf(grade, found),
    bugs: found.map((code) => ({
      code,
      severity: bugs[code].severity,
      says: bugs[code].says,
      probes: runs.filter((run) => run.bug === code).map((run) => run.name),
    })),
  }
}
