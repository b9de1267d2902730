import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useSay } from '../text/text.tsx'

/** A row of filters that is the URL: what is set stands there, and a link to it shows the same list. */
export type Filter =
  | { name: string; label: string; kind: 'text' | 'date'; width?: number | string }
  | { name: string; label: string; kind: 'choice'; choices: { value: string; label: string }[]; width?: number }

export type FilterValues = Record<string, string | undefined>

export function Filters({
  filters,
  values,
  onChange,
  isMore = false,
}: {
  filters: readonly Filter[]
  values: FilterValues
  onChange: (values: FilterValues) => void
  /** A second row, for what is asked less often. */
  isMore?: boolean
}) {
  const say = useSay()
  const first = useRef<HTMLDivElement>(null)
  useHotkeys([['/', () => !isMore && first.current?.querySelector('input')?.focus()]])
  const isAnySet = filters.some((filter) => values[filter.name] !== undefined)
  const set = (name: string, value: string | null) => onChange({ ...values, [name]: value || undefined })
  return (
    <Group
      className="filters"
      gap="sm"
      mb="sm"
      ref={first}
      role="search"
      aria-label={isMore ? say('chats.filters') : undefined}
    >
      {filters.map((filter) =>
        filter.kind === 'choice' ? (
          <Select
            key={filter.name}
            aria-label={filter.label}
            placeholder={filter.label}
            style={widthOf(filter.width ?? 170)}
            clearable
            data={filter.choices}
            value={values[filter.name] ?? null}
            onChange={(value) => set(filter.name, value)}
          />
        ) : (
          <TypedFilter
            key={filter.name}
            label={filter.label}
            isDate={filter.kind === 'date'}
            width={filter.width ?? 220}
            value={values[filter.name] ?? ''}
            onChange={(value) => set(filter.name, value)}
          />
        ),
      )}
      {isAnySet && (
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          onClick={() => onChange({ ...values, ...Object.fromEntries(filters.map(({ name }) => [name, undefined])) })}
        >
          {say('list.clear')}
        </Button>
      )}
    </Group>
  )
}

/** On a desk; a phone has its own order for them. */
const widthOf = (width: number | string) => ({
  ['--filter-width' as string]: typeof width === 'number' ? `${width}px` : width,
})

const TYPING_MS = 200

/** Waits for a pause in typing before it asks. */
function TypedFilter(props: {
  label: string
  isDate: boolean
  width: number | string
  value: string
  onChange: (value: string) => void
}) {
  const [typed, setTyped] = useState(props.value)
  const settle = useDebouncedCallback(props.onChange, TYPING_MS)
  useEffect(() => setTyped(props.value), [props.value])
  return (
    <TextInput
      type={props.isDate ? 'date' : 'text'}
      aria-label={props.label}
      placeholder={props.label}
      // An empty date shows no placeholder, so its name stands before it.
      {...(props.isDate && {
        leftSection: <span className="quiet">{props.label}</span>,
        leftSectionWidth: props.label.length * 7 + 20,
      })}
      style={widthOf(props.width)}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        settle(event.currentTarget.value.trim())
      }}
    />
  )
}
