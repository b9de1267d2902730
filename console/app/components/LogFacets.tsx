import { Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import type { RequestLogFacets } from '../api/generated.ts'
import { daysOf, type Range, rangeOf, ranges } from '../api/home.ts'
import { type LogFilters, logFacetsQuery } from '../api/logs.ts'
import { useRowsOutcome } from '../api/pages.ts'
import { useSay } from '../text/text.tsx'
import { Bars, Lines } from '../ui/Chart.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { countText } from '../ui/Money.tsx'
import { Section } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { Time } from '../ui/Time.tsx'

/** How many requests match: over time, and by what they share. A value sets its filter; the one that is set clears it. */
export function LogFacets(props: {
  filters: LogFilters
  nameOf: (callerId: string) => string
  onChange: (change: LogFilters) => void
}) {
  const say = useSay()
  // The rows come first: both look through the same calls.
  const filters = useDeferredValue(props.filters)
  const rows = useRowsOutcome('/api/console/request-logs', props.filters)
  const facets = useQuery({ ...logFacetsQuery(filters), enabled: rows === 'come' })
  if (rows === 'failed') return null
  if (facets.data === undefined) return <ProblemMessage error={facets.error} onRetry={() => facets.refetch()} />
  const { data } = facets
  if (data.total === 0) return null
  return (
    <Stack gap="sm" mb="md">
      <LogCharts
        data={data}
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

/** The requests of a caller, or of any other filter, by their outcome and by how long they took. */
function LogCharts({ data, onPick }: { data: RequestLogFacets; onPick?: (from: Date, to: Date) => void }) {
  const say = useSay()
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Bars
        isTitled
        label={say('logs.chart', { count: countText(data.total) })}
        buckets={data.buckets}
        {...(onPick && { onPick })}
        series={[
          { name: '2xx', color: 'var(--good)', value: ({ ok }) => ok },
          { name: '4xx', color: 'var(--waiting)', value: ({ client_error }) => client_error },
          { name: '5xx', color: 'var(--bad)', value: ({ server_error }) => server_error },
        ]}
      />
      <Lines
        isTitled
        label={say('home.latency')}
        buckets={data.buckets}
        unit="ms"
        {...(onPick && { onPick })}
        series={[
          { name: 'p50', color: 'var(--moving)', value: ({ p50_ms }) => p50_ms },
          { name: 'p95', color: 'var(--waiting)', value: ({ p95_ms }) => p95_ms },
        ]}
      />
    </SimpleGrid>
  )
}

const DAY_MS = 24 * 3600 * 1000
const SINCE_STEP_MS = 60 * 1000

/** To the minute, so that a page that is drawn again asks for the same. */
const startOf = (range: Range) =>
  new Date(Math.floor(Date.now() / SINCE_STEP_MS) * SINCE_STEP_MS - daysOf[range] * DAY_MS).toISOString()

/** What a key or an agent calls over time, and by operation, most frequent first. Each operation leads to its requests. */
export function CallerUse(props: { caller: string; range: Range; onRange: (range: Range) => void }) {
  const say = useSay()
  const { caller, range } = props
  const since = useMemo(() => startOf(range), [range])
  const filters = { caller, since }
  const facets = useQuery(logFacetsQuery(filters))
  const operations = facets.data?.facets.find(({ name }) => name === 'operation')?.values ?? []
  return (
    <Section
      title={say('keys.use')}
      acts={
        <>
          <SegmentedControl
            size="xs"
            aria-label={say('home.range')}
            value={range}
            onChange={(value) => props.onRange(rangeOf(value))}
            data={ranges.map((value) => ({ value, label: say(`home.range.${value}`) }))}
          />
          <LinkButton to="/logs" search={filters} size="xs" variant="default">
            {say('nav.logs')}
          </LinkButton>
        </>
      }
    >
      <Stack gap="sm">
        <ProblemMessage error={facets.error} onRetry={() => facets.refetch()} />
        {facets.data !== undefined && <LogCharts data={facets.data} />}
        {operations.length > 0 && (
          <Rows
            label={say('logs.facet.operation')}
            rows={operations}
            idOf={({ value }) => value}
            linkOf={({ value }) => ({ to: '/logs', search: { ...filters, operation: value } })}
            columns={[
              { title: say('logs.facet.operation'), cell: ({ value }) => value },
              { title: say('logs.requests'), cell: ({ count }) => countText(count), isNumber: true },
            ]}
          />
        )}
      </Stack>
    </Section>
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
