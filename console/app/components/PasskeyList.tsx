import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { passkeyNameMax } from '../api/generated.ts'
import { deletePasskey, type Passkey, passkeysQuery, renamePasskey } from '../api/passkeys.ts'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Rows } from '../ui/Rows.tsx'
import { submitting } from '../ui/submission.ts'
import { Time } from '../ui/Time.tsx'

/** The passkeys of the person, each with its name and when it was last used. Nothing is shown while there are none. */
export function PasskeyList() {
  const say = useSay()
  const queries = useQueryClient()
  const passkeys = useQuery(passkeysQuery)
  const [renaming, setRenaming] = useState<Passkey | null>(null)
  const [leaving, setLeaving] = useState<Passkey | null>(null)
  const refresh = () => queries.invalidateQueries({ queryKey: passkeysQuery.queryKey })
  const deletion = useMutation({
    mutationFn: (id: string) => deletePasskey(id),
    onSuccess: () => setLeaving(null),
    onSettled: refresh,
  })
  const rows = passkeys.data?.data ?? []
  return (
    <>
      <ProblemMessage error={passkeys.error} onRetry={() => passkeys.refetch()} />
      {rows.length > 0 && (
        <Rows
          label={say('passkeys.title')}
          rows={rows}
          idOf={({ id }) => id}
          columns={[
            { title: say('people.name'), cell: ({ name }) => name },
            { title: say('passkeys.created'), cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
            { title: say('passkeys.lastUsed'), cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              title: say('list.actions'),
              cell: (passkey) => (
                <Group gap={4} justify="flex-end">
                  <Button size="compact-sm" variant="subtle" onClick={() => setRenaming(passkey)}>
                    {say('passkeys.rename')}
                  </Button>
                  <Button size="compact-sm" variant="subtle" color="red" onClick={() => setLeaving(passkey)}>
                    {say('passkeys.delete')}
                  </Button>
                </Group>
              ),
              isNumber: true,
            },
          ]}
        />
      )}
      {renaming !== null && (
        <RenameDialog passkey={renaming} onDone={() => setRenaming(null)} onSaved={() => void refresh()} />
      )}
      <Confirm
        isOpen={leaving !== null}
        title={say('passkeys.deleteTitle', { name: leaving?.name ?? '' })}
        consequence={say('passkeys.deleteConsequence')}
        act={say('passkeys.delete')}
        isPending={deletion.isPending}
        error={deletion.error}
        onConfirm={() => leaving !== null && deletion.mutate(leaving.id)}
        onClose={() => setLeaving(null)}
      />
    </>
  )
}

function RenameDialog(props: { passkey: Passkey; onDone: () => void; onSaved: () => void }) {
  const say = useSay()
  const [name, setName] = useState(props.passkey.name)
  const renaming = useMutation({
    mutationFn: () => renamePasskey(props.passkey.id, name.trim()),
    onSuccess: () => {
      props.onSaved()
      props.onDone()
    },
  })
  return (
    <Modal
      opened
      onClose={props.onDone}
      title={say('passkeys.rename')}
      closeButtonProps={{ 'aria-label': say('act.close') }}
    >
      <form onSubmit={submitting(() => renaming.mutate())}>
        <Stack gap="md">
          <TextInput
            label={say('passkeys.name')}
            required
            maxLength={passkeyNameMax}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ProblemMessage error={renaming.error} />
          <Group>
            <Button type="submit" loading={renaming.isPending}>
              {say('act.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
