import { Button, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endSession, sessionsQuery } from '../api/people.ts'
import { sessionQuery } from '../api/session.ts'
import { AlertSettings } from '../components/Alerts.tsx'
import { MailAlerts } from '../components/MailAlerts.tsx'
import { PasskeyList } from '../components/PasskeyList.tsx'
import { NewPasswordForm } from '../forms/NewPasswordForm.tsx'
import { PasskeyForm } from '../forms/PasskeyForm.tsx'
import { TwoFactorForm } from '../forms/TwoFactorForm.tsx'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Page } from '../ui/Page.tsx'
import { Rows } from '../ui/Rows.tsx'
import { State } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

/** What belongs to the person, not to the organization. */
export function AccountPage() {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const [isChanged, setChanged] = useState(false)
  return (
    <Page title={say('person.account')}>
      <Stack gap="xl">
        <Text size="sm">
          {session?.person.name} · {session?.person.email}
        </Text>
        <section>
          <Title order={2} mb="sm">
            {say('account.password')}
          </Title>
          {isChanged && (
            <Text size="sm" role="status" mb="sm">
              {say('account.changed')}
            </Text>
          )}
          <NewPasswordForm onDone={() => setChanged(true)} />
        </section>
        <section>
          <Title order={2} mb="sm">
            {say('people.twoFactor')}
          </Title>
          <Stack gap="sm">
            <State
              state={session?.person.is_two_factor_on ? 'active' : 'off'}
              word={say(session?.person.is_two_factor_on ? 'people.on' : 'people.off')}
            />
            <TwoFactorForm isOn={session?.person.is_two_factor_on ?? false} />
          </Stack>
        </section>
        <section>
          <Title order={2} mb="sm">
            {say('alerts.title')}
          </Title>
          <AlertSettings />
        </section>
        <section>
          <Title order={2} mb="sm">
            {say('mailAlerts.title')}
          </Title>
          <MailAlerts />
        </section>
        <section>
          <Title order={2} mb="sm">
            {say('passkeys.title')}
          </Title>
          <Stack gap="sm">
            <Text size="sm" className="quiet">
              {say('passkeys.help')}
            </Text>
            <PasskeyList />
            <PasskeyForm />
          </Stack>
        </section>
        <section>
          <Title order={2} mb="sm">
            {say('account.sessions')}
          </Title>
          <SessionRows />
        </section>
      </Stack>
    </Page>
  )
}

function SessionRows() {
  const say = useSay()
  const queries = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const ending = useMutation({
    mutationFn: endSession,
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  return (
    <>
      <ProblemMessage error={sessions.error ?? ending.error} />
      <Rows
        label={say('account.sessions')}
        rows={sessions.data?.data}
        error={sessions.error}
        idOf={({ id }) => id}
        columns={[
          {
            title: say('logs.agent'),
            cell: ({ user_agent, is_current }) => (
              <Text size="sm" truncate maw={{ base: 120, sm: 420 }}>
                {is_current ? `${say('account.here')} · ` : ''}
                {user_agent ?? '—'}
              </Text>
            ),
          },
          { title: say('logs.address'), cell: ({ address }) => address ?? '—', isWide: true },
          { title: say('people.lastSeen'), cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
          {
            title: say('list.actions'),
            cell: ({ id, is_current }) =>
              !is_current && (
                <Button size="compact-sm" variant="subtle" color="red" onClick={() => ending.mutate(id)}>
                  {say('person.signOut')}
                </Button>
              ),
            isNumber: true,
          },
        ]}
      />
    </>
  )
}
