import {
  Button,
  Checkbox,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type CreatedKey, createKey, keysQuery, type Preset, presets, type ScopeName, scopeNames } from '../api/keys.ts'
import { may, sessionQuery } from '../api/session.ts'
import { capitalized, useSay } from '../text/text.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { useFormDraft } from './form-draft.ts'

const DAY_MS = 24 * 3600 * 1000
/** A year is proposed; that a key never ends has to be chosen. */
const LIFETIMES = ['30', '90', '365', ''] as const
const LIFETIME_PROPOSED = '365'

const presetNames = Object.keys(presets) as Preset[]

type KeyDraft = { name: string; scopes: ScopeName[]; days: string | null; addresses: string }

/** Name, preset and scopes, each scope with what it permits. */
export function NewKeyForm({ onCreated }: { onCreated: (created: CreatedKey) => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const mayGrant = (scope: ScopeName) => may(session, scope)
  const [{ name, scopes, days, addresses }, set, clearDraft] = useFormDraft<KeyDraft>('key', () => ({
    name: '',
    scopes: presets.read.filter(mayGrant),
    days: LIFETIME_PROPOSED,
    addresses: '',
  }))
  // Counted from here and not from the click, so that the second click of two asks for the same key.
  const [openedMs] = useState(() => Date.now())
  const attempt = useMutation({
    mutationFn: createKey,
    onSuccess: (created) => {
      clearDraft()
      queries.invalidateQueries({ queryKey: keysQuery.queryKey })
      onCreated(created)
    },
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() =>
    attempt.mutate({
      name: name.trim(),
      scopes,
      expires_at: days ? new Date(openedMs + Number(days) * DAY_MS).toISOString() : null,
      allowed_ips: addresses.split(/[\s,]+/).filter(Boolean),
    }),
  )
  const preset = presetNames.find((one) => isSame(presets[one].filter(mayGrant), scopes))
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={say('keys.name')}
          description={say('keys.nameHelp')}
          required
          data-autofocus
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={refusal?.at('name')}
        />
        <div>
          <Text size="sm" fw={600} mb={4} id="preset">
            {say('keys.preset')}
          </Text>
          <SegmentedControl
            fullWidth
            aria-labelledby="preset"
            value={preset ?? ''}
            onChange={(value) => value !== '' && set({ scopes: presets[value].filter(mayGrant) })}
            data={presetNames.map((one) => ({ value: one, label: say(`keys.preset.${one}`) }))}
          />
        </div>
        <Checkbox.Group
          label={say('keys.scopes')}
          value={scopes}
          onChange={(value) => set({ scopes: value })}
          error={scopes.length === 0 ? say('keys.canNothing') : refusal?.at('scopes')}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8} mt={6}>
            {scopeNames.filter(mayGrant).map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={capitalized(say(`scope.${scope}`))}
                description={<span className="mono">{scope}</span>}
              />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <Select
          label={say('keys.expires')}
          value={days}
          onChange={(value) => set({ days: value })}
          allowDeselect={false}
          data={LIFETIMES.map((value) => ({
            value,
            label: value ? say('keys.days', { days: value }) : say('keys.never'),
          }))}
        />
        <Textarea
          label={say('keys.addresses')}
          description={say('keys.addressesHelp')}
          autosize
          minRows={1}
          value={addresses}
          onChange={(event) => set({ addresses: event.currentTarget.value })}
          error={refusal?.fields.find((field) => field.pointer?.startsWith('#/allowed_ips'))?.detail}
        />
        <RefusalMessage refusal={refusal} />
        <Group>
          <Button type="submit" loading={attempt.isPending} disabled={scopes.length === 0}>
            {say('keys.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((scope) => other.includes(scope))
