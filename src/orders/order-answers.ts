import type { OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import { type IdempotencyClaim, IdempotencyRaceLost } from '../platform/http/idempotency.ts'
import { ANSWERING, adoptAnswer, listUsedClaims, moveAnswer } from './orders.sql.ts'

/**
 * Stored answers to requests that wait for a provider after their commit. The effect is durable before the answer is known,
 * so the key is taken at once, under a name of its own, and the answer gets its proper place when it is given:
 *
 *   committed ──▶ "createOrder (answering)" ── the provider answered, or the time was up ──▶ "createOrder"
 *                        └── the process died ──▶ whoever repeats the request later takes over what is stored
 *
 * Until then a repeat is told that the key is in use and to come again in a second; after it, it gets the very bytes that
 * the first caller got, also when they said that the provider had not answered yet. The order itself tells the rest.
 */

/** Longer than any request waits, so that its process must be gone. */
const ADOPTED_AFTER_SECONDS = 30

export const answering = (claim: IdempotencyClaim): IdempotencyClaim => ({
  ...claim,
  operation: `${claim.operation}${ANSWERING}`,
})

/** Before the answer is given: whoever has it can have it again. */
export const finishAnswer = (
  queries: Queries,
  orgId: OrgId,
  { claim, body }: { claim: IdempotencyClaim; body: string },
): Promise<number> => moveAnswer(queries, orgId, { from: answering(claim), to: claim.operation, body })

/** An answer that nobody will give any more is taken as given. */
export async function adoptOrphan(queries: Queries, orgId: OrgId, claim: IdempotencyClaim | null): Promise<void> {
  if (claim === null) return
  await adoptAnswer(queries, orgId, { claim: answering(claim), to: claim.operation, seconds: ADOPTED_AFTER_SECONDS })
}

/** Throws when the key was used; then the stored answer, if there is one, is replayed. */
export async function refuseRepeat(queries: Queries, orgId: OrgId, claim: IdempotencyClaim | null): Promise<void> {
  const [used] = claim === null ? [] : await listUsedClaims(queries, [{ orgId, claim }])
  if (used === undefined) return
  await adoptOrphan(queries, orgId, claim)
  throw new IdempotencyRaceLost()
}
