import '../work.css'
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type Order, orderStatuses, paymentStatuses } from '../api/orders.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { OrderState, PaymentState } from '../components/OrderStates.tsx'
import { OrderView } from '../components/OrderView.tsx'
import { NewOrderForm } from '../forms/NewOrderForm.tsx'
import { useSay } from '../text/text.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Filters } from '../ui/Filters.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { NewRows } from '../ui/NewRows.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { Money, Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/orders')

export function OrdersPage() {
  const say = useSay()
  const { open, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'orders:write')
  const orders = usePages<Order>('/api/proxy/orders', queryOf(filters))
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page
      title={say('nav.orders')}
      acts={
        mayWrite && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => show('new')}>
            {say('orders.create')}
          </Button>
        )
      }
    >
      <OrderFilters filters={filters} onChange={(values) => navigate({ search: { ...values, open } })} />
      <NewRows kind="order" onShow={() => orders.refetch()} />
      <ProblemMessage error={orders.error} onRetry={() => orders.refetch()} />
      <OrderRows orders={orders.items} chosenId={open} onOpen={show} />
      {orders.items?.length === 0 &&
        (isFiltered ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage title={say('orders.empty')} detail={say('orders.emptyHelp')}>
            {mayWrite && <Button onClick={() => show('new')}>{say('orders.create')}</Button>}
          </EmptyMessage>
        ))}
      <MoreRows hasMore={orders.hasNextPage} isLoading={orders.isFetchingNextPage} onMore={orders.fetchNextPage} />
      <Detail title={say('orders.create')} isOpen={open === 'new' && mayWrite} onClose={() => show(undefined)}>
        <NewOrderForm
          onMade={(order) => {
            orders.refetch()
            show(order.id)
          }}
        />
      </Detail>
      <OpenOrder id={open} orders={orders.items} onClose={() => show(undefined)} />
    </Page>
  )
}

function OpenOrder(props: { id: string | undefined; orders: Order[] | undefined; onClose: () => void }) {
  const say = useSay()
  const { id } = props
  const number = props.orders?.find((order) => order.id === id)?.number
  const title = number === undefined ? say('orders.one') : `${say('orders.one')} #${number}`
  const isOpen = id !== undefined && id !== 'new'
  return (
    <Detail title={title} isOpen={isOpen} onClose={props.onClose}>
      {isOpen && <OrderView key={id} id={id} />}
    </Detail>
  )
}

type OrderFilterValues = {
  q?: string
  status?: string
  payment_status?: string
  needs_review?: string
  phone?: string
  reference?: string
  from?: string
  to?: string
}

/** Days are days of the shop: from the first moment of one to the last moment of the other. */
const DAY_MS = 24 * 3600 * 1000
const isDay = (text: string | undefined): text is string => text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text)
const startOf = (day: string) => Date.parse(`${day}T00:00:00+07:00`)

const queryOf = ({ from, to, ...filters }: OrderFilterValues) => ({
  ...filters,
  ...(isDay(from) && { created_after: new Date(startOf(from)).toISOString() }),
  ...(isDay(to) && { created_before: new Date(startOf(to) + DAY_MS).toISOString() }),
})

function OrderFilters(props: {
  filters: OrderFilterValues
  onChange: (values: Record<string, string | undefined>) => void
}) {
  const say = useSay()
  return (
    <Filters
      values={props.filters}
      onChange={props.onChange}
      filters={[
        { name: 'q', label: say('orders.search'), kind: 'text', width: 220 },
        {
          name: 'status',
          label: say('list.state'),
          kind: 'choice',
          choices: orderStatuses.map((value) => ({ value, label: say(`order.status.${value}`) })),
          width: 170,
        },
        {
          name: 'payment_status',
          label: say('orders.payment'),
          kind: 'choice',
          choices: paymentStatuses.map((value) => ({ value, label: say(`payment.of.${value}`) })),
          width: 170,
        },
        {
          name: 'needs_review',
          label: say('orders.review'),
          kind: 'choice',
          choices: [{ value: 'true', label: say('orders.needsReview') }],
          width: 150,
        },
        { name: 'phone', label: say('orders.phone'), kind: 'text', width: 150 },
        { name: 'reference', label: say('orders.reference'), kind: 'text', width: 140 },
        { name: 'from', label: say('orders.from'), kind: 'date', width: 150 },
        { name: 'to', label: say('orders.to'), kind: 'date', width: 150 },
      ]}
    />
  )
}

function OrderRows(props: { orders: Order[] | undefined; chosenId: string | undefined; onOpen: (id: string) => void }) {
  const say = useSay()
  return (
    <Rows
      label={say('nav.orders')}
      rows={props.orders}
      idOf={(order) => order.id}
      chosenId={props.chosenId}
      onOpen={(order) => props.onOpen(order.id)}
      columns={[
        { title: '#', cell: ({ number }) => <span className="figures">{number}</span>, width: 70 },
        {
          title: say('orders.customer'),
          cell: ({ customer, reference }) => (
            <>
              <Text size="sm" truncate maw={260}>
                {customer.name ?? customer.phone ?? '—'}
              </Text>
              <Text size="xs" className="quiet" truncate maw={260}>
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
        { title: say('orders.payment'), cell: ({ payment_status }) => <PaymentState status={payment_status} /> },
        { title: say('orders.total'), cell: ({ total }) => <Total total={total} />, isNumber: true },
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

export function Total({ total }: { total: number | null }) {
  const say = useSay()
  return total === null ? <span className="quiet">{say('orders.openAmount')}</span> : <Money amount={total} />
}
