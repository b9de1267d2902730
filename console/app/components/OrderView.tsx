import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { isReversalOpen, type Order, type OrderWithPayments, orderQuery, reviewOrder } from '../api/orders.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { JsonCode } from '../ui/Code.tsx'
import { ProblemMessage, Waiting } from '../ui/Message.tsx'
import { Money, rupiah } from '../ui/Money.tsx'
import { Columns, Section } from '../ui/Page.tsx'
import { Countdown } from '../ui/Time.tsx'
import { useLive } from './Live.tsx'
import { type OnAct, OrderActs } from './OrderActs.tsx'
import { OrderLedger } from './OrderLedger.tsx'
import { OrderPapers } from './OrderPapers.tsx'
import { OrderSide } from './OrderSide.tsx'
import { OrderState, PaymentState } from './OrderStates.tsx'
import { OrderTimeline } from './OrderTimeline.tsx'
import { Payable, PayLink } from './Payable.tsx'
import { PaymentSimulator } from './PaymentSimulator.tsx'

/** One order: the money large, what it is paid with, what can be done, what happened; beside it who and where. */
export function OrderView({ id, act, onAct }: { id: string; act?: string | undefined; onAct: OnAct }) {
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
  const mayWrite = may(session, 'orders:write')
  return (
    <Columns side={<OrderSide order={data} mayWrite={mayWrite} />}>
      <Stack gap="lg">
        <Head order={data} />
        {mayWrite && <OrderActs order={data} chosen={act} onChoose={onAct} />}
        <OrderPapers order={data} maySend={mayWrite} />
        {(data.needs_review !== null || isReversalOpen(data)) && <OrderReview order={data} mayDecide={mayWrite} />}
        {data.payment !== null && <Payable payment={data.payment} />}
        {data.payment === null && data.pay_url !== null && <ChoiceAwaited order={data} url={data.pay_url} />}
        {may(session, 'simulator:use') && <PaymentSimulator order={data} />}
        <OrderItems order={data} />
        <Section title={say('orders.ledger')}>
          <OrderLedger order={data} />
        </Section>
        {may(session, 'events:read') && (
          <Section title={say('orders.timeline')}>
            <OrderTimeline order={data} />
          </Section>
        )}
        <details>
          <summary>{say('orders.raw')}</summary>
          <JsonCode value={data} />
        </details>
      </Stack>
    </Columns>
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

/** What was sold, line by line, down to the total. */
function OrderItems({ order }: { order: Order }) {
  const say = useSay()
  if (order.items.length === 0) return null
  const extras = (['discount', 'shipping', 'tax', 'unique_amount'] as const).filter((name) => order[name] !== 0)
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
          {order.tax_included > 0 && (
            <Table.Tr className="quiet">
              <Table.Td colSpan={2}>{say('orders.taxIncluded')}</Table.Td>
              <Table.Td ta="right">
                <Money amount={order.tax_included} />
              </Table.Td>
            </Table.Tr>
          )}
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
