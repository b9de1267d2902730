import { isSandbox } from '../../accounts/organizations/organizations.ts'
import type { ChannelReport } from '../../channels/channel-connector.ts'
import { lockJournal } from '../../channels/journal/journal.ts'
import type { NumberDirectory, NumberHealth } from '../../channels/numbers/numbers.ts'
import { EventBuffer } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, idTime, type OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { limitLockWaits } from '../../platform/database/queries.ts'
import { findChat, findRecipient, noteCall, recordChatCreated, recordChatUpdated } from '../chats/chats.ts'
import {
  findHolder,
  groupOf,
  lookedFor,
  OPTED_OUT,
  personOf,
  type ReportedOptOut,
  saveOptOut,
  saveOptOuts,
  syncName,
} from '../contacts/contacts.ts'
import { changeIdentity, recordResolution, resolveContact } from '../identities/identities.ts'
import type { ParkedWatch } from '../messages/messages.ts'
import {
  type Applying,
  type BatchApplying,
  itemsOfKind,
  type MessageForOrders,
  type MessagesReceived,
  ProviderNames,
  type ReportItem,
} from './applying.ts'
import {
  fillPlaceholders,
  isFileOfPast,
  openChats,
  PeopleMoved,
  plannedMessages,
  storeMessages,
} from './inbound-messages.ts'
import { editMessage, revokeMessage } from './message-changes.ts'
import { applyStatuses, findLinks, idsOf, lockThreadsOfStatuses } from './message-statuses.ts'
import { applyReport } from './network-reports.ts'
import { People } from './senders.ts'

/**
 * Applies what the network reported about one organization. Reports arrive twice and in any order, so each is applied as if
 * it were the only one:
 *
 *   a message          stored once, however often it is reported; the unique key on the provider's id decides
 *   a status           moves its message forward or not at all; of an unknown message it is parked
 *   edited, revoked    the same, for messages of the customer
 *   another identity   linked, or people are merged
 *   a call             opens the reply window
 *   a preference       stored, unless a later one is known (marketing-opt-outs.ts)
 *   a contact          gets the name that the business gave it
 *   anything else      recorded as an event once, and kept with its number (network-reports.ts)
 *
 * Nearly all reports are messages and statuses. Many of them share a transaction and its statements; locks are taken in one
 * order: provider's ids, people, chats, messages, the counter of events. Other reports are rare and applied one by one.
 */
export type ApplyOptions = {
  database: Database
  clock: Clock
  directory: NumberDirectory
  health: NumberHealth
  wake: (orgIds: readonly OrgId[]) => void
  onMessageForOrders: MessageForOrders
  onReceived: MessagesReceived
  watch: Pick<ParkedWatch, 'note'>
}

export type LockWait = { lockMs: number }

const TOGETHER: readonly ChannelReport['kind'][] = ['message', 'status']

export const canBeTogether = ({ report }: ReportItem): boolean => TOGETHER.includes(report.kind)

const TRIES_MAX = 3

/**
 * All of one organization, and all of them or none: the caller splits them when one is bad, or behind a lock that is held
 * elsewhere for longer than `lockMs`.
 */
export async function applyTogether(
  options: ApplyOptions & LockWait,
  orgId: OrgId,
  items: readonly ReportItem[],
): Promise<void> {
  let besides: readonly Id<'con'>[] = []
  for (let tries = 1; ; tries++) {
    try {
      await transact(options, { orgId, items, work: (applying) => applyIn(applying, items, besides) })
      const optOuts = items.filter(isOptOut)
      const files = itemsOfKind(items, 'message').filter(isFileOfPast)
      // This needs a separate transaction: it locks people, which come before messages in the lock order.
      if (optOuts.length > 0)
        await transact(options, { orgId, items: optOuts, work: (applying) => applyOptOuts(applying, optOuts) })
      if (files.length > 0)
        await transact(options, { orgId, items: files, work: (applying) => fillPlaceholders(applying, files) })
      return noteTrouble(options, orgId, items)
    } catch (error) {
      if (!(error instanceof PeopleMoved) || tries >= TRIES_MAX) throw error
      besides = error.contactIds
    }
  }
}

