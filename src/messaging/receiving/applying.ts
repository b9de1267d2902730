import type { ChannelReport } from '../../channels/channel-connector.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { ChatEventContext } from '../chats/chat-events.ts'
import type { ParkedWatch } from './parked-watch.ts'

export type ApplyingNumber = { orgId: OrgId; id: Id<'num'> }

/** Hands a stored cart to orders, in the transaction that stores it. */
export type CartReceived = (tx: Tx, orgId: OrgId, messageId: Id<'msg'>) => Promise<void>

/** Reports of one organization being applied: the transaction they are applied in, and what they lead to. */
export type BatchApplying = ChatEventContext & {
  tx: Tx
  orgId: OrgId
  now: Date
  wake: (orgIds: readonly string[]) => void
  onCartReceived: CartReceived
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
  items.filter(({ report }) => report.kind === kind) as unknown as ReportItem<ReportKind>[]
