import { ActionIcon, Collapse, Group } from '@mantine/core'
import { useState } from 'react'
import type { OrderFilters as OrderFilterValues } from '../api/order-filters.ts'
import { orderStatuses, paymentStatuses } from '../api/orders.ts'
import { type Say, useSay } from '../text/text.tsx'
import { type Filter, Filters } from '../ui/Filters.tsx'
import { Icon } from '../ui/Icon.tsx'

/** What is asked often in the first row; the rest behind a button. */
export function OrderFilters(props: {
  filters: OrderFilterValues
  onChange: (values: Record<string, string | undefined>) => void
}) {
  const say = useSay()
  const { filters, onChange } = props
  const isMoreSet = (['needs_review', 'phone', 'reference', 'from', 'to'] as const).some((name) => filters[name])
  const [isMore, setMore] = useState(isMoreSet)
  return (
    <>
      <Group gap="sm" align="flex-start" wrap="nowrap">
        <Filters values={filters} onChange={onChange} filters={firstFilters(say)} />
        <ActionIcon
          variant={isMoreSet ? 'light' : 'default'}
          size={36}
          aria-label={say('chats.filters')}
          aria-expanded={isMore}
          onClick={() => setMore(!isMore)}
        >
          <Icon name="filter" />
        </ActionIcon>
      </Group>
      <Collapse expanded={isMore}>
        <Filters isMore values={filters} onChange={onChange} filters={moreFilters(say)} />
      </Collapse>
    </>
  )
}

const firstFilters = (say: Say): Filter[] => [
  { name: 'q', label: say('orders.search'), kind: 'text', width: 240 },
  {
    name: 'status',
    label: say('list.state'),
    kind: 'choice',
    choices: orderStatuses.map((value) => ({ value, label: say(`order.status.${value}`) })),
    width: 150,
  },
  {
    name: 'payment_status',
    label: say('orders.payment'),
    kind: 'choice',
    choices: paymentStatuses.map((value) => ({ value, label: say(`payment.of.${value}`) })),
    width: 150,
  },
]

const moreFilters = (say: Say): Filter[] => [
  {
    name: 'needs_review',
    label: say('orders.review'),
    kind: 'choice',
    choices: [{ value: 'true', label: say('orders.needsReview') }],
    width: 150,
  },
  { name: 'phone', label: say('orders.phone'), kind: 'text', width: 150 },
  { name: 'reference', label: say('orders.reference'), kind: 'text', width: 140 },
  { name: 'from', label: say('orders.from'), kind: 'date', width: 250 },
  { name: 'to', label: say('orders.to'), kind: 'date', width: 250 },
]
