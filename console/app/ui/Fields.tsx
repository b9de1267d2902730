import {
  type ComboboxItem,
  type OptionsFilter,
  Select,
  type SelectProps,
  Stack,
  Text,
  UnstyledButton,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from './Icon.tsx'

/** One of many, found by any of its words: its name, and what else it is known by. */
export type SearchChoice = ComboboxItem & { words?: readonly string[] }

export type SearchSelectProps = Omit<SelectProps, 'data' | 'filter' | 'searchable'> & {
  data: readonly SearchChoice[]
  nothingFound: string
}

/** Long lists are cut: four hundred lines are unreadable, and typing shortens them. */
const SHOWN_MAX = 60

const plain = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Those that begin with what is typed stand before those that only contain it. */
export function findChoices(choices: readonly SearchChoice[], typed: string): SearchChoice[] {
  const wanted = plain(typed.trim())
  const wordsOf = ({ label, words = [] }: SearchChoice) => [label, ...words].map(plain)
  const found = choices.filter((choice) => wordsOf(choice).some((word) => word.includes(wanted)))
  const isFirst = (choice: SearchChoice) => wordsOf(choice).some((word) => word.startsWith(wanted))
  return [...found.filter(isFirst), ...found.filter((choice) => !isFirst(choice))].slice(0, SHOWN_MAX)
}

const filter: OptionsFilter = ({ options, search }) => findChoices(options as SearchChoice[], search)

export function SearchSelect({ data, nothingFound, ...props }: SearchSelectProps) {
  return (
    <Select
      {...props}
      data={[...data]}
      searchable
      filter={filter}
      nothingFoundMessage={nothingFound}
      // What is chosen is replaced by what is typed, not added to.
      onFocus={(event) => event.currentTarget.select()}
    />
  )
}

/** A part of a form that most go without. */
export const Fold = (props: {
  title: string
  help: string
  isOpen: boolean
  onTurn: () => void
  children: ReactNode
}) => (
  <Stack gap="md" className="fold">
    <UnstyledButton className="fold-button" aria-expanded={props.isOpen} onClick={props.onTurn}>
      <Icon name="chevron" size={16} />
      <span>
        <Text component="span" size="sm" fw={600} display="block">
          {props.title}
        </Text>
        <Text component="span" size="xs" className="quiet" display="block">
          {props.help}
        </Text>
      </span>
    </UnstyledButton>
    {props.isOpen && props.children}
  </Stack>
)
