import '../work.css'
import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import {
  actOnBroadcast,
  BROADCASTS,
  type Broadcast,
  type BroadcastAct,
  broadcastQuery,
  recipientsPath,
} from '../api/broadcasts.ts'
import { templatesQuery } from '../api/chats.ts'
import type { Template } from '../api/messages.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { numbersQuery } from '../api/settings.ts'
import { partsOf } from '../components/template-parts.ts'
import { NewBroadcastForm } from '../forms/NewBroadcastForm.tsx'
import { TemplatePreview } from '../forms/TemplateForm.tsx'
import { isTextKey, type Say, useSay, useText } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Detail, Facts } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkText } from '../ui/Links.tsx'
import { languageName } from '../ui/languages.ts'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { Money } from '../ui/Money.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Columns, Page, Section } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/broadcasts')

export function BroadcastsPage() {
  const say = useSay()
  const { open } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const mayWrite = may(session, 'messages:send')
  const broadcasts = usePages(BROADCASTS, {}, { isReadOnFocus: true })
  const create = mayWrite && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => navigate({ search: { open: 'new' } })}>
      {say('broadcasts.create')}
    </Button>
  )
  return (
    <Page title={say('nav.broadcasts')} acts={create}>
      <ProblemMessage error={broadcasts.error} onRetry={() => broadcasts.refetch()} />
      <Rows
        label={say('nav.broadcasts')}
        rows={broadcasts.items}
        error={broadcasts.error}
        idOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/broadcasts/$id', params: { id } })}
        columns={[
          { title: say('broadcasts.name'), cell: ({ name }) => name },
          { title: say('broadcasts.status'), cell: ({ status }) => <State state={status} />, isShort: true },
          {
            title: say('broadcasts.audience'),
            cell: ({ label }) => label ?? say('broadcasts.audience.list'),
            isWide: true,
          },
          { title: say('broadcasts.count.sent'), cell: ({ counts }) => counts.sent, isNumber: true },
          {
            title: say('broadcasts.count.pending'),
            cell: ({ counts }) => counts.pending,
            isNumber: true,
            isWide: true,
          },
          {
            title: say('broadcasts.created'),
            cell: ({ created_at }) => <Time at={created_at} />,
            isWide: true,
            isNumber: true,
          },
        ]}
      />
      {broadcasts.items?.length === 0 && (
        <EmptyMessage picture="send" title={say('broadcasts.empty')} detail={say('broadcasts.emptyHelp')}>
          {create}
        </EmptyMessage>
      )}
      <MoreRows pages={broadcasts} />
      <Detail
        title={say('broadcasts.create')}
        isOpen={open === 'new' && mayWrite}
        onClose={() => navigate({ search: {} })}
      >
        <NewBroadcastForm
          onCreated={({ id }) => {
            broadcasts.refetch()
            navigate({ to: '/broadcasts/$id', params: { id } })
          }}
        />
      </Detail>
    </Page>
  )
}

const oneRoute = getRouteApi('/inside/broadcasts/$id')

/** A draft shows who would receive it; one that was started shows how far it is, person by person. */
export function BroadcastPage() {
  const say = useSay()
  const { id } = oneRoute.useParams()
  const broadcast = useQuery(broadcastQuery(id))
  const parent = { to: '/broadcasts', text: say('nav.broadcasts') }
  if (broadcast.data === undefined)
    return (
      <Page title={say('broadcasts.one')} parent={parent}>
        <Waiting error={broadcast.error} onRetry={() => broadcast.refetch()} />
      </Page>
    )
  const { data } = broadcast
  return (
    <Page title={data.name} parent={parent} state={<State state={data.status} />} acts={<Acts broadcast={data} />}>
      {data.paused_reason !== null && (
        <Text size="sm" role="status" mb="md">
          {say('broadcasts.pausedBecause', { reason: reasonWord(say, data.paused_reason) })}
        </Text>
      )}
      <Columns side={<About broadcast={data} />}>
        <Counts broadcast={data} />
        <Recipients broadcast={data} />
      </Columns>
    </Page>
  )
}

const COUNTS = ['pending', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const

function Counts({ broadcast: { counts, estimated_cost: cost, skipped } }: { broadcast: Broadcast }) {
  const say = useSay()
  const reasons = Object.entries(skipped)
  return (
    <>
      <SimpleGrid cols={{ base: 2, xs: 3, md: cost === null ? 6 : 4 }} mb="md">
        {COUNTS.map((name) => (
          <Fact key={name} title={say(`broadcasts.count.${name}`)}>
            {counts[name]}
          </Fact>
        ))}
        {cost !== null && (
          <Fact title={say('broadcasts.cost')}>
            <Money amount={cost.amount} />
          </Fact>
        )}
      </SimpleGrid>
      {reasons.length > 0 && (
        <Text size="sm" className="quiet" mb="lg">
          {say('broadcasts.leftOut', {
            reasons: reasons.map(([reason, count]) => `${reasonWord(say, reason)} (${count})`).join(', '),
          })}
        </Text>
      )}
    </>
  )
}

/** What is sent, to whom, from which number and how fast. */
function About({ broadcast }: { broadcast: Broadcast }) {
  const { say, language } = useText()
  const { template, number_id: numberId } = broadcast
  const number = useQuery(numbersQuery).data?.data.find(({ id }) => id === numberId)
  const known = useQuery(templatesQuery(numberId)).data?.data.find(
    ({ name, language }) => name === template.name && language === template.language.code,
  )
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [
            say('broadcasts.template'),
            `${template.name.replaceAll('_', ' ')} · ${languageName(template.language.code, language)}`,
          ],
          [say('broadcasts.audience'), broadcast.label ?? say('broadcasts.audience.list')],
          [say('broadcasts.from'), number === undefined ? '—' : `${number.name} (${number.display_phone})`],
          [say('broadcasts.perMinute'), broadcast.per_minute],
          [say('broadcasts.created'), <Time key="created" at={broadcast.created_at} />],
        ]}
      />
      {known !== undefined && <TemplatePreview parts={partsOf(known)} template={template as Template} file={null} />}
    </Stack>
  )
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div>
    <Text size="xs" className="quiet">
      {title}
    </Text>
    <Text size="xl" fw={600} component="div">
      {children}
    </Text>
  </div>
)

