import { Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { acceptInvitation, invitationQuery, joinOrganization } from '../api/people.ts'
import { sessionQuery, signIn, switchOrganization } from '../api/session.ts'
import { SignInForm } from '../forms/SignInForm.tsx'
import { useSay } from '../text/text.tsx'
import { PasswordField } from '../ui/Fields.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage, RefusalMessage, Waiting } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'

/** The holder of the link joins: a new person chooses a name and a password, a known one signs in. */
export function InvitationPage() {
  const say = useSay()
  const { token } = useParams({ from: '/invitations/$token' })
  const invitation = useQuery(invitationQuery(token))
  return (
    <main className="sign-in">
      <div>
        {invitation.data === undefined ? (
          <Stack gap="md">
            <Title order={1}>Nexkit</Title>
            <Waiting error={invitation.error} />
            <LinkText to="/sign-in" size="sm">
              {say('signIn.title')}
            </LinkText>
          </Stack>
        ) : (
          <Stack gap="md">
            <Title order={1}>{say('invite.title', { organization: invitation.data.organization })}</Title>
            <Text size="sm">
              {invitation.data.email} · {say(`role.${invitation.data.role}`)}
            </Text>
            {invitation.data.is_known_person ? (
              <KnownPerson token={token} />
            ) : (
              <NewPerson token={token} email={invitation.data.email} />
            )}
          </Stack>
        )}
      </div>
    </main>
  )
}

function NewPerson({ token, email }: { token: string; email: string }) {
  const say = useSay()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const attempt = useMutation({
    mutationFn: async () => {
      await acceptInvitation(token, { name: name.trim(), password })
      await signIn({ email, password })
      await queries.resetQueries()
    },
    onSuccess: () => navigate({ to: '/' }),
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={say('invite.name')}
          autoComplete="name"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={refusal?.at('name')}
        />
        <PasswordField
          label={say('signIn.password')}
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={refusal?.at('password')}
        />
        <RefusalMessage refusal={refusal} />
        <Button type="submit" loading={attempt.isPending}>
          {say('invite.accept')}
        </Button>
      </Stack>
    </form>
  )
}

function KnownPerson({ token }: { token: string }) {
  const say = useSay()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const session = useQuery(sessionQuery)
  const [hasSignedIn, setSignedIn] = useState(false)
  const join = useMutation({
    mutationFn: async () => {
      const { id } = await joinOrganization(token)
      await switchOrganization(id)
      await queries.resetQueries()
    },
    onSuccess: () => navigate({ to: '/' }),
  })
  // A person without an organization has no session to show, though they are signed in.
  if (session.data === undefined && !hasSignedIn) return <SignInForm onDone={() => setSignedIn(true)} />
  return (
    <Stack gap="sm">
      <ProblemMessage error={join.error} />
      <Button loading={join.isPending} onClick={() => join.mutate()}>
        {say('invite.accept')}
      </Button>
    </Stack>
  )
}
