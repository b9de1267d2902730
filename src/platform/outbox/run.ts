import type { Log } from '../telemetry/log.ts'
import { runIn } from '../telemetry/spans.ts'
import type { Released } from './ack.ts'
import { beginRun } from './entry-traces.ts'
import { attemptsMax, type ClaimedEntry, type Job, type Outcome } from './job.ts'

/** One run of one entry, outside any transaction. Always answers with an outcome, whatever the handler does. */
export type RunAbort = 'timed_out' | 'lease_lost' | 'draining'

/** After an abort a handler has this long to return; then its slot is freed and its result is ignored. */
const ABORT_GRACE_MS = 1_000
const UNKNOWN_JOB_WAIT_MS = 30_000

export type RunRequest = { entry: ClaimedEntry; job: Job | undefined; controller: AbortController; log: Log }

export function runEntry(request: RunRequest): Promise<Outcome | Released> {
  const span = beginRun(request.entry)
  if (span === null) return runJob(request)
  request.entry.traceparent = span.traceparent
  return runIn(span, async () => {
    const outcome = await runJob(request)
    span.describe({ 'nexkit.outcome': outcome.kind })
    if (outcome.kind === 'failed' || outcome.kind === 'retry') span.fail(outcome.reason)
    return outcome
  })
}

async function runJob({ entry, job, controller, log }: RunRequest): Promise<Outcome | Released> {
  if (!job) return deferUnknown(entry, log)
  const timer = setTimeout(() => controller.abort('timed_out' satisfies RunAbort), job.timeoutMs)
  try {
    // Runs that were lost with their process count as attempts, but the last one on the schedule may be among them: it is run
    // all the same. An entry that keeps taking its process down never gets to answer, and is not given yet another one.
    if (entry.attempt > attemptsMax(job.scheduleFor(entry)) + job.lostRunsMax)
      return { kind: 'retry', reason: 'lease_expired', verdict: 'neutral' }
    return await Promise.race([job.run(entry, { signal: controller.signal }), giveUp(controller.signal)])
  } catch (error) {
    if (controller.signal.aborted) return outcomeOfAbort(controller.signal)
    log.error({ entry_id: entry.id, lane_id: entry.laneId, job: entry.job, err: error }, 'outbox handler threw')
    return { kind: 'retry', reason: 'handler_error', verdict: 'neutral' }
  } finally {
    clearTimeout(timer)
  }
}

/** A newer version of the program enqueued it; one of its processes will come by. */
function deferUnknown(entry: ClaimedEntry, log: Log): Outcome {
  log.error({ entry_id: entry.id, lane_id: entry.laneId, job: entry.job }, 'outbox entry of an unknown job')
  return { kind: 'defer', until: new Date(entry.claimedAt.getTime() + UNKNOWN_JOB_WAIT_MS), reason: 'job_unknown' }
}

function giveUp(signal: AbortSignal): Promise<Outcome | Released> {
  const { promise, resolve } = Promise.withResolvers<Outcome | Released>()
  signal.addEventListener('abort', () => setTimeout(() => resolve(outcomeOfAbort(signal)), ABORT_GRACE_MS), {
    once: true,
  })
  return promise
}

function outcomeOfAbort(signal: AbortSignal): Outcome | Released {
  if (signal.reason === ('timed_out' satisfies RunAbort))
    return { kind: 'retry', reason: 'timed_out', isOverload: true }
  return { kind: 'released', isBegun: true }
}