/**
 * Networks accept messages and report trouble with the account afterwards. The operator has to see it at the number, not
 * only at the message.
 */
function noteTrouble({ health }: ApplyOptions, orgId: OrgId, items: readonly ReportItem[]): void {
  for (const { number, report } of itemsOfKind(items, 'status'))
    if (report.failure?.class === 'account') health.failed(orgId, number.id, report.failure)
}

/** The batches of reports were deleted since they were read: a sandbox was reset. */
export class ReportsDeleted extends Error {}

type Transaction = { orgId: OrgId; items: readonly ReportItem[]; work: (applying: BatchApplying) => Promise<void> }

/**
 * In a sandbox, the lock on the batches makes a reset wait for the whole change; after a reset nothing of what it deleted is
 * written again. Live organizations are never reset.
 */
async function transact(options: ApplyOptions & LockWait, { orgId, items, work }: Transaction): Promise<void> {
  const isResettable = await isSandbox(options.database, orgId)
  await options.database.transaction(async (tx: Tx) => {
    const { clock, directory, wake, onMessageForOrders, onReceived, watch, lockMs } = options
    const [events, now] = [new EventBuffer(), new Date(clock.now())]
    // Travels with the first statement of the work.
    limitLockWaits(tx, lockMs).catch(() => {})
    const batchIds = isResettable ? [...new Set(items.map(({ journalId }) => journalId))] : []
    const locked = isResettable ? lockJournal(tx, orgId, batchIds) : Promise.resolve([])
    locked.catch(() => {})
    await work({ tx, orgId, now, directory, clock, events, wake, onMessageForOrders, onReceived, watch })
    if ((await locked).length < batchIds.length) throw new ReportsDeleted('the reports were deleted')
    await events.record(tx, now.getTime())
  })
}

async function applyIn(
  applying: BatchApplying,
  items: readonly ReportItem[],
  besides: readonly Id<'con'>[],
): Promise<void> {
  const [messages, statuses] = [itemsOfKind(items, 'message'), itemsOfKind(items, 'status')]
  const [names, people] = [new ProviderNames(), new People()]
  await names.read(applying, messages, statuses)
  const planned = plannedMessages(messages, names)
  const links = await findLinks(applying, statuses, names)
  const written = planned.map(({ person, item }) => ({ person, numberId: item.number.id }))
  await people.resolve(applying, { written, links, besides, messageIds: idsOf(statuses, names) })
  const places = written.map(({ person, numberId }) => ({ contactId: people.of(person).contact.id, numberId }))
  await lockThreadsOfStatuses(applying, statuses, { names, places })
  await storeMessages(applying, planned, { names, people })
  await applyStatuses(applying, statuses, names)
}

/** A report of a kind that is rare. */
export async function applyAlone(options: ApplyOptions & LockWait, item: ReportItem): Promise<void> {
  const { number, report } = item
  const { orgId, id } = number
  if (report.kind === 'account_problem') return options.health.failed(orgId, id, report.failure)
  const work = async (applying: BatchApplying) => {
    for (const call of itemsOfKind([item], 'call')) await applyCall(applying, call)
    for (const other of itemsOfKind([item], 'other')) await applyReport({ ...applying, number }, other, options.health)
    await applyRare({ ...applying, number }, report)
  }
  await transact(options, { orgId, items: [item], work })
}

async function applyRare(applying: Applying, report: ChannelReport): Promise<void> {
  if (report.kind === 'edited') return editMessage(applying, report)
  if (report.kind === 'revoked') return revokeMessage(applying, report)
  if (report.kind === 'identity') return applyIdentity(applying, report)
  if (report.kind === 'preference') return applyPreference(applying, report)
  if (report.kind === 'contact') return applyContact(applying, report)
}

