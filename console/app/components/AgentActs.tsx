import { Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type Agent,
  agentsQuery,
  type CreatedAgent,
  endAgent,
  pauseAgent,
  resumeAgent,
  rotateAgentToken,
} from '../api/agents.ts'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { ProblemMessage } from '../ui/Message.tsx'

/**
 * Stopping it is one click; what cannot be taken back is asked for first. One that was ended has nothing left to do, and the
 * token of one that has expired would not work before it is given more time. One whose program connected by itself has none.
 */
export function AgentActs(props: { agent: Agent; onEdit: () => void; onCreated: (created: CreatedAgent) => void }) {
  const say = useSay()
  const { agent } = props
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: agentsQuery.queryKey })
  const isPaused = agent.paused_at !== null
  const turning = useMutation({
    mutationFn: () => (isPaused ? resumeAgent(agent.id) : pauseAgent(agent.id)),
    onSettled: refresh,
  })
  if (agent.state === 'ended') return null
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button variant={isPaused ? 'filled' : 'default'} loading={turning.isPending} onClick={() => turning.mutate()}>
          {say(isPaused ? 'agents.resume' : 'agents.pause')}
        </Button>
        <Button variant="default" onClick={props.onEdit}>
          {say('agents.change')}
        </Button>
        {agent.state !== 'expired' && agent.connection === null && (
          <NewToken agent={agent} onCreated={props.onCreated} onDone={refresh} />
        )}
        <End agent={agent} onDone={refresh} />
      </Group>
      <ProblemMessage error={turning.error} />
    </Stack>
  )
}

function NewToken(props: { agent: Agent; onCreated: (created: CreatedAgent) => void; onDone: () => void }) {
  const say = useSay()
  const { agent } = props
  const [isAsking, setAsking] = useState(false)
  const rotation = useMutation({
    mutationFn: () => rotateAgentToken(agent.id),
    onSuccess: (created) => {
      setAsking(false)
      props.onDone()
      props.onCreated(created)
    },
  })
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {say('agents.newToken')}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={say('agents.newTokenTitle', { name: agent.name })}
        consequence={say('agents.newTokenConsequence')}
        act={say('agents.newToken')}
        isPending={rotation.isPending}
        error={rotation.error}
        onConfirm={() => rotation.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

function End({ agent, onDone }: { agent: Agent; onDone: () => void }) {
  const say = useSay()
  const [isAsking, setAsking] = useState(false)
  const words = agent.connection === null ? say('agents.end') : say('agents.disconnect')
  const ending = useMutation({
    mutationFn: () => endAgent(agent.id),
    onSuccess: () => {
      setAsking(false)
      onDone()
    },
  })
  return (
    <>
      <Button color="red" variant="light" onClick={() => setAsking(true)}>
        {words}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={say('agents.endTitle', { name: agent.name })}
        consequence={say(agent.connection === null ? 'agents.endConsequence' : 'agents.disconnectConsequence')}
        act={words}
        isPending={ending.isPending}
        error={ending.error}
        onConfirm={() => ending.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
