import type { Id } from '../kernel/ids.ts'
import type { Caller } from '../platform/http/caller.ts'
import type { EventActor } from './event-types.ts'

/** Who makes something happen, for the books and for the events that tell of it. Nexkit itself when absent. */
export type Doer = { actor?: EventActor; requestId?: Id<'req'> | null }

export const doerOf = ({ caller, requestId }: { caller: Caller; requestId: Id<'req'> }): Doer => ({
  actor: { type: caller.type, id: caller.id },
  requestId,
})
