import type { MessageContent } from '../../channels/content/content.ts'
import type { NumberEntry } from '../../channels/numbers/numbers.ts'
import { type EventActor, type PreparedEvent, prepareEvent, recordPrepared } from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import { type Companion, writeCompanions } from '../../platform/database/companions.ts'
import type { Tx } from '../../platform/database/database.ts'
import { commitSpanOf } from '../../platform/database/group-commit-batch.ts'
import type { IdempotencyClaim } from '../../platform/http/pipeline/idempotency.ts'
import { renderValue } from '../../platform/http/pipeline/reply-shape.ts'
import { bornEntry, traceEnqueued } from '../../platform/outbox/entries.ts'
import type { HandOver } from '../../platform/outbox/grants.ts'
import type { ClaimedEntry } from '../../platform/outbox/job.ts'
import { traceOfChange } from '../../platform/telemetry/traces.ts'
import { type ChatRow, isWindowClosed, placeAfter, presentChat } from '../chats/chats.ts'
import { Message } from '../messages/messages.schemas.ts'
import { bodyOf, type MessageRow, type MessageWarning, presentMessage, storedContent } from '../messages/messages.ts'
import { chatCreated, chatUpdated } from '../messaging.events.ts'
import { wordsOfText } from '../search/search.ts'
import type { Outbound } from './outbound-message.ts'
import type { AcceptedMessage } from './sendable.ts'
import {
  type ChatBump,
  type NewOutbound,
  type StoredAnswer,
  type WantedChatRow,
  writeSendBatch,
} from './sending.sql.ts'

/** What accepting a batch of messages writes: messages, chats, events, outbox entries and stored answers. */
export const SEND_JOB = 'messages.send'

/** Lets this process send messages once they are committed. */
export type Sending = { handOver: HandOver; leaseMs: number }

const numberOf = ({ numbers, numberId }: Outbound): NumberEntry => {
  const number = numbers.find(({ id }) => id === numberId)
  if (number === undefined) throw new Error(`number ${numberId} is not there`)
  return number
}

/**
 * Whether the network accepts only templates now and the message is not one. A scheduled message is checked by the network
 * on its day.
 */
export const isOutsideWindow = (item: Outbound, chat: ChatRow | null): boolean =>
  numberOf(item).traits.hasReplyWindow && needsTemplate(item, chat)

const needsTemplate = ({ sendAt, content, nowMs }: Outbound, chat: ChatRow | null): boolean =>
  sendAt === null && content.type !== 'template' && isWindowClosed(chat?.last_inbound_at ?? null, nowMs)

const warningsFor = (item: Outbound, chat: ChatRow): MessageWarning[] =>
  numberOf(item).isLenient && needsTemplate(item, chat) ? ['reply_window_closed'] : []

const actorOf = ({ sender }: Outbound): EventActor => ({ type: sender.type, id: sender.id })

/** Plans the writes of a batch, message by message: several messages of one chat build on each other. */
export class Plan {
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
  /** Of the entries that are traced, by message. */
  readonly #traces = new Map<string, string>()

  constructor(created: ReadonlySet<Id<'chat'>>) {
    this.#created = created
  }

  add(item: Outbound, { chat, rowAt }: WantedChatRow): AcceptedMessage {
    const before = this.#chats.get(chat.id) ?? chat
    const content = (isOutsideWindow(item, before) ? item.outsideWindow : null) ?? item.content
    const message = messageOf(item, before, content)
    const trace = commitSpanOf(item)?.traceparent ?? traceOfChange(item.requestId, item.id)
    const traceparent = traceEnqueued({ id: message.id, job: SEND_JOB, traceparent: trace })
    this.#messages.push(insertOf(message, traceparent))
    const after = item.sendAt === null ? this.#bump(message, before, rowAt) : before
    this.#recordChat(item, { before, after, trace })
    if (item.claim !== null) this.#answers.push(answerOf(item, item.claim, message))
    if (item.companion !== null) this.#companions.push(item.companion(message.id))
    const accepted = { row: message, contact: before.contact, entry: null, numberVersion: null }
    this.#accepted.push(accepted)
    if (traceparent !== null) this.#traces.set(message.id, traceparent)
    return accepted
  }

  #bump(message: MessageRow, before: ChatRow, rowAt: string): ChatRow {
    const { id, type, body, status, happened_at: at } = message
    const last = { id, direction: 'outbound' as const, type, body, status, at: at.toISOString() }
    const after = { ...before, last_message: last, last_message_id: id, last_activity_at: at }
    this.#chats.set(before.id, after)
    this.#bumps.set(before.id, { id: before.id, rowAt, messageId: id, at })
    return after
  }

  /** Records a new chat once. A scheduled message does not change an existing chat. */
  #recordChat(
    item: Outbound,
    { before, after, trace }: { before: ChatRow; after: ChatRow; trace: string | null },
  ): void {
    const isNew = this.#created.has(after.id) && !this.#recorded.has(after.id)
    if (!isNew && after === before) return
    this.#recorded.add(after.id)
    const event = {
      subject: after.id,
      data: presentChat(after, numberOf(item), item.nowMs),
      actor: actorOf(item),
      requestId: item.requestId,
      traceparent: trace,
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
      orgId: firstOf(this.#messages).org_id,
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
      one.entry = entryOf(one.row, sending, this.#traces.get(one.row.id) ?? null)
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
      const orgId = firstOf(ofLane).row.org_id
      return ofLane.slice(0, handOver.reserve({ orgId, id }, ofLane.length))
    })
  }
}

const entryOf = (
  { id, number_id, org_id, chat_id, created_at }: MessageRow,
  { leaseMs }: Sending,
  traceparent: string | null,
): ClaimedEntry =>
  bornEntry(
    { id, laneId: number_id, orgId: org_id, job: SEND_JOB, orderKey: chat_id, traceparent },
    { leaseMs, now: created_at },
  )

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
    content: storedContent(content, {
      identityKeyHash: item.identityKeyHash,
      warnings: warningsFor(item, chat),
    }),
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

const insertOf = (row: MessageRow, traceparent: string | null): NewOutbound => ({
  ...row,
  traceparent,
  content: JSON.stringify(row.content),
  metadata: JSON.stringify(row.metadata),
  words: wordsOfText(row.org_id, row.body ?? '').join(' '),
})

/** The same text that the pipeline renders for the first caller. */
const answerOf = (item: Outbound, claim: IdempotencyClaim, message: MessageRow): StoredAnswer => ({
  claim,
  reply: {
    status: 201,
    body: renderValue(Message, presentMessage(message)),
    location: item.location === null ? null : `${item.location}/${message.id}`,
  },
})
