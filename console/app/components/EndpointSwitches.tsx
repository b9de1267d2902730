import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteEndpoint,
  type Endpoint,
  type EndpointWithSecret,
  isSentTo,
  pauseEndpoint,
  type ResumeMode,
  resumeEndpoint,
  rotateEndpointSecret,
} from '../api/webhooks.ts'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { countText } from '../ui/Money.tsx'

type Dialog = 'resume' | 'rotate' | 'delete'

/** Pausing and going on, a new secret, and the end of an endpoint. What cannot be taken back is asked about first. */
export function EndpointSwitches(props: {
  endpoint: Endpoint
  onGone: () => void
  onSecret: (made: EndpointWithSecret) => void
}) {
  const say = useSay()
  const { endpoint, onGone, onSecret } = props
  const queries = useQueryClient()
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const refresh = () => queries.invalidateQueries({ queryKey: ['endpoints'] })
  const close = () => setDialog(null)
  const isOn = isSentTo(endpoint)
  const pause = useMutation({ mutationFn: () => pauseEndpoint(endpoint.id), onSettled: refresh })
  const resume = useMutation({
    mutationFn: (mode: ResumeMode) => resumeEndpoint(endpoint.id, mode),
    onSuccess: close,
    onSettled: refresh,
  })
  const flip = () => {
    if (isOn) return pause.mutate()
    if (endpoint.health.held === 0) return resume.mutate('recover_held')
    resume.reset()
    setDialog('resume')
  }
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button variant="default" loading={pause.isPending || resume.isPending} onClick={flip}>
          {say(isOn ? 'webhooks.pause' : 'webhooks.resume')}
        </Button>
        <Button variant="default" onClick={() => setDialog('rotate')}>
          {say('webhooks.rotate')}
        </Button>
        <Button color="red" variant="light" onClick={() => setDialog('delete')}>
          {say('act.delete')}
        </Button>
      </Group>
      <ProblemMessage error={pause.error ?? (dialog === 'resume' ? null : resume.error)} />
      <Resume
        isOpen={dialog === 'resume'}
        held={endpoint.health.held}
        pending={resume.isPending ? resume.variables : null}
        error={resume.error}
        onChoose={(mode) => resume.mutate(mode)}
        onClose={close}
      />
      <Rotate
        endpoint={endpoint}
        isOpen={dialog === 'rotate'}
        onClose={close}
        onSecret={(made) => {
          close()
          refresh()
          onSecret(made)
        }}
      />
      <Delete
        endpoint={endpoint}
        isOpen={dialog === 'delete'}
        onClose={close}
        onGone={() => {
          close()
          onGone()
          refresh()
        }}
      />
    </Stack>
  )
}

/** Deliveries that were held are sent now or skipped; the person who resumes chooses. */
function Resume(props: {
  isOpen: boolean
  held: number
  pending: ResumeMode | null
  error: unknown
  onChoose: (mode: ResumeMode) => void
  onClose: () => void
}) {
  const say = useSay()
  const { pending, onChoose } = props
  const count = countText(props.held)
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={say('resume.title')}
      closeButtonProps={{ 'aria-label': say('act.close') }}
    >
      <Stack gap="md">
        <Text size="sm">{say('resume.help', { count })}</Text>
        <ProblemMessage error={props.error} />
        <Group gap="sm">
          <Button
            loading={pending === 'recover_held'}
            disabled={pending === 'from_now'}
            onClick={() => onChoose('recover_held')}
          >
            {say('resume.recover_held', { count })}
          </Button>
          <Button
            color="red"
            variant="light"
            loading={pending === 'from_now'}
            disabled={pending === 'recover_held'}
            onClick={() => onChoose('from_now')}
          >
            {say('resume.from_now', { count })}
          </Button>
          <Button variant="default" onClick={props.onClose}>
            {say('act.cancel')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const STANDARD_OVERLAP = '86400'
const OVERLAPS = [STANDARD_OVERLAP, '3600', '604800', '0'] as const

/** The receiver has to learn the new one, and needs time for that unless the old one is in wrong hands. */
function Rotate(props: {
  endpoint: Endpoint
  isOpen: boolean
  onSecret: (made: EndpointWithSecret) => void
  onClose: () => void
}) {
  const say = useSay()
  const { endpoint } = props
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>(STANDARD_OVERLAP)
  const rotate = useMutation({
    mutationFn: () => rotateEndpointSecret(endpoint.id, Number(overlap)),
    onSuccess: (made) => {
      setOverlap(STANDARD_OVERLAP)
      props.onSecret(made)
    },
  })
  const close = () => {
    setOverlap(STANDARD_OVERLAP)
    rotate.reset()
    props.onClose()
  }
  return (
    <Confirm
      isOpen={props.isOpen}
      title={say('rotate.title')}
      consequence={
        <Stack gap="md">
          <Text size="sm">{say('rotate.help', { url: endpoint.url })}</Text>
          <Select
            label={say('rotate.overlap')}
            description={say(overlap === '0' ? 'rotate.atOnce' : 'rotate.along')}
            data={OVERLAPS.map((value) => ({ value, label: say(`rotate.overlap.${value}`) }))}
            value={overlap}
            allowDeselect={false}
            onChange={(value) => setOverlap(OVERLAPS.find((one) => one === value) ?? overlap)}
          />
        </Stack>
      }
      act={say('webhooks.rotate')}
      isHarmless={overlap !== '0'}
      isPending={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={close}
    />
  )
}

function Delete(props: { endpoint: Endpoint; isOpen: boolean; onGone: () => void; onClose: () => void }) {
  const say = useSay()
  const { endpoint, isOpen, onGone, onClose } = props
  const removal = useMutation({ mutationFn: () => deleteEndpoint(endpoint.id), onSuccess: onGone })
  const pending = endpoint.health.held + endpoint.health.backlog
  return (
    <Confirm
      isOpen={isOpen}
      title={say('webhooks.deleteTitle')}
      consequence={say('webhooks.deleteConsequence', { url: endpoint.url, count: countText(pending) })}
      act={say('act.delete')}
      {...(pending > 0 && { nameToType: new URL(endpoint.url).host })}
      isPending={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  )
}
