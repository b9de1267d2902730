import type { ChannelReport } from '../../channels/channel-connector.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { ChatEventContext } from '../chats/chats.ts'
import { lockNames } from '../contacts/contacts.ts'
import {
  listByProviderIds,
  type MessageRow,
  type ParkedWatch,
  type ProviderKey,
  providerLockName,
} from '../messages/messages.ts'

export type ApplyingNumber = { orgId: OrgId; id: Id<'num'> }

/** Hands a stored cart, picture or document of a customer to orders, in the transaction that stores it. */
export type MessageForOrders = (tx: Tx, orgId: OrgId, message: { id: Id<'msg'>; isCart: boolean }) => Promise<void>

/** Sees the messages of customers, in the transaction that stores them. */
export type MessagesReceived = (tx: Tx, orgId: OrgId, messages: readonly MessageRow[]) => Promise<void>

/** Reports of one organization being applied: the transaction they are applied in, and what they lead to. */
export type BatchApplying = ChatEventContext & {
  tx: Tx
  orgId: OrgId
  now: Date
  wake: (orgIds: readonly OrgId[]) => void
  onMessageForOrders: MessageForOrders
  onReceived: MessagesReceived
  watch: Pick<ParkedWatch, 'note'>
}

/** What applying one report of one number needs. */
export type Applying = BatchApplying & { number: ApplyingNumber }

type Kind = ChannelReport['kind']

/** A report, its number, and its place: the batch that the network posted and the position in it. */
export type ReportItem<ReportKind extends Kind = Kind> = {
  number: ApplyingNumber
  report: Extract<ChannelReport, { kind: ReportKind }>
  journalId: Id<'jrn'>
  position: number
}

export const itemsOfKind = <ReportKind extends Kind>(items: readonly ReportItem[], kind: ReportKind) =>
  items.filter((item): item is ReportItem & ReportItem<ReportKind> => item.report.kind === kind)

/**
 * The messages that a batch of reports is about, by the ids that the network assigned. A transaction that stores such an
 * id, or relies on its absence, holds its lock (parked-statuses.ts); known ids need no lock.
 */
export class ProviderNames {
  readonly #ids = new Map<string, Id<'msg'>>()

  /** Null also when the report names none. */
  idOf(number: ApplyingNumber, providerId: string | null): Id<'msg'> | null {
    return providerId === null ? null : (this.#ids.get(`${number.id} ${providerId}`) ?? null)
  }

  note(number: ApplyingNumber, providerId: string, id: Id<'msg'>): void {
    this.#ids.set(`${number.id} ${providerId}`, id)
  }

  async read(
    applying: BatchApplying,
    messages: readonly ReportItem<'message'>[],
    statuses: readonly ReportItem<'status'>[],
  ): Promise<void> {
    const { tx, orgId } = applying
    const ofStatuses = statuses.map(keyOf)
    await this.#find(applying, ofStatuses)
    const toLock = [...messages.map(keyOf), ...ofStatuses.filter((key) => !this.#ids.has(nameOf(key)))]
    if (toLock.length === 0) return
    await lockNames(
      tx,
      toLock.map((key) => providerLockName({ orgId, ...key })),
    )
    await this.#find(applying, [...toLock, ...messages.flatMap(quotedKeysOf)])
  }

  async #find({ tx, orgId }: BatchApplying, keys: readonly ProviderKey[]): Promise<void> {
    const wanted = [...new Map(keys.map((key) => [nameOf(key), key])).values()]
    if (wanted.length === 0) return
    for (const { number_id, provider_id, id } of await listByProviderIds(tx, orgId, wanted))
      this.#ids.set(`${number_id} ${provider_id}`, id)
  }
}

const nameOf = ({ numberId, providerId }: ProviderKey) => `${numberId} ${providerId}`

const keyOf = ({ number, report }: ReportItem<'message'> | ReportItem<'status'>): ProviderKey => ({
  numberId: number.id,
  providerId: report.providerId,
})

/** The messages that it replies or reacts to. */
const quotedKeysOf = ({ number, report }: ReportItem<'message'>): ProviderKey[] =>
  [report.replyToProviderId, report.reactsToProviderId].flatMap((providerId) =>
    providerId === null ? [] : [{ numberId: number.id, providerId }],
  )
