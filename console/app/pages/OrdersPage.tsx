import '../work.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Order } from '../api/orders.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { NewRows } from '../components/NewRows.tsx'
import { OrderFilters, queryOf } from '../components/OrderFilters.tsx'
import { OrderRows } from '../components/OrderRows.tsx'
import { OrderView } from '../components/OrderView.tsx'
import { NewOrderForm } from '../forms/NewOrderForm.tsx'
import { useSay } from '../text/text.tsx'
import { Code } from '../ui/Code.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/orders')

const EXAMPLE = `curl ${window.location.origin}/api/public/v1/orders \\
  -H "Authorization: Bearer $NEXKIT_KEY" -H 'Content-Type: application/json' \\
  -d '{"billingType":"qris","amount":65000,"customer":{"phone":"0812-3456-7890"}}'`

export function OrdersPage() {
  const say = useSay()
  const { open, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'orders:write')
  const orders = usePages('/api/proxy/orders', queryOf(filters))
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
      <NewRows kind="event" types={/^(order|payment|refund)\./} pages={orders} />
      <ProblemMessage error={orders.error} onRetry={() => orders.refetch()} />
      <OrderRows orders={orders.items} error={orders.error} chosenId={open} onOpen={show} />
      {orders.items?.length === 0 &&
        (isFiltered ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage
            picture="order"
            guide="take-an-order"
            title={say('orders.empty')}
            detail={say('orders.emptyHelp')}
          >
            <Code text={EXAMPLE} />
            {mayWrite && <Button onClick={() => show('new')}>{say('orders.create')}</Button>}
          </EmptyMessage>
        ))}
      <MoreRows pages={orders} />
      <Detail title={say('orders.create')} isOpen={open === 'new' && mayWrite} onClose={() => show(undefined)}>
        <NewOrderForm
          onCreated={(order) => {
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
