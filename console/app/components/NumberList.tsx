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
import { type NamedSecret, NewNumberForm } from '../forms/NewNumberForm.tsx'
import { useFailureSay, useSay } from '../text/text.tsx'
import { connectorName } from '../ui/brands.ts'
import { Code } from '../ui/Code.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { CopyButton, Id } from '../ui/Copy.tsx'
import { Detail, Facts } from '../ui/Detail.tsx'
import { EmptyMessage, ProblemMessage, Waiting } from '../ui/Message.tsx'
import { countText } from '../ui/Money.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'
import { State, useStateWord } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'
import { ConnectionActs } from './ConnectionActs.tsx'

/** Business numbers: what is connected, how it is, and what to paste at Meta. */
export function NumberList({ isChangeable }: { isChangeable: boolean }) {
  const say = useSay()
  const numbers = useQuery(numbersQuery)
  // One drawer at a time: the list stays in reach beside it, and a second would open behind the first.
  const [open, setOpen] = useState<string | null>(null)
  const close = () => setOpen(null)
  const [created, setCreated] = useState<CreatedNumber | null>(null)
  return (
    <Stack gap="md">
      <ProblemMessage error={numbers.error} onRetry={() => numbers.refetch()} />
      {numbers.data?.data.length === 0 && (
        <EmptyMessage
          picture="phone"
          guide="connect-whatsapp"
          title={say('numbers.empty')}
          detail={say('numbers.emptyHelp')}
        />
      )}
      {numbers.data?.data.map((number) => (
        <NumberCard key={number.id} number={number} isChangeable={isChangeable} onChange={() => setOpen(number.id)} />
      ))}
      {isChangeable && (
        <Group>
          <Button variant="default" onClick={() => setOpen(NEW)}>
            {say('numbers.connect')}
          </Button>
        </Group>
      )}
      <Detail title={say('numbers.connect')} isOpen={open === NEW} onClose={close}>
        <NewNumberForm
          onCreated={(secrets, webhookUrl) => {
            close()
            if (secrets.length > 0) setCreated({ secrets, webhookUrl })
          }}
        />
      </Detail>
      <NumberChange number={numbers.data?.data.find(({ id }) => id === open)} onClose={close} />
      <CreatedSecrets created={created} onDone={() => setCreated(null)} />
    </Stack>
  )
}

const NEW = 'new'
type CreatedNumber = { secrets: NamedSecret[]; webhookUrl: string }

/** What was generated for the number, one below the other, with the address that it belongs to. */
function CreatedSecrets({ created, onDone }: { created: CreatedNumber | null; onDone: () => void }) {
  const say = useSay()
  const [first, ...others] = created?.secrets ?? []
  return (
    <ShownOnce
      title={say('numbers.secret', { name: first?.name ?? '' })}
      secret={first?.secret ?? null}
      onDone={onDone}
    >
      {others.map(({ name, secret }) => (
        <Stack key={name} gap={4}>
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <Code text={secret} isWrapped />
        </Stack>
      ))}
      <Text size="sm">{say('numbers.paste')}</Text>
      <Code text={created?.webhookUrl ?? ''} isWrapped />
    </ShownOnce>
  )
}

function NumberCard(props: { number: BusinessNumber; isChangeable: boolean; onChange: () => void }) {
  const say = useSay()
  const wordOf = useStateWord()
  const failureSay = useFailureSay()
  const reasonOf = useNumberReason()
  const { number, isChangeable, onChange } = props
  const { health } = number
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="sm">
        <Text fw={600} size="sm">
          {number.name} · {number.display_phone}
        </Text>
        <State state={number.state} word={[wordOf(number.state), reasonOf(number)].filter(Boolean).join(' · ')} />
      </Group>
      <Facts
        facts={[
          [say('numbers.connector'), connectorName(number.connector)],
          number.is_default && [say('numbers.default'), say('numbers.defaultHelp')],
          [say('numbers.phoneNumberId'), <Id key="pid" id={number.phone_number_id} isWhole />],
          [
            say('numbers.webhookUrl'),
            <Group key="hook" gap={4} wrap="nowrap">
              <span className="mono">{number.webhook_url}</span>
              <CopyButton value={number.webhook_url} />
            </Group>,
          ],
          [say('numbers.lastEvent'), <Time key="event" at={health.last_event_at} />],
          [say('numbers.queued'), countText(health.queued)],
        ]}
      />
      {health.last_error !== null && (
        <Alert color="yellow" variant="light" mt="sm" p="sm">
          <Text size="sm">{failureSay(health.last_error)}</Text>
        </Alert>
      )}
      {health.reports.map(({ field, detail, is_trouble: isTrouble, at }) => (
        <Text key={field} size="xs" mt={4} {...(isTrouble ? { c: 'red' } : { className: 'quiet' })}>
          {field}: {detail} · <Time at={at} />
        </Text>
      ))}
      {isChangeable && number.state !== 'disconnected' && <NumberActs number={number} onChange={onChange} />}
    </Card>
  )
}

function NumberActs({ number, onChange }: { number: BusinessNumber; onChange: () => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isLeaving, setLeaving] = useState(false)
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
        <Button size="xs" variant="default" onClick={onChange}>
          {say('webhooks.change')}
        </Button>
        <Button size="xs" color="red" variant="light" onClick={() => setLeaving(true)}>
          {say('numbers.disconnect')}
        </Button>
      </ConnectionActs>
      <Confirm
        isOpen={isLeaving}
        title={say('numbers.disconnectTitle', { phone: number.display_phone })}
        consequence={say('numbers.disconnectConsequence', { count: countText(number.health.queued) })}
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

function NumberChange({ number, onClose }: { number: BusinessNumber | undefined; onClose: () => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const connectors = useQuery({ ...connectorsQuery, enabled: number !== undefined })
  const fields = connectors.data?.channels.find(({ kind }) => kind === number?.connector)?.fields
  return (
    <Detail
      title={`${say('webhooks.change')}: ${number?.display_phone}`}
      isOpen={number !== undefined}
      onClose={onClose}
    >
      {number === undefined || fields === undefined ? (
        <Waiting error={connectors.error} />
      ) : (
        <ConnectionForm
          key={number.id}
          name={number.name}
          connector={number.connector}
          fields={fields}
          settings={number.settings}
          isDefault={number.is_default}
          save={(change) => changeNumber(number.id, change)}
          onDone={() => {
            queries.invalidateQueries({ queryKey: numbersQuery.queryKey })
            onClose()
          }}
        />
      )}
    </Detail>
  )
}

/** The reason that the server stores when a number is paused here. */
const PAUSED_HERE = 'paused in the console'

/** Why a number is not connected: a person paused it, or the network refused, which is then its last failure. */
export function useNumberReason(): (number: BusinessNumber) => string {
  const say = useSay()
  const failureSay = useFailureSay()
  return ({ state_reason: code, health: { last_error: last } }) => {
    if (code === null) return ''
    if (code === PAUSED_HERE) return say('numbers.pausedHere')
    return failureSay({ code, detail: last?.code === code ? last.detail : code.replaceAll('_', ' ') })
  }
}
