import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { usePages } from '../api/pages.ts'
import { eventQuery, eventTypesQuery } from '../api/webhooks.ts'
import { Explanation } from '../components/Explanation.tsx'
import { useSay } from '../text/text.tsx'
import { JsonCode } from '../ui/Code.tsx'
import { Id } from '../ui/Copy.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Filters } from '../ui/Filters.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { NewRows } from '../ui/NewRows.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/events')

type EventItem = {
  id: string
  type: string
  sequence: number
  created_at: string
  actor: { type: string; id: string | null }
}

export function EventsPage() {
  const say = useSay()
  const { open, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const events = usePages<EventItem>('/api/proxy/events', filters)
  const types = useQuery(eventTypesQuery)
  return (
    <Page title={say('nav.events')}>
      <Filters
        values={filters}
        onChange={(values) => navigate({ search: { ...values, open } })}
        filters={[
          {
            name: 'types',
            label: say('deliveries.type'),
            kind: 'choice',
            choices: (types.data?.data ?? []).map(({ name }) => ({ value: name, label: name })),
            width: 220,
          },
          { name: 'subject', label: say('events.subject'), kind: 'text', width: 260 },
        ]}
      />
      <NewRows kind="event" onShow={() => events.refetch()} />
      <ProblemMessage error={events.error} onRetry={() => events.refetch()} />
      <Rows
        label={say('nav.events')}
        rows={events.items}
        idOf={(event) => event.id}
        chosenId={open}
        onOpen={(event) => show(event.id)}
        columns={[
          { title: '#', cell: ({ sequence }) => <span className="mono">{sequence}</span>, isNumber: true, width: 80 },
          { title: say('deliveries.type'), cell: ({ type }) => type },
          { title: say('events.actor'), cell: ({ actor }) => actor.id ?? actor.type, isWide: true },
          { title: say('list.id'), cell: ({ id }) => <Id id={id} />, isWide: true },
          { title: say('list.created'), cell: ({ created_at }) => <Time at={created_at} />, isNumber: true },
        ]}
      />
      {events.items?.length === 0 && <EmptyMessage title={say('list.empty')} />}
      <MoreRows hasMore={events.hasNextPage} isLoading={events.isFetchingNextPage} onMore={events.fetchNextPage} />
      <Detail title={say('deliveries.event')} isOpen={open !== undefined} onClose={() => show(undefined)}>
        {open !== undefined && <EventDetail id={open} />}
      </Detail>
    </Page>
  )
}

function EventDetail({ id }: { id: string }) {
  const say = useSay()
  const event = useQuery(eventQuery(id))
  if (event.data === undefined) return <ProblemMessage error={event.error} onRetry={() => event.refetch()} />
  return (
    <Stack gap="md">
      <Id id={id} isWhole />
      <JsonCode value={event.data} />
      <Text fw={600} size="sm">
        {say('explain.title')}
      </Text>
      <Explanation eventId={id} />
    </Stack>
  )
}
