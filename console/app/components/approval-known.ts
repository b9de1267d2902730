import { useQuery } from '@tanstack/react-query'
import type { Approval } from '../api/approvals.ts'
import { type ChannelTemplate, type Chat, getChat, nameOf, templatesQuery } from '../api/chats.ts'
import { type Message, messageQuery } from '../api/messages.ts'
import { orderQuery } from '../api/orders.ts'
import { may, sessionQuery } from '../api/session.ts'
import { numbersQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { type Known, nameAndPhone } from './approval-words.ts'
import { requestedMessage } from './requested-message.ts'
import { wordsOf } from './Words.tsx'

/** Without the right to see these, the request alone tells. */
export function useKnown(approval: Approval): Known {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const { chat_id, order_id, operation, request } = approval
  const mayRead = may(session, 'chats:read')
  const chat = useQuery({
    queryKey: ['chat-of-approval', chat_id],
    queryFn: ({ signal }) => getChat(chat_id ?? '', { limit: 1 }, signal),
    enabled: chat_id !== null && mayRead,
  })
  const order = useQuery({ ...orderQuery(order_id ?? ''), enabled: order_id !== null && may(session, 'orders:read') })
  const calledOff = useQuery({
    ...messageQuery(String(request.params.id)),
    enabled: operation === 'cancelMessage' && mayRead,
  })
  const message = requestedMessage(approval, calledOff.data ?? null)
  const answeredId = message?.reaction?.message_id ?? message?.reply_to ?? null
  const answered = useQuery({ ...messageQuery(answeredId ?? ''), enabled: answeredId !== null && mayRead })
  const contact = chat.data?.contact
  return {
    customer: contact === undefined ? null : nameAndPhone(nameOf(contact), contact.name && contact.phone),
    orderNumber: order.data?.number ?? null,
    message,
    answered: answered.data === undefined ? answeredId : wordsOf(answered.data, say),
    definition: useDefinition(message, chat.data ?? null, request.body?.from),
  }
}

/** The number of the chat; for a new contact the number that the request names, or the only one. */
function useDefinition(message: Message | null, chat: Chat | null, from: unknown): ChannelTemplate | null {
  const wanted = message?.template ?? null
  const numbers = useQuery({ ...numbersQuery, enabled: wanted !== null && chat === null })
  const all = numbers.data?.data ?? []
  const named = all.find(({ id, phone_number_id, display_phone }) =>
    [id, phone_number_id, display_phone].some((name) => name === from),
  )
  const numberId = chat?.number.id ?? named?.id ?? (all.length === 1 ? all[0]?.id : undefined)
  const templates = useQuery({
    ...templatesQuery(numberId ?? ''),
    enabled: wanted !== null && numberId !== undefined,
  })
  const isWanted = ({ name, language }: ChannelTemplate) => name === wanted?.name && language === wanted.language.code
  return templates.data?.data.find(isWanted) ?? null
}
