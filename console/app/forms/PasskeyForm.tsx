import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { passkeyNameMax } from '../api/generated.ts'
import { addPasskey, arePasskeysPossible, DeviceRefusal, passkeysQuery } from '../api/passkeys.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'

/** Adds a passkey of this device: a name and the password, then the device asks for a finger, a face or a PIN. */
export function PasskeyForm() {
  const say = useSay()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const adding = useMutation({
    mutationFn: () => addPasskey(password, name.trim()),
    onSuccess: () => {
      setName('')
      setPassword('')
      queries.invalidateQueries({ queryKey: passkeysQuery.queryKey })
    },
  })
  const refusal = useRefusal(adding.error)
  const atField = refusal?.at('password')
  if (!arePasskeysPossible())
    return (
      <Text size="sm" className="quiet">
        {say('passkeys.impossible')}
      </Text>
    )
  return (
    <form onSubmit={submitting(() => adding.mutate())}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={say('passkeys.name')}
            placeholder={say('passkeys.namePlaceholder')}
            required
            maxLength={passkeyNameMax}
            w={260}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordField
            label={say('account.current')}
            autoComplete="current-password"
            required
            w={260}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={atField}
          />
          <Button type="submit" loading={adding.isPending}>
            {say('passkeys.add')}
          </Button>
        </Group>
        {atField === undefined && <PasskeyMessage error={adding.error} />}
      </Stack>
    </form>
  )
}

/** Why a passkey was not added or did not sign in: the device's reason, or the server's. */
export function PasskeyMessage({ error }: { error: unknown }) {
  const say = useSay()
  if (!(error instanceof DeviceRefusal)) return <ProblemMessage error={error} />
  return (
    <Text size="sm" role="alert" style={{ color: 'var(--bad)' }}>
      {say(`passkeys.${error.reason}`)}
    </Text>
  )
}
