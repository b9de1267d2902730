import type { ChannelFailure, ChannelPerson } from '../../channels/channel-connector.ts'
import type { ChannelsContext } from '../../channels/channels-context.ts'
import {
  inboundLaneOf,
  type NumberDirectory,
  type NumberHealth,
  numberOfLane,
  pauseNumber,
} from '../../channels/numbers/numbers.ts'
import { EventBuffer } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { storedValue } from '../../kernel/lists.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import type { JobResult } from '../../platform/outbox/job.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import {
  type ChatEventContext,
  enterThread,
  failMessage,
  findRecipient,
  hasLeft,
  leftAtOf,
  lockThreads,
} from '../chats/chats.ts'
import { OPTED_OUT, personOf, type ReportedOptOut, saveOptOuts } from '../contacts/contacts.ts'
import {
  type ContactLink,
  linkToContact,
  lockLinkedContacts,
  lockMessagesOf,
  recordResolution,
} from '../identities/identities.ts'
import { OUTCOME_UNKNOWN } from '../messages/messages.states.ts'
import {
  type Accepted,
  failureOf,
  insertSent,
  learn,
  lockMessage,
  lockMessages,
  type MessageRow,
  markUnknown,
  movedEvent,
  moveMessages,
  noteSettled,
  type ParkedWatch,
  takeParked,
} from '../messages/messages.ts'
import { SETTLE_JOB, settleEntryId } from './settle.jobs.ts'

/**
 * Records the results of a batch of runs in the transaction in which the outbox acknowledges it. Usually that is one
 * statement per organization plus the events, whatever the size of the batch; rare results are recorded one by one.
 */
export type SendData =
  /** Nothing was to be done: called back, or sent already. */
  | { kind: 'nothing' }
  | {
      kind: 'accepted'
      providerId: string
      /** The recipient that the network names, the one that was requested, and its contact. */
      recipient: ChannelPerson
      dialled: ChannelPerson
      contact: Id<'con'>
      isScheduled: boolean
    }
  | { kind: 'unknown'; detail: string }
  | { kind: 'refused'; failure: ChannelFailure }

/** How a run of a message ended, for the metrics. */
export type SendEnd = 'sent' | 'unknown' | 'returned' | `failed_${ChannelFailure['class'] | 'unexplained'}`
export type SendMetrics = { ended(end: SendEnd): void }

export type SendRecordOptions = {
  context: ChannelsContext
  directory: NumberDirectory
  health: NumberHealth
  clock: Clock
  log: Log
  /** How long a status is waited for before a decision falls about a message that may have been sent. */
  unknownWaitMs: number
  metrics: SendMetrics
  watch: ParkedWatch
}

type Result = JobResult<unknown, SendData>
type Of<Kind extends SendData['kind']> = Result & { outcome: { data: Extract<SendData, { kind: Kind }> } }

const ofKind = <Kind extends SendData['kind']>(results: readonly Result[], kind: Kind): Of<Kind>[] =>
  results.filter((result): result is Of<Kind> => result.outcome.data?.kind === kind)

const orgOf = ({ entry }: Result) => entry.orgId
/** Accepted messages are left out: nearly all have no state row to lock. */
const changesState = ({ outcome }: Result) => outcome.data?.kind !== 'accepted' && outcome.data?.kind !== 'nothing'
const isOver = ({ disposition }: Result) => disposition === 'failed' || disposition === 'exhausted'

export async function recordSends(options: SendRecordOptions, tx: Tx, results: Result[]): Promise<string[]> {
  const events = new EventBuffer()
  const context = { ...options, tx, events }
  const accepted = ofKind(results, 'accepted')
  const refused = ofKind(results, 'refused')
  const links = linksOf(accepted)
  const optOuts = await findOptOuts(tx, refused.filter(isOver))
  const messages = results.map(({ entry }) => ({ orgId: entry.orgId, id: entry.id }))
  if (links.length > 0) await lockLinkedContacts(tx, { links, besides: optOuts, messages })
  await linkRecipients(context, links)
  await saveOptOuts(context, optOuts)
  await lockThreadsOf(tx, [...accepted.filter(({ outcome }) => outcome.data.isScheduled), ...results.filter(isOver)])
  await lockMessagesOf(
    tx,
    results.filter(changesState).map(({ entry }) => ({ orgId: entry.orgId, id: entry.id })),
  )
  await recordAccepted(context, accepted)
  await recordReturning(
    options,
    tx,
    refused.filter((result) => !isOver(result)),
  )
  for (const result of refused.filter(isOver))
    await recordFailed(context, result, failureOf(result.outcome.data.failure))
  for (const result of results.filter((one) => one.outcome.data === undefined && isOver(one)))
    await recordFailed(context, result, WITHOUT_TRACE)
  const settlingLanes = await recordUnknown(options, tx, ofKind(results, 'unknown'))
  await events.record(tx, options.clock.now())
  tx.afterCommit(() => count(options.metrics, results))
  return settlingLanes
}

