import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type BusinessNumber,
  changeNumber,
  connectorsQuery,
  deleteNumber,
  numbersQuery,
  pauseNumber,
  probeNumber,
  resumeNumber,
} from '../api/settings.ts'
import { ConnectionForm } from '../forms/ConnectionForm.tsx'
import { NewNumberForm } from '../forms/NewNumberForm.tsx'
import { useSay } from '../text/text.tsx'
import { Code } from '../ui/Code.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { CopyButton, Id } from '../ui/Copy.tsx'
import { Detail, Facts } from '../ui/Detail.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { State, useStateWord } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'
import { ConnectionActs } from './ConnectionActs.tsx'

/** Business numbers: what is connected, how it is, and what to paste at Meta. */
export function NumberList({ isChangeable }: { isChangeable: boolean }) {
  const say = useSay()
  const numbers = useQuery(numbersQuery)
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<MadeNumber | null>(null)
  return (
    <Stack gap="md">
      <ProblemMessage error={numbers.error} onRetry={() => numbers.refetch()} />
      {numbers.data?.data.length === 0 && (
        <EmptyMessage title={say('numbers.empty')} detail={say('numbers.emptyHelp')} />
      )}
      {numbers.data?.data.map((number) => (
        <NumberCard key={number.id} number={number} isChangeable={isChangeable} />
      ))}
      {isChangeable && (
        <Group>
          <Button variant="default" onClick={() => setAdding(true)}>
            {say('numbers.connect')}
          </Button>
        </Group>
      )}
      <Detail title={say('numbers.connect')} isOpen={isAdding} onClose={() => setAdding(false)}>
        <NewNumberForm
          onMade={(secrets, webhookUrl) => {
            setAdding(false)
            if (Object.keys(secrets).length > 0) setMade({ secrets, webhookUrl })
          }}
        />
      </Detail>
      <MadeSecrets made={made} onDone={() => setMade(null)} />
    </Stack>
  )
}

type MadeNumber = { secrets: Record<string, string>; webhookUrl: string }

/** What was made up for the number, one below the other, with the address that it belongs to. */
function MadeSecrets({ made, onDone }: { made: MadeNumber | null; onDone: () => void }) {
  const say = useSay()
  const [[name, secret] = [], ...others] = Object.entries(made?.secrets ?? {})
  return (
    <ShownOnce title={say('numbers.secret', { name: name ?? '' })} secret={secret ?? null} onDone={onDone}>
      {others.map(([otherName, other]) => (
        <Stack key={otherName} gap={4}>
          <Text size="sm" fw={500}>
            {otherName}
          </Text>
          <Code text={other} isWrapped />
        </Stack>
      ))}
      <Text size="sm">{say('numbers.paste')}</Text>
      <Code text={made?.webhookUrl ?? ''} isWrapped />
    </ShownOnce>
  )
}

function NumberCard({ number, isChangeable }: { number: BusinessNumber; isChangeable: boolean }) {
  const say = useSay()
  const wordOf = useStateWord()
  const { health } = number
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="sm">
        <Text fw={600} size="sm">
          {number.name} · {number.display_phone}
        </Text>
        <State state={number.state} word={[wordOf(number.state), number.state_reason].filter(Boolean).join(': ')} />
      </Group>
      <Facts
        facts={[
          [say('numbers.connector'), number.connector],
          ...(number.is_default ? ([[say('numbers.default'), say('numbers.defaultHelp')]] as [string, string][]) : []),
          [say('numbers.phoneNumberId'), <Id key="pid" id={number.phone_number_id} isWhole />],
          [
            say('numbers.webhookUrl'),
            <Group key="hook" gap={4} wrap="nowrap">
              <span className="mono">{number.webhook_url}</span>
              <CopyButton value={number.webhook_url} />
            </Group>,
          ],
          [say('numbers.lastEvent'), <Time key="event" at={health.last_event_at} />],
          [say('numbers.queued'), String(health.queued)],
        ]}
      />
      {health.last_error !== null && (
        <Alert color="yellow" variant="light" mt="sm" p="sm">
          <Text size="sm">{health.last_error.detail}</Text>
        </Alert>
      )}
      {isChangeable && number.state !== 'disconnected' && <NumberActs number={number} />}
    </Card>
  )
}

function NumberActs({ number }: { number: BusinessNumber }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isLeaving, setLeaving] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: numbersQuery.queryKey })
  const isOn = number.state === 'connected'
  const removal = useMutation({
    mutationFn: () => deleteNumber(number.id),
    onSuccess: () => {
      setLeaving(false)
      refresh()
    },
  })
  return (
    <>
      <ConnectionActs
        isOn={isOn}
        probe={() => probeNumber(number.id)}
        flip={() => (isOn ? pauseNumber(number.id) : resumeNumber(number.id))}
        onFlipped={refresh}
      >
        <Button size="xs" variant="default" onClick={() => setChanging(true)}>
          {say('webhooks.change')}
        </Button>
        <Button size="xs" color="red" variant="light" onClick={() => setLeaving(true)}>
          {say('numbers.disconnect')}
        </Button>
      </ConnectionActs>
      <NumberChange number={number} isOpen={isChanging} onClose={() => setChanging(false)} onDone={refresh} />
      <Confirm
        isOpen={isLeaving}
        title={say('numbers.disconnectTitle', { phone: number.display_phone })}
        consequence={say('numbers.disconnectConsequence', { count: number.health.queued })}
        act={say('numbers.disconnect')}
        nameToType={number.display_phone}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => removal.mutate()}
        onClose={() => setLeaving(false)}
      />
    </>
  )
}

function NumberChange(props: { number: BusinessNumber; isOpen: boolean; onClose: () => void; onDone: () => void }) {
  const say = useSay()
  const { number, onClose, onDone } = props
  const connectors = useQuery({ ...connectorsQuery, enabled: props.isOpen })
  const fields = connectors.data?.channels.find(({ kind }) => kind === number.connector)?.fields
  return (
    <Detail title={`${say('webhooks.change')}: ${number.display_phone}`} isOpen={props.isOpen} onClose={onClose}>
      {fields === undefined ? (
        <Waiting error={connectors.error} />
      ) : (
        <ConnectionForm
          name={number.name}
          fields={fields}
          settings={number.settings}
          isDefault={number.is_default}
          save={(change) => changeNumber(number.id, change)}
          onDone={() => {
            onDone()
            onClose()
          }}
        />
      )}
    </Detail>
  )
}
