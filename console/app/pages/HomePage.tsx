import { Card, Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  byDay,
  daysOf,
  type Range,
  rangeOf,
  ranges,
  type Statistics,
  salesQuery,
  statisticsQuery,
} from '../api/home.ts'
import { AlertQuestion } from '../components/Alerts.tsx'
import { GetStarted } from '../components/GetStarted.tsx'
import { HealthList } from '../components/HealthList.tsx'
import { HomeNumbers } from '../components/HomeNumbers.tsx'
import { useSay } from '../text/text.tsx'
import { Bars, Lines } from '../ui/Chart.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Money.tsx'
import { Columns, Page } from '../ui/Page.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

const route = getRouteApi('/inside/')

export function HomePage() {
  const say = useSay()
  const { range: chosen } = route.useSearch()
  const navigate = route.useNavigate()
  const range = rangeOf(chosen)
  const statistics = useQuery(statisticsQuery(range))
  return (
    <Page
      title={say('nav.home')}
      acts={
        <SegmentedControl
          size="xs"
          aria-label={say('home.range')}
          value={range}
          onChange={(value) => navigate({ search: value === '24h' ? {} : { range: value } })}
          data={ranges.map((value) => ({ value, label: say(`home.range.${value}`) }))}
        />
      }
    >
      <Stack gap="xl">
        <HomeNumbers range={range} />
        <AlertQuestion />
        <GetStarted />
        <ProblemMessage error={statistics.error} onRetry={() => statistics.refetch()} />
        <Columns side={<HealthList />}>
          {statistics.data === undefined ? (
            statistics.error === null && <ChartSkeletons />
          ) : (
            <Charts statistics={statistics.data} />
          )}
        </Columns>
      </Stack>
    </Page>
  )
}

function Charts({ statistics }: { statistics: Statistics }) {
  const say = useSay()
  const { requests, latency, deliveries, messages, orders } = statistics
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {requests !== null && (
        <ChartCard
          title={<LinkText to="/logs">{say('home.requests')}</LinkText>}
          figure={`${requests.total.toLocaleString()}${statistics.is_partial && requests.total > 0 ? '+' : ''}`}
        >
          <Bars
            label={say('home.requests')}
            buckets={requests.buckets}
            series={[
              { name: '2xx', color: 'var(--good)', value: ({ ok }) => ok },
              { name: '4xx', color: 'var(--waiting)', value: ({ client_error }) => client_error },
              { name: '5xx', color: 'var(--bad)', value: ({ server_error }) => server_error },
            ]}
          />
        </ChartCard>
      )}
      {latency !== null && (
        <ChartCard
          title={say('home.latency')}
          figure={latency.p50_ms === null ? '—' : `${latency.p50_ms.toFixed(1)} ms`}
        >
          <Lines
            label={say('home.latency')}
            buckets={latency.buckets}
            unit="ms"
            series={[
              { name: 'p50', color: 'var(--moving)', value: ({ p50_ms }) => p50_ms },
              { name: 'p99', color: 'var(--waiting)', value: ({ p99_ms }) => p99_ms },
            ]}
          />
        </ChartCard>
      )}
      {deliveries !== null && (
        <ChartCard
          title={<LinkText to="/deliveries">{say('home.deliveries')}</LinkText>}
          figure={deliveries.total.toLocaleString()}
        >
          <Bars
            label={say('home.deliveries')}
            buckets={deliveries.buckets}
            series={[
              { name: say('state.succeeded'), color: 'var(--good)', value: ({ succeeded }) => succeeded },
              { name: say('state.pending'), color: 'var(--waiting)', value: ({ pending }) => pending },
              { name: say('state.failed'), color: 'var(--bad)', value: ({ failed }) => failed },
            ]}
          />
        </ChartCard>
      )}
      {messages !== null && (
        <ChartCard
          title={<LinkText to="/chats">{say('home.messages')}</LinkText>}
          figure={(messages.total_in + messages.total_out).toLocaleString()}
        >
          <Bars
            label={say('home.messages')}
            buckets={messages.buckets}
            series={[
              { name: say('home.in'), color: 'var(--moving)', value: (bucket) => bucket.in },
              { name: say('home.out'), color: 'var(--mantine-primary-color-filled)', value: ({ out }) => out },
            ]}
          />
        </ChartCard>
      )}
      {orders !== null && <SalesChart range={statistics.range} orders={orders} />}
    </SimpleGrid>
  )
}

/** Before refunds, by hour of a day and else by day, as the report of the books has it. */
function SalesChart({ range, orders }: { range: Range; orders: NonNullable<Statistics['orders']> }) {
  const say = useSay()
  const isDay = range === '24h'
  const report = useQuery({ ...salesQuery(range), enabled: !isDay })
  const hours = orders.buckets.map(({ at, paid_sum }) => ({ at, received: paid_sum }))
  const buckets = isDay ? hours : byDay(report.data?.periods ?? [], daysOf[range])
  const sum = buckets.reduce((total, { received }) => total + received, 0)
  if (sum === 0) return null
  return (
    <ChartCard title={<LinkText to="/books">{say('home.orders')}</LinkText>} figure={rupiah(sum)}>
      <Bars
        label={say('home.orders')}
        buckets={buckets}
        format={rupiah}
        series={[{ name: say('home.paid'), color: 'var(--good)', value: ({ received }) => received }]}
      />
    </ChartCard>
  )
}

const ChartSkeletons = () => (
  <SimpleGrid data-waiting cols={{ base: 1, md: 2 }} spacing="md">
    {['requests', 'latency', 'deliveries', 'messages'].map((name) => (
      <Skeleton key={name} height={180} />
    ))}
  </SimpleGrid>
)

const ChartCard = ({ title, figure, children }: { title: ReactNode; figure: string; children: ReactNode }) => (
  <Card withBorder padding="md">
    <Group justify="space-between" mb="sm">
      <Text size="sm" fw={600} component="div">
        {title}
      </Text>
      <Text size="sm" className="figures">
        {figure}
      </Text>
    </Group>
    {children}
  </Card>
)
