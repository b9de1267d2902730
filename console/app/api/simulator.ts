import { queryOptions, useQuery } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { type Chat, identityOf } from './chats.ts'
import { call } from './client.ts'
import type { BusinessNumber } from './generated.ts'
import { may, sessionQuery } from './session.ts'
import { numbersQuery } from './settings.ts'

/** Playing the customer and the payer. Only on simulator numbers and simulator accounts; nothing leaves the machine. */
export const writeAsCustomer = (body: Sdk.CustomerMessage) => call('POST /api/proxy/simulator/messages', { body })
export const tapAsCustomer = (body: Sdk.CustomerReply) => call('POST /api/proxy/simulator/replies', { body })
export const reactAsCustomer = (body: Sdk.CustomerReaction) => call('POST /api/proxy/simulator/reactions', { body })
export const readAsCustomer = (body: Sdk.CustomerReading) => call('POST /api/proxy/simulator/reads', { body })

export const paymentScenarios = [
  'paid',
  'short',
  'excess',
  'twice',
  'late',
  'expired',
  'duplicate',
  'forged',
  'failed',
  'reversed',
  'partly_reversed',
] as const satisfies Sdk.SimulatedPaying['scenario'][]
export type PaymentScenario = (typeof paymentScenarios)[number]

export const simulatePayment = (id: string, scenario: PaymentScenario) =>
  call('POST /api/proxy/simulator/payments/{id}', { params: { id }, body: { scenario } })
export const simulateRefund = (id: string, outcome: 'succeeded' | 'failed') =>
  call('POST /api/proxy/simulator/refunds/{id}', { params: { id }, body: { outcome } })

/** The simulator numbers on which this person may play the customer. */
export function useSimulatorNumbers(): BusinessNumber[] {
  const { data: session } = useQuery(sessionQuery)
  const mayPlay = may(session, 'simulator:use')
  const numbers = useQuery({ ...numbersQuery, enabled: mayPlay })
  if (!mayPlay) return []
  return (numbers.data?.data ?? []).filter(({ connector, state }) => connector === 'simulator' && state === 'connected')
}

/** Who can be played on a number; it knows the phones that the network keeps from the business. */
const simulatedPeopleQuery = (numberId: string) =>
  queryOptions({
    queryKey: ['simulated-people', numberId],
    queryFn: ({ signal }) => call('GET /api/proxy/simulator/people', { query: { number: numberId }, signal }),
    staleTime: 30_000,
  })

/** The phone that the simulator knows the customer by, also where the network keeps it from us. Null when not to be played. */
export function useSimulatedSender(chat: Chat | null, isSimulated: boolean): string | null {
  const isHidden = isSimulated && chat?.contact.phone === null
  const people = useQuery({ ...simulatedPeopleQuery(chat?.number.id ?? ''), enabled: isHidden })
  if (!isSimulated || chat === null) return null
  const userId = identityOf(chat.contact, 'user_id')
  return chat.contact.phone ?? people.data?.data.find((person) => person.user_id === userId)?.phone ?? null
}
