import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Chat, identityOf } from './chats.ts'
import { consoleApi } from './client.ts'
import type { MediaKind } from './media.ts'
import { may, sessionQuery } from './session.ts'
import { type BusinessNumber, numbersQuery } from './settings.ts'

/** Playing the customer and the payer. Only on simulator numbers and simulator accounts; nothing leaves the machine. */
export type SimulatedWriting = {
  number_id: string
  from: string
  name?: string
  text?: string
  media?: { type: MediaKind; id: string }
  reply_to?: string
}
export type Written = { provider_ids: string[] }

export const writeAsCustomer = (input: SimulatedWriting) => consoleApi.post<Written>('/simulator/messages', input)
export const tapAsCustomer = (input: { number_id: string; from: string; message_id: string; choice: string }) =>
  consoleApi.post<Written>('/simulator/replies', input)
export const reactAsCustomer = (input: { number_id: string; from: string; message_id: string; emoji: string }) =>
  consoleApi.post<Written>('/simulator/reactions', input)
export const readAsCustomer = (input: { number_id: string; from: string }) =>
  consoleApi.post<{ read: string[] }>('/simulator/reads', input)

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
] as const
export type PaymentScenario = (typeof paymentScenarios)[number]

export const simulatePayment = (paymentId: string, scenario: PaymentScenario) =>
  consoleApi.post<{ scenario: string; notices: { status: number }[] }>(`/simulator/payments/${paymentId}`, { scenario })
export const simulateRefund = (refundId: string, outcome: 'succeeded' | 'failed') =>
  consoleApi.post<{ notices: { status: number }[] }>(`/simulator/refunds/${refundId}`, { outcome })

/** The simulator numbers on which this person may play the customer. */
export function useSimulatorNumbers(): BusinessNumber[] {
  const { data: session } = useQuery(sessionQuery)
  const mayPlay = may(session, 'simulator:use')
  const numbers = useQuery({ ...numbersQuery, enabled: mayPlay })
  if (!mayPlay) return []
  return (numbers.data?.data ?? []).filter(({ connector, state }) => connector === 'simulator' && state === 'connected')
}

export type SimulatedPerson = {
  phone: string | null
  user_id: string | null
  username: string | null
  name: string | null
}

/** Who can be played on a number; it knows the phones that the network keeps from the business. */
const simulatedPeopleQuery = (numberId: string) =>
  queryOptions({
    queryKey: ['simulated-people', numberId],
    queryFn: ({ signal }) =>
      consoleApi.get<{ data: SimulatedPerson[] }>('/simulator/people', { number_id: numberId }, signal),
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
