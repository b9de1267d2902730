import type { z } from 'zod'
import type { Initiator } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { AttemptPlan } from '../../payments/attempts/attempts.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { OwnCommit } from '../../platform/http/define-route.ts'
import { IdempotencyRaceLost } from '../../platform/http/pipeline/idempotency.ts'
import { renderValue } from '../../platform/http/pipeline/reply-shape.ts'
import type { OrdersContext } from '../orders-context.ts'
import { adoptOrphan, commitOnce, finishAnswer, refuseRepeat } from './order-answers.ts'
import {
  type AttemptInput,
  awaitAnswer,
  endOpenAttempt,
  findOpenAttempt,
  openAttempt,
  planNewAttempt,
} from './order-attempts.ts'
import type { NewOrderPayment } from './order-requests.schemas.ts'
import { presentLocked } from './order-view.ts'
import { OrderWithPayments } from './orders.schemas.ts'
import { readOrder } from './orders.ts'

/** A further way to pay an order: ends the open attempt at the provider, then opens another. */
export type Call = { id: string; initiator: Initiator } & OwnCommit
type PayCall = Call & AttemptInput & { path: string }

export async function payAnotherWay(context: OrdersContext, orgId: OrgId, call: PayCall) {
  const read = (id: string) => readOrder(context, orgId, id)
  try {
    return await payOnce(context, orgId, call)
  } catch (error) {
    if (error instanceof IdempotencyRaceLost)
      await adoptOrphan(context, orgId, { claim: call.claim, schema: OrderWithPayments, read })
    throw error
  }
}

async function payOnce(context: OrdersContext, orgId: OrgId, call: PayCall) {
  const { id, initiator, claim, companion } = call
  const isPart = call.amount !== null
  const live = await findOpenAttempt(context, orgId, id)
  // This runs after the open attempt was read, so that attempt cannot be one that the same request opened.
  await refuseRepeat(context.database, orgId, claim)
  const planned = await planNewAttempt(context, orgId, call)
  await endOpenAttempt(context, live, initiator)
  const plan = live === null ? planned : await replanAttempt(context, orgId, call)
  const location = call.path.slice(0, -'/payments'.length)
  const opened = await commitOnce(context, orgId, {
    id,
    claim,
    companion,
    isAnswered: ({ opened }: { opened: PaymentRow }) => opened.status !== 'created',
    status: 201,
    location,
    schema: OrderWithPayments,
    render: async (tx) => {
      const { order, payment } = await openAttempt(context, tx, orgId, { id, plan, isPart, initiator })
      return { ...(await presentLocked(context, tx, order)), opened: payment }
    },
  })
  if (opened.opened.status !== 'created') return opened
  await awaitAnswer(context, opened.opened)
  const view = await readOrder(context, orgId, id)
  if (claim !== null) await finishAnswer(context.database, orgId, { claim, body: renderValue(OrderWithPayments, view) })
  return view
}

export const termsOf = ({
  method,
  bank,
  channel,
  phone,
  amount,
  expires_in_seconds: seconds,
}: z.output<typeof NewOrderPayment>) => ({
  method,
  bank: bank ?? null,
  channel: channel ?? null,
  phone: phone ?? null,
  amount: amount ?? null,
  expiresInSeconds: seconds ?? null,
})

/** Plans again after the old attempt was ended, because ending it may reveal a partial or a full payment. */
async function replanAttempt(context: OrdersContext, orgId: OrgId, call: PayCall): Promise<AttemptPlan> {
  try {
    return await planNewAttempt(context, orgId, call)
  } catch (error) {
    await refuseRepeat(context.database, orgId, call.claim)
    throw error
  }
}
