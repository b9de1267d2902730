import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { call } from '../api/client.ts'
import type { AuditEntry } from '../api/generated.ts'
import { usePages } from '../api/pages.ts'
import { useSay } from '../text/text.tsx'
import { Id } from '../ui/Copy.tsx'
import { Filters } from '../ui/Filters.tsx'
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
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const entries = usePages('/api/console/audit', filters, { isReadOnFocus: true })
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page title={say('nav.audit')} state={<Verification />}>
      <Filters
        values={filters}
        onChange={(values) => navigate({ search: values })}
        filters={[
          { name: 'act', label: say('audit.act'), kind: 'text', width: 200 },
          { name: 'subject', label: say('audit.subject'), kind: 'text', width: 260 },
          { name: 'actor', label: say('audit.actor'), kind: 'text', width: 260 },
        ]}
      />
      <ProblemMessage error={entries.error} onRetry={() => entries.refetch()} />
      <Rows
        label={say('nav.audit')}
        rows={entries.items}
        error={entries.error}
        idOf={({ sequence }) => String(sequence)}
        columns={[
          { title: say('logs.at'), cell: ({ at }) => <Time at={at} />, width: 130 },
          { title: say('audit.actor'), cell: ({ actor }) => <Actor actor={actor} />, isWide: true },
          {
            title: say('audit.act'),
            cell: ({ act, actor, subject }) => (
              <>
                <span className="mono">{act}</span>
                <Text size="xs" className="quiet" hiddenFrom="sm" component="div">
                  <Actor actor={actor} /> {subject !== null && <Id id={subject} />}
                </Text>
              </>
            ),
          },
          { title: say('audit.subject'), cell: ({ subject }) => subject !== null && <Id id={subject} />, isWide: true },
          {
            title: say('audit.hash'),
            cell: ({ hash }) =>
              hash !== null && (
                <Text size="xs" className="mono quiet" title={hash}>
                  {hash.slice(0, 12)}
                </Text>
              ),
            isWide: true,
          },
        ]}
      />
      {entries.items?.length === 0 && <EmptyMessage title={say(isFiltered ? 'list.noMatch' : 'list.empty')} />}
      <MoreRows pages={entries} />
    </Page>
  )
}

const Actor = ({ actor: { id, name } }: { actor: AuditEntry['actor'] }) => name ?? <Id id={id} />

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
