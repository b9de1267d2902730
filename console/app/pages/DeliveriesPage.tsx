import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { replaceRow, usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import {
  type Attempt,
  type Delivery,
  deliveryQuery,
  type Endpoint,
  endpointsQuery,
  eventTypesQuery,
  explainQuery,
  payloadQuery,
  resendDelivery,
} from '../api/webhooks.ts'
import { AttemptList } from '../components/AttemptView.tsx'
import { Recover } from '../components/EndpointActs.tsx'
import { Explanation } from '../components/Explanation.tsx'
import { NewRows } from '../components/NewRows.tsx'
import { nextTryAt } from '../components/story-words.ts'
import { useSay } from '../text/text.tsx'
import { Id } from '../ui/Copy.tsx'
import { Detail, Facts } from '../ui/Detail.tsx'
import { Filters, type FilterValues } from '../ui/Filters.tsx'
import { LinkButton, LinkText } from '../ui/Links.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { HttpStatus, State, useFaultWord, useReasonWord, useStateWord } from '../ui/State.tsx'
import { Time, useHasCome } from '../ui/Time.tsx'

const route = getRouteApi('/inside/deliveries')
const PENDING_LOOK_MS = 1000
const STATUSES = [
  'pending',
  'succeeded',
  'failed',
  'held',
  'cancelled',
  'skipped',
] as const satisfies Delivery['status'][]

export function DeliveriesPage() {
  const say = useSay()
  const { open, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const deliveries = usePages('/api/proxy/deliveries', filters)
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'webhooks:write')
  const closeRecovery = () => {
    deliveries.refetch()
    show(undefined)
  }
  const faultOf = useFaultWord()
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const endpoints = useQuery(endpointsQuery)
  const hostOf = (id: string) => endpoints.data?.data.find((endpoint) => endpoint.id === id)?.url ?? id
  return (
    <Page
      title={say('nav.deliveries')}
      acts={
        mayWrite && (
          <Button variant="default" onClick={() => show('recover')}>
            {say('recover.open')}
          </Button>
        )
      }
    >
      <DeliveryFilters
        values={filters}
        endpoints={endpoints.data?.data ?? []}
        onChange={(values) => navigate({ search: { ...values, open } })}
      />
      <NewRows kind="delivery" pages={deliveries} isUnderWay={({ status }) => isUnderWay(status)} />
      <ProblemMessage error={deliveries.error} onRetry={() => deliveries.refetch()} />
      <Rows
        label={say('nav.deliveries')}
        rows={deliveries.items}
        error={deliveries.error}
        idOf={(delivery) => delivery.id}
        chosenId={open}
        onOpen={(delivery) => show(delivery.id)}
        columns={[
          { title: say('list.state'), cell: ({ status }) => <State state={status} />, width: 120 },
          {
            title: say('deliveries.type'),
            cell: ({ type, test }) => `${type}${test ? ` (${say('deliveries.test')})` : ''}`,
          },
          {
            title: say('deliveries.endpoint'),
            cell: ({ endpoint_id }) => (
              <Text size="sm" truncate maw={280}>
                {hostOf(endpoint_id)}
              </Text>
            ),
            isWide: true,
          },
          {
            title: say('deliveries.attempts'),
            cell: ({ attempt_count }) => attempt_count,
            isNumber: true,
            isWide: true,
          },
          {
            title: say('deliveries.answer'),
            cell: ({ last_response_status, last_error_class }) =>
              last_response_status === null && last_error_class !== null ? (
                faultOf(last_error_class)
              ) : (
                <HttpStatus status={last_response_status} />
              ),
            isWide: true,
          },
          { title: say('list.created'), cell: ({ created_at }) => <Time at={created_at} />, isNumber: true },
        ]}
      />
      {deliveries.items?.length === 0 &&
        (isFiltered ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage
            picture="delivery"
            guide="receive-webhooks"
            title={say('deliveries.empty')}
            detail={say('deliveries.emptyHelp')}
          >
            <LinkButton to="/webhooks" variant="default">
              {say('nav.webhooks')}
            </LinkButton>
          </EmptyMessage>
        ))}
      <MoreRows pages={deliveries} />
      <Detail title={say('recover.open')} isOpen={open === 'recover' && mayWrite} onClose={closeRecovery}>
        <RecoverOne endpoints={endpoints.data?.data ?? []} chosenId={filters.endpoint} />
      </Detail>
      <Detail
        title={say('deliveries.one')}
        isOpen={open !== undefined && open !== 'recover'}
        onClose={() => show(undefined)}
      >
        {open !== undefined && open !== 'recover' && <DeliveryDetail key={open} id={open} url={hostOf} />}
      </Detail>
    </Page>
  )
}

type FilterParts = { values: FilterValues; endpoints: Endpoint[]; onChange: (values: FilterValues) => void }

function DeliveryFilters({ values, endpoints, onChange }: FilterParts) {
  const say = useSay()
  const wordOf = useStateWord()
  const types = useQuery(eventTypesQuery)
  return (
    <Filters
      values={values}
      onChange={onChange}
      filters={[
        {
          name: 'status',
          label: say('list.state'),
          kind: 'choice',
          choices: STATUSES.map((value) => ({ value, label: wordOf(value) })),
          width: 140,
        },
        {
          name: 'endpoint',
          label: say('deliveries.endpoint'),
          kind: 'choice',
          choices: endpoints.map(({ id, url }) => ({ value: id, label: url })),
          width: 260,
        },
        {
          name: 'type',
          label: say('deliveries.type'),
          kind: 'choice',
          choices: (types.data?.data ?? []).map(({ name }) => ({ value: name, label: name })),
        },
        { name: 'event', label: say('deliveries.eventId'), kind: 'text', width: 240 },
        {
          name: 'test',
          label: say('deliveries.kind'),
          kind: 'choice',
          choices: [{ value: 'true', label: say('deliveries.tests') }],
          width: 150,
        },
      ]}
    />
  )
}

