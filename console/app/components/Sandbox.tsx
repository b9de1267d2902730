import { Button, Card, Group, Modal, NumberInput, Select, Stack, Switch, Text, UnstyledButton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { advanceSandbox, createSandbox, findTwin, isInSandbox, resetSandbox, sandboxQuery } from '../api/sandbox.ts'
import { may, type Session, sessionQuery, switchOrganization } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting } from '../ui/submission.ts'
import { tellOrganization } from './OtherTabs.tsx'

/** Nothing of the other organization may stay on the screen, so everything is loaded anew. */
export function useOrganizationChange(session: Session) {
  const queries = useQueryClient()
  return async (id: string) => {
    await switchOrganization(id)
    tellOrganization(session, id)
    queries.clear()
    window.location.assign('/console/')
  }
}

/** In the rail, once there is a sandbox. */
export function SandboxSwitch({ session }: { session: Session }) {
  const say = useSay()
  const change = useOrganizationChange(session)
  const twin = findTwin(session)
  if (twin === null) return null
  return (
    <Switch
      className="sandbox-switch"
      size="xs"
      label={say('sandbox.name')}
      checked={isInSandbox(session)}
      onChange={() => change(twin)}
    />
  )
}

/** On every page of a sandbox, so that no one takes it for the live organization. */
export function SandboxBanner({ session }: { session: Session }) {
  const say = useSay()
  const change = useOrganizationChange(session)
  const [isAdvancing, setAdvancing] = useState(false)
  const twin = findTwin(session)
  return (
    <aside className="banner sandbox" aria-label={say('sandbox.name')}>
      <span>
        <strong>{say('sandbox.name')}</strong> · {say('sandbox.banner')}
      </span>
      <span>
        {may(session, 'sandbox:advance') && (
          <UnstyledButton className="banner-act" onClick={() => setAdvancing(true)}>
            {say('sandbox.advance')}
          </UnstyledButton>
        )}
        {twin !== null && (
          <UnstyledButton className="banner-act" onClick={() => change(twin)}>
            {say('sandbox.leave')}
          </UnstyledButton>
        )}
      </span>
      <Modal
        opened={isAdvancing}
        onClose={() => setAdvancing(false)}
        title={say('sandbox.advance')}
        closeButtonProps={{ 'aria-label': say('act.close') }}
      >
        <AdvanceForm />
      </Modal>
    </aside>
  )
}

const UNIT_SECONDS = { minutes: 60, hours: 3600, days: 86_400 } as const
type Unit = keyof typeof UNIT_SECONDS
const UNITS: Unit[] = ['minutes', 'hours', 'days']
const ADVANCE_MAX = 366

function AdvanceForm() {
  const say = useSay()
  const queries = useQueryClient()
  const [amount, setAmount] = useState<number | string>(1)
  const [unit, setUnit] = useState<Unit>('days')
  const attempt = useMutation({
    mutationFn: () => advanceSandbox(Number(amount) * UNIT_SECONDS[unit]),
    onSuccess: () => queries.invalidateQueries(),
  })
  return (
    <form onSubmit={submitting(() => attempt.mutate())}>
      <Stack gap="sm" maw={480}>
        <Text size="sm">{say('sandbox.advanceHelp')}</Text>
        <Group gap="sm" align="flex-end">
          <NumberInput
            label={say('sandbox.advanceBy')}
            required
            withAsterisk={false}
            min={1}
            max={ADVANCE_MAX}
            allowDecimal={false}
            value={amount}
            onChange={setAmount}
            w={110}
          />
          <Select
            aria-label={say('sandbox.unit')}
            data={UNITS.map((value) => ({ value, label: say(`sandbox.unit.${value}`) }))}
            value={unit}
            allowDeselect={false}
            onChange={(value) => value && setUnit(value as Unit)}
            w={130}
          />
          <Button type="submit" loading={attempt.isPending}>
            {say('sandbox.advance')}
          </Button>
        </Group>
        <ProblemMessage error={attempt.error} />
        {attempt.isSuccess && (
          <Text size="sm" role="status">
            {say('sandbox.advanced')}
          </Text>
        )}
      </Stack>
    </form>
  )
}

/** In the settings, of the live organization and of the sandbox alike. */
export function SandboxSettings() {
  const say = useSay()
  const sandbox = useQuery(sandboxQuery)
  const { data: session } = useQuery(sessionQuery)
  if (session === undefined || sandbox.data === undefined)
    return <ProblemMessage error={sandbox.error} onRetry={() => sandbox.refetch()} />
  return (
    <Stack gap="md" maw={560}>
      <Text size="sm">{say('sandbox.about')}</Text>
      {sandbox.data.sandbox === null ? (
        <CreateSandbox session={session} />
      ) : (
        <SandboxCards session={session} slug={sandbox.data.sandbox.slug} />
      )}
    </Stack>
  )
}

function CreateSandbox({ session }: { session: Session }) {
  const say = useSay()
  const change = useOrganizationChange(session)
  const attempt = useMutation({ mutationFn: createSandbox, onSuccess: ({ id }) => change(id) })
  return (
    <>
      <ProblemMessage error={attempt.error} />
      <Group>
        <Button loading={attempt.isPending} onClick={() => attempt.mutate()}>
          {say('sandbox.create')}
        </Button>
      </Group>
    </>
  )
}

function SandboxCards({ session, slug }: { session: Session; slug: string }) {
  const say = useSay()
  const change = useOrganizationChange(session)
  const twin = findTwin(session)
  return (
    <>
      <Card withBorder padding="md">
        <Group justify="space-between">
          <Text size="sm" fw={600}>
            {session.organization.name} · <span className="mono">{slug}</span>
          </Text>
          {twin !== null && (
            <Button variant="default" onClick={() => change(twin)}>
              {say(isInSandbox(session) ? 'sandbox.leave' : 'sandbox.open')}
            </Button>
          )}
        </Group>
      </Card>
      {may(session, 'sandbox:advance') && (
        <Card withBorder padding="md">
          <AdvanceForm />
        </Card>
      )}
      {may(session, 'settings:manage') && <ResetCard slug={slug} />}
    </>
  )
}

function ResetCard({ slug }: { slug: string }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const attempt = useMutation({
    mutationFn: resetSandbox,
    onSuccess: () => {
      setAsking(false)
      queries.invalidateQueries()
    },
  })
  return (
    <Card withBorder padding="md">
      <Stack gap="sm">
        <Text size="sm">{say('sandbox.resetHelp')}</Text>
        <Group>
          <Button color="red" variant="light" onClick={() => setAsking(true)}>
            {say('sandbox.reset')}
          </Button>
          {attempt.isSuccess && (
            <Text size="sm" role="status">
              {say('sandbox.isReset')}
            </Text>
          )}
        </Group>
      </Stack>
      <Confirm
        key={String(isAsking)}
        isOpen={isAsking}
        title={say('sandbox.resetTitle')}
        consequence={say('sandbox.resetHelp')}
        act={say('sandbox.reset')}
        nameToType={slug}
        isPending={attempt.isPending}
        error={attempt.error}
        onConfirm={() => attempt.mutate()}
        onClose={() => setAsking(false)}
      />
    </Card>
  )
}
