import type { Id, OrgId } from '../../kernel/ids.ts'
import { firstOf, storedValue } from '../../kernel/lists.ts'
import type { Database, TransactionOptions, Tx } from '../../platform/database/database.ts'
import { createGroupCommit, type GroupCommit, type Outcome } from '../../platform/database/group-commit.ts'
import { rehearse } from '../../platform/database/rehearsal.ts'
import { IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
import { phoneVariants } from '../../platform/phone/phone-numbers.ts'
import type { ChatRow } from '../chats/chats.ts'
import { stoppedSince } from '../contacts/contacts.ts'
import type { MessageRow } from '../messages/messages.ts'
import { messageNotFound, recipientOptedOut, replyWindowClosed } from '../messaging.errors.ts'
import { isOutsideWindow, Plan, type Sending } from './acceptance-plan.ts'
import { type NewOutboundMessage, type Outbound, type OutboundContext, prepare } from './outbound-message.ts'
import { createRecipients } from './recipients.ts'
import type { AcceptedMessage, SendSource } from './sendable.ts'
import {
  deleteChats,
  listQuoted,
  listUsedClaims,
  lockClaims,
  lockWantedChats,
  type WantedChat,
  type WantedChatRow,
} from './sending.sql.ts'

/**
 * Accepts messages for sending, many at once: concurrent requests of an organization share one transaction.
 *
 *   lock the chats and read them as they are now ──▶ check each message ──▶ write everything in one statement ──▶ commit
 *
 * A message that is refused (its window is closed, the message it replies to does not exist, its key was used) does not
 * prevent the others from being written. For a new recipient, contact and chat are created under locks that come before
 * those on chats: where chats are locked already, the transaction is rolled back and started again.
 */
export type SenderOptions = OutboundContext & {
  database: Database
  source: Pick<SendSource, 'keep'>
  wake: (orgIds: readonly OrgId[]) => void
  sending: Sending
}

export type Sender = {
  send(message: NewOutboundMessage): Promise<MessageRow>
  /** Throws what `send` would refuse it with now. Nothing is sent or stored. */
  rehearse(message: NewOutboundMessage): Promise<void>
  /** Queues a message in the transaction of the caller, as its last step: it takes the counter of events. */
  queue(tx: Tx, message: NewOutboundMessage): Promise<MessageRow>
  drain(): Promise<void>
  stats: GroupCommit<Outbound, AcceptedMessage>['stats']
}

export function createSender(options: SenderOptions): Sender {
  const { database, source, wake, sending } = options
  const group = createGroupCommit<Outbound, AcceptedMessage>({
    name: 'messages',
    // Messages to one customer are accepted in the order they came, also when batches overlap.
    groupOf: ({ orgId }) => orgId,
    keyOf: ({ numberId, to }) => `${numberId} ${to.value}`,
    async write(items) {
      const outcomes = await writeOutbound((work, how) => database.transaction(work, how), items, sending)
      const accepted = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
      for (const message of accepted) source.keep(message)
      sending.handOver.start(accepted.flatMap(({ entry }) => entry ?? []))
      const waiting = accepted.filter(({ entry }) => entry === null).map(({ row }) => row.org_id)
      if (waiting.length > 0) wake([...new Set(waiting)])
      return outcomes
    },
  })
  return {
    send: async (message) => (await group.submit(await prepare(options, database, message))).row,
    async rehearse(message) {
      const item = await prepare(options, database, message)
      await rehearse(database, (tx) => writeOne(tx, item))
    },
    async queue(tx, message) {
      const item = await prepare(options, tx, message)
      const written = await writeOne(tx, item)
      tx.afterCommit(() => {
        source.keep(written)
        wake([item.orgId])
      })
      return written.row
    },
    drain: group.drain,
    stats: group.stats,
  }
}

async function writeOne(tx: Tx, item: Outbound): Promise<AcceptedMessage> {
  const [outcome] = await writeOutboundIn(tx, [item])
  if (outcome?.ok !== true) throw outcome?.error ?? new Error('a message was written without an outcome')
  return outcome.value
}

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
const writeOutboundIn = (tx: Tx, items: readonly Outbound[]): Promise<Outcome<AcceptedMessage>[]> =>
  writeOutbound((work) => tx.savepoint(work), items)

async function writeItems(
  tx: Tx,
  items: readonly Outbound[],
  { created, sending }: { created: ReadonlySet<Id<'chat'>> | null; sending: Sending | null },
): Promise<Outcome<AcceptedMessage>[]> {
  const { orgId } = firstOf(items)
  const wanted = items.flatMap(wantedOf)
  const [claimed, found, quoted] = await Promise.all([
    findFreeClaims(tx, orgId, items),
    lockWantedChats(tx, orgId, wanted),
    findQuoted(tx, orgId, items),
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
    return error === null ? { ok: true, value: plan.add(item, storedValue(chats, position)) } : { ok: false, error }
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
  const unused = found.map(({ chat }) => chat).filter(({ id }) => created.has(id) && !used.has(id))
  if (unused.length > 0)
    await deleteChats(
      tx,
      firstOf(unused).org_id,
      unused.map(({ id }) => id),
    )
}

const raceLost = new IdempotencyRaceLost()

/** A phone in all its forms, which belong to the same person. The first known form is used. */
function wantedOf({ orgId, to, numberId, isMarketing }: Outbound, position: number): WantedChat[] {
  const values = to.kind === 'phone' ? phoneVariants(to.value) : [to.value]
  return values.map((value) => ({ position, orgId, kind: to.kind, value, numberId, isMarketing }))
}

/** The positions whose key is free, or that have none. Of two with the same key in one batch the first is taken. */
async function findFreeClaims(tx: Tx, orgId: OrgId, items: readonly Outbound[]): Promise<ReadonlySet<number>> {
  const free = new Set(items.keys())
  const claims = items.flatMap(({ claim }, position) => (claim === null ? [] : [{ claim, position }]))
  if (claims.length === 0) return free
  const wanted = claims.map(({ claim }) => claim)
  const [locks, used] = await Promise.all([lockClaims(tx, orgId, wanted), listUsedClaims(tx, orgId, wanted)])
  const positionOf = (ordinal: number) => claims[ordinal - 1]?.position as number
  for (const { position, is_locked } of locks) if (!is_locked) free.delete(positionOf(position))
  for (const { position } of used) free.delete(positionOf(position))
  const seen = new Set<string>()
  for (const { claim, position } of claims) {
    const name = `${claim.operation} ${claim.key}`
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

async function findQuoted(tx: Tx, orgId: OrgId, items: readonly Outbound[]): Promise<Quoted> {
  const wanted = items.flatMap(quotedIdsOf)
  if (wanted.length === 0) return new Map()
  return new Map((await listQuoted(tx, orgId, wanted)).map((row) => [row.id, row.chat_id]))
}

/** Why a message is refused. For a new recipient the chat is null: the refusal then leaves no trace of the recipient. */
function refusalOf(item: Outbound, chat: ChatRow | null, quoted: Quoted): Error | null {
  const missing = quotedIdsOf(item).find((id) => chat === null || quoted.get(id) !== chat.id)
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
