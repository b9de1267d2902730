import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type CreatedAgent, connectionAddressQuery } from '../api/agents.ts'
import { useSay } from '../text/text.tsx'
import { CodeTabs } from '../ui/Code.tsx'
import { CopyButton } from '../ui/Copy.tsx'
import { ShownOnce } from '../ui/ShownOnce.tsx'

/** The token of an agent, once, with what can be pasted: into a shell, and into a program that speaks MCP. */
export function AgentToken({
  created,
  isNew,
  onDone,
}: {
  created: CreatedAgent | null
  isNew: boolean
  onDone: () => void
}) {
  const say = useSay()
  const { origin } = window.location
  const token = created?.token ?? ''
  const config = {
    mcpServers: {
      nexkit: { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
    },
  }
  return (
    <ShownOnce
      title={say(isNew ? 'agents.created' : 'agents.renewed', { name: created?.agent.name ?? '' })}
      secret={created?.token ?? null}
      onDone={onDone}
    >
      <Text size="sm">{say('agents.connect')}</Text>
      <CodeTabs
        samples={[
          { label: 'MCP', text: JSON.stringify(config, null, 2) },
          { label: 'curl', text: `curl ${origin}/api/public/v1/me \\\n  -H "Authorization: Bearer ${token}"` },
        ]}
      />
    </ShownOnce>
  )
}

/** The simple way to an agent: one address, typed into the program. */
export function ConnectAddress() {
  const say = useSay()
  const { data } = useQuery(connectionAddressQuery)
  return (
    <Stack gap={4} className="connect-address">
      <Text size="sm">{say('connect.address')}</Text>
      <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {data?.url ?? '…'} {data !== undefined && <CopyButton value={data.url} label={say('connect.copyAddress')} />}
      </Text>
    </Stack>
  )
}
