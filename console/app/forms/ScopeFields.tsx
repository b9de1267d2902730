import { Checkbox, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { type AgentPreset, type AgentScope, agentPresets, agentScopes } from '../api/agents.ts'
import { capitalized, useSay } from '../text/text.tsx'

const presetNames = Object.keys(agentPresets) as AgentPreset[]
const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((scope) => other.includes(scope))

/** What it may do: one of the usual, or scope by scope. */
export function AgentScopeFields(props: {
  value: AgentScope[]
  onChange: (scopes: AgentScope[]) => void
  error: string | undefined
}) {
  const say = useSay()
  const preset = presetNames.find((name) => isSame(agentPresets[name], props.value))
  return (
    <>
      <div>
        <Text size="sm" fw={600} mb={4} id="agent-preset">
          {say('agents.preset')}
        </Text>
        <SegmentedControl
          fullWidth
          aria-labelledby="agent-preset"
          value={preset ?? ''}
          onChange={(name) => name !== '' && props.onChange([...agentPresets[name]])}
          data={presetNames.map((name) => ({ value: name, label: say(`agents.preset.${name}`) }))}
        />
      </div>
      <Checkbox.Group
        aria-label={say('keys.scopes')}
        value={props.value}
        // In the order of the list, whatever was ticked first.
        onChange={(scopes) => props.onChange(agentScopes.filter((scope) => scopes.includes(scope)))}
        error={props.error}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8}>
          {agentScopes.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={capitalized(say(`scope.${scope}`))}
              description={<span className="mono">{scope}</span>}
            />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </>
  )
}

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
          <Checkbox key={scope} value={scope} label={capitalized(say(`scope.${scope}`))} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
