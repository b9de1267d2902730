import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useSay } from '../text/text.tsx'
import { clockOf, instantOf } from './Time.tsx'

/** A row of filters that is the URL: what is set stands there, and a link to it shows the same list. */
export type Filter =
  | { name: string; label: string; kind: 'text' | 'date' | 'moment'; width?: number | string }
  | { name: string; label: string; kind: 'choice'; choices: Choice[]; width?: number }

type Choice = { value: string; label: string }
export type FilterValues = Record<string, string | undefined>

/** What shows a list by its filters. */
export type FilteredProps = { filters: FilterValues; onFilter: (filters: FilterValues) => void }

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
            data={withSet(filter.choices, values[filter.name])}
            value={values[filter.name] ?? null}
            onChange={(value) => set(filter.name, value)}
          />
        ) : (
          <TypedFilter
            key={filter.name}
            label={filter.label}
            kind={filter.kind}
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

/** What is set is shown, also when it is not among the choices: typed by hand, or gone since the link was made. */
const withSet = (choices: readonly Choice[], set: string | undefined): Choice[] =>
  set === undefined || choices.some(({ value }) => value === set)
    ? [...choices]
    : [...choices, { value: set, label: set }]

/** On a desk; a phone has its own order for them. */
const widthOf = (width: number | string) => ({
  '--filter-width': typeof width === 'number' ? `${width}px` : width,
})

const TYPING_MS = 200
const inputTypes = { text: 'text', date: 'date', moment: 'datetime-local' } as const

/** Waits for a pause in typing before it asks. */
function TypedFilter(props: {
  label: string
  kind: 'text' | 'date' | 'moment'
  width: number | string
  value: string
  onChange: (value: string) => void
}) {
  // A moment is an instant in the URL.
  const isMoment = props.kind === 'moment'
  const shown = isMoment ? clockOf(props.value) : props.value
  const [typed, setTyped] = useState(shown)
  const asked = useRef(props.value)
  const settle = useDebouncedCallback((value: string) => {
    asked.current = value
    props.onChange(value)
  }, TYPING_MS)
  // What comes back from here is older than the field, and has lost the space before the next word. Only another value is new.
  useEffect(() => {
    if (props.value === asked.current) return
    asked.current = props.value
    setTyped(shown)
  }, [props.value, shown])
  return (
    <TextInput
      type={inputTypes[props.kind]}
      aria-label={props.label}
      placeholder={props.label}
      // An empty date shows no placeholder, so its name stands before it.
      {...(props.kind !== 'text' && {
        leftSection: <span className="quiet">{props.label}</span>,
        leftSectionWidth: props.label.length * 7 + 20,
      })}
      style={widthOf(props.width)}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        const value = event.currentTarget.value.trim()
        settle(isMoment ? instantOf(value) : value)
      }}
    />
  )
}
