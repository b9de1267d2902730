import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { agentsQuery } from '../api/agents.ts'
import { call } from '../api/client.ts'
import type { AuditEntry } from '../api/generated.ts'
import { keysQuery } from '../api/keys.ts'
import { usePages } from '../api/pages.ts'
import { teamQuery } from '../api/people.ts'
import { may, sessionQuery } from '../api/session.ts'
import { AuditDetail, actWords, Subject } from '../components/AuditDetail.tsx'
import { useKnownName } from '../components/actor-names.ts'
import { ExportButton } from '../components/CsvButtons.tsx'
import { useSay } from '../text/text.tsx'
import { Id } from '../ui/Copy.tsx'
import { Detail } from '../ui/Detail.tsx'
import { Filters, type FilterValues } from '../ui/Filters.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

const route = getRouteApi('/inside/audit')

/** Who did what. Each entry carries the hash of the one before it, so that none can be changed or taken out unseen. */
export function AuditPage() {
  const say = useSay()
  const { open, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const entries = usePages('/api/console/audit', filters, { isReadOnFocus: true })
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const show = (id: string | undefined) => navigate({ search: (before) => ({ ...before, open: id }) })
  const opened = entries.items?.find(({ sequence }) => String(sequence) === open)
  return (
    <Page
      title={say('nav.audit')}
      state={<Verification />}
      acts={<ExportButton path="/api/console/audit" query={filters} name="audit.csv" />}
    >
      <AuditFilters values={filters} onChange={(values) => navigate({ search: { ...values, open } })} />
      <ProblemMessage error={entries.error} onRetry={() => entries.refetch()} />
      <Rows
        label={say('nav.audit')}
        rows={entries.items}
        error={entries.error}
        idOf={({ sequence }) => String(sequence)}
        chosenId={open}
        onOpen={({ sequence }) => show(String(sequence))}
        columns={[
          { title: say('logs.at'), cell: ({ at }) => <Time at={at} />, width: 130 },
          { title: say('audit.actor'), cell: ({ actor }) => <Actor actor={actor} />, isWide: true },
          {
            title: say('audit.act'),
            cell: ({ act, actor, subject }) => (
              <>
                <span title={act}>{actWords(act)}</span>
                <Text size="xs" className="quiet" hiddenFrom="sm" component="div">
                  <Actor actor={actor} /> {subject !== null && <Id id={subject} />}
                </Text>
              </>
            ),
          },
          {
            title: say('audit.subject'),
            cell: ({ subject }) => subject !== null && <Subject id={subject} />,
            isWide: true,
          },
          { title: say('logs.address'), cell: ({ address }) => address ?? '—', isWide: true },
        ]}
      />
      {entries.items?.length === 0 && <EmptyMessage title={say(isFiltered ? 'list.noMatch' : 'list.empty')} />}
      <MoreRows pages={entries} />
      <Detail title={say('audit.entry')} isOpen={opened !== undefined} onClose={() => show(undefined)}>
        {opened !== undefined && <AuditDetail key={opened.sequence} entry={opened} />}
      </Detail>
    </Page>
  )
}

function AuditFilters({ values, onChange }: { values: FilterValues; onChange: (values: FilterValues) => void }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const team = useQuery(teamQuery)
  const keys = useQuery({ ...keysQuery, enabled: may(session, 'keys:manage') })
  const agents = useQuery({ ...agentsQuery, enabled: may(session, 'agents:manage') })
  const actors = [
    ...(team.data?.members ?? []).map(({ id, name, email }) => ({ value: id, label: `${name} · ${email}` })),
    ...(agents.data?.data ?? []).map(({ id, name }) => ({ value: id, label: `${say('nav.agents')}: ${name}` })),
    ...(keys.data?.data ?? []).map(({ id, name }) => ({ value: id, label: `${say('nav.keys')}: ${name}` })),
  ]
  return (
    <Filters
      values={values}
      onChange={onChange}
      filters={[
        { name: 'actor', label: say('audit.actor'), kind: 'choice', choices: actors, width: 220 },
        { name: 'act', label: say('audit.act'), kind: 'text', width: 150 },
        { name: 'subject', label: say('audit.subject'), kind: 'text', width: 200 },
        { name: 'since', label: say('audit.since'), kind: 'moment', width: 250 },
        { name: 'until', label: say('audit.until'), kind: 'moment', width: 250 },
      ]}
    />
  )
}

/** Entries of keys carry no name: a key can be renamed. */
function Actor({ actor: { id, name } }: { actor: AuditEntry['actor'] }) {
  const knownName = useKnownName()
  return name ?? knownName(id) ?? <Id id={id} />
}

function Verification() {
  const say = useSay()
  const { data } = useQuery({
    queryKey: ['audit-verification'],
    queryFn: ({ signal }) => call('GET /api/console/audit/verification', { signal }),
  })
  if (data === undefined) return null
  return (
    <State
      state={data.is_intact ? 'succeeded' : 'failed'}
      word={
        data.is_intact
          ? say('audit.intact', { count: data.entries })
          : say('audit.broken', { number: data.broken_at ?? '' })
      }
    />
  )
}