function messageWord(say: Say, status: string): string {
  const key = `message.status.${status}`
  return isTextKey(key) ? say(key) : status
}

/** An unknown reason is shown as it is. */
function reasonWord(say: Say, reason: string): string {
  const key = `broadcasts.reason.${reason}`
  return isTextKey(key) ? say(key) : reason.replaceAll('_', ' ')
}

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

function Recipients({ broadcast: { id, status } }: { broadcast: Broadcast }) {
  const say = useSay()
  const people = usePages(recipientsPath(id), {}, { isReadOnFocus: true })
  return (
    <Section
      title={say('broadcasts.people')}
      acts={
        status === 'running' && (
          <Button size="xs" variant="default" onClick={() => people.refetch()}>
            {say('broadcasts.refresh')}
          </Button>
        )
      }
    >
      <ProblemMessage error={people.error} onRetry={() => people.refetch()} />
      <Rows
        label={say('broadcasts.people')}
        rows={people.items}
        error={people.error}
        idOf={({ to, contact_id, message_id }) => `${to} ${contact_id} ${message_id}`}
        columns={[
          {
            title: say('broadcasts.to'),
            cell: ({ to, contact_id: id }) => {
              const words = to ?? say('broadcasts.noPhone')
              if (id === null) return words
              return (
                <LinkText to="/customers/$id" params={{ id }} size="sm">
                  {words}
                </LinkText>
              )
            },
          },
          {
            title: say('broadcasts.status'),
            cell: ({ status: of, message_status: sent }) => (
              <State state={sent ?? of} {...(sent !== null && { word: messageWord(say, sent) })} />
            ),
          },
          {
            title: say('broadcasts.reason'),
            cell: ({ reason, message_error }) => {
              const why = reason ?? message_error
              return why === null ? null : capitalized(reasonWord(say, why))
            },
          },
          { title: say('broadcasts.sentAt'), cell: ({ sent_at }) => <Time at={sent_at} />, isWide: true, width: 140 },
        ]}
      />
      <MoreRows pages={people} />
    </Section>
  )
}

/** What each status allows. */
const ACTS: Record<Broadcast['status'], readonly BroadcastAct[]> = {
  draft: ['start', 'cancel'],
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  completed: [],
  cancelled: [],
}
/** Confirmed first: neither can be undone. */
const ASKED: readonly BroadcastAct[] = ['start', 'cancel']

function Acts({ broadcast }: { broadcast: Broadcast }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const queries = useQueryClient()
  const [asked, setAsked] = useState<BroadcastAct | null>(null)
  const acting = useMutation({
    mutationFn: (act: BroadcastAct) => actOnBroadcast(broadcast.id, act),
    onSuccess: (after) => {
      setAsked(null)
      queries.setQueryData(broadcastQuery(broadcast.id).queryKey, after)
      queries.invalidateQueries({ queryKey: ['list', recipientsPath(broadcast.id)] })
    },
  })
  const { counts, name } = broadcast
  const close = () => {
    setAsked(null)
    acting.reset()
  }
  if (!may(session, 'messages:send')) return null
  return (
    <Group gap="sm">
      {ACTS[broadcast.status].map((act) => (
        <Button
          key={act}
          variant={act === 'start' || act === 'resume' ? 'filled' : 'default'}
          loading={acting.isPending && acting.variables === act}
          onClick={() => (ASKED.includes(act) ? setAsked(act) : acting.mutate(act))}
        >
          {say(`broadcasts.act.${act}`)}
        </Button>
      ))}
      {asked === null && <ProblemMessage error={acting.error} />}
      {asked !== null && (
        <Confirm
          isOpen
          title={say(`broadcasts.confirm.${asked === 'start' ? 'start' : 'cancel'}`, { name })}
          consequence={say(`broadcasts.confirm.${asked === 'start' ? 'startHelp' : 'cancelHelp'}`, {
            count: counts.pending,
          })}
          act={say(`broadcasts.act.${asked}`)}
          isHarmless={asked === 'start'}
          isPending={acting.isPending}
          error={acting.error}
          onConfirm={() => acting.mutate(asked)}
          onClose={close}
        />
      )}
    </Group>
  )
}
