import { SegmentedControl, Stack, Text } from '@mantine/core'
import { type Decision, isPriced, type Operation, operationsWithin } from '../api/agents.ts'
import { operationWords } from '../components/agent-words.ts'
import { useSay } from '../text/text.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import type { AgentDraft, RuleDraft } from './agent-draft.ts'

const DECISIONS: Decision[] = ['allow', 'ask', 'deny']

/** For everything that it could change: by itself, after a person said yes, or never. */
export function AgentRuleFields(props: {
  draft: AgentDraft
  onChange: (rules: AgentDraft['rules']) => void
  error: string | undefined
}) {
  const say = useSay()
  const { scopes, rules } = props.draft
  const operations = operationsWithin(scopes)
  if (operations.length === 0) return null
  return (
    <section aria-labelledby="agent-rules">
      <Text size="sm" fw={600} id="agent-rules">
        {say('agents.rules')}
      </Text>
      <Text size="xs" className="quiet" mb={4}>
        {say('agents.rulesHelp')}
      </Text>
      <Stack gap={0}>
        {operations.map((operation) => (
          <RuleRow
            key={operation}
            operation={operation}
            rule={rules[operation]}
            onChange={(rule) => props.onChange({ ...rules, [operation]: rule })}
          />
        ))}
      </Stack>
      {props.error !== undefined && (
        <Text size="xs" c="var(--bad)" mt={4}>
          {props.error}
        </Text>
      )}
    </section>
  )
}

function RuleRow(props: { operation: Operation; rule: RuleDraft; onChange: (rule: RuleDraft) => void }) {
  const say = useSay()
  const { operation, rule } = props
  const words = operationWords(say, operation)
  return (
    <div className="rule-row">
      <Text size="sm" component="span">
        {words}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={words}
        value={rule.decision}
        onChange={(decision) => props.onChange({ ...rule, decision })}
        data={DECISIONS.map((value) => ({ value, label: say(`agents.decision.${value}`) }))}
      />
      {isPriced(operation) && rule.decision === 'allow' && (
        <MoneyField
          className="rule-amount"
          label={say('agents.askAbove')}
          description={say('agents.askAboveHelp')}
          placeholder={say('agents.noBound')}
          value={rule.askAbove}
          onChange={(askAbove) => props.onChange({ ...rule, askAbove })}
        />
      )}
    </div>
  )
}
