import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { isReversalOpen, type Order, type OrderWithPayments, orderQuery, reviewOrder } from '../api/orders.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type Say, useSay } from '../text/text.tsx'
import { JsonCode } from '../ui/Code.tsx'
import { Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { ProblemMessage, Waiting } from '../ui/Message.tsx'
import { Money, rupiah } from '../ui/Money.tsx'
import { Section } from '../ui/Page.tsx'
import { State } from '../ui/State.tsx'
import { Countdown, Time } from '../ui/Time.tsx'
import { useLive } from './Live.tsx'
import { OrderActs } from './OrderActs.tsx'
import { OrderLedger } from './OrderLedger.tsx'
import { OrderPapers } from './OrderPapers.tsx'
import { OrderState, PaymentState } from './OrderStates.tsx'
import { OrderTimeline } from './OrderTimeline.tsx'
import { Payable, PayLink } from './Payable.tsx'
import { PaymentSimulator } from './PaymentSimulator.tsx'

/** One order: the money large, what it is paid with, what can be done, what happened, and the books. */
export function OrderView({ id }: { id: string }) {
  const say = useSay()
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const order = useQuery(orderQuery(id))
  useLive(
    'event',
    useCallback(
      ({ type = '' }) => {
        if (!/^(order|payment|refund)\./.test(type)) return
        queries.invalidateQueries({ queryKey: ['order', id] })
        queries.invalidateQueries({ queryKey: ['order-events', id] })
      },
      [queries, id],
    ),
  )
  if (order.data === undefined) return <Waiting error={order.error} onRetry={() => order.refetch()} />
  const { data } = order
  return (
    <Stack gap="lg">
      <Head order={data} />
      {(data.needs_review !== null || isReversalOpen(data)) && (
        <OrderReview order={data} mayDecide={may(session, 'orders:write')} />
      )}
      {data.payment !== null && <Payable payment={data.payment} />}
      {data.payment === null && data.pay_url !== null && <ChoiceAwaited order={data} url={data.pay_url} />}
      {may(session, 'orders:write') && <OrderActs order={data} />}
      <OrderPapers order={data} maySend={may(session, 'orders:write')} />
      {may(session, 'simulator:use') && <PaymentSimulator order={data} />}
      <OrderItems order={data} />
      <OrderDelivery order={data} />
      <Section title={say('orders.ledger')}>
        <OrderLedger order={data} />
      </Section>
      {may(session, 'events:read') && (
        <Section title={say('orders.timeline')}>
          <OrderTimeline order={data} />
        </Section>
      )}
      <About order={data} />
      <details>
        <summary>{say('orders.raw')}</summary>
        <JsonCode value={data} />
      </details>
    </Stack>
  )
}

function Head({ order }: { order: Order }) {
  const say = useSay()
  return (
    <div>
      <div className="order-money">{order.total === null ? say('orders.openAmount') : rupiah(order.total)}</div>
      <Group gap="lg" mt={4} className="large-states">
        <PaymentState status={order.payment_status} />
        {!isAwaitingPayment(order) && <OrderState status={order.status} />}
      </Group>
      {order.amount_paid > 0 && order.amount_paid !== order.total && (
        <Text size="sm" mt={4}>
          {say('orders.received')} <Money amount={order.amount_paid} />
        </Text>
      )}
    </div>
  )
}

/** Both states have one name then, which is shown once. */
const isAwaitingPayment = ({ status, payment_status }: Order) =>
  status === 'pending_payment' && payment_status === 'pending'

const dueFact = ({ due_at: at, overdue }: Order, say: Say): [string, React.ReactNode] => [
  say(overdue ? 'orders.overdue' : 'orders.dueAt'),
  <Time key="due" at={at ?? ''} />,
]

function About({ order }: { order: Order }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          [say('list.id'), <Id key="id" id={order.id} isWhole />],
          [say('orders.customer'), [order.customer.name, order.customer.phone].filter(Boolean).join(' · ') || '—'],
          [say('orders.reference'), order.reference ?? '—'],
          [say('orders.note'), order.note ?? '—'],
          ...(order.due_at === null ? [] : [dueFact(order, say)]),
          [say('orders.notify'), say(order.notify ? 'people.on' : 'people.off')],
          [say('list.created'), <Time key="created" at={order.created_at} />],
        ]}
      />
      <Group gap="sm">
        {order.chat_id !== null && may(session, 'chats:read') && (
          <LinkButton to="/chats" search={{ open: order.chat_id }} size="xs" variant="default">
            {say('orders.toChat')}
          </LinkButton>
        )}
        {may(session, 'events:read') && (
          <LinkButton to="/events" search={{ subject: order.id }} size="xs" variant="default">
            {say('nav.events')}
          </LinkButton>
        )}
      </Group>
    </Stack>
  )
}

