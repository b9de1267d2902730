import { Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Order, type OrderChanges, orderQuery, updateOrder } from '../api/orders.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type Say, useSay } from '../text/text.tsx'
import { Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { InlineEdit } from '../ui/InlineEdit.tsx'
import { LinkButton, LinkText } from '../ui/Links.tsx'
import { Section } from '../ui/Page.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

/** Beside an order: whose it is, where it goes, and what the shop notes. */
export function OrderSide({ order, mayWrite }: { order: Order; mayWrite: boolean }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  return (
    <Stack gap="lg">
      <OrderCustomer order={order} />
      <OrderDelivery order={order} />
      <Section title={say('orders.details')}>
        <OrderNotes order={order} mayWrite={mayWrite} />
      </Section>
      {may(session, 'events:read') && (
        <LinkText to="/events" search={{ subject: order.id }} size="sm">
          {say('nav.events')}
        </LinkText>
      )}
    </Stack>
  )
}

function OrderCustomer({ order: { customer, chat_id } }: { order: Order }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const mayRead = may(session, 'chats:read')
  return (
    <Section title={say('orders.customer')}>
      <Text size="sm" fw={500} dir="auto" ta="left">
        {customer.name ?? customer.phone ?? '—'}
      </Text>
      {customer.name !== null && customer.phone !== null && (
        <Text size="sm" className="figures quiet">
          {customer.phone}
        </Text>
      )}
      {mayRead && (
        <Group gap="sm" mt="sm">
          {chat_id !== null && (
            <LinkButton to="/chats" search={{ open: chat_id }} size="xs" variant="default">
              {say('orders.toChat')}
            </LinkButton>
          )}
          {customer.contact_id !== null && (
            <LinkButton to="/customers/$id" params={{ id: customer.contact_id }} size="xs" variant="default">
              {say('customers.open')}
            </LinkButton>
          )}
        </Group>
      )}
    </Section>
  )
}

/** Where the goods go, and how far they are. Also before the order is paid in full. */
function OrderDelivery({ order: { delivery } }: { order: Order }) {
  const say = useSay()
  if (delivery === null) return null
  const { address, courier, service, tracking_number: number, tracking_url: url } = delivery
  const { name = null, phone = null, line = null, village = null, district = null, city = null } = address ?? {}
  const place = [name, phone, line, village, district, city, address?.province, address?.postal_code, address?.note]
  const written = place.filter((part) => part != null && part !== '').join(', ')
  return (
    <Section title={say('orders.delivery')}>
      <State state={delivery.status} word={say(`delivery.status.${delivery.status}`)} />
      <Facts
        facts={[
          [say('delivery.address'), written || '—'],
          [say('delivery.courier'), [courier, service].filter(Boolean).join(' ') || '—'],
          [say('delivery.tracking'), number ?? '—'],
          url !== null && [say('delivery.trackingUrl'), url],
        ]}
      />
    </Section>
  )
}

const dueFact = ({ due_at: at, overdue }: Order, say: Say): [string, React.ReactNode] => [
  say(overdue ? 'orders.overdue' : 'orders.dueAt'),
  at === null ? '—' : <Time key="due" at={at} />,
]

function OrderNotes({ order, mayWrite }: { order: Order; mayWrite: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const save = async (changes: OrderChanges) => {
    const after = await updateOrder(order.id, changes)
    queries.setQueryData(orderQuery(order.id).queryKey, after)
    queries.invalidateQueries({ queryKey: ['order-events', order.id] })
  }
  return (
    <Facts
      facts={[
        [
          say('orders.reference'),
          <InlineEdit
            key="reference"
            label={say('orders.reference')}
            value={order.reference}
            onSave={mayWrite ? (reference) => save({ reference }) : null}
          />,
        ],
        [
          say('orders.note'),
          <InlineEdit
            key="note"
            label={say('orders.note')}
            value={order.note}
            onSave={mayWrite ? (note) => save({ note }) : null}
          />,
        ],
        dueFact(order, say),
        [say('orders.notify'), say(order.notify ? 'people.on' : 'people.off')],
        [say('list.created'), <Time key="created" at={order.created_at} />],
        [say('list.id'), <Id key="id" id={order.id} />],
      ]}
    />
  )
}
