import type { MessageContent } from '../../channels/content/message-content.ts'
import { type EventActor, type PreparedEvent, prepareEvent, recordPrepared } from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { type Companion, writeCompanions } from '../../platform/database/companions.ts'
import type { TransactionOptions, Tx } from '../../platform/database/database.ts'
import type { Outcome } from '../../platform/database/group-commit.ts'
import { type IdempotencyClaim, IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
import { renderValue } from '../../platform/http/pipeline/reply-shape.ts'
import { bornEntry } from '../../platform/outbox/entries.ts'
import type { HandOver } from '../../platform/outbox/grants.ts'
import type { ClaimedEntry } from '../../platform/outbox/job.ts'
import { phoneVariants } from '../../platform/phone/phone-numbers.ts'
import { isWindowClosed, presentChat } from '../chats/chat-view.ts'
import type { ChatRow } from '../chats/chats.sql.ts'
import { placeAfter } from '../chats/thread-place.ts'
import { stoppedSince } from '../contacts/marketing-opt-outs.ts'
import { createRecipients } from '../contacts/recipients.ts'
import { wordsOfText } from '../contacts/search-words.ts'
import { bodyOf, presentMessage, storedContent } from '../messages/message-view.ts'
import { Message } from '../messages/messages.schemas.ts'
import type { MessageRow } from '../messages/messages.sql.ts'
import { messageNotFound, recipientOptedOut, replyWindowClosed } from '../messaging.errors.ts'
import { chatCreated, chatUpdated } from '../messaging.events.ts'
import type { NumberEntry } from '../number-directory.ts'
import type { Outbound } from './outbound.ts'
import {
  type ChatBump,
  deleteChats,
  listQuoted,
  listUsedClaims,
  lockClaims,
  lockWantedChats,
  type NewOutbound,
  type StoredAnswer,
  type WantedChat,
  type WantedChatRow,
  writeSendBatch,
} from './send-batch.sql.ts'
import type { AcceptedMessage } from './send-source.ts'

/**
 * Accepts messages for sending, many at once: concurrent requests share one transaction.
 *
 *   lock the chats and read them as they are now ──▶ check each message ──▶ write everything in one statement ──▶ commit
 *
 * A message that is refused (its window is closed, the message it replies to does not exist, its key was used) does not
 * prevent the others from being written. For a new recipient, contact and chat are created under locks that come before
 * those on chats: where chats are locked already, the transaction is rolled back and started again.
 */
export const SEND_JOB = 'messages.send'

const TRIES_MAX = 5

/** Thrown inside, so that the transaction is undone and begun again. */
class RecipientsMissing extends Error {
  readonly items: readonly Outbound[]

  constructor(items: readonly Outbound[]) {
    super('a recipient has no chat yet')
    this.items = items
  }
}

type Run = <Result>(work: (tx: Tx) => Promise<Result>, options?: TransactionOptions) => Promise<Result>

/** Lets this process send messages once they are committed. */
export type Sending = { handOver: HandOver; leaseMs: number }

export async function writeOutbound(
  run: Run,
  items: readonly Outbound[],
  sending: Sending | null = null,
): Promise<Outcome<AcceptedMessage>[]> {
  try {
    return await run((tx) => writeItems(tx, items, { created: null, sending }), { opensWithReads: true })
  } catch (error) {
    if (!(error instanceof RecipientsMissing)) throw error
    return writeToNewRecipients(run, items, { newRecipients: new Set(error.items), sending })
  }
}

async function writeToNewRecipients(
  run: Run,
  items: readonly Outbound[],
  { newRecipients, sending }: { newRecipients: Set<Outbound>; sending: Sending | null },
): Promise<Outcome<AcceptedMessage>[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await run(async (tx) =>
        writeItems(tx, items, { created: await createRecipients(tx, [...newRecipients]), sending }),
      )
    } catch (error) {
      // A contact was merged between the creation and the locking of chats.
      if (!(error instanceof RecipientsMissing) || tries >= TRIES_MAX) throw error
      for (const item of error.items) newRecipients.add(item)
    }
  }
}

/** Runs in the transaction of the caller. Locks names and people, then chats, and takes the counter of events. */
export const writeOutboundIn = (tx: Tx, items: readonly Outbound[]): Promise<Outcome<AcceptedMessage>[]> =>
  writeOutbound((work) => tx.savepoint(work), items)

