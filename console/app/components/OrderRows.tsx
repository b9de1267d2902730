import { Text } from '@mantine/core'
import type { Order } from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { Money } from '../ui/Money.tsx'
import { Rows } from '../ui/Rows.tsx'
import { Time } from '../ui/Time.tsx'
import { OrderState, PaymentState } from './OrderStates.tsx'

/** The list of orders; on a phone in two lines, so that the money is never out of sight. */
export function OrderRows(props: {
  orders: Order[] | undefined
  error: unknown
  chosenId: string | undefined
  onOpen: (id: string) => void
}) {
  const say = useSay()
  return (
    <Rows
      label={say('nav.orders')}
      rows={props.orders}
      error={props.error}
      idOf={(order) => order.id}
      chosenId={props.chosenId}
      onOpen={(order) => props.onOpen(order.id)}
      columns={[
        { title: '#', cell: ({ number }) => <span className="figures">{number}</span>, width: 70, isWide: true },
        {
          title: say('orders.customer'),
          cell: ({ customer, reference, number }) => (
            <>
              <Text size="sm" truncate maw={{ base: 180, sm: 260 }}>
                {customer.name ?? customer.phone ?? '—'}
              </Text>
              <Text size="xs" className="quiet figures" hiddenFrom="sm">
                #{number}
              </Text>
              <Text size="xs" className="quiet" truncate maw={260} visibleFrom="sm">
                {[customer.name === null ? null : customer.phone, reference].filter(Boolean).join(' · ')}
              </Text>
            </>
          ),
        },
        {
          title: say('list.state'),
          cell: ({ status, needs_review }) =>
            needs_review === null ? (
              <OrderState status={status} />
            ) : (
              <>
                <OrderState status={status} />
                <Text size="xs" style={{ color: 'var(--waiting)' }}>
                  {say('orders.needsReview')}
                </Text>
              </>
            ),
          isWide: true,
        },
        {
          title: say('orders.payment'),
          cell: ({ payment_status, total }) => (
            <>
              <PaymentState status={payment_status} />
              <Text size="sm" hiddenFrom="sm" component="div">
                <Total total={total} />
              </Text>
            </>
          ),
        },
        { title: say('orders.total'), cell: ({ total }) => <Total total={total} />, isNumber: true, isWide: true },
        {
          title: say('list.created'),
          cell: ({ created_at }) => <Time at={created_at} />,
          isNumber: true,
          isWide: true,
        },
      ]}
    />
  )
}

function Total({ total }: { total: number | null }) {
  const say = useSay()
  return total === null ? <span className="quiet">{say('orders.openAmount')}</span> : <Money amount={total} />
}