/** Where the goods go, and how far they are. */
function OrderDelivery({ order: { delivery } }: { order: Order }) {
  const say = useSay()
  if (delivery === null) return null
  const { address, courier, service, tracking_number: number, tracking_url: url } = delivery
  const { name = null, phone = null, line = null, village = null, district = null, city = null } = address ?? {}
  const place = [name, phone, line, village, district, city, address?.province, address?.postal_code, address?.note]
  const written = place.filter((part) => part != null && part !== '').join(', ')
  return (
    <Section title={say('delivery.title')}>
      <State state={delivery.status} word={say(`delivery.status.${delivery.status}`)} />
      <Facts
        facts={[
          [say('delivery.address'), written || '—'],
          [say('delivery.courier'), [courier, service].filter(Boolean).join(' ') || '—'],
          [say('delivery.tracking'), number ?? '—'],
          [say('delivery.trackingUrl'), url ?? '—'],
        ]}
      />
    </Section>
  )
}

/** What was sold, line by line, down to the total. */
function OrderItems({ order }: { order: Order }) {
  const say = useSay()
  if (order.items.length === 0) return null
  const extras = (['discount', 'shipping', 'tax'] as const).filter((name) => order[name] !== 0)
  return (
    <Section title={say('orders.items')}>
      <Table verticalSpacing={6} aria-label={say('orders.items')}>
        <Table.Tbody>
          {order.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and the lines of an order never change.
            <Table.Tr key={index}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {item.name} {item.sku !== null && <span className="quiet mono">{item.sku}</span>}
              </Table.Td>
              <Table.Td ta="right" className="figures" style={{ whiteSpace: 'nowrap' }}>
                {item.quantity} × {rupiah(item.unit_price)}
              </Table.Td>
              <Table.Td ta="right">
                <Money amount={item.subtotal} />
              </Table.Td>
            </Table.Tr>
          ))}
          {extras.map((name) => (
            <Table.Tr key={name}>
              <Table.Td colSpan={2}>{say(`orders.${name}`)}</Table.Td>
              <Table.Td ta="right">
                {name === 'discount' ? '− ' : ''}
                <Money amount={order[name]} />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr fw={600}>
            <Table.Td colSpan={2}>{say('orders.total')}</Table.Td>
            <Table.Td ta="right">
              <Money amount={order.total} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Section>
  )
}

/** Why a person should look, in words, and what they can decide. */
function OrderReview({ order, mayDecide }: { order: OrderWithPayments; mayDecide: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const decision = useMutation({
    mutationFn: (choice: 'accept' | 'dismiss') => reviewOrder(order.id, choice),
    onSuccess: (after) => queries.setQueryData(orderQuery(order.id).queryKey, after),
  })
  return (
    <section className="review" aria-label={say('orders.needsReview')}>
      <Stack gap="sm">
        <Text size="md" fw={600}>
          {say('orders.needsReview')}
        </Text>
        {(order.needs_review?.reasons ?? ['reversed' as const]).map((reason) => (
          <Text size="sm" key={reason}>
            {say(`review.${reason}`)}
          </Text>
        ))}
        {mayDecide && (
          <>
            <Group gap="sm">
              <Button size="xs" loading={decision.isPending} onClick={() => decision.mutate('accept')}>
                {say('review.accept')}
              </Button>
              <Button size="xs" variant="default" onClick={() => decision.mutate('dismiss')}>
                {say('review.dismiss')}
              </Button>
            </Group>
            <Text size="xs">{say('review.help')}</Text>
          </>
        )}
        <ProblemMessage error={decision.error} />
      </Stack>
    </section>
  )
}

/** The payer has not chosen yet. */
function ChoiceAwaited({ order, url }: { order: OrderWithPayments; url: string }) {
  const say = useSay()
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {say('method.choice')}
      </Text>
      {order.choice !== null && order.status === 'pending_payment' && (
        <Text size="sm" component="div">
          {say('payment.expiresIn')} <Countdown until={order.choice.expires_at} />
        </Text>
      )}
      <PayLink url={url} />
    </Stack>
  )
}
