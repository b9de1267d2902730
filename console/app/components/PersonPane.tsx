import { ActionIcon, Badge, Button, Group, Select, Stack, TagsInput, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type Chat, nameOf } from '../api/chats.ts'
import { ordersOfPhoneQuery } from '../api/orders.ts'
import { teamQuery } from '../api/people.ts'
import { Problem } from '../api/problem.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { CopyButton } from '../ui/Copy.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { Facts } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Money, Time } from '../ui/Time.tsx'
import { useChatChange } from './chat-changes.ts'
import { useLive } from './Live.tsx'
import { OrderState, PaymentState } from './OrderStates.tsx'

/** The person of a chat: what they are known by, what the team notes, and what they have ordered. */
export function PersonPane({
  chat,
  onBack,
  onOrder,
}: {
  chat: Chat
  onBack: () => void
  onOrder: (() => void) | null
}) {
  const say = useSay()
  return (
    <section className="person" aria-label={say('chats.person')}>
      <Stack gap="lg">
        <Group gap="sm" wrap="nowrap">
          <ActionIcon
            className="only-narrow"
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={say('act.back')}
            onClick={onBack}
          >
            <Icon name="back" size={22} />
          </ActionIcon>
          <Text component="h2" size="lg" fw={600} m={0} truncate>
            {nameOf(chat.contact)}
          </Text>
        </Group>
        <Identities chat={chat} />
        <Team chat={chat} />
        <Orders chat={chat} onOrder={onOrder} />
        <LinkText to="/events" search={{ subject: chat.id }} size="sm">
          {say('chats.events')}
        </LinkText>
      </Stack>
    </section>
  )
}

function Identities({ chat: { contact, number, created_at } }: { chat: Chat }) {
  const say = useSay()
  return (
    <Facts
      facts={[
        ...contact.identities.map(({ type, value }): [string, React.ReactNode] => [
          say(`identity.${type}`),
          <Group key={value} gap={2} wrap="nowrap">
            <span className="figures">{type === 'username' ? `@${value}` : value}</span>
            <CopyButton value={value} />
          </Group>,
        ]),
        [
          say('chats.number'),
          <span key="number" className="figures">
            {number.display_phone}
          </span>,
        ],
        [say('chats.since'), <Time key="since" at={created_at} />],
      ]}
    />
  )
}

/** Labels, who takes care of it, and whether it is done. */
function Team({ chat }: { chat: Chat }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const team = useQuery(teamQuery)
  const change = useChatChange(chat.id)
  const mayWrite = may(session, 'chats:write')
  const members = (team.data?.members ?? []).map(({ name, email }) => ({ value: email, label: name }))
  const isStranger = chat.assignee !== null && !members.some(({ value }) => value === chat.assignee)
  const refusal = change.error instanceof Problem ? change.error : null
  const labelProblem = refusal?.fields.find(({ pointer }) => pointer?.startsWith('#/labels'))?.detail
  if (!mayWrite)
    return (
      <Group gap={4}>
        {chat.labels.map((label) => (
          <Badge key={label} variant="default" tt="none">
            {label}
          </Badge>
        ))}
      </Group>
    )
  return (
    <Stack gap="sm">
      <TagsInput
        label={say('chats.labels')}
        placeholder={chat.labels.length === 0 ? say('chats.addLabel') : undefined}
        value={chat.labels}
        onChange={(labels) => change.mutate({ labels })}
        error={labelProblem}
      />
      <Select
        label={say('chats.assignee')}
        placeholder={say('chats.nobody')}
        clearable
        data={isStranger ? [...members, { value: chat.assignee as string, label: chat.assignee as string }] : members}
        value={chat.assignee}
        onChange={(assignee) => change.mutate({ assignee })}
      />
      <Group>
        <Button
          variant="default"
          loading={change.isPending && change.variables?.status !== undefined}
          onClick={() => change.mutate({ status: chat.status === 'open' ? 'closed' : 'open' })}
        >
          {say(chat.status === 'open' ? 'chats.close' : 'chats.reopen')}
        </Button>
      </Group>
      {labelProblem === undefined && <ProblemMessage error={change.error} />}
    </Stack>
  )
}

function Orders({ chat, onOrder }: { chat: Chat; onOrder: (() => void) | null }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const { phone } = chat.contact
  const mayRead = may(session, 'orders:read') && phone !== null
  const orders = useQuery({ ...ordersOfPhoneQuery(phone ?? ''), enabled: mayRead })
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
        <Link to="/orders" search={{ open: open.id }} className="order-row" style={{ flexWrap: 'wrap' }}>
          <strong style={{ flex: 1 }}>#{open.number}</strong>
          <Money amount={open.total} />
          <PaymentState status={open.payment_status} />
          {open.expires_at !== null && <Countdown until={open.expires_at} />}
        </Link>
      )}
      {past.map((order) => (
        <Link key={order.id} to="/orders" search={{ open: order.id }} className="order-row">
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
