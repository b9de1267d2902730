import '../work.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { orderQueryOf } from '../api/order-filters.ts'
import type { Order } from '../api/orders.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { ExportButton } from '../components/CsvButtons.tsx'
import { NewRows } from '../components/NewRows.tsx'
import { OrderBulk } from '../components/OrderBulk.tsx'
import { OrderFilters } from '../components/OrderFilters.tsx'
import { OrderRows } from '../components/OrderRows.tsx'
import { SavedViews } from '../components/SavedViews.tsx'
import { useSay } from '../text/text.tsx'
import { Code } from '../ui/Code.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Money.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/orders')

const EXAMPLE = `curl ${window.location.origin}/api/public/v1/orders \\
  -H "Authorization: Bearer $NEXKIT_KEY" -H 'Content-Type: application/json' \\
  -d '{"billingType":"qris","amount":65000,"customer":{"phone":"0812-3456-7890"}}'`

export function OrdersPage() {
  const say = useSay()
  const { open: _, ...filters }: Filters = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'orders:write')
  const search = (values: Filters) => navigate({ search: values })
  return (
    <Page
      title={say('nav.orders')}
      acts={
        <>
          <ExportButton path="/api/proxy/orders" query={orderQueryOf(filters)} name="orders.csv" />
          {mayWrite && (
            <LinkButton to="/orders/new" leftSection={<Icon name="plus" size={16} />}>
              {say('orders.create')}
            </LinkButton>
          )}
        </>
      }
    >
      <SavedViews
        page="orders"
        builtIn={[
          { name: say('views.all'), filters: {} },
          { name: say('views.awaiting'), filters: { status: 'pending_payment' } },
          { name: say('views.toShip'), filters: { status: 'confirmed,processing', payment_status: 'paid,overpaid' } },
          { name: say('views.review'), filters: { needs_review: 'true' } },
        ]}
        filters={filters}
        onChoose={search}
      />
      <OrderFilters filters={filters} onChange={search} />
      <OrderList filters={filters} mayWrite={mayWrite} />
    </Page>
  )
}

type Filters = Record<string, string | undefined>

function OrderList({ filters, mayWrite }: { filters: Filters; mayWrite: boolean }) {
  const orders = usePages('/api/proxy/orders', orderQueryOf(filters))
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <>
      <NewRows kind="event" types={/^(order|payment|refund)\./} pages={orders} />
      <ProblemMessage error={orders.error} onRetry={() => orders.refetch()} />
      {mayWrite && <OrderBulk orders={orders.items ?? []} ticked={ticked} onTicked={setTicked} />}
      <OrderRows orders={orders.items} error={orders.error} {...(mayWrite && { ticked, onTicked: setTicked })} />
      {orders.items?.length === 0 && <NoOrders isFiltered={isFiltered} mayWrite={mayWrite} />}
      <Sums orders={orders.items ?? []} isPart={orders.hasNextPage} />
      <MoreRows pages={orders} />
    </>
  )
}

function NoOrders({ isFiltered, mayWrite }: { isFiltered: boolean; mayWrite: boolean }) {
  const say = useSay()
  if (isFiltered) return <EmptyMessage title={say('list.noMatch')} />
  return (
    <EmptyMessage picture="order" guide="take-an-order" title={say('orders.empty')} detail={say('orders.emptyHelp')}>
      <Code text={EXAMPLE} />
      {mayWrite && (
        <Button component="a" href="/console/orders/new">
          {say('orders.create')}
        </Button>
      )}
    </EmptyMessage>
  )
}

/** What the rows that are shown come to. */
function Sums({ orders, isPart }: { orders: Order[]; isPart: boolean }) {
  const say = useSay()
  if (orders.length < 2) return null
  const sum = (read: (order: Order) => number) => rupiah(orders.reduce((total, order) => total + read(order), 0))
  return (
    <div className="sums figures">
      {say(isPart ? 'orders.sumPart' : 'orders.sum', {
        count: orders.length,
        total: sum(({ total }) => total ?? 0),
        received: sum(({ amount_paid, amount_returned }) => amount_paid - amount_returned),
      })}
    </div>
  )
}
