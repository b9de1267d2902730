import { bugs } from './bugs.ts'
import type { CertificationReport } from './certifications.schemas.ts'
import { type Exchange, type ProbeRun, verdictOf } from './judgement.ts'
import type { CertificationRun } from './run.ts'

/** What was sent and what came of it, in the shape in which it is stored and shown. Custom headers stay out of it. */
const EXCERPT_CHARACTERS = 500
const LOCATION_CHARACTERS_MAX = 2048

export const reportOf = ({ grade, summary, bugs: found, runs, trials }: CertificationRun): CertificationReport => ({
  grade,
  summary,
  likely_bugs: found,
  probes: runs.map(probeOf),
  trials: trials.map(({ trial, exchange, isAccepted }) => ({
    bug: trial.bug,
    title: trial.title,
    is_accepted: isAccepted,
    exchange: exchangeOf(exchange),
  })),
})

const probeOf = (run: ProbeRun): CertificationReport['probes'][number] => ({
  name: run.name,
  title: run.title,
  expected: run.expected,
  verdict: verdictOf(run),
  likely_bug: run.bug === null ? null : bugs[run.bug].says,
  detail: run.detail,
  exchanges: run.exchanges.map(exchangeOf),
})

function exchangeOf({ message, answer }: Exchange): CertificationReport['probes'][number]['exchanges'][number] {
  const signed = Object.entries(message.headers).filter(([name]) => name.startsWith('webhook-'))
  return {
    sent: {
      signed_headers: Object.fromEntries(signed),
      body_bytes: message.body.length,
      body: excerptOf(message.body.toString()),
    },
    received: {
      status: answer.status,
      error_class: answer.errorClass,
      error_detail: answer.errorDetail,
      location: answer.location?.slice(0, LOCATION_CHARACTERS_MAX) ?? null,
      body: answer.body === null ? null : excerptOf(answer.body),
      total_ms: answer.totalMs,
    },
  }
}

/** A cut through the two halves of a character would leave half of it, which PostgreSQL does not take. */
const excerptOf = (text: string) => text.slice(0, EXCERPT_CHARACTERS).toWellFormed()
