import type { z } from 'zod'
import { ProblemError } from '../../kernel/errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { type CompanionOf, writeCompanions } from '../../platform/database/companions.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { insertStoredReply, lockIdempotencyKey } from '../../platform/http/pipeline/idempotency.sql.ts'
import { type IdempotencyClaim, IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
import { renderValue } from '../../platform/http/pipeline/reply-shape.ts'
import type { OrdersContext } from '../orders-context.ts'
import { ANSWERING, adoptAnswer, listUsedClaims, moveAnswer } from './orders.sql.ts'

/**
 * Stored answers to requests that wait for a provider after their commit. The effect is durable before the answer is known,
 * so the key is reserved at once under a separate operation name, and the answer moves to its final name when it is sent:
 *
 *   committed ──▶ "createOrder (answering)" ── the provider answered, or the wait timed out ──▶ "createOrder"
 *                        └── the process died ──▶ a later repeat of the request adopts the stored answer
 *
 * Until then a repeat is refused because the key is in use, with a Retry-After of one second. Afterwards it gets the same
 * bytes as the first caller, even if they say that the provider has not answered yet. The order shows the current state.
 */

/** This is longer than any request waits, so the process of the request must have ended. */
const ADOPTED_AFTER_SECONDS = 30

export const answering = (claim: IdempotencyClaim): IdempotencyClaim => ({
  ...claim,
  operation: `${claim.operation}${ANSWERING}`,
})

/** Stores the answer before it is sent, so that every caller who received it can receive it again. */
export const finishAnswer = (
  queries: Queries,
  orgId: OrgId,
  { claim, body }: { claim: IdempotencyClaim; body: string },
): Promise<number> => moveAnswer(queries, orgId, { from: answering(claim), to: claim.operation, body })

/** Finishes a stored answer whose process died before it was sent. */
export async function adoptOrphan(queries: Queries, orgId: OrgId, claim: IdempotencyClaim | null): Promise<void> {
  if (claim === null) return
  await adoptAnswer(queries, orgId, { claim: answering(claim), to: claim.operation, seconds: ADOPTED_AFTER_SECONDS })
}

/** Throws when the key was used. The pipeline then replays the stored answer, if there is one. */
export async function refuseRepeat(queries: Queries, orgId: OrgId, claim: IdempotencyClaim | null): Promise<void> {
  const [used] = claim === null ? [] : await listUsedClaims(queries, orgId, [claim])
  if (used === undefined) return
  await adoptOrphan(queries, orgId, claim)
  throw new IdempotencyRaceLost()
}

export type Once<View> = {
  /** The id of the order. */
  id: string
  claim: IdempotencyClaim | null
  companion?: CompanionOf | undefined
  /** False while the provider has not answered. */
  isAnswered?: (view: View) => boolean
  status: number
  location: string | null
  schema: z.ZodType
  render: (tx: Tx) => Promise<View>
}

/**
 * Commits the effect and the stored answer in one transaction, for routes that call a provider first. A refusal that only
 * results from a faster repeat of the same request becomes a replay.
 */
export async function commitOnce<View>(
  { database }: OrdersContext,
  orgId: OrgId,
  { id, claim, companion, isAnswered = () => true, status, location, schema, render }: Once<View>,
): Promise<View> {
  try {
    return await database.transaction(async (tx) => {
      const view = await render(tx)
      if (claim !== null) {
        // The order's lock is held, because the same request may have finished while this one called a provider. The key is
        // locked as well, because the same key may be in use for another order.
        const [isLocked] = await Promise.all([lockIdempotencyKey(tx, orgId, claim), refuseRepeat(tx, orgId, claim)])
        if (!isLocked) throw new IdempotencyRaceLost()
        const reply = { status, body: renderValue(schema, view), location }
        await insertStoredReply(tx, orgId, isAnswered(view) ? claim : answering(claim), reply)
      }
      if (companion !== undefined) await writeCompanions(tx, [companion(id)])
      return view
    })
  } catch (error) {
    if (error instanceof ProblemError) await refuseRepeat(database, orgId, claim)
    throw error
  }
}