async function writeItems(
  tx: Tx,
  items: readonly Outbound[],
  { created, sending }: { created: ReadonlySet<Id<'chat'>> | null; sending: Sending | null },
): Promise<Outcome<AcceptedMessage>[]> {
  const wanted = items.flatMap(wantedOf)
  const [claimed, found, quoted] = await Promise.all([
    findFreeClaims(tx, items),
    lockWantedChats(tx, wanted),
    findQuoted(tx, items),
  ])
  const chats = new Map(found.map((row) => [row.position, row]))
  const plan = new Plan(created ?? new Set())
  const errors = items.map((item, position) =>
    claimed.has(position) ? refusalOf(item, chats.get(position)?.chat ?? null, quoted) : raceLost,
  )
  const missing = items.filter((_, position) => errors[position] === null && !chats.has(position))
  if (missing.length > 0) {
    if (found.length > 0 || created !== null) throw new RecipientsMissing(missing)
    return writeItems(tx, items, { created: await createRecipients(tx, missing), sending })
  }
  const outcomes = items.map((item, position): Outcome<AcceptedMessage> => {
    const error = errors[position] ?? null
    return error === null
      ? { ok: true, value: plan.add(item, chats.get(position) as WantedChatRow) }
      : { ok: false, error }
  })
  if (created !== null && created.size > 0) await removeUnused(tx, { found, created, outcomes })
  await plan.write(tx, sending)
  return outcomes
}

/** Deletes chats that were created for messages that were then refused, because of what is known about the contact. */
async function removeUnused(
  tx: Tx,
  {
    found,
    created,
    outcomes,
  }: { found: WantedChatRow[]; created: ReadonlySet<string>; outcomes: Outcome<AcceptedMessage>[] },
): Promise<void> {
  const used = new Set<string>(outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value.row.chat_id] : [])))
  const unused = found.flatMap(({ chat }) => (created.has(chat.id) && !used.has(chat.id) ? [chat] : []))
  if (unused.length > 0) await deleteChats(tx, unused)
}

const raceLost = new IdempotencyRaceLost()

/** A phone in all its forms, which belong to the same person. The first known form is used. */
function wantedOf({ orgId, to, numberId, isMarketing }: Outbound, position: number): WantedChat[] {
  const values = to.kind === 'phone' ? phoneVariants(to.value) : [to.value]
  return values.map((value) => ({ position, orgId, kind: to.kind, value, numberId, isMarketing }))
}

/** The positions whose key is free, or that have none. Of two with the same key in one batch the first is taken. */
async function findFreeClaims(tx: Tx, items: readonly Outbound[]): Promise<ReadonlySet<number>> {
  const free = new Set(items.keys())
  const claims = items.flatMap(({ claim, orgId }, position) => (claim === null ? [] : [{ claim, orgId, position }]))
  if (claims.length === 0) return free
  const orgIds = claims.map(({ orgId }) => orgId)
  const [locks, used] = await Promise.all([
    lockClaims(
      tx,
      orgIds,
      claims.map(({ claim }) => claim),
    ),
    listUsedClaims(
      tx,
      orgIds,
      claims.map(({ claim }) => claim),
    ),
  ])
  const positionOf = (ordinal: number) => claims[ordinal - 1]?.position as number
  for (const { position, is_locked } of locks) if (!is_locked) free.delete(positionOf(position))
  for (const { position } of used) free.delete(positionOf(position))
  const seen = new Set<string>()
  for (const { claim, orgId, position } of claims) {
    const name = `${orgId} ${claim.operation} ${claim.key}`
    if (seen.has(name)) free.delete(position)
    seen.add(name)
  }
  return free
}

type Quoted = ReadonlyMap<string, Id<'chat'>>

const quotedIdsOf = ({ replyTo, content }: Outbound): string[] => [
  ...(replyTo === null ? [] : [replyTo]),
  ...(content.type === 'reaction' && content.reaction.message_id !== null ? [content.reaction.message_id] : []),
]

async function findQuoted(tx: Tx, items: readonly Outbound[]): Promise<Quoted> {
  const wanted = items.flatMap((item) => quotedIdsOf(item).map((id) => ({ orgId: item.orgId, id })))
  if (wanted.length === 0) return new Map()
  const rows = await listQuoted(
    tx,
    wanted.map(({ orgId }) => orgId),
    wanted.map(({ id }) => id),
  )
  return new Map(rows.map((row) => [`${row.org_id} ${row.id}`, row.chat_id]))
}

