import { MultiSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { eventTypesQuery } from '../api/webhooks.ts'

/** Names of the catalogue after whole groups (`order.*`). */
export function useEventFilters(): string[] {
  const types = useQuery(eventTypesQuery)
  return useMemo(() => {
    const names = (types.data?.data ?? []).map(({ name }) => name)
    const groups = [...new Set(names.map((name) => `${name.slice(0, name.indexOf('.'))}.*`))]
    return [...groups, ...names]
  }, [types.data])
}

/** Names, groups and everything (`*`). */
export function EventPicker(props: {
  label: string
  value: string[]
  onChange: (value: string[]) => void
  error?: string
}) {
  const filters = useEventFilters()
  return (
    <MultiSelect
      label={props.label}
      data={['*', ...filters]}
      value={props.value}
      onChange={props.onChange}
      error={props.error}
      searchable
      required
      size="sm"
      maxDropdownHeight={280}
    />
  )
}
