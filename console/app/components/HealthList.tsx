import { Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { may, sessionQuery } from '../api/session.ts'
import { numbersQuery, paymentAccountsQuery } from '../api/settings.ts'
import { endpointsQuery, shownStateOf } from '../api/webhooks.ts'
import { useFailureSay, useSay } from '../text/text.tsx'
import { State } from '../ui/State.tsx'
import { useNumberReason } from './NumberList.tsx'

/** Numbers, payment accounts and endpoints: what works, and what went wrong last. */
export function HealthList() {
  const say = useSay()
  const failureSay = useFailureSay()
  const reasonOf = useNumberReason()
  const { data: session } = useQuery(sessionQuery)
  const numbers = useQuery(numbersQuery)
  const accounts = useQuery(paymentAccountsQuery)
  const endpoints = useQuery({ ...endpointsQuery, enabled: may(session, 'webhooks:read') })
  const lines = [
    ...(numbers.data?.data ?? []).map((number) => ({
      id: number.id,
      to: '/settings',
      search: { tab: 'numbers' },
      name: `${number.name} · ${number.display_phone}`,
      state: number.state,
      trouble: failureSay(number.health.last_error) || reasonOf(number) || null,
    })),
    ...(accounts.data?.data ?? []).map((account) => ({
      id: account.id,
      to: '/settings',
      search: { tab: 'payments' },
      name: account.name,
      state: account.state,
      trouble: account.last_error?.detail ?? null,
    })),
    ...(endpoints.data?.data ?? []).map((endpoint) => ({
      id: endpoint.id,
      to: `/webhooks/${endpoint.id}`,
      search: {},
      name: endpoint.url,
      state: shownStateOf(endpoint),
      trouble: endpoint.disabled_reason && say(`webhooks.reason.${endpoint.disabled_reason}`),
    })),
  ]
  if (lines.length === 0) return null
  return (
    <section aria-label={say('home.health')}>
      <Title order={2} mb="sm">
        {say('home.health')}
      </Title>
      <div>
        {lines.map(({ id, to, search, name, state, trouble }) => (
          <Link key={id} className="health-line" to={to as string} search={search as object}>
            <Text size="sm" truncate>
              {name}
            </Text>
            <Group gap="sm" wrap="nowrap">
              {trouble !== null && (
                <Text size="xs" className="quiet" truncate maw={280}>
                  {trouble}
                </Text>
              )}
              <State state={state} />
            </Group>
          </Link>
        ))}
      </div>
    </section>
  )
}
