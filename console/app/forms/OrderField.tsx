import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Order, ordersFoundQuery } from '../api/orders.ts'
import { useSay } from '../text/text.tsx'
import { rupiah } from '../ui/Money.tsx'

const SEARCH_MS = 200

/** Finds an order by its number, its reference or its customer. */
export function OrderField({ label, onPick }: { label: string; onPick: (order: Order) => void }) {
  const say = useSay()
  const [words, setWords] = useState('')
  const [typed] = useDebouncedValue(words.trim(), SEARCH_MS)
  const found = useQuery({ ...ordersFoundQuery(typed), enabled: typed !== '' })
  const orders = typed === '' ? [] : (found.data?.data ?? [])
  const title = ({ number, customer, amount_remaining: remaining }: Order) =>
    [`#${number}`, customer?.name, remaining === null ? null : say('books.remaining', { amount: rupiah(remaining) })]
      .filter(Boolean)
      .join(' · ')
  return (
    <Select
      aria-label={label}
      placeholder={label}
      size="xs"
      searchable
      searchValue={words}
      onSearchChange={setWords}
      filter={({ options }) => options}
      data={orders.map((order) => ({ value: order.id, label: title(order) }))}
      nothingFoundMessage={typed === '' || found.isPending ? null : say('list.noMatch')}
      value={null}
      onChange={(id) => {
        const picked = orders.find((order) => order.id === id)
        if (picked !== undefined) onPick(picked)
      }}
    />
  )
}
