import '../work.css'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { agentsQuery, type CreatedAgent } from '../api/agents.ts'
import { rangeOf } from '../api/home.ts'
import { REREAD_MS } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { AgentToken } from '../components/AgentAccess.tsx'
import { AgentView } from '../components/AgentView.tsx'
import { CallerUse } from '../components/LogFacets.tsx'
import { AgentForm } from '../forms/AgentForm.tsx'
import { useSay } from '../text/text.tsx'
import { Absent, Waiting } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'
import { State } from '../ui/State.tsx'

const route = getRouteApi('/inside/agents/$id')

/** One agent: what it may do, what it calls, or the form that changes it. */
export function AgentPage() {
  const say = useSay()
  const { id } = route.useParams()
  const { edit, range } = route.useSearch()
  const navigate = useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const agents = useQuery({ ...agentsQuery, refetchInterval: REREAD_MS })
  const [created, setCreated] = useState<CreatedAgent | null>(null)
  const agent = agents.data?.data.find((one) => one.id === id)
  const show = (search: { edit?: string; range?: string }) => navigate({ to: '/agents/$id', params: { id }, search })
  return (
    <Page
      title={agent?.name ?? say('agents.one')}
      parent={{ to: '/agents', text: say('nav.agents') }}
      {...(agent && { state: <State state={agent.state} word={say(`agents.state.${agent.state}`)} /> })}
    >
      {agents.data === undefined ? (
        <Waiting error={agents.error} onRetry={() => agents.refetch()} />
      ) : agent === undefined ? (
        <Absent detail={say('agents.absent')} look={agents.refetch} onBack={() => navigate({ to: '/agents' })} />
      ) : edit === '1' && agent.state !== 'ended' ? (
        <Stack maw={720}>
          <AgentForm key={agent.id} agent={agent} onDone={() => show({})} />
        </Stack>
      ) : (
        <Stack gap="xl">
          <AgentView key={agent.id} agent={agent} onEdit={() => show({ edit: '1' })} onCreated={setCreated} />
          {may(session, 'logs:read') && (
            <CallerUse caller={agent.id} range={rangeOf(range)} onRange={(value) => show({ range: value })} />
          )}
        </Stack>
      )}
      <AgentToken created={created} isNew={false} onDone={() => setCreated(null)} />
    </Page>
  )
}
