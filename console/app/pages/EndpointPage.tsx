import { Group, SegmentedControl, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { rangeOf, ranges } from '../api/home.ts'
import { REREAD_MS, usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type Endpoint, type EndpointWithSecret, endpointStatisticsQuery, endpointsQuery } from '../api/webhooks.ts'
import { Certify, Recover, TestEvent } from '../components/EndpointActs.tsx'
import { EndpointFacts, EndpointState } from '../components/EndpointFacts.tsx'
import { RevealSecret, SecretDialog } from '../components/EndpointSecret.tsx'
import { EndpointSwitches } from '../components/EndpointSwitches.tsx'
import { EndpointForm } from '../forms/EndpointForm.tsx'
import { useSay } from '../text/text.tsx'
import { Bars, Lines } from '../ui/Chart.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { Absent, EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { Columns, Page, Section } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { HttpStatus, State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/webhooks/$id')

/** One endpoint: how its receiver does, its newest deliveries, and everything that can be done to it. */
export function EndpointPage() {
  const say = useSay()
  const { id } = route.useParams()
  const navigate = useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'webhooks:write')
  const endpoints = useQuery({ ...endpointsQuery, refetchInterval: REREAD_MS })
  const [shown, setShown] = useState<EndpointWithSecret | null>(null)
  const endpoint = endpoints.data?.data.find((one) => one.id === id)
  const leave = () => navigate({ to: '/webhooks' })
  return (
    <Page
      title={endpoint?.url ?? say('deliveries.endpoint')}
      parent={{ to: '/webhooks', text: say('nav.webhooks') }}
      {...(endpoint && { state: <EndpointState endpoint={endpoint} /> })}
    >
      {endpoints.data === undefined ? (
        <Waiting error={endpoints.error} onRetry={() => endpoints.refetch()} />
      ) : endpoint === undefined ? (
        <Absent detail={say('webhooks.absent')} look={endpoints.refetch} onBack={leave} />
      ) : (
        <Columns
          key={endpoint.id}
          side={
            <Stack gap="md">
              <EndpointFacts endpoint={endpoint} />
              {may(session, 'keys:manage') && (
                <Group>
                  <RevealSecret endpoint={endpoint} />
                </Group>
              )}
            </Stack>
          }
        >
          <Stack gap="xl">
            <EndpointCharts id={endpoint.id} />
            {mayWrite && <EndpointTabs endpoint={endpoint} onGone={leave} onSecret={setShown} />}
            <NewestDeliveries id={endpoint.id} />
          </Stack>
        </Columns>
      )}
      <SecretDialog created={shown} onDone={() => setShown(null)} />
    </Page>
  )
}

function EndpointCharts({ id }: { id: string }) {
  const say = useSay()
  const range = rangeOf(route.useSearch().range)
  const navigate = route.useNavigate()
  const statistics = useQuery(endpointStatisticsQuery(id, range))
  return (
    <Section
      title={say('deliveries.attempts')}
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
      {statistics.data === undefined ? (
        <Waiting error={statistics.error} onRetry={() => statistics.refetch()} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Bars
            isTitled
            label={say('webhooks.outcomes')}
            buckets={statistics.data.buckets}
            series={[
              { name: say('state.succeeded'), color: 'var(--good)', value: ({ succeeded }) => succeeded },
              { name: say('state.failed'), color: 'var(--bad)', value: ({ failed }) => failed },
            ]}
          />
          <Lines
            isTitled
            label={say('home.latency')}
            buckets={statistics.data.buckets}
            unit="ms"
            series={[
              { name: 'p50', color: 'var(--moving)', value: ({ p50_ms }) => p50_ms },
              { name: 'p95', color: 'var(--waiting)', value: ({ p95_ms }) => p95_ms },
            ]}
          />
        </SimpleGrid>
      )}
    </Section>
  )
}

const NEWEST = 20

function NewestDeliveries({ id }: { id: string }) {
  const say = useSay()
  const deliveries = usePages('/api/proxy/deliveries', { endpoint: id })
  return (
    <Section
      title={say('nav.deliveries')}
      acts={
        <>
          <LinkButton to="/deliveries" search={{ endpoint: id, test: 'true' }} size="xs" variant="default">
            {say('deliveries.tests')}
          </LinkButton>
          <LinkButton to="/deliveries" search={{ endpoint: id }} size="xs" variant="default">
            {say('webhooks.allDeliveries')}
          </LinkButton>
        </>
      }
    >
      <ProblemMessage error={deliveries.error} onRetry={() => deliveries.refetch()} />
      {deliveries.items?.length === 0 ? (
        <EmptyMessage title={say('deliveries.empty')} />
      ) : (
        <Rows
          label={say('nav.deliveries')}
          rows={deliveries.items?.slice(0, NEWEST)}
          error={deliveries.error}
          idOf={(delivery) => delivery.id}
          linkOf={(delivery) => ({ to: '/deliveries', search: { endpoint: id, open: delivery.id } })}
          columns={[
            { title: say('list.state'), cell: ({ status }) => <State state={status} />, width: 120 },
            { title: say('deliveries.type'), cell: ({ type }) => <Text size="sm">{type}</Text> },
            {
              title: say('deliveries.answer'),
              cell: ({ last_response_status }) => <HttpStatus status={last_response_status} />,
              isWide: true,
            },
            { title: say('list.created'), cell: ({ created_at }) => <Time at={created_at} />, isNumber: true },
          ]}
        />
      )}
    </Section>
  )
}

function EndpointTabs({
  endpoint,
  onGone,
  onSecret,
}: {
  endpoint: Endpoint
  onGone: () => void
  onSecret: (created: EndpointWithSecret) => void
}) {
  const say = useSay()
  // Meta's format has no test events.
  const isStandard = endpoint.format === 'standard'
  return (
    <Tabs defaultValue={isStandard ? 'test' : 'recover'} keepMounted={false}>
      <Tabs.List>
        {isStandard && <Tabs.Tab value="test">{say('webhooks.test')}</Tabs.Tab>}
        {isStandard && <Tabs.Tab value="certify">{say('certify.title')}</Tabs.Tab>}
        <Tabs.Tab value="recover">{say('recover.title')}</Tabs.Tab>
        <Tabs.Tab value="change">{say('webhooks.change')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="test" pt="md">
        <TestEvent endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="certify" pt="md">
        <Certify endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="recover" pt="md">
        <Recover endpoint={endpoint} />
      </Tabs.Panel>
      <Tabs.Panel value="change" pt="md">
        <Stack gap="lg">
          <EndpointForm endpoint={endpoint} onDone={() => {}} />
          <EndpointSwitches endpoint={endpoint} onGone={onGone} onSecret={onSecret} />
        </Stack>
      </Tabs.Panel>
    </Tabs>
  )
}
