import type { Id, OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { ChatTelling } from './chat-events.ts'

export type ApplyingNumber = { orgId: OrgId; id: Id<'num'> }

/** One report being applied: the transaction it is applied in, and what it leads to. */
export type Applying = ChatTelling & {
  tx: Tx
  number: ApplyingNumber
  now: Date
  wake: (laneIds: readonly string[]) => void
}
