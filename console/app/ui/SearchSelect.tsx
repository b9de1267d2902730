import { type ComboboxItem, type OptionsFilter, Select, type SelectProps } from '@mantine/core'

/** One of many, found by any of its words: its name, and what else it is known by. */
export type SearchChoice = ComboboxItem & { words?: readonly string[] }

export type SearchSelectProps = Omit<SelectProps, 'data' | 'filter' | 'searchable'> & {
  data: readonly SearchChoice[]
  nothingFound: string
}

/** The long lists are cut: nobody reads four hundred lines, and typing shortens them. */
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
