import '../work.css'
import { Group } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { nameOf } from '../api/chats.ts'
import type { RowOf } from '../api/client.ts'
import { usePages } from '../api/pages.ts'
import { type Say, useSay } from '../text/text.tsx'
import { Face } from '../ui/Face.tsx'
import { Filters } from '../ui/Filters.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'
import { type Column, Rows } from '../ui/Rows.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/customers')

type Customer = RowOf<'/api/proxy/contacts'>

const linkOf = ({ id }: Customer) => ({ to: '/customers/$id', params: { id } })

const columnsOf = (say: Say): Column<Customer>[] => [
  {
    title: say('orders.customer'),
    cell: (customer) => (
      <Group gap={10} wrap="nowrap" component="span">
        <Face name={customer.name} seed={customer.id} size={28} radius="50%" />
        <span className="row-name cut" dir="auto">
          {nameOf(customer)}
        </span>
      </Group>
    ),
  },
  {
    title: say('orders.phone'),
    cell: ({ phone }) => <span className="figures">{phone ?? '—'}</span>,
    isShort: true,
  },
  {
    title: say('customers.since'),
    cell: ({ created_at }) => <Time at={created_at} />,
    isNumber: true,
    isWide: true,
  },
]

/** Everyone the shop has exchanged messages with. */
export function CustomersPage() {
  const say = useSay()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page title={say('nav.customers')}>
      <Filters
        values={filters}
        onChange={(search) => navigate({ search })}
        filters={[{ name: 'q', label: say('customers.search'), kind: 'text', width: 300 }]}
      />
      <CustomerList filters={filters} />
    </Page>
  )
}

function CustomerList({ filters }: { filters: { q?: string } }) {
  const say = useSay()
  const columns = useMemo(() => columnsOf(say), [say])
  const customers = usePages('/api/proxy/contacts', filters, { isReadOnFocus: true })
  return (
    <>
      <ProblemMessage error={customers.error} onRetry={() => customers.refetch()} />
      <Rows
        label={say('nav.customers')}
        rows={customers.items}
        error={customers.error}
        idOf={({ id }) => id}
        linkOf={linkOf}
        columns={columns}
      />
      {customers.items?.length === 0 &&
        (filters.q !== undefined ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage
            picture="people"
            guide="send-a-message"
            title={say('customers.empty')}
            detail={say('customers.emptyHelp')}
          />
        ))}
      <MoreRows pages={customers} />
    </>
  )
}
