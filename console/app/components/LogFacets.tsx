import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type LogFilters, logFacetsQuery } from '../api/logs.ts'
import { useSay } from '../text/text.tsx'
import { Bars } from '../ui/Chart.tsx'
import { Facts } from '../ui/Detail.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { countText } from '../ui/Money.tsx'
import { Time } from '../ui/Time.tsx'

/** How many requests match: over time, and by what they share. A value sets its filter; the one that is set clears it. */
export function LogFacets(props: {
  filters: LogFilters
  nameOf: (callerId: string) => string
  onChange: (change: LogFilters) => void
}) {
  const say = useSay()
  const facets = useQuery(logFacetsQuery(props.filters))
  if (facets.data === undefined) return <ProblemMessage error={facets.error} onRetry={() => facets.refetch()} />
  const { data } = facets
  if (data.total === 0) return null
  return (
    <Stack gap="sm" mb="md">
      <LogChart
        filters={props.filters}
        onPick={(since, until) => props.onChange({ since: since.toISOString(), until: until.toISOString() })}
      />
      <div className="facets">
        {data.facets.map(({ name, values }) => (
          <Facet key={name} name={name} values={values} {...props} />
        ))}
      </div>
      {data.covered_from > data.from && (
        <Text size="xs" className="quiet">
          {say('logs.coveredFrom')} <Time at={data.covered_from} />
        </Text>
      )}
    </Stack>
  )
}

/** The requests of a caller, or of any other filter, by their outcome. */
function LogChart({ filters, onPick }: { filters: LogFilters; onPick?: (from: Date, to: Date) => void }) {
  const say = useSay()
  const { data } = useQuery(logFacetsQuery(filters))
  if (data === undefined) return null
  return (
    <Bars
      label={say('logs.chart', { count: countText(data.total) })}
      buckets={data.buckets}
      {...(onPick && { onPick })}
      series={[
        { name: '2xx', color: 'var(--good)', value: ({ ok }) => ok },
        { name: '4xx', color: 'var(--waiting)', value: ({ client_error }) => client_error },
        { name: '5xx', color: 'var(--bad)', value: ({ server_error }) => server_error },
      ]}
    />
  )
}

/** What a caller calls, most frequent first. Each operation leads to its requests. */
export function RouteUse({ caller }: { caller: string }) {
  const say = useSay()
  const facets = useQuery(logFacetsQuery({ caller }))
  const operations = facets.data?.facets.find(({ name }) => name === 'operation')?.values ?? []
  return (
    <Stack gap="sm">
      <ProblemMessage error={facets.error} onRetry={() => facets.refetch()} />
      <LogChart filters={{ caller }} />
      {operations.length > 0 && (
        <Facts
          facts={operations.map(({ value, count }) => [
            value,
            <LinkText key={value} to="/logs" search={{ caller, operation: value }} size="sm" className="figures">
              {say('logs.requests', { count: countText(count) })}
            </LinkText>,
          ])}
        />
      )}
    </Stack>
  )
}

type FacetName = 'status' | 'error_code' | 'method' | 'operation' | 'caller'
const VALUES_SHOWN = 5

function Facet(props: {
  name: FacetName
  values: { value: string; count: number }[]
  filters: LogFilters
  nameOf: (callerId: string) => string
  onChange: (change: LogFilters) => void
}) {
  const say = useSay()
  const { name, values, filters } = props
  const set = filters[name]
  if (values.length === 0) return null
  return (
    <section aria-label={say(`logs.facet.${name}`)}>
      <Text size="xs" className="quiet" mb={2}>
        {say(`logs.facet.${name}`)}
      </Text>
      {values.slice(0, VALUES_SHOWN).map(({ value, count }) => (
        <button
          key={value}
          type="button"
          className="facet"
          aria-pressed={set === value}
          onClick={() => props.onChange({ [name]: set === value ? undefined : value })}
        >
          <span title={value}>{name === 'caller' ? props.nameOf(value) : value}</span>
          <span className="figures quiet">{countText(count)}</span>
        </button>
      ))}
      {values.length > VALUES_SHOWN && (
        <Group px={6}>
          <Text size="xs" className="quiet">
            +{values.length - VALUES_SHOWN}
          </Text>
        </Group>
      )}
    </section>
  )
}
