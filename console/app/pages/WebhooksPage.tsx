import { Badge, Button, Group, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { REREAD_MS } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type Endpoint, type EndpointWithSecret, endpointsQuery } from '../api/webhooks.ts'
import { Catalogue } from '../components/Catalogue.tsx'
import { EndpointState, percent } from '../components/EndpointFacts.tsx'
import { SecretDialog } from '../components/EndpointSecret.tsx'
import { EndpointForm } from '../forms/EndpointForm.tsx'
import { useSay } from '../text/text.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkCard } from '../ui/Links.tsx'
import { EmptyMessage, Waiting } from '../ui/Message.tsx'
import { countText } from '../ui/Money.tsx'
import { Page } from '../ui/Page.tsx'
import { PageTabs } from '../ui/PageTabs.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/webhooks')
const TABS = ['endpoints', 'catalogue'] as const

export function WebhooksPage() {
  const say = useSay()
  const { open, tab } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'webhooks:write')
  const shown = TABS.find((name) => name === tab) ?? 'endpoints'
  const [created, setCreated] = useState<EndpointWithSecret | null>(null)
  return (
    <Page
      title={say('nav.webhooks')}
      acts={
        mayWrite && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => show('new')}>
            {say('webhooks.create')}
          </Button>
        )
      }
    >
      <PageTabs
        names={TABS}
        shown={shown}
        labelOf={(name) => say(`webhooks.${name}`)}
        onChange={(name) => navigate({ search: name === 'catalogue' ? { tab: name } : {} })}
      >
        {shown === 'catalogue' ? <Catalogue /> : <EndpointCards onOpen={show} mayWrite={mayWrite} />}
      </PageTabs>
      <Detail title={say('webhooks.create')} isOpen={open === 'new'} onClose={() => show(undefined)}>
        <EndpointForm
          onDone={(one) => {
            show(undefined)
            setCreated(one)
          }}
        />
      </Detail>
      <SecretDialog created={created} onDone={() => setCreated(null)} />
    </Page>
  )
}

function EndpointCards({ onOpen, mayWrite }: { onOpen: (id: string) => void; mayWrite: boolean }) {
  const say = useSay()
  const endpoints = useQuery({ ...endpointsQuery, refetchInterval: REREAD_MS })
  if (endpoints.data === undefined) return <Waiting error={endpoints.error} onRetry={() => endpoints.refetch()} />
  if (endpoints.data.data.length === 0)
    return (
      <EmptyMessage
        picture="webhook"
        guide="receive-webhooks"
        title={say('webhooks.empty')}
        detail={say('webhooks.emptyHelp')}
      >
        {mayWrite && <Button onClick={() => onOpen('new')}>{say('webhooks.create')}</Button>}
      </EmptyMessage>
    )
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {endpoints.data.data.map((endpoint) => (
        <EndpointCard key={endpoint.id} endpoint={endpoint} />
      ))}
    </SimpleGrid>
  )
}

const EVENTS_SHOWN = 4

function EndpointCard({ endpoint }: { endpoint: Endpoint }) {
  const say = useSay()
  const { health } = endpoint
  return (
    <LinkCard to="/webhooks/$id" params={{ id: endpoint.id }} withBorder padding="md" className="card-button">
      <Group justify="space-between" wrap="nowrap" mb={6}>
        <Text size="sm" fw={600} truncate>
          {endpoint.url}
        </Text>
        <EndpointState endpoint={endpoint} />
      </Group>
      {endpoint.description !== null && (
        <Text size="sm" className="quiet" mb={6}>
          {endpoint.description}
        </Text>
      )}
      <Group gap={4} mb="sm">
        {endpoint.events.slice(0, EVENTS_SHOWN).map((event) => (
          <Badge key={event} variant="default" tt="none" fw={500}>
            {event === '*' ? say('webhooks.allEvents') : event}
          </Badge>
        ))}
        {endpoint.events.length > EVENTS_SHOWN && (
          <span className="quiet">+{endpoint.events.length - EVENTS_SHOWN}</span>
        )}
      </Group>
      <Group gap="xl">
        <Figure name={say('webhooks.successRate')} value={percent(health.success_rate)} />
        <Figure name={say('webhooks.backlog')} value={countText(health.backlog + health.held)} />
        <Figure name={say('webhooks.lastSuccess')} value={<Time at={health.last_success_at} />} />
      </Group>
    </LinkCard>
  )
}

const Figure = ({ name, value }: { name: string; value: React.ReactNode }) => (
  <div>
    <Text size="xs" className="quiet">
      {name}
    </Text>
    <Text size="sm" className="figures" component="div">
      {value}
    </Text>
  </div>
)
