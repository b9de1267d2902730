import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type SettingChoices, settingChoicesQuery } from '../api/settings.ts'
import { useText } from '../text/text.tsx'
import { type SearchChoice, SearchSelect } from '../ui/Fields.tsx'
import { once } from '../ui/Time.tsx'

/** Countries and time zones by their names in both languages, whichever the page is in. */
type PlaceProps = {
  label: string
  description?: string
  value: string
  disabled: boolean
  onChange: (value: string) => void
  error: string | undefined
}

const LANGUAGES = ['en', 'id'] as const
const regionNames = once((language) => new Intl.DisplayNames(language, { type: 'region' }))
const countryName = (code: string, language: string): string => {
  try {
    return regionNames(language).of(code) ?? code
  } catch {
    return code
  }
}

/** The label stays the same when the other choices arrive: another one would replace what is being typed. */
const countryChoice = (code: string, language: string, callingCode = ''): SearchChoice => ({
  value: code,
  label: countryName(code, language),
  words: [code, `+${callingCode}`, ...LANGUAGES.map((each) => countryName(code, each))],
})

/** The zone as its people call it ("Western Indonesia Time"), or how far it is from Greenwich ("GMT+7"). */
function zoneName(zone: string, language: string, timeZoneName: 'longGeneric' | 'shortOffset' | 'short'): string {
  try {
    const parts = new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName }).formatToParts(new Date())
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  } catch {
    return ''
  }
}

const zoneLabel = (zone: string) => [zone.replaceAll('_', ' '), zoneName(zone, 'en', 'shortOffset')].join(' · ')
const zoneChoice = (zone: string): SearchChoice => ({
  value: zone,
  label: zoneLabel(zone),
  words: [
    ...zone.split('/').map((part) => part.replaceAll('_', ' ')),
    zoneName(zone, 'id', 'short'),
    ...LANGUAGES.map((language) => zoneName(zone, language, 'longGeneric')),
  ],
})

const byLabel = (one: SearchChoice, other: SearchChoice) => one.label.localeCompare(other.label)

/** A stored value that is not among the choices is still shown. */
const withValue = (choices: SearchChoice[], value: string, choice: () => SearchChoice): SearchChoice[] =>
  choices.some((one) => one.value === value) ? choices : [choice(), ...choices]

export function CountrySelect(props: PlaceProps) {
  const { language } = useText()
  return (
    <PlaceSelect
      {...props}
      choicesOf={({ countries }) =>
        countries.map(({ code, calling_code }) => countryChoice(code, language, calling_code)).sort(byLabel)
      }
      choiceOf={(code) => countryChoice(code, language)}
    />
  )
}

export const TimeZoneSelect = (props: PlaceProps) => (
  <PlaceSelect {...props} choicesOf={({ timezones }) => timezones.map(zoneChoice)} choiceOf={zoneChoice} />
)

/** The names of four hundred zones take a moment, so they are prepared when the list is opened. */
function PlaceSelect({
  choicesOf,
  choiceOf,
  onChange,
  ...props
}: PlaceProps & { choicesOf: (all: SettingChoices) => SearchChoice[]; choiceOf: (value: string) => SearchChoice }) {
  const { say, language } = useText()
  const [isOpened, setOpened] = useState(false)
  const { data } = useQuery(settingChoicesQuery)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions depend on the language alone.
  const choices = useMemo(
    () => withValue(isOpened && data !== undefined ? choicesOf(data) : [], props.value, () => choiceOf(props.value)),
    [isOpened, data, props.value, language],
  )
  return (
    <SearchSelect
      {...props}
      data={choices}
      allowDeselect={false}
      nothingFound={say('choice.nothingFound')}
      onDropdownOpen={() => setOpened(true)}
      onChange={(value) => value !== null && onChange(value)}
    />
  )
}
