import type { ChannelFailure, OutboundMessage, SendOutcome } from '../../channels/channel-connector.ts'
import { type MediaContext, prepareMedia } from '../../channels/media/media.ts'
import type { OpenedNumber, OpenedNumbers } from '../../channels/numbers/numbers.ts'
import type { Id } from '../../kernel/ids.ts'
import {
  type ClaimedEntry,
  defineJob,
  type Job,
  mayBeUnseen,
  type Outcome,
  type RetrySchedule,
} from '../../platform/outbox/job.ts'
import { isUnsent } from '../messages/messages.states.ts'
import { contentOfRow, identityKeyHashOf } from '../messages/messages.ts'
import { SEND_JOB } from './acceptance-plan.ts'
import { recordSends, type SendData, type SendRecordOptions } from './send-outcomes.ts'
import type { SendSource } from './sendable.ts'
import type { Sendable } from './sending.sql.ts'

/**
 * Sends one message. The network has no idempotency key, so every step asks whether the network may have the message
 * already:
 *
 *   refused                    it does not: retry later, or never, by the class of the failure
 *   accepted                   it does: sent
 *   no answer, or a lost one   it may: the message waits for a status, or for the decision (settle.jobs.ts)
 *
 * A process can die between the call and the record of its answer. That is why a run that is certain that nothing was
 * accepted notes its lease on the message. The next run expects the previous lease there; if it is missing, the outcome of
 * some run is unknown, and no call is sent. This costs nothing as long as all goes well. A first attempt needs no such
 * proof: a lease released before its run began counts as no attempt, a lost run does.
 */
export type SendingOptions = SendRecordOptions & {
  source: SendSource
  numbers: OpenedNumbers
  media: MediaContext
}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** Temporary failures get eight attempts within two hours. No attempt is used while the breaker is open. */
const RETRY: RetrySchedule = {
  delaysMs: [SECOND, 4 * SECOND, 16 * SECOND, MINUTE, 5 * MINUTE, 20 * MINUTE, 60 * MINUTE],
  jitter: 0.3,
}
/** Files are uploaded first, the largest at a modest pace; the calls end sooner, each by a separate limit. */
const RUN_TIMEOUT_MS = 4 * MINUTE

/**
 * The account was put right twice and this message is refused for it still: then it is the message, whatever the network
 * says. Without an end it would stop its number again after every resume.
 */
const ACCOUNT_REFUSALS_MAX = 3

type Entry = ClaimedEntry<unknown>

export const createSendJob = (options: SendingOptions): Job =>
  defineJob<unknown, SendData>({
    name: SEND_JOB,
    retry: RETRY,
    timeoutMs: RUN_TIMEOUT_MS,
    run: (entry, { signal }) => send(options, entry, signal),
    record: async (tx, results) => (await recordSends(options, tx, results)).length > 0,
  })

/** Up to the call, whatever goes wrong has sent nothing, and that is noted. */
async function send(options: SendingOptions, entry: Entry, signal: AbortSignal): Promise<Outcome<SendData>> {
  const ready = await getReady(options, entry, signal).catch((error) => {
    options.log.warn({ message_id: entry.id, number_id: entry.laneId, err: error }, 'message could not be prepared')
    return refused(options, entry, { ...NOT_PREPARED, detail: String(error) })
  })
  if ('kind' in ready) return ready
  return judge(options, entry, ready, await call(ready.opened, ready.message, signal))
}

type Ready = { opened: OpenedNumber; message: OutboundMessage; contact: Id<'con'>; isScheduled: boolean }

async function getReady(
  options: SendingOptions,
  entry: Entry,
  signal: AbortSignal,
): Promise<Outcome<SendData> | Ready> {
  const loaded = await options.source.load(entry)
  const row = loaded?.row ?? null
  if (row === null && mayBeUnseen(entry)) return waitForRow(options, entry)
  if (row === null || !isUnsent(row.status) || row.unknown_since !== null)
    return { kind: 'done', verdict: 'neutral', data: { kind: 'nothing' } }
  if (entry.attempt > 1 && entry.leaseNumber !== Math.max(row.settled_lease, unseenLeaseOf(entry)) + 1)
    return unknown('The network did not respond to an earlier attempt, so the message may have been sent.', 'neutral')
  const version = loaded?.numberVersion ?? null
  const opened = await options.numbers.open(entry.orgId, entry.laneId, version)
  if (opened === null) return refused(options, entry, NUMBER_GONE)
  const message = await prepare(options, row, opened, signal)
  if ('failure' in message) return refused(options, entry, message.failure)
  return { opened, message, contact: row.contact_id, isScheduled: row.status === 'scheduled' }
}