const numberOf = ({ numbers, numberId }: Outbound): NumberEntry => {
  const number = numbers.find(({ id }) => id === numberId)
  if (number === undefined) throw new Error(`number ${numberId} is not there`)
  return number
}

/**
 * Whether the network accepts only templates now and the message is not one. A scheduled message is checked by the network
 * on its day.
 */
const isOutsideWindow = (item: Outbound, chat: ChatRow | null): boolean =>
  item.sendAt === null &&
  item.content.type !== 'template' &&
  numberOf(item).traits.hasReplyWindow &&
  isWindowClosed(chat?.last_inbound_at ?? null, item.nowMs)

/** Why a message is refused. For a new recipient the chat is null: the refusal then leaves no trace of the recipient. */
function refusalOf(item: Outbound, chat: ChatRow | null, quoted: Quoted): Error | null {
  const missing = quotedIdsOf(item).find((id) => chat === null || quoted.get(`${item.orgId} ${id}`) !== chat.id)
  if (missing !== undefined)
    return messageNotFound({
      says: `There is no message ${missing} in this chat to reply or react to.`,
      params: { id: missing },
    })
  if (isOutsideWindow(item, chat) && item.outsideWindow === null)
    return replyWindowClosed({
      params: { chat_id: chat?.id ?? null, last_inbound_at: chat?.last_inbound_at?.toISOString() ?? null },
    })
  const optedOutAt = optedOutSince(item, chat)
  return optedOutAt === null
    ? null
    : recipientOptedOut({ params: { contact_id: chat?.contact.id ?? null, opted_out_at: optedOutAt } })
}

/** A scheduled one is judged by the network on its day: they may want it again by then. */
const optedOutSince = ({ isMarketing, sendAt, numberId }: Outbound, chat: ChatRow | null): string | null =>
  !isMarketing || sendAt !== null || chat === null ? null : stoppedSince(chat.contact, numberId)

const actorOf = ({ sender }: Outbound): EventActor => ({ type: sender.type, id: sender.id })

/** Plans the writes of a batch, message by message: several messages of one chat build on each other. */
class Plan {
  readonly #created: ReadonlySet<Id<'chat'>>
  readonly #messages: NewOutbound[] = []
  readonly #events: { orgId: OrgId; event: PreparedEvent }[] = []
  readonly #accepted: AcceptedMessage[] = []
  readonly #answers: StoredAnswer[] = []
  readonly #companions: Companion[] = []
  /** Chats as they are after the messages so far. */
  readonly #chats = new Map<string, ChatRow>()
  readonly #bumps = new Map<string, ChatBump>()
  readonly #recorded = new Set<string>()

  constructor(created: ReadonlySet<Id<'chat'>>) {
    this.#created = created
  }

  add(item: Outbound, { chat, rowAt }: WantedChatRow): AcceptedMessage {
    const before = this.#chats.get(chat.id) ?? chat
    const content = isOutsideWindow(item, before) ? (item.outsideWindow as MessageContent) : item.content
    const message = messageOf(item, before, content)
    this.#messages.push(insertOf(message))
    const after = item.sendAt === null ? this.#bump(message, before, rowAt) : before
    this.#recordChat(item, before, after)
    if (item.claim !== null) this.#answers.push(answerOf(item, item.claim, message))
    if (item.companion !== null) this.#companions.push(item.companion(message.id))
    const accepted = { row: message, contact: before.contact, entry: null, numberVersion: null }
    this.#accepted.push(accepted)
    return accepted
  }

