import '../work.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { orderQuery } from '../api/orders.ts'
import { OrderView } from '../components/OrderView.tsx'
import { NewOrderForm } from '../forms/NewOrderForm.tsx'
import { useSay } from '../text/text.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/orders/$id')
const newRoute = getRouteApi('/inside/orders/new')

/** One order at its address. `act` opens a dialog, so that a link can lead to a refund. */
export function OrderPage() {
  const say = useSay()
  const { id } = route.useParams()
  const { act } = route.useSearch()
  const navigate = route.useNavigate()
  const order = useQuery(orderQuery(id))
  const title = order.data === undefined ? say('orders.one') : `${say('orders.one')} #${order.data.number}`
  return (
    <Page title={title} parent={{ to: '/orders', text: say('nav.orders') }}>
      <OrderView
        key={id}
        id={id}
        act={act}
        onAct={(next) => navigate({ search: next === null ? {} : { act: next }, replace: true })}
      />
    </Page>
  )
}

/** A new order, for the customer in the address where one is named. */
export function NewOrderPage() {
  const say = useSay()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { name = '', phone } = newRoute.useSearch()
  return (
    <Page title={say('orders.create')} parent={{ to: '/orders', text: say('nav.orders') }}>
      <div className="form-column">
        <NewOrderForm
          {...(phone !== undefined && { customer: { name, phone } })}
          onCreated={(order) => {
            queries.invalidateQueries({ queryKey: ['list', '/api/proxy/orders'] })
            navigate({ to: '/orders/$id', params: { id: order.id } })
          }}
        />
      </div>
    </Page>
  )
}
