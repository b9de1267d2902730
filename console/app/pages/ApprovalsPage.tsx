import '../work.css'
import { Box, SegmentedControl, Stack } from '@mantine/core'
import { useThrottledCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { agentsQuery } from '../api/agents.ts'
import { APPROVALS, type Approval, approvalQuery } from '../api/approvals.ts'
import { type Pages, useNews, usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { ApprovalCard } from '../components/ApprovalCard.tsx'
import { useLive, useMissed } from '../components/Live.tsx'
import { useSay } from '../text/text.tsx'
import { Filters } from '../ui/Filters.tsx'
import { LinkButton } from '../ui/Links.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { MoreRows, NewsButton } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'

const route = getRouteApi('/inside/approvals')
const WHICH = ['waiting', 'all'] as const

/** What agents want to do and may not do by themselves, newest first. */
export function ApprovalsPage() {
  const say = useSay()
  const { show, agent } = route.useSearch()
  const navigate = route.useNavigate()
  const isAll = show === 'all'
  const approvals = usePages(APPROVALS, { status: isAll ? undefined : 'pending', agent })
  const { items } = approvals
  return (
    <Page
      title={say('nav.approvals')}
      acts={
        <SegmentedControl
          size="xs"
          aria-label={say('approvals.which')}
          value={isAll ? 'all' : 'waiting'}
          onChange={(value) => navigate({ search: (now) => ({ ...now, show: value === 'all' ? 'all' : undefined }) })}
          data={WHICH.map((value) => ({ value, label: say(`approvals.which.${value}`) }))}
        />
      }
    >
      <AgentFilter />
      <News pages={approvals} />
      <Stack gap="md" maw={760}>
        {items === undefined && <Waiting error={approvals.error} onRetry={() => approvals.refetch()} />}
        {items !== undefined && <ProblemMessage error={approvals.error} onRetry={() => approvals.refetch()} />}
        {items?.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
      </Stack>
      {items?.length === 0 && (
        <EmptyMessage
          title={say(isAll || agent !== undefined ? 'list.noMatch' : 'approvals.empty')}
          detail={say('approvals.emptyHelp')}
        />
      )}
      <MoreRows pages={approvals} />
    </Page>
  )
}

/** The filter by agent, for a person who may see the list of agents; a link with one works for all. */
function AgentFilter() {
  const say = useSay()
  const { agent } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const agents = useQuery({ ...agentsQuery, enabled: may(session, 'agents:manage') })
  const choices = (agents.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  if (choices.length < 2 && agent === undefined) return null
  return (
    <Filters
      values={{ agent }}
      onChange={(values) => navigate({ search: (now) => ({ ...now, agent: values.agent }) })}
      filters={[{ name: 'agent', label: say('agents.one'), kind: 'choice', choices, width: 240 }]}
    />
  )
}

const LOOK_MS = 500

/**
 * A new one is offered and not put above the others: it would move the button of another one under the pointer of a person
 * about to click. Where there is nothing to move, it is shown at once.
 */
function News({ pages }: { pages: Pages<Approval> }) {
  const news = useNews(pages)
  const look = useThrottledCallback(() => (pages.items?.length === 0 ? pages.refetch() : news.look()), LOOK_MS)
  useLive(
    'event',
    useCallback(({ type }) => void (type === 'approval.requested' && look()), [look]),
  )
  useMissed(look)
  if (!news.hasAny) return null
  return <NewsButton count={news.count} onShow={news.show} />
}

const oneRoute = getRouteApi('/inside/approvals/$id')

/** One of them, where a link in a message leads. */
export function ApprovalPage() {
  const say = useSay()
  const { id } = oneRoute.useParams()
  const approval = useQuery(approvalQuery(id))
  return (
    <Page
      title={say('approvals.one')}
      acts={
        <LinkButton to="/approvals" size="xs" variant="default">
          {say('approvals.toAll')}
        </LinkButton>
      }
    >
      <Box maw={760}>
        {approval.data === undefined ? (
          <Waiting error={approval.error} onRetry={() => approval.refetch()} />
        ) : (
          <ApprovalCard key={id} approval={approval.data} isAlone />
        )}
      </Box>
    </Page>
  )
}
