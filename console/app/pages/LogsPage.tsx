import { Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { agentsQuery } from '../api/agents.ts'
import { keysQuery } from '../api/keys.ts'
import type { LogFilters, LogSummary } from '../api/logs.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useLive } from '../components/Live.tsx'
import { LogFacets } from '../components/LogFacets.tsx'
import { LogView } from '../components/LogView.tsx'
import { NewRows } from '../components/NewRows.tsx'
import { type Say, useSay } from '../text/text.tsx'
import { Code } from '../ui/Code.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Filters } from '../ui/Filters.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'
import { type Column, Rows } from '../ui/Rows.tsx'
import { HttpStatus } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/logs')
const STATUSES = ['2xx', '4xx', '5xx', '401', '403', '404', '409', '422', '429', '500']
const EXAMPLE = `curl ${window.location.origin}/api/public/v1/me \\\n  -H "Authorization: Bearer $NEXKIT_KEY"`
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE']

export function LogsPage() {
  const say = useSay()
  const { open, live, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const callers = useCallers()
  const nameOfId = useCallback((id: string) => callers.find((caller) => caller.id === id)?.name ?? id, [callers])
  const nameOf = useCallback(
    (caller: LogSummary['caller']) => (caller === null ? '—' : nameOfId(caller.id)),
    [nameOfId],
  )
  return (
    <Page
      title={say('nav.logs')}
      acts={
        <Switch
          label={say('logs.live')}
          checked={live === '1'}
          onChange={(event) => {
            const isOn = event.currentTarget.checked
            navigate({ search: (before) => ({ ...before, live: isOn ? '1' : undefined }) })
          }}
        />
      }
    >
      <Filters
        values={filters}
        onChange={(values) => navigate({ search: { ...values, open, live } })}
        filters={[
          { name: 'q', label: say('logs.text'), kind: 'text', width: 240 },
          {
            name: 'status',
            label: say('logs.status'),
            kind: 'choice',
            choices: STATUSES.map((value) => ({ value, label: value })),
            width: 120,
          },
          {
            name: 'method',
            label: say('logs.method'),
            kind: 'choice',
            choices: METHODS.map((value) => ({ value, label: value })),
            width: 120,
          },
          {
            name: 'caller',
            label: say('logs.caller'),
            kind: 'choice',
            choices: callers.map(({ id, name }) => ({ value: id, label: name })),
          },
          { name: 'operation', label: say('logs.operation'), kind: 'text', width: 170 },
          { name: 'since', label: say('logs.since'), kind: 'moment', width: 290 },
          { name: 'until', label: say('logs.until'), kind: 'moment', width: 290 },
        ]}
      />
      <LogFacets
        filters={filters}
        nameOf={nameOfId}
        onChange={(change) => navigate({ search: (before) => ({ ...before, ...change }) })}
      />
      <LogList filters={filters} isLive={live === '1'} openId={open} onOpen={show} nameOf={nameOf} />
      <Detail title={say('logs.one')} isOpen={open !== undefined} onClose={() => show(undefined)}>
        {open !== undefined && <LogView id={open} nameOf={nameOf} />}
      </Detail>
    </Page>
  )
}

type NameOf = (caller: LogSummary['caller']) => string

function LogList(props: {
  filters: LogFilters
  isLive: boolean
  openId: string | undefined
  onOpen: (id: string) => void
  nameOf: NameOf
}) {
  const say = useSay()
  const { filters, isLive, nameOf } = props
  const logs = usePages('/api/console/request-logs', filters)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const { refetch } = logs
  useLive(
    'request',
    useCallback(() => {
      if (isLive) refetch()
    }, [isLive, refetch]),
  )
  const columns = useMemo(() => columnsOf(say, nameOf), [say, nameOf])
  return (
    <>
      {!isLive && <NewRows kind="request" pages={logs} />}
      <ProblemMessage error={logs.error} onRetry={() => logs.refetch()} />
      <Rows
        label={say('nav.logs')}
        rows={logs.items}
        error={logs.error}
        idOf={(log) => log.id}
        chosenId={props.openId}
        onOpen={(log) => props.onOpen(log.id)}
        columns={columns}
      />
      {logs.items?.length === 0 && !logs.hasNextPage && <NoLogs isFiltered={isFiltered} />}
      <MoreRows pages={logs} />
    </>
  )
}

const columnsOf = (say: Say, nameOf: NameOf): Column<LogSummary>[] => [
  { title: say('logs.status'), cell: ({ status }) => <HttpStatus status={status} />, width: 80 },
  { title: say('logs.method'), cell: ({ method }) => <span className="mono">{method}</span>, width: 80 },
  {
    title: say('logs.path'),
    cell: ({ path, error_code, at }) => (
      <>
        <span className="mono">{path}</span> {error_code !== null && <span className="quiet">{error_code}</span>}
        <div className="row-note mantine-hidden-from-sm">
          <Time at={at} />
        </div>
      </>
    ),
  },
  { title: say('logs.caller'), cell: ({ caller }) => nameOf(caller), isWide: true },
  {
    title: say('logs.duration'),
    cell: ({ duration_ms }) => `${duration_ms.toFixed(1)} ms`,
    isNumber: true,
    isWide: true,
  },
  { title: say('logs.at'), cell: ({ at }) => <Time at={at} />, isNumber: true, isWide: true },
]

function NoLogs({ isFiltered }: { isFiltered: boolean }) {
  const say = useSay()
  if (isFiltered) return <EmptyMessage title={say('list.noMatch')} />
  return (
    <EmptyMessage picture="log" guide="troubleshoot" title={say('logs.empty')} detail={say('logs.emptyHelp')}>
      <Code text={EXAMPLE} />
    </EmptyMessage>
  )
}

/** All callers with a token: keys, and agents for a person who may see them. */
function useCallers(): { id: string; name: string }[] {
  const { data: session } = useQuery(sessionQuery)
  const keys = useQuery(keysQuery)
  const agents = useQuery({ ...agentsQuery, enabled: may(session, 'agents:manage') })
  return useMemo(() => [...(keys.data?.data ?? []), ...(agents.data?.data ?? [])], [keys.data, agents.data])
}