  #bump(message: MessageRow, before: ChatRow, rowAt: string): ChatRow {
    const { id, type, body, status, happened_at: at } = message
    const last = { id, direction: 'outbound' as const, type, body, status, at: at.toISOString() }
    const after = { ...before, last_message: last, last_message_id: id, last_activity_at: at }
    this.#chats.set(before.id, after)
    this.#bumps.set(before.id, { orgId: before.org_id, id: before.id, rowAt, messageId: id, at })
    return after
  }

  /** Records a new chat once. A scheduled message does not change an existing chat. */
  #recordChat(item: Outbound, before: ChatRow, after: ChatRow): void {
    const isNew = this.#created.has(after.id) && !this.#recorded.has(after.id)
    if (!isNew && after === before) return
    this.#recorded.add(after.id)
    const event = {
      subject: after.id,
      data: presentChat(after, numberOf(item), item.nowMs),
      actor: actorOf(item),
      requestId: item.requestId,
    }
    const previous = { last_activity_at: before.last_activity_at.toISOString() }
    const change = isNew ? { type: chatCreated, ...event } : { type: chatUpdated, ...event, previous }
    this.#events.push({ orgId: item.orgId, event: prepareEvent(item.orgId, change, item.nowMs) })
  }

  async write(tx: Tx, sending: Sending | null): Promise<void> {
    if (this.#messages.length === 0) return
    for (const { orgId, event } of this.#events) recordPrepared(tx, orgId, [event])
    if (this.#companions.length > 0) await writeCompanions(tx, this.#companions)
    const offered = sending === null ? [] : this.#offer(sending.handOver)
    const batch = {
      messages: this.#messages,
      bumps: [...this.#bumps.values()],
      answers: this.#answers,
      job: SEND_JOB,
      offer: {
        ids: offered.map(({ row }) => row.id),
        processId: sending?.handOver.processId ?? '',
        leaseMs: sending?.leaseMs ?? 0,
      },
    }
    let handed = new Map<string, number | null>()
    try {
      const entries = await tx.finish(() => writeSendBatch(tx, batch))
      const leased = entries.filter(({ state }) => state === 'leased')
      handed = new Map(leased.map((entry) => [entry.id, entry.number_version]))
    } finally {
      for (const { row } of offered) if (!handed.has(row.id)) sending?.handOver.release(row.number_id, 1)
    }
    if (sending === null) return
    for (const one of offered.filter(({ row }) => handed.has(row.id))) {
      one.entry = entryOf(one.row, sending)
      one.numberVersion = handed.get(one.row.id) ?? null
    }
  }

  /** The first of each chat, as far as this process holds slots of its number. What is scheduled waits. */
  #offer(handOver: HandOver): AcceptedMessage[] {
    const firsts = new Map<string, AcceptedMessage>()
    for (const one of this.#accepted)
      if (one.row.send_at === null && !firsts.has(one.row.chat_id)) firsts.set(one.row.chat_id, one)
    const byLane = Map.groupBy(firsts.values(), ({ row }) => row.number_id)
    return [...byLane].flatMap(([id, ofLane]) => {
      const orgId = (ofLane[0] as AcceptedMessage).row.org_id
      return ofLane.slice(0, handOver.reserve({ orgId, id }, ofLane.length))
    })
  }
}

const entryOf = ({ id, number_id, org_id, chat_id, created_at }: MessageRow, { leaseMs }: Sending): ClaimedEntry =>
  bornEntry({ id, laneId: number_id, orgId: org_id, job: SEND_JOB, orderKey: chat_id }, { leaseMs, now: created_at })

function messageOf(item: Outbound, chat: ChatRow, content: MessageContent): MessageRow {
  const createdAt = new Date(item.nowMs)
  const status = item.sendAt === null ? 'queued' : 'scheduled'
  return {
    org_id: item.orgId,
    id: item.id,
    chat_id: chat.id,
    number_id: chat.number_id,
    direction: 'outbound',
    type: content.type,
    body: bodyOf(content),
    content: storedContent(content, item.identityKeyHash),
    reply_to: item.replyTo,
    provider_id: null,
    client_reference: item.clientReference,
    order_id: item.orderId,
    sender_type: item.sender.type,
    sender_id: item.sender.id,
    status,
    error: null,
    status_history: [{ status, at: createdAt.toISOString() }],
    send_at: item.sendAt,
    metadata: item.metadata,
    is_unread: false,
    happened_at: item.sendAt ?? placeAfter(chat, item.id, createdAt),
    created_at: createdAt,
    settled_lease: 0,
    unknown_since: null,
    is_resent: false,
    raw: null,
  }
}

const insertOf = (row: MessageRow): NewOutbound => ({
  ...row,
  content: JSON.stringify(row.content),
  metadata: JSON.stringify(row.metadata),
  words: wordsOfText(row.org_id, row.body ?? '').join(' '),
})

/** The same text that the pipeline renders for the first caller. */
const answerOf = (item: Outbound, claim: IdempotencyClaim, message: MessageRow): StoredAnswer => ({
  orgId: item.orgId,
  claim,
  reply: {
    status: 201,
    body: renderValue(Message, presentMessage(message)),
    location: item.location === null ? null : `${item.location}/${message.id}`,
  },
})
