import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { confirmReset, requestReset } from '../api/people.ts'
import { SignInForm } from '../forms/SignInForm.tsx'
import { useSay } from '../text/text.tsx'
import { PasswordField } from '../ui/Fields.tsx'
import { LinkText } from '../ui/Links.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting } from '../ui/submission.ts'

export function SignInPage() {
  const say = useSay()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { next } = useSearch({ from: '/sign-in' })
  useDocumentTitle(`${say('signIn.title')} · Nexkit`)
  const done = async () => {
    await queries.resetQueries()
    navigate({ to: next ?? '/' })
  }
  return (
    <main className="sign-in">
      <div>
        <Stack gap="md">
          <Title order={1}>{say('signIn.title')}</Title>
          <SignInForm onDone={done} />
          <Anchor component={Link} to="/reset-password" size="sm">
            {say('signIn.forgot')}
          </Anchor>
        </Stack>
      </div>
    </main>
  )
}

/** First the email; then, with the link that was sent, the new password. */
export function ResetPasswordPage() {
  const say = useSay()
  const { token } = useParams({ strict: false })
  return (
    <main className="sign-in">
      <div>
        <Stack gap="md">
          <Title order={1}>{say('reset.title')}</Title>
          {token === undefined ? <AskForm /> : <SetForm token={token} />}
          <LinkText to="/sign-in" size="sm">
            {say('signIn.title')}
          </LinkText>
        </Stack>
      </div>
    </main>
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
