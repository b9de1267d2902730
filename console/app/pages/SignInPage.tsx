import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { confirmReset, requestReset } from '../api/people.ts'
import { nextAfterSso, ssoResultQuery, type ssoReturn } from '../api/sso.ts'
import { SignInForm } from '../forms/SignInForm.tsx'
import { useSay } from '../text/text.tsx'
import { Entrance } from '../ui/Entrance.tsx'
import { ProblemMessage, Waiting } from '../ui/Message.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { submitting } from '../ui/submission.ts'

/** Where a visitor wanted to go: an address below /console. */
const wanted = () => {
  const next = new URLSearchParams(location.search).get('next')
  return next?.startsWith('/') ? `/console${next}` : '/console'
}

export const SignInPage = () => (
  <SignInEntrance>
    <SignInWays next={wanted()} />
  </SignInEntrance>
)

/** Back from the provider of single sign-on: further to the page that was wanted, or why not, with the other ways in. */
export function SsoPage({ body }: { body: NonNullable<ReturnType<typeof ssoReturn>> }) {
  const { data, error } = useQuery(ssoResultQuery(body))
  useEffect(() => {
    // An invitation that was open is used now, so its page has nothing left to show.
    if (data !== undefined) location.replace(data.has_joined ? '/console' : nextAfterSso())
  }, [data])
  return (
    <SignInEntrance>
      <Waiting error={error} />
      {error !== null && <SignInWays next={nextAfterSso()} />}
    </SignInEntrance>
  )
}

function SignInEntrance({ children }: { children: ReactNode }) {
  const say = useSay()
  useDocumentTitle(`${say('signIn.title')} · Nexkit`)
  return <Entrance title={say('signIn.title')}>{children}</Entrance>
}

function SignInWays({ next }: { next: string }) {
  const say = useSay()
  return (
    <>
      <SignInForm onDone={() => location.assign(next)} next={next} />
      <Anchor href="/console/reset-password" size="sm">
        {say('signIn.forgot')}
      </Anchor>
    </>
  )
}

/** First the email; then, with the link that was sent, the new password. */
export function ResetPasswordPage({ token }: { token: string | null }) {
  const say = useSay()
  useDocumentTitle(`${say('reset.title')} · Nexkit`)
  return (
    <Entrance title={say('reset.title')}>
      {token === null ? <AskForm /> : <SetForm token={token} />}
      <Anchor href="/console/sign-in" size="sm">
        {say('signIn.title')}
      </Anchor>
    </Entrance>
  )
}

function AskForm() {
  const say = useSay()
  const [email, setEmail] = useState('')
  const attempt = useMutation({ mutationFn: () => requestReset(email.trim()) })
  const submit = submitting(() => attempt.mutate())
  if (attempt.isSuccess) return <Text size="sm">{say('reset.sent')}</Text>
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={say('signIn.email')}
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <ProblemMessage error={attempt.error} />
        <Button type="submit" loading={attempt.isPending}>
          {say('reset.send')}
        </Button>
      </Stack>
    </form>
  )
}

function SetForm({ token }: { token: string }) {
  const say = useSay()
  const [password, setPassword] = useState('')
  const attempt = useMutation({ mutationFn: () => confirmReset(token, password) })
  const submit = submitting(() => attempt.mutate())
  if (attempt.isSuccess) return <Text size="sm">{say('reset.done')}</Text>
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <PasswordField
          label={say('reset.new')}
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ProblemMessage error={attempt.error} />
        <Button type="submit" loading={attempt.isPending}>
          {say('reset.set')}
        </Button>
      </Stack>
    </form>
  )
}