const UNSEEN_WAIT_MS = 1_000

/** A run without its row has sent nothing, and the row cannot say so: the entry carries it. */
const waitForRow = ({ clock }: SendingOptions, { leaseNumber }: Entry): Outcome<SendData> => ({
  kind: 'defer',
  until: new Date(clock.now() + UNSEEN_WAIT_MS),
  reason: 'row_unseen',
  payload: { unseen_lease: leaseNumber },
  data: { kind: 'nothing' },
})

const unseenLeaseOf = ({ payload }: Entry): number => {
  const { unseen_lease: lease } = (payload ?? {}) as { unseen_lease?: unknown }
  return typeof lease === 'number' ? lease : 0
}

const NOT_PREPARED: ChannelFailure = {
  class: 'retry',
  scope: 'recipient',
  code: 'unavailable',
  providerCode: null,
  detail: '',
  retryAfterMs: null,
}

const NUMBER_GONE: ChannelFailure = {
  class: 'permanent',
  scope: 'number',
  code: 'number_not_connected',
  providerCode: null,
  detail: 'The business number was disconnected before the message was sent.',
  retryAfterMs: null,
}

const unknown = (detail: string, verdict: 'down' | 'neutral'): Outcome<SendData> => ({
  kind: 'done',
  verdict,
  data: { kind: 'unknown', detail },
})

type Prepared = OutboundMessage | { failure: ChannelFailure }

async function prepare(
  { media }: SendingOptions,
  row: Sendable,
  opened: OpenedNumber,
  signal: AbortSignal,
): Promise<Prepared> {
  const prepared = await prepareMedia(media, opened, contentOfRow(row), signal)
  if (prepared.kind === 'refused') return { failure: prepared.failure }
  const userId = row.identities.findLast(({ type }) => type === 'user_id')?.value ?? null
  const identityKeyHash = identityKeyHashOf(row)
  return {
    id: row.id,
    to: { phone: row.phone, userId },
    content: prepared.content,
    providerMediaId: prepared.providerMediaId,
    replyToProviderId: row.reply_provider_id,
    reactsToProviderId: row.reaction_provider_id,
    ...(identityKeyHash !== null && { identityKeyHash }),
  }
}

/** A connector that throws has broken its word; what it did before is not known. */
const call = (
  { connector, number }: OpenedNumber,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendOutcome> =>
  connector.send(number, message, signal).catch((error) => ({ kind: 'unknown', detail: String(error) }) as const)

function judge(
  options: SendingOptions,
  entry: Entry,
  { message, contact, isScheduled }: Ready,
  outcome: SendOutcome,
): Outcome<SendData> {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'done', data: { ...outcome, dialled: message.to, contact, isScheduled } }
    case 'unknown':
      return unknown(outcome.detail, 'down')
    case 'refused':
      return refused(options, entry, outcome.failure)
  }
}

/** Kept in the entry, which has nothing else to say; whatever else is found there counts as none. */
function accountRefusals({ payload }: Entry): number {
  const count = (payload as { account_refusals?: unknown } | null)?.account_refusals
  return typeof count === 'number' ? count : 0
}

/** Nothing was accepted, for certain. Who can do something about it decides what follows. */
function refused({ clock, log }: SendingOptions, entry: Entry, failure: ChannelFailure): Outcome<SendData> {
  const data: SendData = { kind: 'refused', failure }
  const { code, retryAfterMs } = failure
  const { providerCode: provider_code, traceId: trace_id } = failure
  log.info({ message_id: entry.id, number_id: entry.laneId, code, provider_code, trace_id }, 'a message was refused')
  switch (failure.class) {
    case 'account': {
      const refusals = accountRefusals(entry) + 1
      if (refusals >= ACCOUNT_REFUSALS_MAX) return { kind: 'failed', reason: code, data }
      // The number is paused in the same transaction, so the message waits for the resume.
      const until = new Date(clock.now())
      return { kind: 'defer', until, reason: code, payload: { account_refusals: refusals }, data }
    }
    case 'retry': {
      const isOfNumber = failure.scope === 'number'
      const until = new Date(clock.now() + (retryAfterMs ?? 0))
      return {
        kind: 'retry',
        reason: code,
        data,
        ...(retryAfterMs !== null && { afterMs: retryAfterMs }),
        ...(isOfNumber ? { isOverload: true } : { verdict: 'neutral' as const }),
        ...(isOfNumber && retryAfterMs !== null && { pauseLane: { until, reason: code } }),
      }
    }
    default:
      return { kind: 'failed', reason: code, verdict: 'up', data }
  }
}
