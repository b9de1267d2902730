import { Button, Checkbox, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiKey, keysQuery, type ScopeName, scopeNames, updateKey } from '../api/keys.ts'
import { may, sessionQuery } from '../api/session.ts'
import { capitalized, useSay } from '../text/text.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'

/** The name and the scopes of a key. A scope that the person does not have can be removed, not added. */
export function EditKeyForm({ apiKey, onDone }: { apiKey: ApiKey; onDone: () => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const [name, setName] = useState(apiKey.name)
  const [scopes, setScopes] = useState<ScopeName[]>(apiKey.scopes)
  const saving = useMutation({
    mutationFn: () => updateKey(apiKey.id, { name: name.trim(), scopes }),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: keysQuery.queryKey })
      onDone()
    },
  })
  const refusal = useRefusal(saving.error)
  return (
    <form onSubmit={submitting(() => saving.mutate())}>
      <Stack gap="md">
        <TextInput
          label={say('keys.name')}
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={refusal?.at('name')}
        />
        <Checkbox.Group
          aria-label={say('keys.scopes')}
          value={scopes}
          onChange={(value) => setScopes(scopeNames.filter((scope) => value.includes(scope)))}
          error={scopes.length === 0 ? say('keys.canNothing') : refusal?.at('scopes')}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8}>
            {scopeNames
              .filter((scope) => may(session, scope) || apiKey.scopes.includes(scope))
              .map((scope) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={capitalized(say(`scope.${scope}`))}
                  description={<span className="mono">{scope}</span>}
                />
              ))}
          </SimpleGrid>
        </Checkbox.Group>
        <RefusalMessage refusal={refusal} />
        <Group gap="sm">
          <Button type="submit" loading={saving.isPending} disabled={scopes.length === 0}>
            {say('act.save')}
          </Button>
          <Button variant="default" onClick={onDone}>
            {say('act.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
