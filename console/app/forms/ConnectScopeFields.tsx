import { Checkbox, Stack } from '@mantine/core'
import type { AgentScope } from '../api/agents.ts'
import { useSay } from '../text/text.tsx'

/** What the program asks for, each of which can be left out. */
export function ConnectScopeFields(props: {
  asked: readonly AgentScope[]
  value: AgentScope[]
  onChange: (scopes: AgentScope[]) => void
}) {
  const say = useSay()
  return (
    <Checkbox.Group
      label={say('connect.scopes')}
      value={props.value}
      onChange={(scopes) => props.onChange(props.asked.filter((scope) => scopes.includes(scope)))}
      error={props.value.length === 0 ? say('connect.scopesNone') : undefined}
    >
      <Stack gap={8} mt={8}>
        {props.asked.map((scope) => (
          <Checkbox key={scope} value={scope} label={say(`agents.scope.${scope}`)} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