function count(metrics: SendMetrics, results: readonly Result[]): void {
  for (const { outcome, disposition } of results) {
    const { data } = outcome
    if (data?.kind === 'accepted') metrics.ended('sent')
    else if (data?.kind === 'unknown') metrics.ended('unknown')
    else if (disposition === 'failed' || disposition === 'exhausted')
      metrics.ended(data?.kind === 'refused' ? `failed_${data.failure.class}` : 'failed_unexplained')
    else if (data?.kind === 'refused') metrics.ended('returned')
  }
}

const WITHOUT_TRACE = {
  code: OUTCOME_UNKNOWN,
  provider_code: null,
  detail: 'The network did not respond, so the message may have been sent.',
  retryable: false,
}

/** Locks the chats of messages that may enter their threads now: chats come before messages. */
const lockThreadsOf = (tx: Tx, entering: readonly Result[]) =>
  lockThreads(
    tx,
    entering.map(({ entry }) => entry),
  )

type Link = ContactLink & { orgId: OrgId; now: Date }

/** The network may know the customer under another number or id than the one that was dialled. */
function linksOf(accepted: readonly Of<'accepted'>[]): Link[] {
  return accepted.flatMap((result) => {
    const { recipient, contact: contactId, dialled } = result.outcome.data
    const isKnown = recipient.phone === dialled.phone && recipient.userId === dialled.userId
    if (isKnown || (recipient.phone === null && recipient.userId === null)) return []
    const [sentAt, now] = [result.entry.claimedAt, result.finishedAt]
    return [{ orgId: orgOf(result), contactId, person: personOf(recipient), sentAt, now }]
  })
}

async function linkRecipients(context: ChatEventContext & { tx: Tx }, links: readonly Link[]): Promise<void> {
  for (const { orgId, ...link } of links) {
    const linked = await linkToContact(context.tx, orgId, link)
    if (linked !== null) await recordResolution({ ...context, orgId }, linked)
  }
}

type Recording = SendRecordOptions & { tx: Tx; events: EventBuffer }

async function recordAccepted(recording: Recording, results: readonly Of<'accepted'>[]): Promise<void> {
  for (const [orgId, ofOrg] of byOrganization(results)) {
    const accepted = acceptedOf(ofOrg)
    const sent = await insertSent(recording.tx, orgId, accepted)
    for (const row of sent)
      await recordSent(recording, row, { isMove: true, leftAt: row.send_at === null ? null : 'now' })
    const known = new Set<string>(sent.map(({ id }) => id))
    const moved = await moveToSent(
      recording,
      orgId,
      accepted.filter(({ id }) => !known.has(id)),
    )
    const isParked = (row: MessageRow) =>
      recording.watch.has(orgId, { numberId: row.number_id, providerId: row.provider_id ?? '' })
    await takeParked(recording.tx, orgId, [...sent.filter(isParked), ...moved], recording.events)
  }
}

/** Moves messages that have a state already: from a faster status, or from an earlier run. */
async function moveToSent(recording: Recording, orgId: OrgId, accepted: readonly Accepted[]): Promise<MessageRow[]> {
  if (accepted.length === 0) return []
  const { tx } = recording
  const answers = new Map(accepted.map((one) => [one.id, one]))
  const rows = await lockMessages(tx, orgId, [...answers.keys()])
  const moved: MessageRow[] = []
  for (const before of rows) {
    const { at, providerId } = storedValue(answers, before.id)
    const move = learn(before, { status: 'sent', at, error: null, providerId })
    if (move === null) {
      moved.push(before)
      continue
    }
    const [stored] = await moveMessages(tx, orgId, [move.after])
    const after = { ...move.after, provider_id: stored?.provider_id ?? null }
    const leftAt = hasLeft(before, after) ? (leftAtOf(before) ?? 'now') : null
    await recordSent(recording, after, { isMove: move.isMove, leftAt })
    moved.push(after)
  }
  return moved
}