/** Which endpoint is to get what it missed; the one the list is filtered by, at first. */
function RecoverOne({ endpoints, chosenId }: { endpoints: Endpoint[]; chosenId: string | undefined }) {
  const say = useSay()
  const [id, setId] = useState<string | null>(null)
  const endpoint = endpoints.find((one) => one.id === (id ?? chosenId)) ?? endpoints[0]
  if (endpoint === undefined) return <EmptyMessage title={say('webhooks.empty')} detail={say('webhooks.emptyHelp')} />
  return (
    <Stack gap="md">
      <Select
        label={say('deliveries.endpoint')}
        data={endpoints.map(({ id: value, url: label }) => ({ value, label }))}
        value={endpoint.id}
        onChange={setId}
        allowDeselect={false}
      />
      <Recover key={endpoint.id} endpoint={endpoint} />
    </Stack>
  )
}

const isUnderWay = (status: string | undefined): boolean => status === 'pending' || status === 'in_flight'

/** A time that has come is only the earliest: others at the endpoint may go first. What is on its way waits for nothing. */
function NextTry({ at }: { at: string | null }) {
  const say = useSay()
  return useHasCome(at) ? say('deliveries.waitsForTurn') : <Time at={at} />
}

const progressOf = ({ status, attempt_count }: Delivery) => `${status} ${attempt_count}`

/** By what the explanation below says of the endpoint, so that both agree. */
function useNextTry(delivery: Delivery | undefined): string | null {
  const explanation = useQuery({
    ...explainQuery(delivery?.event_id ?? '', delivery && progressOf(delivery)),
    enabled: delivery !== undefined,
  })
  if (delivery === undefined) return null
  return nextTryAt(
    delivery,
    explanation.data?.stories.find(({ endpoint_id }) => endpoint_id === delivery.endpoint_id),
  )
}

/** The row in the list says what the detail beside it says. */
function useRowLike(delivery: Delivery | undefined) {
  const queries = useQueryClient()
  useEffect(() => {
    if (delivery !== undefined) replaceRow(queries, '/api/proxy/deliveries', delivery)
  }, [queries, delivery])
}

function DeliveryDetail({ id, url }: { id: string; url: (endpointId: string) => string }) {
  const say = useSay()
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const resend = useMutation({
    mutationFn: () => resendDelivery(id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['delivery', id] }),
  })
  // A resend creates its attempt a moment later, and until then all looks as before.
  const isAwaited = (attempts: Attempt[] = []) =>
    resend.data !== undefined && !attempts.some((attempt) => attempt.id === resend.data.attempt_id)
  // A pending delivery may be attempted at any moment, and a running attempt ends.
  const delivery = useQuery({
    ...deliveryQuery(id),
    refetchInterval: ({ state: { data } }) =>
      isUnderWay(data?.status) || isAwaited(data?.attempts) ? PENDING_LOOK_MS : false,
  })
  const wordOf = useStateWord()
  const reasonOf = useReasonWord()
  const nextTry = useNextTry(delivery.data)
  const payload = useQuery(payloadQuery(id))
  useRowLike(delivery.data)
  if (delivery.data === undefined) return <Waiting error={delivery.error} onRetry={() => delivery.refetch()} />
  const { data } = delivery
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <State
          state={data.status}
          word={[wordOf(data.status), data.reason && reasonOf(data.reason)].filter(Boolean).join(' · ')}
        />
        {may(session, 'webhooks:write') && (
          <Button
            size="xs"
            variant="default"
            loading={resend.isPending || isAwaited(data.attempts)}
            onClick={() => resend.mutate()}
          >
            {say('deliveries.resend')}
          </Button>
        )}
      </Group>
      <ProblemMessage error={resend.error} />
      <Facts
        facts={[
          [say('list.id'), <Id key="id" id={data.id} isWhole />],
          [
            say('deliveries.event'),
            <Group key="event" gap="sm">
              <LinkText size="sm" to="/events" search={{ open: data.event_id }}>
                {data.type}
              </LinkText>
              <Id id={data.event_id} />
            </Group>,
          ],
          [say('deliveries.endpoint'), url(data.endpoint_id)],
          [say('list.created'), <Time key="created" at={data.created_at} />],
          [say('deliveries.nextTry'), <NextTry key="next" at={nextTry} />],
        ]}
      />
      <Text fw={600} size="sm">
        {say('deliveries.attempts')}
      </Text>
      {data.attempts.length === 0 ? (
        <Text size="sm" className="quiet">
          {say('deliveries.noAttempts')}
        </Text>
      ) : (
        <AttemptList attempts={data.attempts} nextTryAt={nextTry} payload={payload.data?.body} />
      )}
      <Text fw={600} size="sm">
        {say('explain.title')}
      </Text>
      <Explanation eventId={data.event_id} endpointId={data.endpoint_id} progress={progressOf(data)} />
    </Stack>
  )
}
