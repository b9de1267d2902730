import type { OrgId } from '../../kernel/ids.ts'
import type { PaymentCapability, PaymentMethod } from '../../payments/payment-connector.ts'
import { checkCharge } from '../../payments/provider-calls/provider-calls.ts'
import type { OrdersContext } from '../orders-context.ts'

/** One way to pay on the pay page: a method, and its bank, wallet, store or service. */
export type PayWay = {
  method: PaymentMethod
  bank: string | null
  /** The payer has to give a phone number, because the wallet asks in its app. */
  needsPhone: boolean
}

/** Staff collect these in person or send a bill, so the page does not offer them. */
const IN_PERSON: readonly PaymentMethod[] = ['cash', 'cod', 'invoice', 'free']

export const isOnPage = (method: PaymentMethod): boolean => !IN_PERSON.includes(method)

export type OfferedChannel = { capability: PaymentCapability; accountId: string }

/** Lists what the enabled accounts offer on the page, the default channel of each method first. */
export async function listOffered(
  { payments }: OrdersContext,
  orgId: OrgId,
  methods: readonly PaymentMethod[] | null,
): Promise<OfferedChannel[]> {
  const { accounts } = payments.context
  const enabled = await accounts.listEnabledMethods(orgId)
  const offered = enabled.filter((method) => isOnPage(method) && (methods === null || methods.includes(method)))
  const found = await Promise.all(offered.map((method) => accounts.resolve(orgId, { method, bank: null })))
  return found.flatMap((one) => {
    if (one.kind !== 'resolved') return []
    const others = one.open.capabilities.filter(
      ({ method, bank }) => method === one.capability.method && bank !== one.capability.bank,
    )
    const accountId = one.open.account.id
    return [one.capability, ...others].map((capability) => ({ capability, accountId }))
  })
}

/** Lists the ways that take the amount. */
export const listWays = async (
  context: OrdersContext,
  orgId: OrgId,
  { amount, methods }: { amount: number | null; methods: readonly PaymentMethod[] | null },
): Promise<PayWay[]> =>
  (await listOffered(context, orgId, methods))
    .filter(({ capability }) => checkCharge(capability, { amount, expirySeconds: null }) === null)
    .map(({ capability: { method, bank, needsPhone } }) => ({ method, bank, needsPhone }))
