import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { allEventTypes, type EventType, matchesEvent } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { firstOf } from '../../kernel/lists.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import type { OutboundClient } from '../../platform/outbound-http/outbound-client.ts'
import {
  type ClaimedEntry,
  defineJob,
  type JobResult,
  type Outcome,
  type RunContext,
  storedId,
} from '../../platform/outbox/job.ts'
import { bugs } from './bugs.ts'
import type { CertificationReport } from './certification.schemas.ts'
import { completeCertification, failCertification, markCertificationRunning } from './certification.sql.ts'
import { type Exchange, type ProbeRun, verdictOf } from './judgement.ts'
import { type CertificationRun, RUN_DEFAULTS, runCertification } from './run.ts'
import { createSender, findTarget } from './target.ts'

/**
 * The work of a certification: one run sends all probes and the acknowledgement stores the report. A run that was cut off
 * is repeated from the start, so a receiver may see the probes twice, which are tests and have new ids each time.
 */
export const CERTIFY_JOB = 'webhooks.certify'

type CertifyParts = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  client: Pick<OutboundClient, 'send'>
}

/** Longer than all probes may take together: the last one may begin just before the limit. */
const TIMEOUT_MS = RUN_DEFAULTS.limitMs + 40_000
const RETRY = { delaysMs: [5_000, 30_000], jitter: 0.2 }

const payload = z.object({ certification: storedId('job') })
type Payload = z.output<typeof payload>

export const certifyJob = (parts: CertifyParts) =>
  defineJob<Payload, CertificationReport>({
    name: CERTIFY_JOB,
    payload,
    retry: RETRY,
    timeoutMs: TIMEOUT_MS,
    run: (entry, context) => certify(parts, entry, context),
    record: recordReports,
  })

async function certify(
  { database, clock, secretBox, client }: CertifyParts,
  entry: ClaimedEntry<Payload>,
  { signal }: RunContext,
): Promise<Outcome<CertificationReport>> {
  const orgId = entry.orgId
  const now = new Date(clock.now())
  const row = await markCertificationRunning(database, orgId, { id: entry.payload.certification, now })
  if (row === null) return { kind: 'done', verdict: 'neutral' }
  const found = await findTarget(database, orgId, { endpointId: row.endpoint_id, secretBox, now })
  if (found === null) return { kind: 'failed', reason: 'endpoint_deleted', verdict: 'neutral' }
  const { target, endpoint } = found
  const run = await runCertification(
    { target, orgId, type: exampleFor(endpoint.events), clock },
    {
      ...RUN_DEFAULTS,
      send: createSender(target, { client, clock, signal }),
      wait: (ms) => wait(ms, undefined, { signal }),
    },
  )
  return { kind: 'done', verdict: 'neutral', data: reportOf(run) }
}

/** One the endpoint subscribed to, so that a receiver without a handler for it is not blamed. */
function exampleFor(filters: readonly string[]): EventType {
  const types = allEventTypes()
  const wanted = types.find((type) => !type.isOperational && matchesEvent(filters, type.name))
  return wanted ?? types.find((type) => matchesEvent(filters, type.name)) ?? firstOf(types)
}

async function recordReports(tx: Tx, results: JobResult<Payload, CertificationReport>[]): Promise<undefined> {
  for (const { entry, outcome, disposition, finishedAt } of results) {
    const [orgId, id] = [entry.orgId, entry.payload.certification]
    if (outcome.data !== undefined && disposition === 'done')
      await completeCertification(tx, orgId, { id, report: outcome.data, now: finishedAt })
    else if (disposition === 'failed' || disposition === 'exhausted' || disposition === 'cancelled')
      await failCertification(tx, orgId, { id, failure: failureOf(outcome), now: finishedAt })
  }
}

const failureOf = (outcome: Outcome): string => ('reason' in outcome ? outcome.reason : 'cancelled')

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
