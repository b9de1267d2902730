import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Chat } from '../api/chats.ts'
import { ordersOfChatQuery } from '../api/orders.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Money } from '../ui/Money.tsx'
import { Countdown } from '../ui/Time.tsx'
import { useLive } from './Live.tsx'
import { OrderState, PaymentState } from './OrderStates.tsx'

/** What this customer has to pay now, and what they ordered before. */
export function PersonOrders({ chat, onOrder }: { chat: Chat; onOrder: (() => void) | null }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const mayRead = may(session, 'orders:read')
  const orders = useQuery({ ...ordersOfChatQuery(chat), enabled: mayRead })
  const { refetch } = orders
  useLive(
    'order',
    useCallback(() => {
      if (mayRead) refetch()
    }, [mayRead, refetch]),
  )
  const open = chat.open_order
  const past = orders.data?.data.filter(({ id }) => id !== open?.id) ?? []
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm" fw={600} component="h3" m={0}>
          {say('nav.orders')}
        </Text>
        {onOrder !== null && (
          <Button size="compact-sm" variant="default" onClick={onOrder}>
            {say('orders.create')}
          </Button>
        )}
      </Group>
      <ProblemMessage error={orders.error} />
      {open !== null && (
        <Link to="/orders/$id" params={{ id: open.id }} className="order-row" style={{ flexWrap: 'wrap' }}>
          <strong style={{ flex: 1 }}>#{open.number}</strong>
          <Money amount={open.total} />
          <PaymentState status={open.payment_status} />
          {open.expires_at !== null && <Countdown until={open.expires_at} />}
        </Link>
      )}
      {past.map((order) => (
        <Link key={order.id} to="/orders/$id" params={{ id: order.id }} className="order-row">
          <span style={{ flex: 1 }}>#{order.number}</span>
          <Money amount={order.total} />
          <OrderState status={order.status} />
        </Link>
      ))}
      {open === null && past.length === 0 && (
        <Text size="sm" className="quiet">
          {say('chats.noOrders')}
        </Text>
      )}
    </Stack>
  )
}
