import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AuditEntry } from '../api/generated.ts'
import { may, sessionQuery } from '../api/session.ts'
import { subjectEventsQuery } from '../api/webhooks.ts'
import { useSay } from '../text/text.tsx'
import { Id } from '../ui/Copy.tsx'
import { Facts } from '../ui/Detail.tsx'
import { LinkText } from '../ui/Links.tsx'
import { Time } from '../ui/Time.tsx'
import { useKnownName } from './actor-names.ts'
import { type Change, changesBy } from './audit-changes.ts'

/** The page of each kind of thing, by the prefix of its id: beside its list, or a page with an address. */
const pages: Partial<Record<string, { to: string; isBeside?: boolean; isList?: boolean }>> = {
  ord: { to: '/orders' },
  con: { to: '/customers' },
  wep: { to: '/webhooks' },
  key: { to: '/keys' },
  agt: { to: '/agents' },
  plk: { to: '/payment-links' },
  brd: { to: '/broadcasts' },
  apr: { to: '/approvals' },
  prd: { to: '/products', isBeside: true },
  srp: { to: '/replies', isBeside: true },
  chat: { to: '/chats', isBeside: true },
  dlv: { to: '/deliveries', isBeside: true },
  evt: { to: '/events', isBeside: true },
  req: { to: '/logs', isBeside: true },
  num: { to: '/settings', isList: true },
  usr: { to: '/people', isList: true },
  inv: { to: '/people', isList: true },
  pac: { to: '/settings', isList: true },
}

/** The id of what was acted on, as a link where the console shows it. */
export function Subject({ id }: { id: string }) {
  const page = pages[id.split('_')[0] ?? '']
  if (page === undefined) return <Id id={id} />
  const place = page.isList
    ? { to: page.to }
    : page.isBeside
      ? { to: page.to, search: { open: id } }
      : { to: `${page.to}/${id}` }
  return (
    <LinkText size="sm" className="mono" {...place}>
      {id.length > 18 ? `${id.slice(0, 9)}…${id.slice(-5)}` : id}
    </LinkText>
  )
}

/** `createKey` as words. */
export const actWords = (act: string): string => {
  const words = act.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** One entry: all of it, and what it changed where it or an event recorded that. */
export function AuditDetail({ entry }: { entry: AuditEntry }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const knownName = useKnownName()
  const { subject } = entry
  const events = useQuery({
    ...subjectEventsQuery(subject ?? ''),
    enabled: subject !== null && may(session, 'events:read'),
  })
  const changes = entry.changes.length > 0 ? entry.changes : changesBy(entry, events.data?.data ?? [])
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [say('logs.at'), <Time key="at" at={entry.at} />],
          [say('audit.actor'), `${entry.actor.name ?? knownName(entry.actor.id) ?? ''} ${entry.actor.id}`.trim()],
          [say('audit.act'), entry.act],
          [say('audit.subject'), subject === null ? '—' : <Subject key="subject" id={subject} />],
          [say('logs.address'), entry.address ?? '—'],
          [say('audit.request'), entry.request_id === null ? '—' : <Id key="request" id={entry.request_id} isWhole />],
          [say('audit.number'), entry.sequence],
          [
            say('audit.hash'),
            <span key="hash" className="mono" style={{ overflowWrap: 'anywhere' }}>
              {entry.hash ?? '—'}
            </span>,
          ],
        ]}
      />
      <Text fw={600} size="sm">
        {say('audit.changes')}
      </Text>
      {changes.length === 0 ? (
        <Text size="sm" className="quiet">
          {say('audit.noChanges')}
        </Text>
      ) : (
        <Changes changes={changes} />
      )}
    </Stack>
  )
}

function Changes({ changes }: { changes: Change[] }) {
  const say = useSay()
  return (
    <Table className="rows" aria-label={say('audit.changes')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{say('audit.field')}</Table.Th>
          <Table.Th>{say('audit.before')}</Table.Th>
          <Table.Th>{say('audit.after')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ field, before, after }) => (
          <Table.Tr key={field}>
            <Table.Td className="mono">{field}</Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{before}</Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{after}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