/** `leftAt` for a scheduled message that enters its thread by this. */
async function recordSent(
  recording: Recording,
  row: MessageRow,
  { isMove, leftAt }: { isMove: boolean; leftAt: Date | 'now' | null },
): Promise<void> {
  if (row.provider_id === null)
    recording.log.warn({ org_id: row.org_id, number_id: row.number_id, message_id: row.id }, PROVIDER_ID_TAKEN)
  if (isMove) recording.events.add(row.org_id, movedEvent(row))
  if (leftAt !== null) await enterThread(recording, row, leftAt === 'now' ? null : leftAt)
}

const byOrganization = <One extends Result>(results: readonly One[]): [OrgId, One[]][] =>
  [...Map.groupBy(results, orgOf)].toSorted(([one], [other]) => (one < other ? -1 : 1))

const PROVIDER_ID_TAKEN = 'a message was accepted under an id that another message has'

/** When the network assigns one id to several messages, the first has it. */
function acceptedOf(results: readonly Of<'accepted'>[]): Accepted[] {
  const given = new Set<string>()
  return results.map((result) => {
    const name = `${numberOfLane(result.entry.laneId)} ${result.outcome.data.providerId}`
    const providerId = given.has(name) ? null : result.outcome.data.providerId
    given.add(name)
    return { id: result.entry.id, providerId, at: result.finishedAt }
  })
}

/** Back in the queue with the certainty that nothing was accepted. Trouble with the account stops the number. */
async function recordReturning(options: SendRecordOptions, tx: Tx, returning: readonly Of<'refused'>[]): Promise<void> {
  if (returning.length === 0) return
  for (const [orgId, ofOrg] of byOrganization(returning))
    await noteSettled(
      tx,
      orgId,
      ofOrg.map(({ entry }) => ({ id: entry.id, lease: entry.leaseNumber })),
    )
  for (const { entry, outcome } of returning) {
    const { failure } = outcome.data
    const numberId = numberOfLane(entry.laneId)
    options.health.failed(entry.orgId, numberId, failure)
    if (failure.class !== 'account') continue
    await pauseNumber(options.context, tx, entry.orgId, { id: numberId, reason: failure.code })
  }
}

async function recordFailed(
  context: ChatEventContext & { tx: Tx },
  result: Result,
  error: NonNullable<MessageRow['error']>,
): Promise<void> {
  const row = await lockMessage(context.tx, orgOf(result), result.entry.id)
  if (row !== null) await failMessage(context, row, { at: result.finishedAt, error })
}

/** Most networks report an opt-out later, by a status; here the answer reports it at once. */
async function findOptOuts(tx: Tx, refused: readonly Of<'refused'>[]): Promise<ReportedOptOut[]> {
  const optOuts: ReportedOptOut[] = []
  for (const result of refused.filter(({ outcome }) => outcome.data.failure.code === OPTED_OUT)) {
    const [orgId, numberId, at] = [orgOf(result), numberOfLane(result.entry.laneId), result.finishedAt]
    const recipient = await findRecipient(tx, orgId, { id: result.entry.id, numberId, providerId: '' })
    if (recipient !== null)
      optOuts.push({ orgId, contactId: recipient.contact_id, numberId, isStopped: true, at, now: at })
  }
  return optOuts
}

/** It waits for a status that names it; whatever comes of that, the decision falls at a set time. */
async function recordUnknown(
  { unknownWaitMs }: SendRecordOptions,
  tx: Tx,
  results: readonly Of<'unknown'>[],
): Promise<string[]> {
  const settlingLanes: string[] = []
  for (const result of results) {
    const { entry, finishedAt } = result
    const marked = await markUnknown(tx, orgOf(result), { id: entry.id, since: finishedAt })
    if (marked === null) continue
    const laneId = inboundLaneOf(numberOfLane(entry.laneId))
    const dueAt = new Date(finishedAt.getTime() + unknownWaitMs)
    const payload = { message_id: entry.id }
    await enqueue(tx, [{ id: settleEntryId(entry), laneId, orgId: entry.orgId, job: SETTLE_JOB, dueAt, payload }])
    settlingLanes.push(laneId)
  }
  return settlingLanes
}
