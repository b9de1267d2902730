import '../work.css'
import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type Agent, agentsQuery, type CreatedAgent, pauseAllAgents } from '../api/agents.ts'
import { waitingQuery } from '../api/approvals.ts'
import { REREAD_MS } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { AgentToken, ConnectAddress } from '../components/AgentAccess.tsx'
import { agentSentence } from '../components/agent-words.ts'
import { AgentForm } from '../forms/AgentForm.tsx'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Icon } from '../ui/Icon.tsx'
import { LinkText } from '../ui/Links.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/agents')

export function AgentsPage() {
  const say = useSay()
  const { open } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: id === undefined ? {} : { open: id } })
  const agents = useQuery({ ...agentsQuery, refetchInterval: REREAD_MS })
  const [shown, setShown] = useState<CreatedAgent | null>(null)
  const list = agents.data?.data
  return (
    <Page
      title={say('nav.agents')}
      acts={
        <>
          <PauseAll agents={list ?? []} />
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => show('new')}>
            {say('agents.create')}
          </Button>
        </>
      }
    >
      <ProblemMessage error={agents.error} onRetry={() => agents.refetch()} />
      {list?.length === 0 ? (
        <EmptyMessage
          picture="agent"
          guide="let-an-agent-work"
          title={say('agents.empty')}
          detail={say('agents.emptyHelp')}
        >
          <ConnectAddress />
          <Button onClick={() => show('new')}>{say('agents.create')}</Button>
        </EmptyMessage>
      ) : (
        <AgentRows agents={list} error={agents.error} />
      )}
      <Detail title={say('agents.create')} isOpen={open === 'new'} onClose={() => show(undefined)}>
        <Stack gap="lg">
          <ConnectAddress />
          <AgentForm
            onDone={(one) => {
              show(undefined)
              setShown(one)
            }}
          />
        </Stack>
      </Detail>
      <AgentToken created={shown} isNew onDone={() => setShown(null)} />
    </Page>
  )
}

function AgentRows(props: { agents: Agent[] | undefined; error: unknown }) {
  const say = useSay()
  const waiting = useWaitingByAgent()
  return (
    <Rows
      label={say('nav.agents')}
      rows={props.agents}
      isSteady
      error={props.error}
      idOf={({ id }) => id}
      linkOf={({ id }) => ({ to: '/agents/$id', params: { id } })}
      columns={[
        {
          title: say('agents.name'),
          cell: (agent) => (
            <>
              <Text size="sm" fw={500}>
                {agent.name}
              </Text>
              <Text size="xs" className="quiet" lineClamp={5} maw={640}>
                {agentSentence(say, agent)}
              </Text>
            </>
          ),
        },
        {
          title: say('list.state'),
          cell: ({ state }) => <State state={state} word={say(`agents.state.${state}`)} />,
          isShort: true,
        },
        { title: say('agents.owner'), cell: ({ owner }) => owner?.name ?? '—', isWide: true },
        { title: say('keys.lastUsed'), cell: ({ last_used_at }) => <Time at={last_used_at} />, isWide: true },
        {
          title: say('agents.waiting'),
          cell: ({ id }) => <WaitingOf id={id} count={waiting.get(id) ?? 0} />,
          isNumber: true,
          isWide: true,
        },
      ]}
    />
  )
}

function useWaitingByAgent(): Map<string, number> {
  const { data: session } = useQuery(sessionQuery)
  const waiting = useQuery({ ...waitingQuery, enabled: may(session, 'approvals:decide') })
  const counts = new Map<string, number>()
  for (const { agent } of waiting.data?.data ?? []) counts.set(agent.id, (counts.get(agent.id) ?? 0) + 1)
  return counts
}

function WaitingOf({ id, count }: { id: string; count: number }) {
  const say = useSay()
  if (count === 0) return <span className="quiet">—</span>
  return (
    <LinkText
      to="/approvals"
      search={{ agent: id }}
      size="sm"
      aria-label={`${say('agents.waiting')}: ${count}`}
      onClick={(event) => event.stopPropagation()}
    >
      {count}
    </LinkText>
  )
}

/** The button for a bad day. */
function PauseAll({ agents }: { agents: Agent[] }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const count = agents.filter(({ state }) => state === 'active').length
  const pausing = useMutation({
    mutationFn: pauseAllAgents,
    onSuccess: () => {
      setAsking(false)
      queries.invalidateQueries({ queryKey: agentsQuery.queryKey })
    },
  })
  if (count === 0 && !isAsking) return null
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {say('agents.pauseAll')}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={say('agents.pauseAllTitle', { count })}
        consequence={say('agents.pauseAllConsequence')}
        act={say('agents.pauseAll')}
        isPending={pausing.isPending}
        error={pausing.error}
        onConfirm={() => pausing.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
