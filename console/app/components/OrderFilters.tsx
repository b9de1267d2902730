import { ActionIcon, Collapse, Group } from '@mantine/core'
import { useState } from 'react'
import { orderStatuses, paymentStatuses } from '../api/orders.ts'
import { type Say, useSay } from '../text/text.tsx'
import { type Filter, Filters } from '../ui/Filters.tsx'
import { Icon } from '../ui/Icon.tsx'

export type OrderFilterValues = {
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

export const queryOf = ({ from, to, ...filters }: OrderFilterValues) => ({
  ...filters,
  ...(isDay(from) && { created_after: new Date(startOf(from)).toISOString() }),
  ...(isDay(to) && { created_before: new Date(startOf(to) + DAY_MS).toISOString() }),
})

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
