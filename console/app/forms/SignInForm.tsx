import { Anchor, Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { arePasskeysPossible, signInWithPasskey } from '../api/passkeys.ts'
import { confirmSecondFactor, signIn } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { submitting } from '../ui/submission.ts'
import { PasskeyMessage } from './PasskeyForm.tsx'
import { SsoButton } from './SsoButton.tsx'

/** The page to open after a way in that leaves this page. */
const thisPage = () => location.pathname + location.search

/** Email and password, then the second factor where one is on; or a passkey or single sign-on, which replace both. */
export function SignInForm({ onDone, next = thisPage() }: { onDone: () => void; next?: string }) {
  const [needsCode, setNeedsCode] = useState(false)
  return needsCode ? (
    <SecondFactorForm onDone={onDone} />
  ) : (
    <PasswordForm next={next} onDone={(needs) => (needs === 'second_factor' ? setNeedsCode(true) : onDone())} />
  )
}

function PasswordForm({ onDone, next }: { onDone: (needs: string | null) => void; next: string }) {
  const say = useSay()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const attempt = useMutation({ mutationFn: signIn, onSuccess: ({ needs }) => onDone(needs) })
  const submit = submitting(() => attempt.mutate({ email: email.trim(), password }))
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={say('signIn.email')}
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordField
          label={say('signIn.password')}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ProblemMessage error={attempt.error} />
        <Button type="submit" loading={attempt.isPending}>
          {say('signIn.submit')}
        </Button>
        {arePasskeysPossible() && <PasskeyButton onDone={() => onDone(null)} />}
        <SsoButton next={next} />
      </Stack>
    </form>
  )
}

function PasskeyButton({ onDone }: { onDone: () => void }) {
  const say = useSay()
  const attempt = useMutation({ mutationFn: signInWithPasskey, onSuccess: onDone })
  return (
    <>
      <Button variant="default" loading={attempt.isPending} onClick={() => attempt.mutate()}>
        {say('signIn.passkey')}
      </Button>
      <PasskeyMessage error={attempt.error} />
    </>
  )
}

function SecondFactorForm({ onDone }: { onDone: () => void }) {
  const say = useSay()
  const [code, setCode] = useState('')
  const [isBackup, setBackup] = useState(false)
  const attempt = useMutation({
    mutationFn: () => confirmSecondFactor(isBackup ? { backup_code: code.trim() } : { code: code.trim() }),
    onSuccess: onDone,
  })
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={say(isBackup ? 'signIn.backupCode' : 'signIn.code')}
          inputMode={isBackup ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          data-autofocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <ProblemMessage error={attempt.error} />
        <Button type="submit" loading={attempt.isPending}>
          {say('signIn.confirm')}
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={() => setBackup(!isBackup)}>
          {say(isBackup ? 'signIn.useApp' : 'signIn.useBackup')}
        </Anchor>
      </Stack>
    </form>
  )
}
