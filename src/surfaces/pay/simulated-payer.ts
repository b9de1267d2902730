import type { OrgId } from '../../kernel/ids.ts'
import { simulatePay } from '../../payments/connectors/simulator/simulator.ts'
import { getPaymentById, type Payments } from '../../payments/payments.ts'

/**
 * Plays the app of a wallet or the hosted page of a provider for simulated payments: what the payer does there is reported with
 * a signed notification, as a provider would. No money moves, so the link of the page is enough to do it.
 */
export type SimulatedPayer = {
  play(orgId: OrgId, paymentId: string, outcome: PayerOutcome): Promise<void>
}

export type PayerOutcome = 'paid' | 'failed'

export const SIMULATOR = 'simulator'

export function createSimulatedPayer({ context, receiveNotice }: Pick<Payments, 'context' | 'receiveNotice'>) {
  const find = async (orgId: OrgId, paymentId: string) => {
    const payment = await getPaymentById(context.database, orgId, paymentId)
    return payment === null || payment.provider !== SIMULATOR ? null : payment
  }
  const payer: SimulatedPayer = {
    async play(orgId, paymentId, outcome) {
      const payment = await find(orgId, paymentId)
      const open = payment === null ? null : await context.accounts.open(orgId, payment.account_id)
      if (payment === null || open === null) return
      const now = new Date(context.clock.now())
      for (const notice of simulatePay({ account: open.account, attempt: payment, now }, outcome))
        await receiveNotice(SIMULATOR, open.account.id, notice)
    },
  }
  return payer
}
