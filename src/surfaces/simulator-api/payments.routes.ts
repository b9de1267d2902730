import { z } from 'zod'
import type { OrgId } from '../../kernel/ids.ts'
import { type SimulatedScenario, simulatePay, simulateRefund } from '../../payments/connectors/simulator/simulator.ts'
import type { RawNotice } from '../../payments/payment-connector.ts'
import { getPaymentById, getRefundById, type Payments } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { idSchema } from '../../platform/http/schemas.ts'
import { SimulatedPaying, SimulatedRefunding, TakenNotices } from './payments.schemas.ts'
import { simulatedPaymentNotFound } from './simulator-api.errors.ts'

/** Simulates the payment network: its notifications use the route that providers call, including the signature. */
export type PaymentRouteParts = { payments: Pick<Payments, 'context' | 'receiveNotice'> }

const shared = {
  tag: 'Simulator',
  method: 'POST',
  access: key('orders:write'),
  idempotency: 'after',
  isBodyOptional: true,
  errors: [simulatedPaymentNotFound],
} as const

const SIMULATOR = 'simulator'

export const paymentRoutes = ({ payments }: PaymentRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'simulatePayment',
    path: '/simulator/payments/{id}',
    summary: 'Pay as the payer',
    description:
      'The simulated payment network reports what a payer does, with signed notifications: `paid` by default, or another scenario.',
    params: z.object({ id: idSchema('pay') }),
    body: SimulatedPaying,
    reply: { status: 200, body: TakenNotices },
    example: {
      params: { id: 'pay_01kmz3v7n2e0a8tq9fj6hx5c4d' },
      body: { scenario: 'paid' },
      reply: { notices: [{ status: 200 }] },
    },
    async handle({ params: { id }, body, caller: { orgId } }) {
      const { payment, play } = await onStage(payments, orgId, id)
      // Late is what comes after the end; an attempt that is still open has to end first.
      const isEndedFirst = body.scenario === 'late' && isOpen(payment)
      if (isEndedFirst) {
        await play('expired')
        await hasEnded(payments, orgId, id)
      }
      return { notices: await play(body.scenario, body.amount) }
    },
  }),
  defineRoute({
    ...shared,
    id: 'simulateRefund',
    path: '/simulator/refunds/{id}',
    summary: 'End a pending refund',
    description: 'The simulated payment network reports that a pending refund succeeded or failed.',
    params: z.object({ id: idSchema('rfd') }),
    body: SimulatedRefunding,
    reply: { status: 200, body: TakenNotices },
    example: {
      params: { id: 'rfd_01kmz3v7n2e0a8tq9fj6hx5c4d' },
      body: { outcome: 'succeeded' },
      reply: { notices: [{ status: 200 }] },
    },
    async handle({ params: { id }, body, caller: { orgId } }) {
      const refund = await getRefundById(payments.context.database, orgId, id)
      if (refund === null) throw simulatedPaymentNotFound({ params: { id } })
      const { payment, account, post } = await onStage(payments, orgId, refund.payment_id)
      const now = new Date(payments.context.clock.now())
      const outcome = { id, amount: refund.amount, hasFailed: body.outcome === 'failed' }
      return { notices: await post([simulateRefund({ account, attempt: payment, now }, outcome)]) }
    },
  }),
]

async function onStage({ context, receiveNotice }: PaymentRouteParts['payments'], orgId: OrgId, id: string) {
  const payment = await getPaymentById(context.database, orgId, id)
  const open = payment === null ? null : await context.accounts.open(orgId, payment.account_id)
  if (payment === null || open === null || open.provider !== SIMULATOR)
    throw simulatedPaymentNotFound({ params: { id } })
  const { account } = open
  const post = async (notices: readonly RawNotice[]) => {
    const answers: { status: number }[] = []
    for (const notice of notices) {
      const { status } = await receiveNotice(SIMULATOR, account.id, notice)
      answers.push({ status })
    }
    return answers
  }
  const play = (scenario: SimulatedScenario, amount?: number) => {
    const now = new Date(context.clock.now())
    return post(simulatePay({ account, attempt: payment, now, ...(amount !== undefined && { amount }) }, scenario))
  }
  return { payment, account, post, play }
}

const isOpen = ({ status }: Pick<PaymentRow, 'status'>) => status === 'created' || status === 'pending'

const END_WAIT_MS = 3000
const LOOK_EVERY_MS = 50

/** A job applies the report. A person waits for it, so the wait is limited. */
async function hasEnded({ context }: PaymentRouteParts['payments'], orgId: OrgId, id: string): Promise<void> {
  const deadline = performance.now() + END_WAIT_MS
  while (performance.now() < deadline) {
    const payment = await getPaymentById(context.database, orgId, id)
    if (payment === null || !isOpen(payment)) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
