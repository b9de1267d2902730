import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { type EventRecord, eraseEvent, eventQuery, eventTypesQuery } from '../api/webhooks.ts'
import { useActorName } from '../components/actor-names.ts'
import { Explanation } from '../components/Explanation.tsx'
import { NewRows } from '../components/NewRows.tsx'
import { useSay } from '../text/text.tsx'
import { JsonCode } from '../ui/Code.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Id } from '../ui/Copy.tsx'
import { Detail, Facts } from '../ui/Detail.tsx'
import { Filters } from '../ui/Filters.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/events')

export function EventsPage() {
  const say = useSay()
  const { open, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const events = usePages('/api/proxy/events', filters)
  const types = useQuery(eventTypesQuery)
  const actorName = useActorName()
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
          {
            name: 'test',
            label: say('deliveries.kind'),
            kind: 'choice',
            choices: [{ value: 'true', label: say('deliveries.tests') }],
            width: 150,
          },
        ]}
      />
      <NewRows kind="event" pages={events} />
      <ProblemMessage error={events.error} onRetry={() => events.refetch()} />
      <Rows
        label={say('nav.events')}
        rows={events.items}
        error={events.error}
        idOf={(event) => event.id}
        chosenId={open}
        onOpen={(event) => show(event.id)}
        columns={[
          { title: '#', cell: ({ sequence }) => <span className="figures">{sequence}</span>, width: 70 },
          { title: say('deliveries.type'), cell: ({ type }) => type },
          { title: say('events.actor'), cell: ({ actor }) => actorName(actor), isWide: true },
          { title: say('list.id'), cell: ({ id }) => <Id id={id} />, isWide: true },
          { title: say('list.created'), cell: ({ created_at }) => <Time at={created_at} />, isNumber: true },
        ]}
      />
      {events.items?.length === 0 &&
        (Object.values(filters).every((value) => value === undefined) ? (
          <EmptyMessage
            picture="event"
            guide="receive-webhooks"
            title={say('events.empty')}
            detail={say('events.emptyHelp')}
          />
        ) : (
          <EmptyMessage title={say('list.noMatch')} />
        ))}
      <MoreRows pages={events} />
      <Detail title={say('deliveries.event')} isOpen={open !== undefined} onClose={() => show(undefined)}>
        {open !== undefined && <EventDetail id={open} />}
      </Detail>
    </Page>
  )
}

/** Who made it happen, by name and by id. */
function Actor({ actor }: { actor: EventRecord['actor'] }) {
  const actorName = useActorName()
  return (
    <Group gap="sm" wrap="nowrap">
      {actorName(actor)}
      {actor.id !== null && <Id id={actor.id} />}
    </Group>
  )
}

function EventDetail({ id }: { id: string }) {
  const say = useSay()
  const event = useQuery(eventQuery(id))
  const { data: session } = useQuery(sessionQuery)
  if (event.data === undefined) return <Waiting error={event.error} onRetry={() => event.refetch()} />
  const { type, sequence, created_at, actor, erased_at }: EventRecord = event.data
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [say('deliveries.type'), type],
          [say('list.id'), <Id key="id" id={id} isWhole />],
          ['#', sequence ?? say('deliveries.test')],
          [say('events.actor'), <Actor key="actor" actor={actor} />],
          [say('list.created'), <Time key="created" at={created_at} />],
          erased_at !== undefined && [say('events.erased'), <Time key="erased" at={erased_at} />],
        ]}
      />
      <Group>
        <LinkButton to="/deliveries" search={{ event: id }} size="xs" variant="default">
          {say('nav.deliveries')}
        </LinkButton>
        {erased_at === undefined && may(session, 'events:erase') && <Erase id={id} />}
      </Group>
      <JsonCode value={event.data} />
      <Text fw={600} size="sm">
        {say('explain.title')}
      </Text>
      <Explanation eventId={id} />
    </Stack>
  )
}

/** What endpoints have yet to get is kept, unless it is given up. */
function Erase({ id }: { id: string }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [isGivenUp, setGivenUp] = useState(false)
  const erasure = useMutation({
    mutationFn: () => eraseEvent(id, isGivenUp),
    onSuccess() {
      setOpen(false)
      for (const queryKey of [['event', id], ['explain', id], ['delivery']]) queries.invalidateQueries({ queryKey })
    },
  })
  const begin = () => {
    erasure.reset()
    setOpen(true)
  }
  return (
    <>
      <Button size="xs" color="red" variant="light" onClick={begin}>
        {say('events.erase')}
      </Button>
      <Confirm
        isOpen={isOpen}
        title={say('events.eraseTitle')}
        consequence={
          <Stack gap="sm">
            {say('events.eraseConsequence')}
            <Checkbox
              label={say('events.eraseGiveUp')}
              checked={isGivenUp}
              onChange={(change) => setGivenUp(change.currentTarget.checked)}
            />
          </Stack>
        }
        act={say('events.erase')}
        isPending={erasure.isPending}
        error={erasure.error}
        onConfirm={() => erasure.mutate()}
        onClose={() => setOpen(false)}
      />
    </>
  )
}
