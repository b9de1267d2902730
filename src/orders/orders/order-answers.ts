import type { z } from 'zod'
import { ProblemError } from '../../kernel/errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { type CompanionOf, writeCompanions } from '../../platform/database/companions.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { insertStoredReply, lockIdempotencyKey } from '../../platform/http/pipeline/idempotency.sql.ts'
import { type IdempotencyClaim, IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
import { renderValue } from '../../platform/http/pipeline/reply-shape.ts'
import type { OrdersContext } from '../orders-context.ts'
import { ANSWERING, findUnsent, listUsedClaims, moveAnswer } from './orders.sql.ts'

/**
 * Stored answers to requests that wait for a provider after their commit. The effect is durable before the answer is known,
 * so the key is reserved at once under a separate operation name, and the answer moves to its final name when it is sent:
 *
 *   committed ──▶ "createOrder (answering)" ── the provider answered, or the wait timed out ──▶ "createOrder"
 *                        └── the process died ──▶ a repeat of the request finishes the answer, once either is true
 *
 * Until then a repeat is refused because the key is in use, with a Retry-After of one second. Afterwards it gets the same
 * bytes as the first caller, even if they say that the provider has not answered yet. The order shows the current state.
 *
 * A repeat cannot know that the process died. If it did not, request and repeat both finish the answer: the first counts, and the
 * other returns the same.
 */

/** For what a request does besides waiting. */
const MARGIN_MS = 1_000

export const answering = (claim: IdempotencyClaim): IdempotencyClaim => ({
  ...claim,
  operation: `${claim.operation}${ANSWERING}`,
})

/** Stores the answer before it is sent, so that every caller who received it can receive it again. Throws if a repeat was first. */
export async function finishAnswer(
  queries: Queries,
  orgId: OrgId,
  { claim, body }: { claim: IdempotencyClaim; body: string },
): Promise<void> {
  const moved = await moveAnswer(queries, orgId, { from: answering(claim), to: claim.operation, body })
  if (moved === 0) throw new IdempotencyRaceLost()
}

export type AnswerOf<View> = { schema: z.ZodType; read: (orderId: string) => Promise<View> }

/** Finishes an answer whose process may have died before it was sent. The pipeline then replays it. */
export async function adoptOrphan<View extends { payment: { status: string } | null }>(
  { database, answerTimeoutMs }: OrdersContext,
  orgId: OrgId,
  { claim, schema, read }: AnswerOf<View> & { claim: IdempotencyClaim | null },
): Promise<void> {
  const from = claim === null ? null : answering(claim)
  const unsent = from === null ? null : await findUnsent(database, orgId, from, answerTimeoutMs + MARGIN_MS)
  if (claim === null || from === null || unsent === null) return
  const view = await read(unsent.order_id)
  if (view.payment?.status === 'created' && !unsent.is_late) return
  const body = renderValue(schema, view)
  await moveAnswer(database, orgId, { from: { ...from, requestId: unsent.request_id }, to: claim.operation, body })
}

/** Throws when the key was used. The pipeline then replays the stored answer, if there is one. */
export async function refuseRepeat(queries: Queries, orgId: OrgId, claim: IdempotencyClaim | null): Promise<void> {
  const [used] = claim === null ? [] : await listUsedClaims(queries, orgId, [claim])
  if (used !== undefined) throw new IdempotencyRaceLost()
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
