import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { confirmTwoFactor, endTwoFactor, startTwoFactor } from '../api/people.ts'
import { sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { Code } from '../ui/Code.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'

/** The second factor: password → secret and backup codes → one code to prove it works. Off again with the password. */
export function TwoFactorForm({ isOn }: { isOn: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const [setup, setSetup] = useState<{ uri: string; backup_codes: string[] } | null>(null)
  const refresh = () => {
    setSetup(null)
    queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
  }
  if (setup !== null) return <ConfirmForm setup={setup} onDone={refresh} />
  return (
    <PasswordStep
      act={say(isOn ? 'twoFactor.off' : 'twoFactor.on')}
      isDangerous={isOn}
      run={async (password) => {
        if (isOn) {
          await endTwoFactor(password)
          refresh()
        } else setSetup(await startTwoFactor(password))
      }}
    />
  )
}

function PasswordStep(props: { act: string; isDangerous: boolean; run: (password: string) => Promise<void> }) {
  const say = useSay()
  const [password, setPassword] = useState('')
  const attempt = useMutation({ mutationFn: () => props.run(password), onSuccess: () => setPassword('') })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <PasswordField
          label={say('account.current')}
          autoComplete="current-password"
          required
          w={260}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={refusal?.at('password')}
        />
        <Button
          type="submit"
          loading={attempt.isPending}
          {...(props.isDangerous && { color: 'red', variant: 'light' })}
        >
          {props.act}
        </Button>
      </Group>
      <RefusalMessage refusal={refusal} />
    </form>
  )
}

function ConfirmForm({ setup, onDone }: { setup: { uri: string; backup_codes: string[] }; onDone: () => void }) {
  const say = useSay()
  const [code, setCode] = useState('')
  const attempt = useMutation({ mutationFn: () => confirmTwoFactor(code.trim()), onSuccess: onDone })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  const secret = new URL(setup.uri).searchParams.get('secret') ?? ''
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={520}>
        <Text size="sm">{say('twoFactor.scan')}</Text>
        <Group align="flex-start" gap="md">
          <QrCode text={setup.uri} label={say('twoFactor.qr')} />
          <Stack gap="sm" style={{ flex: '1 1 220px', minWidth: 0 }}>
            <Text size="sm">{say('twoFactor.type')}</Text>
            <Code text={secret} isWrapped />
          </Stack>
        </Group>
        <Text size="sm">{say('twoFactor.backup')}</Text>
        <Code text={setup.backup_codes.join('\n')} />
        <TextInput
          label={say('signIn.code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={refusal?.message}
        />
        <Group>
          <Button type="submit" loading={attempt.isPending}>
            {say('signIn.confirm')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** A QR code drawn in the browser: what it says never leaves the page. Dark on white in either theme, as scanners want it. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [source, setSource] = useState<string>()
  useEffect(() => {
    let isWanted = true
    import('qr').then(({ encodeQR }) => {
      if (isWanted)
        setSource(`data:image/svg+xml,${encodeURIComponent(encodeQR(text, 'svg', { ecc: 'medium', border: 3 }))}`)
    })
    return () => {
      isWanted = false
    }
  }, [text])
  return (
    <div className="qr-code">{source !== undefined && <img src={source} width={200} height={200} alt={label} />}</div>
  )
}
