import { Badge, Button, Card, Group, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { REREAD_MS } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type Endpoint, type EndpointWithSecret, endpointsQuery } from '../api/webhooks.ts'
import { Catalogue } from '../components/Catalogue.tsx'
import { Certify, Recover, TestEvent } from '../components/EndpointActs.tsx'
import { EndpointFacts, EndpointState, percent } from '../components/EndpointFacts.tsx'
import { EndpointSwitches } from '../components/EndpointSwitches.tsx'
import { EndpointForm } from '../forms/EndpointForm.tsx'
import { useSay } from '../text/text.tsx'
import { CodeTabs } from '../ui/Code.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { Absent, EmptyMessage, Waiting } from '../ui/Message.tsx'
import { countText } from '../ui/Money.tsx'
import { Page } from '../ui/Page.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/webhooks')

export function WebhooksPage() {
  const say = useSay()
  const { open, tab } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'webhooks:write')
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
      <Tabs
        value={tab ?? 'endpoints'}
        onChange={(value) => navigate({ search: value === 'catalogue' ? { tab: value } : {} })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="endpoints">{say('webhooks.endpoints')}</Tabs.Tab>
          <Tabs.Tab value="catalogue">{say('webhooks.catalogue')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="endpoints">
          <EndpointCards onOpen={show} mayWrite={mayWrite} />
        </Tabs.Panel>
        <Tabs.Panel value="catalogue">
          <Catalogue />
        </Tabs.Panel>
      </Tabs>
      <Detail title={say('webhooks.create')} isOpen={open === 'new'} onClose={() => show(undefined)}>
        <EndpointForm
          onDone={(one) => {
            show(undefined)
            setCreated(one)
          }}
        />
      </Detail>
      <OpenEndpoint id={open} onClose={() => show(undefined)} onSecret={setCreated} mayWrite={mayWrite} />
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
        <EndpointCard key={endpoint.id} endpoint={endpoint} onOpen={() => onOpen(endpoint.id)} />
      ))}
    </SimpleGrid>
  )
}

const EVENTS_SHOWN = 4

function EndpointCard({ endpoint, onOpen }: { endpoint: Endpoint; onOpen: () => void }) {
  const say = useSay()
  const { health } = endpoint
  return (
    <Card withBorder padding="md" component="button" type="button" onClick={onOpen} className="card-button">
      <Group justify="space-between" wrap="nowrap" mb={6}>
        <Text size="sm" fw={600} truncate>
          {endpoint.url}
        </Text>
        <EndpointState endpoint={endpoint} />
      </Group>
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
    </Card>
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

function OpenEndpoint(props: {
  id: string | undefined
  onClose: () => void
  onSecret: (created: EndpointWithSecret) => void
  mayWrite: boolean
}) {
  const say = useSay()
  const { id, onClose } = props
  const endpoints = useQuery(endpointsQuery)
  const endpoint = endpoints.data?.data.find((one) => one.id === id)
  return (
    <Detail
      title={endpoint?.url ?? say('deliveries.endpoint')}
      isOpen={endpoints.data !== undefined && id !== undefined && id !== 'new'}
      onClose={onClose}
    >
      {endpoint === undefined ? (
        <Absent key={id} detail={say('webhooks.absent')} look={endpoints.refetch} onBack={onClose} />
      ) : (
        <EndpointDetail key={endpoint.id} {...props} endpoint={endpoint} />
      )}
    </Detail>
  )
}

function EndpointDetail({
  endpoint,
  onClose,
  onSecret,
  mayWrite,
}: {
  endpoint: Endpoint
  onClose: () => void
  onSecret: (created: EndpointWithSecret) => void
  mayWrite: boolean
}) {
  const say = useSay()
  // Meta's format has no test events.
  const isStandard = endpoint.format === 'standard'
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <EndpointState endpoint={endpoint} />
        <LinkButton to="/deliveries" search={{ endpoint: endpoint.id }} size="xs" variant="default">
          {say('nav.deliveries')}
        </LinkButton>
      </Group>
      <EndpointFacts endpoint={endpoint} />
      {mayWrite && (
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
              <EndpointSwitches endpoint={endpoint} onGone={onClose} onSecret={onSecret} />
            </Stack>
          </Tabs.Panel>
        </Tabs>
      )}
    </Stack>
  )
}

function SecretDialog({ created, onDone }: { created: EndpointWithSecret | null; onDone: () => void }) {
  const say = useSay()
  const secret = created?.secret ?? ''
  return (
    <ShownOnce title={say('webhooks.secretTitle')} secret={created?.secret ?? null} onDone={onDone}>
      <Text size="sm">{say('webhooks.verify')}</Text>
      <CodeTabs
        samples={[
          {
            label: 'TypeScript',
            text: `import { Webhook } from 'standardwebhooks'\n\nconst event = new Webhook('${secret}').verify(rawBody, headers)`,
          },
          {
            label: 'Python',
            text: `from standardwebhooks.webhooks import Webhook\n\nevent = Webhook("${secret}").verify(raw_body, headers)`,
          },
        ]}
      />
    </ShownOnce>
  )
}