/** Contacts of the address book who never wrote are created: their first message may come without a name. */
async function applyContact(applying: Applying, report: Extract<ChannelReport, { kind: 'contact' }>): Promise<void> {
  const { tx, orgId, now } = applying
  const { groupId, name } = report
  if (groupId !== null) return recordResolution(applying, await resolveContact(tx, orgId, groupOf(groupId, name), now))
  const person = personOf(report.person)
  const known = await findHolder(tx, orgId, lookedFor(person))
  if (known === null && name === null) return
  const resolution = await resolveContact(tx, orgId, person, now)
  const contact = await syncName(tx, orgId, resolution.contact, name, now)
  const isRenamed = contact.name !== resolution.contact.name && !resolution.isNew
  await recordResolution(applying, { ...resolution, contact, isChanged: resolution.isChanged || isRenamed })
}

async function applyIdentity(applying: Applying, report: Extract<ChannelReport, { kind: 'identity' }>): Promise<void> {
  const { tx, number, now } = applying
  const change = { before: personOf(report.before), after: personOf(report.after), at: report.at ?? now, now }
  const resolution = await changeIdentity(tx, number.orgId, change)
  if (resolution !== null) await recordResolution(applying, resolution)
}

/** A customer called: nothing is added to the thread, but the reply window is open from then on. */
async function applyCall(applying: BatchApplying, { number, report, journalId }: ReportItem<'call'>): Promise<void> {
  const { tx, orgId, now } = applying
  const resolution = await resolveContact(tx, orgId, personOf(report.from), now)
  // `resolveContact` has created or locked this contact.
  const chats = await openChats(applying, [{ contactId: resolution.contact.id, numberId: number.id }], () => true)
  const [opened] = [...chats.values()]
  if (opened === undefined) return
  // A clock ahead of ours opens no window for longer.
  const arrivedAt = idTime(journalId)
  const at = report.at !== null && report.at < arrivedAt ? report.at : arrivedAt
  const isLater = (await noteCall(tx, orgId, { id: opened.id, at })) === 1
  const chat = isLater || opened.isNew ? await findChat(tx, orgId, opened.id) : null
  await recordResolution(applying, resolution, chat?.id ?? null)
  const actor = { type: 'contact' as const, id: resolution.contact.id }
  if (chat !== null && opened.isNew) await recordChatCreated(applying, chat, { actor })
  else if (chat !== null) await recordChatUpdated(applying, chat, { actor })
}

const isOptOut = ({ report }: ReportItem): boolean => report.kind === 'status' && report.failure?.code === OPTED_OUT

/** Runs after the statuses are applied, because those link people to all of their names. */
async function applyOptOuts(applying: BatchApplying, items: readonly ReportItem[]): Promise<void> {
  const { tx, orgId, now } = applying
  const reported: ReportedOptOut[] = []
  for (const { number, report } of itemsOfKind(items, 'status')) {
    const names = { id: report.clientToken, numberId: number.id, providerId: report.providerId }
    const recipient = await findRecipient(tx, orgId, names)
    const contactId = recipient?.contact_id ?? (await findHolder(tx, orgId, lookedFor(personOf(report.recipient))))
    if (contactId !== null)
      reported.push({ orgId, contactId, numberId: number.id, isStopped: true, at: report.at ?? now, now })
  }
  await saveOptOuts(applying, reported)
}

/** A preference of an unknown person is ignored. */
async function applyPreference(
  applying: Applying,
  report: Extract<ChannelReport, { kind: 'preference' }>,
): Promise<void> {
  const { tx, orgId, number, now } = applying
  const contactId = await findHolder(tx, orgId, lookedFor({ ...personOf(report.person), username: null }))
  if (contactId === null) return
  const { isStopped, at } = report
  await saveOptOut(applying, { orgId, contactId, numberId: number.id, isStopped, at: at ?? now, now })
}
