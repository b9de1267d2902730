import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { type IdempotencyClaim, IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
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
  const [used] = claim === null ? [] : await listUsedClaims(queries, [{ orgId, claim }])
  if (used === undefined) return
  await adoptOrphan(queries, orgId, claim)
  throw new IdempotencyRaceLost()
}
