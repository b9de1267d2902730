import { Text } from '@mantine/core'
import type { CreatedAgent } from '../api/agents.ts'
import { useSay } from '../text/text.tsx'
import { CodeTabs } from '../ui/Code.tsx'
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
      title={say(isNew ? 'agents.made' : 'agents.renewed', { name: created?.agent.name ?? '' })}
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
