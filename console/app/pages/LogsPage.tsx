import { Group, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { agentsQuery } from '../api/agents.ts'
import { keysQuery } from '../api/keys.ts'
import { curlOf, type LogDetail, type LogSide, type LogSummary, logQuery } from '../api/logs.ts'
import { usePages } from '../api/pages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useLive } from '../components/Live.tsx'
import { NewRows } from '../components/NewRows.tsx'
import { useSay } from '../text/text.tsx'
import { Code, JsonCode } from '../ui/Code.tsx'
import { Id } from '../ui/Copy.tsx'
import { Detail, Facts } from '../ui/Detail.tsx'
import { Filters } from '../ui/Filters.tsx'
import { LinkText } from '../ui/Links.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { HttpStatus, State } from '../ui/State.tsx'
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
  const logs = usePages('/api/console/request-logs', filters)
  const callers = useCallers()
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const { refetch } = logs
  useLive(
    'request',
    useCallback(() => {
      if (live === '1') refetch()
    }, [live, refetch]),
  )
  const nameOf = (caller: LogSummary['caller']) =>
    callers.find(({ id }) => id === caller?.id)?.name ?? caller?.id ?? '—'
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
      {live !== '1' && <NewRows kind="request" pages={logs} />}
      <ProblemMessage error={logs.error} onRetry={() => logs.refetch()} />
      <Rows
        label={say('nav.logs')}
        rows={logs.items}
        error={logs.error}
        idOf={(log) => log.id}
        chosenId={open}
        onOpen={(log) => show(log.id)}
        columns={[
          { title: say('logs.status'), cell: ({ status }) => <HttpStatus status={status} />, width: 80 },
          { title: say('logs.method'), cell: ({ method }) => <span className="mono">{method}</span>, width: 80 },
          {
            title: say('logs.path'),
            cell: ({ path, error_code, at }) => (
              <>
                <span className="mono">{path}</span>{' '}
                {error_code !== null && <span className="quiet">{error_code}</span>}
                <Text size="xs" className="quiet" hiddenFrom="sm" component="div">
                  <Time at={at} />
                </Text>
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
        ]}
      />
      {logs.items?.length === 0 &&
        !logs.hasNextPage &&
        (isFiltered ? (
          <EmptyMessage title={say('list.noMatch')} />
        ) : (
          <EmptyMessage picture="log" guide="troubleshoot" title={say('logs.empty')} detail={say('logs.emptyHelp')}>
            <Code text={EXAMPLE} />
          </EmptyMessage>
        ))}
      <MoreRows pages={logs} />
      <Detail title={say('logs.one')} isOpen={open !== undefined} onClose={() => show(undefined)}>
        {open !== undefined && <LogView id={open} nameOf={nameOf} />}
      </Detail>
    </Page>
  )
}

/** All callers with a token: keys, and agents for a person who may see them. */
function useCallers(): { id: string; name: string }[] {
  const { data: session } = useQuery(sessionQuery)
  const keys = useQuery(keysQuery)
  const agents = useQuery({ ...agentsQuery, enabled: may(session, 'agents:manage') })
  return [...(keys.data?.data ?? []), ...(agents.data?.data ?? [])]
}

function LogView({ id, nameOf }: { id: string; nameOf: (caller: LogSummary['caller']) => string }) {
  const say = useSay()
  const detail = useQuery(logQuery(id))
  if (detail.data === undefined) return <Waiting error={detail.error} onRetry={() => detail.refetch()} />
  const { log, caused } = detail.data
  return (
    <Stack gap="md">
      <Group gap="md">
        <HttpStatus status={log.status} />
        <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {log.method} {log.base_path}
          {log.path}
          {log.query ? `?${log.query}` : ''}
        </Text>
      </Group>
      <Facts
        facts={[
          [say('list.id'), <Id key="id" id={log.id} isWhole />],
          [say('logs.at'), <Time key="at" at={log.at} />],
          [say('logs.operation'), log.operation ?? '—'],
          [say('logs.caller'), nameOf(log.caller)],
          [say('logs.auth'), log.auth_result],
          [say('logs.duration'), `${log.duration_ms.toFixed(2)} ms`],
          [say('logs.address'), log.address],
          [say('logs.agent'), log.user_agent ?? '—'],
          log.idempotency_key !== null && [
            say('logs.idempotency'),
            `${log.idempotency_key}${log.is_replayed ? ` (${say('logs.replayed')})` : ''}`,
          ],
          log.error_code !== null && [say('logs.error'), `${log.error_code} ${log.error_detail ?? ''}`],
        ]}
      />
      <Causes caused={caused} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Side title={say('attempt.request')} side={log.request} />
        <Side title={say('attempt.response')} side={log.response} />
      </SimpleGrid>
      <Text size="sm" fw={600}>
        {say('logs.curl')}
      </Text>
      <Code text={curlOf(window.location.origin, log)} isWrapped />
      {log.request.is_cut && (
        <Text size="xs" className="quiet">
          {say('logs.curlCut')}
        </Text>
      )}
    </Stack>
  )
}

function Causes({ caused }: { caused: LogDetail['caused'] }) {
  const say = useSay()
  if (caused.events.length === 0) return null
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {say('logs.caused')}
      </Text>
      {caused.events.map((event) => (
        <Group key={event.id} gap="md">
          <LinkText to="/events" search={{ open: event.id }} size="sm">
            {event.type}
          </LinkText>
          {caused.deliveries
            .filter(({ event_id }) => event_id === event.id)
            .map((delivery) => (
              <LinkText key={delivery.id} to="/deliveries" search={{ open: delivery.id }} size="sm">
                <State state={delivery.status} />
              </LinkText>
            ))}
        </Group>
      ))}
    </Stack>
  )
}

function Side({ title, side }: { title: string; side: LogSide }) {
  const say = useSay()
  return (
    <Stack gap={6} style={{ minWidth: 0 }}>
      <Group justify="space-between">
        <Text size="xs" fw={600}>
          {title}
        </Text>
        <Text size="xs" className="quiet">
          {side.bytes} B {side.is_cut ? say('attempt.truncated') : ''}
        </Text>
      </Group>
      {side.body === null ? (
        <Text size="xs" className="quiet">
          {say('logs.bodyMissing')}
        </Text>
      ) : (
        <JsonCode value={side.body} />
      )}
    </Stack>
  )
}
