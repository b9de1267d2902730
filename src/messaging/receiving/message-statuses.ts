import { type Id, idTime, isId } from '../../kernel/ids.ts'
import { cleanJson } from '../../platform/database/stored-json.ts'
import { type ChatKey, enterThread, hasLeft, leftAtOf, lockChatsAhead } from '../chats/chats.ts'
import { isNamed, personOf } from '../contacts/contacts.ts'
import type { ContactLink } from '../identities/identities.ts'
import {
  type LearnedReport,
  learn,
  learnedOf,
  lockMessages,
  type MessageRow,
  moveMessages,
  type NewParked,
  parkedFormOf,
  parkReports,
  recordMove,
  takeParkedOf,
} from '../messages/messages.ts'
import type { BatchApplying, ProviderNames, ReportItem } from './applying.ts'
import { listRecipients } from './inbound-messages.sql.ts'

/**
 * Applies the statuses of outbound messages. All rows of a batch are locked and read at once, each report is applied in
 * turn, and the results are written at once. Every move is recorded as an event, also when the next one is in the same
 * batch.
 */
export type StatusItem = ReportItem<'status'>

/** Ours by the token that travelled along, else by the network's own id. */
function idOf({ number, report }: StatusItem, names: ProviderNames): Id<'msg'> | null {
  const { clientToken, providerId } = report
  return clientToken !== null && isId('msg', clientToken) ? clientToken : names.idOf(number, providerId)
}

/** The recipient of an outbound message is the contact of its chat, under all names that the network reports. */
export async function findLinks(
  { tx, orgId }: BatchApplying,
  items: readonly StatusItem[],
  names: ProviderNames,
): Promise<ContactLink[]> {
  const linked = items.flatMap((item) => {
    const [id, person] = [idOf(item, names), personOf(item.report.recipient)]
    return id === null || (person.phone === null && person.userId === null) ? [] : [{ id, person }]
  })
  if (linked.length === 0) return []
  const rows = await listRecipients(tx, orgId, [...new Set(linked.map(({ id }) => id))])
  const recipients = new Map(rows.map((row) => [row.message_id, row]))
  const links = new Map<string, ContactLink>()
  for (const { id, person } of linked) {
    const recipient = recipients.get(id)
    if (recipient === undefined || isNamed(recipient, person)) continue
    const link = { contactId: recipient.id, person, sentAt: recipient.sent_at }
    links.set(JSON.stringify([recipient.id, person.phone, person.userId, link.sentAt]), link)
  }
  return [...links.values()]
}

/** The messages that the statuses name, as far as their ids are known here. */
export const idsOf = (items: readonly StatusItem[], names: ProviderNames): Id<'msg'>[] => [
  ...new Set(items.map((item) => idOf(item, names)).filter((id) => id !== null)),
]

/** Runs before messages are stored in these places, and before `applyStatuses`. */
export async function lockThreadsOfStatuses(
  { tx, orgId }: BatchApplying,
  items: readonly StatusItem[],
  { names, places }: { names: ProviderNames; places: readonly ChatKey[] },
): Promise<void> {
  const messageIds = idsOf(items, names)
  if (messageIds.length > 0) await lockChatsAhead(tx, orgId, { messageIds, places })
}

export async function applyStatuses(
  applying: BatchApplying,
  items: readonly StatusItem[],
  names: ProviderNames,
): Promise<void> {
  if (items.length === 0) return
  const { tx, orgId, now } = applying
  const ids = idsOf(items, names)
  const rows = ids.length === 0 ? [] : await lockMessages(tx, orgId, ids)
  const learning = new Learning(applying, rows)
  const parked: NewParked[] = []
  for (const item of items) {
    const id = idOf(item, names)
    const row = id === null ? null : learning.find(id)
    const report = cleanJson(parkedFormOf(item.report, idTime(item.journalId)))
    if (row !== null && row.number_id === item.number.id) learning.add(row, report)
    else
      parked.push({ numberId: item.number.id, providerId: item.report.providerId, status: item.report.status, report })
  }
  if (parked.length > 0) {
    await parkReports(tx, orgId, parked, now)
    tx.afterCommit(() => applying.watch.note(orgId, parked))
  }
  await learning.write()
}

/** Messages, whose rows are locked, as they are after the reports so far. */
class Learning {
  readonly #applying: BatchApplying
  readonly #rows: Map<string, MessageRow>
  readonly #before: ReadonlyMap<string, MessageRow>

  constructor(applying: BatchApplying, rows: readonly MessageRow[]) {
    this.#applying = applying
    this.#rows = new Map(rows.map((row) => [row.id, row]))
    this.#before = new Map(this.#rows)
  }

  find(id: string): MessageRow | null {
    return this.#rows.get(id) ?? null
  }

  add(row: MessageRow, report: LearnedReport): void {
    const move = row.direction === 'outbound' ? learn(row, learnedOf(report)) : null
    if (move === null) return
    this.#rows.set(row.id, move.after)
    recordMove(move, this.#applying.events)
  }

  async write(): Promise<void> {
    await this.#addParked()
    const changed = [...this.#rows.values()].filter((row) => row !== this.#before.get(row.id))
    if (changed.length > 0) await moveMessages(this.#applying.tx, this.#applying.orgId, changed)
    for (const row of changed) {
      const before = this.#before.get(row.id)
      if (before !== undefined && hasLeft(before, row)) await enterThread(this.#applying, row, leftAtOf(before))
    }
  }

  /** Statuses that came without the token, while the network's id of their message was not known here. */
  async #addParked(): Promise<void> {
    const named = [...this.#rows.values()].filter(
      ({ id, provider_id }) => provider_id !== null && this.#before.get(id)?.provider_id === null,
    )
    if (named.length === 0) return
    const { tx, orgId } = this.#applying
    const keys = named.map((row) => ({ numberId: row.number_id, providerId: row.provider_id as string }))
    for (const { number_id, provider_id, report } of await takeParkedOf(tx, orgId, keys)) {
      const found = named.find((row) => row.number_id === number_id && row.provider_id === provider_id)
      const row = found === undefined ? null : this.find(found.id)
      if (row !== null) this.add(row, report as LearnedReport)
    }
  }
}
