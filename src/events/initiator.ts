import type { Id } from '../kernel/ids.ts'
import type { Caller } from '../platform/http/pipeline/caller.ts'
import type { EventActor } from './event-types.ts'

/** The actor and the request that cause a change, as events and the ledger record them. Without an actor, the system is the cause. */
export type Initiator = { actor?: EventActor; requestId?: Id<'req'> | null }

export const initiatorOf = ({ caller, requestId }: { caller: Caller; requestId: Id<'req'> }): Initiator => ({
  actor: { type: caller.type, id: caller.id },
  requestId,
})
