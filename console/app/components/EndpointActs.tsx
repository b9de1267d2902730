import { Alert, Button, Checkbox, Group, Modal, Progress, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type Certification,
  cancelRecovery,
  certificationQuery,
  certifyEndpoint,
  type Endpoint,
  type EventName,
  estimateRecovery,
  eventTypesQuery,
  type RecoverInput,
  recoveriesQuery,
  startRecovery,
  testEndpoint,
} from '../api/webhooks.ts'
import { useSay, useText } from '../text/text.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { State, useReasonWord, useStateWord } from '../ui/State.tsx'
import { Time } from '../ui/Time.tsx'

/** Sends an example of one type, and goes to its delivery. */
export function TestEvent({ endpoint }: { endpoint: Endpoint }) {
  const say = useSay()
  const navigate = useNavigate()
  const types = useQuery(eventTypesQuery)
  const [type, setType] = useState<EventName | null>(null)
  const names = (types.data?.data ?? []).map(({ name }) => name)
  const chosen = type ?? firstFor(endpoint, names)
  const test = useMutation({
    mutationFn: () => testEndpoint(endpoint.id, chosen as EventName),
    onSuccess: ({ delivery_id }) => navigate({ to: '/deliveries', search: { open: delivery_id, test: 'true' } }),
  })
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <Select
          label={say('webhooks.testType')}
          data={names}
          value={chosen}
          onChange={setType}
          searchable
          allowDeselect={false}
        />
        <Button variant="default" loading={test.isPending} disabled={chosen === null} onClick={() => test.mutate()}>
          {say('webhooks.test')}
        </Button>
      </Group>
      <ProblemMessage error={test.error} />
    </Stack>
  )
}

/** One that the endpoint receives: a paid order, if it hears of those. */
function firstFor({ events }: Endpoint, names: readonly EventName[]): EventName | null {
  const isHeard = (name: string) =>
    events.some((event) => event === '*' || event === name || event === `${name.split('.')[0]}.*`)
  return names.find((name) => name === 'order.paid' && isHeard(name)) ?? names.find(isHeard) ?? names[0] ?? null
}

/** A dozen signed probes, a grade, and the likely bug by name. */
export function Certify({ endpoint }: { endpoint: Endpoint }) {
  const say = useSay()
  const [id, setId] = useState<string | null>(null)
  const begin = useMutation({ mutationFn: () => certifyEndpoint(endpoint.id), onSuccess: (made) => setId(made.id) })
  return (
    <Stack gap="sm">
      <Text size="sm" className="quiet">
        {say('certify.help')}
      </Text>
      <Group>
        <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
          {say('certify.begin')}
        </Button>
      </Group>
      <ProblemMessage error={begin.error} />
      {id !== null && <Report endpointId={endpoint.id} id={id} />}
    </Stack>
  )
}

const verdictStates = { pass: 'succeeded', warn: 'pending', fail: 'failed', skipped: 'held' } as const

function Report({ endpointId, id }: { endpointId: string; id: string }) {
  const { say, serverWords } = useText()
  const words = serverWords?.certification
  const { data, error } = useQuery(certificationQuery(endpointId, id))
  if (data === undefined) return <ProblemMessage error={error} />
  if (data.status !== 'completed')
    return (
      <State
        state={data.status === 'failed' ? 'failed' : 'running'}
        word={say(data.status === 'failed' ? 'certify.failed' : 'certify.running')}
      />
    )
  const sayBug = ({ code, says }: Certification['likely_bugs'][number]) => words?.bugs[code] ?? says
  const [worst] = data.likely_bugs
  const grade = words?.grades[data.grade ?? '']
  return (
    <Stack gap="sm">
      <Alert
        variant="light"
        color={data.grade === 'A' ? 'teal' : data.grade === 'B' ? 'yellow' : 'red'}
        title={`${say('certify.grade')} ${data.grade}`}
      >
        <Text size="sm">
          {grade === undefined ? data.summary : [grade, worst && sayBug(worst)].filter(Boolean).join(' ')}
        </Text>
      </Alert>
      {/* The worst of them stands above. */}
      {data.likely_bugs.slice(1).map((bug) => (
        <Text size="sm" key={bug.code}>
          {sayBug(bug)}
        </Text>
      ))}
      {data.probes.map((probe) => (
        <Group key={probe.name} justify="space-between" wrap="nowrap" gap="md">
          <Text size="sm">{words?.probes[probe.name] ?? probe.title}</Text>
          <State state={verdictStates[probe.verdict]} word={say(`certify.${probe.verdict}`)} />
        </Group>
      ))}
    </Stack>
  )
}

