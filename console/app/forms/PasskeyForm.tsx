import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { passkeyNameMax } from '../api/generated.ts'
import { addPasskey, arePasskeysPossible, passkeysQuery } from '../api/passkeys.ts'
import { PasskeyMessage } from '../components/PasskeyMessage.tsx'
import { useSay } from '../text/text.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { useRefusal } from '../ui/refusal.ts'
import { submitting } from '../ui/submitting.ts'

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
