import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { acceptInvitation, invitationQuery, joinOrganization } from '../api/people.ts'
import { sessionQuery, signIn, switchOrganization } from '../api/session.ts'
import { SignInForm } from '../forms/SignInForm.tsx'
import { SsoButton } from '../forms/SsoButton.tsx'
import { useSay } from '../text/text.tsx'
import { Entrance } from '../ui/Entrance.tsx'
import { ProblemMessage, RefusalMessage, Waiting } from '../ui/Message.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'

/** The holder of the link joins: a new person chooses a name and a password, a known one signs in. */
export function InvitationPage({ token }: { token: string }) {
  const say = useSay()
  const { data, error } = useQuery(invitationQuery(token))
  if (data === undefined)
    return (
      <Entrance title="Nexkit">
        <Waiting error={error} />
        <Anchor href="/console/sign-in" size="sm">
          {say('signIn.title')}
        </Anchor>
      </Entrance>
    )
  return (
    <Entrance title={say('invite.title', { organization: data.organization })}>
      <Text size="sm">
        {data.email} · {say(`role.${data.role}`)}
      </Text>
      {data.is_known_person ? <KnownPerson token={token} /> : <NewPerson token={token} email={data.email} />}
    </Entrance>
  )
}

function NewPerson({ token, email }: { token: string; email: string }) {
  const say = useSay()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const attempt = useMutation({
    mutationFn: async () => {
      await acceptInvitation(token, { name: name.trim(), password })
      await signIn({ email, password })
    },
    onSuccess: () => location.assign('/console'),
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
        <SsoButton next="/console" />
      </Stack>
    </form>
  )
}

function KnownPerson({ token }: { token: string }) {
  const say = useSay()
  const session = useQuery(sessionQuery)
  const [hasSignedIn, setSignedIn] = useState(false)
  const join = useMutation({
    mutationFn: async () => {
      const { id } = await joinOrganization(token)
      await switchOrganization(id)
    },
    onSuccess: () => location.assign('/console'),
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
