import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Order, type OrderWithPayments, orderQuery, reviewOrder } from '../api/orders.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { JsonCode } from '../ui/Code.tsx'
import { Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Money, rupiah, Time } from '../ui/Time.tsx'
import { useLive } from './Live.tsx'
import { OrderActs } from './OrderActs.tsx'
import { OrderLedger } from './OrderLedger.tsx'
import { OrderState, PaymentState } from './OrderStates.tsx'
import { OrderTimeline } from './OrderTimeline.tsx'
import { Payable } from './Payable.tsx'
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
  if (order.data === undefined) return <ProblemMessage error={order.error} onRetry={() => order.refetch()} />
  const { data } = order
  return (
    <Stack gap="lg">
      <Head order={data} />
      {data.needs_review !== null && <Review order={data} mayDecide={may(session, 'orders:write')} />}
      {data.payment !== null && <Payable payment={data.payment} />}
      {may(session, 'orders:write') && <OrderActs order={data} />}
      {may(session, 'simulator:use') && <PaymentSimulator order={data} />}
      <Items order={data} />
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

const Section = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section>
    <Text component="h3" size="md" fw={600} mt={0} mb="sm">
      {title}
    </Text>
    {children}
  </section>
)

function Head({ order }: { order: Order }) {
  const say = useSay()
  return (
    <div>
      <div className="order-money">{order.total === null ? say('orders.openAmount') : rupiah(order.total)}</div>
      <Group gap="lg" mt={4} fz="lg">
        <PaymentState status={order.payment_status} />
        <OrderState status={order.status} />
      </Group>
      {order.amount_paid > 0 && order.amount_paid !== order.total && (
        <Text size="sm" mt={4}>
          {say('orders.cameIn')} <Money amount={order.amount_paid} />
        </Text>
      )}
    </div>
  )
}

/** Why a person should look, in words, and what they can decide. */
function Review({ order, mayDecide }: { order: OrderWithPayments; mayDecide: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const decision = useMutation({
    mutationFn: (choice: 'accept' | 'dismiss') => reviewOrder(order.id, choice),
    onSuccess: (after) => queries.setQueryData(orderQuery(order.id).queryKey, after),
  })
  return (
    <Alert color="yellow" variant="light" title={say('orders.needsReview')}>
      <Stack gap="sm">
        {order.needs_review?.reasons.map((reason) => (
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
    </Alert>
  )
}

function Items({ order }: { order: Order }) {
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
              <Table.Td>
                {item.name} {item.sku !== null && <span className="quiet mono">{item.sku}</span>}
              </Table.Td>
              <Table.Td ta="right" className="figures">
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
                <Money amount={name === 'discount' ? -order.discount : order[name]} />
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

function About({ order }: { order: Order }) {
  const say = useSay()
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          [say('list.id'), <Id key="id" id={order.id} isWhole />],
          [say('orders.customer'), [order.customer.name, order.customer.phone].filter(Boolean).join(' · ') || '—'],
          [say('orders.reference'), order.reference ?? '—'],
          [say('orders.note'), order.note ?? '—'],
          [say('orders.notify'), say(order.notify ? 'people.on' : 'people.off')],
          [say('list.created'), <Time key="created" at={order.created_at} />],
        ]}
      />
      <Group gap="sm">
        {order.chat_id !== null && (
          <LinkButton to="/chats" search={{ open: order.chat_id }} size="xs" variant="default">
            {say('orders.toChat')}
          </LinkButton>
        )}
        <LinkButton to="/events" search={{ subject: order.id }} size="xs" variant="default">
          {say('nav.events')}
        </LinkButton>
      </Group>
    </Stack>
  )
}