const MODES = ['failed', 'missing', 'held', 'all'] as const satisfies RecoverInput['mode'][]
const HOUR_MS = 3600 * 1000
const localTime = (ms: number) => new Date(ms - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** Sends again what an endpoint did not get: first how much that is, then with progress, and it can be stopped. */
export function Recover({ endpoint }: { endpoint: Endpoint }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [mode, setMode] = useState<(typeof MODES)[number]>('failed')
  const [since, setSince] = useState(localTime(Date.now() - 24 * HOUR_MS))
  const [isFromBefore, setFromBefore] = useState(false)
  const input = {
    mode,
    since: new Date(since || 0).toISOString(),
    ...(mode === 'all' && { include_before_creation: isFromBefore }),
  }
  // A count is of what was asked; whatever else is asked is counted anew before it can be started.
  const estimate = useMutation({ mutationFn: () => estimateRecovery(endpoint.id, input) })
  const start = useMutation({
    mutationFn: () => startRecovery(endpoint.id, input),
    onSuccess: () => {
      setOpen(false)
      queries.invalidateQueries({ queryKey: ['recoveries', endpoint.id] })
    },
  })
  return (
    <Stack gap="sm">
      <Text size="sm" className="quiet">
        {say('recover.help')}
      </Text>
      <Group>
        <Button
          variant="default"
          onClick={() => {
            estimate.reset()
            setOpen(true)
          }}
        >
          {say('recover.open')}
        </Button>
      </Group>
      <RecoveryList endpointId={endpoint.id} />
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={say('recover.open')}
        closeButtonProps={{ 'aria-label': say('act.close') }}
      >
        <Stack gap="md">
          <Select
            label={say('recover.mode')}
            data={MODES.map((value) => ({ value, label: say(`recover.mode.${value}`) }))}
            value={mode}
            onChange={(value) => {
              setMode(value ?? 'failed')
              estimate.reset()
            }}
            allowDeselect={false}
          />
          <TextInput
            type="datetime-local"
            label={say('recover.since')}
            value={since}
            onChange={(event) => {
              setSince(event.currentTarget.value)
              estimate.reset()
            }}
          />
          {mode === 'all' && (
            <Checkbox
              label={say('recover.beforeCreation')}
              checked={isFromBefore}
              onChange={(event) => {
                setFromBefore(event.currentTarget.checked)
                estimate.reset()
              }}
            />
          )}
          <ProblemMessage error={estimate.error ?? start.error} />
          {estimate.data !== undefined && (
            <Text size="sm" role="status">
              {say('recover.estimate', { count: estimate.data.total })}
            </Text>
          )}
          <Group>
            {estimate.data === undefined ? (
              <Button loading={estimate.isPending} onClick={() => estimate.mutate()}>
                {say('recover.count')}
              </Button>
            ) : (
              <Button loading={start.isPending} disabled={estimate.data.total === 0} onClick={() => start.mutate()}>
                {say('recover.start')}
              </Button>
            )}
            <Button variant="default" onClick={() => setOpen(false)}>
              {say('act.cancel')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Stack>
  )
}

function RecoveryList({ endpointId }: { endpointId: string }) {
  const say = useSay()
  const queries = useQueryClient()
  const wordOf = useStateWord()
  const reasonOf = useReasonWord()
  const { data, error } = useQuery(recoveriesQuery(endpointId))
  const cancel = useMutation({
    mutationFn: (id: string) => cancelRecovery(endpointId, id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['recoveries', endpointId] }),
  })
  if (error !== null) return <ProblemMessage error={error} />
  if (data?.data.length === 0) return <EmptyMessage title={say('recover.none')} />
  return (
    <Stack gap="sm">
      {data?.data.map((one) => (
        <Stack key={one.id} gap={4}>
          <Group justify="space-between">
            <State
              state={one.status}
              word={[wordOf(one.status), one.reason && reasonOf(one.reason)].filter(Boolean).join(' · ')}
            />
            <Text size="xs" className="quiet">
              <Time at={one.created_at} />
            </Text>
          </Group>
          <Progress
            aria-label={say('recover.progress')}
            value={one.progress.total ? (one.progress.done / one.progress.total) * 100 : one.finished_at ? 100 : 0}
          />
          <Group justify="space-between">
            <Text size="xs" className="figures">
              {one.progress.done} / {one.progress.total ?? '…'}
            </Text>
            {one.finished_at === null && (
              <Button size="compact-xs" variant="subtle" color="red" onClick={() => cancel.mutate(one.id)}>
                {say('act.cancel')}
              </Button>
            )}
          </Group>
        </Stack>
      ))}
    </Stack>
  )
}
