import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type Customer, customersFoundQuery } from '../api/customers.ts'
import { may, sessionQuery } from '../api/session.ts'

const SEARCH_MS = 200

/** A name as it is typed; customers that match it are offered, with their phone numbers. */
export function CustomerField(props: {
  label: string
  placeholder?: string | undefined
  value: string
  onChange: (name: string) => void
  onPick: (customer: Customer) => void
  error: string | undefined
}) {
  const { data: session } = useQuery(sessionQuery)
  const [typed] = useDebouncedValue(props.value.trim(), SEARCH_MS)
  const found = useQuery({ ...customersFoundQuery(typed), enabled: typed.length > 1 && may(session, 'chats:read') })
  const customers = found.data?.data ?? []
  const wordsOf = ({ name, phone }: Customer) => [name, phone].filter(Boolean).join(' · ')
  return (
    <Autocomplete
      label={props.label}
      placeholder={props.placeholder}
      data={[...new Set(customers.map(wordsOf))]}
      // The server has searched already, also by phone number.
      filter={({ options }) => options}
      value={props.value}
      onChange={props.onChange}
      onOptionSubmit={(words) => {
        const picked = customers.find((customer) => wordsOf(customer) === words)
        if (picked !== undefined) queueMicrotask(() => props.onPick(picked))
      }}
      error={props.error}
    />
  )
}
