import { Alert, Button, Group, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Agent, agentsQuery, type CreatedAgent, changeAgent, createAgent } from '../api/agents.ts'
import { type FieldProblem, Problem } from '../api/problem.ts'
import { agentSentence } from '../components/agent-words.ts'
import { useSay } from '../text/text.tsx'
import { Fold } from '../ui/Fields.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { AgentLimitFields, AgentReachFields } from './AgentBoundFields.tsx'
import { AgentRuleFields } from './AgentRuleFields.tsx'
import {
  type AgentDraft,
  agentChangesOf,
  agentDraftOf,
  agentInputOf,
  type Lifetime,
  lifetimes,
  rulesOf,
} from './agent-draft.ts'
import { useFormDraft } from './form-draft.ts'
import { AgentScopeFields } from './ScopeFields.tsx'

type FormProps = {
  agent?: Agent
  /** With the token of a new one. */
  onDone: (created: CreatedAgent | null) => void
}

/** Makes an agent, or changes one: what it may do, an honest sentence of it, and below it the bounds that most leave as they are. */
export function AgentForm({ agent, onDone }: FormProps) {
  const say = useSay()
  const { draft, set, saving, submit, folds } = useAgentDraft({ ...(agent && { agent }), onDone })
  const refusal = useRefusal(saving.error)
  const refused = (field: string) => refusal?.fields.find((problem) => isWithin(problem, field))?.detail
  const isElsewhere = refusal !== null && !refusal.fields.some((problem) => SHOWN.some((at) => isWithin(problem, at)))
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Naming draft={draft} onChange={set} refused={refused} />
        <AgentScopeFields value={draft.scopes} onChange={(scopes) => set({ scopes })} error={refused('scopes')} />
        <AgentRuleFields draft={draft} onChange={(rules) => set({ rules })} error={refused('rules')} />
        <Alert variant="light" color="gray" p="sm" role="note">
          <Text size="sm">{agentSentence(say, { scopes: draft.scopes, rules: rulesOf(draft) })}</Text>
        </Alert>
        <Switch
          label={say('agents.anchored')}
          description={say('agents.anchoredHelp')}
          checked={draft.isAnchored}
          onChange={(event) => set({ isAnchored: event.currentTarget.checked })}
        />
        <LifetimeField agent={agent} value={draft.lifetime} onChange={(lifetime) => set({ lifetime })} />
        <Fold title={say('agents.reach')} help={say('agents.reachHelp')} {...folds.reach}>
          <AgentReachFields draft={draft} onChange={set} refused={refused} />
        </Fold>
        <Fold title={say('agents.limits')} help={say('agents.limitsHelp')} {...folds.limits}>
          <AgentLimitFields limits={draft.limits} onChange={(limits) => set({ limits })} refused={refused} />
        </Fold>
        {isElsewhere && <ProblemMessage error={refusal} />}
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={draft.scopes.length === 0}>
            {say(agent === undefined ? 'agents.create' : 'act.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What is refused in these stands at them; the rest below the form. */
const SHOWN = ['name', 'purpose', 'scopes', 'rules', 'reach', 'limits']
const isWithin = ({ pointer }: FieldProblem, field: string) =>
  pointer === `#/${field}` || pointer?.startsWith(`#/${field}/`) === true

function Naming(props: {
  draft: AgentDraft
  onChange: (change: Partial<AgentDraft>) => void
  refused: (field: string) => string | undefined
}) {
  const say = useSay()
  return (
    <>
      <TextInput
        label={say('agents.name')}
        description={say('agents.nameHelp')}
        required
        data-autofocus
        value={props.draft.name}
        onChange={(event) => props.onChange({ name: event.currentTarget.value })}
        error={props.refused('name')}
      />
      <Textarea
        label={say('agents.purpose')}
        description={say('agents.purposeHelp')}
        autosize
        minRows={1}
        value={props.draft.purpose}
        onChange={(event) => props.onChange({ purpose: event.currentTarget.value })}
        error={props.refused('purpose')}
      />
    </>
  )
}

function LifetimeField(props: { agent: Agent | undefined; value: Lifetime; onChange: (value: Lifetime) => void }) {
  const say = useSay()
  const choices: Lifetime[] = props.agent === undefined ? [...lifetimes] : ['same', ...lifetimes]
  return (
    <Select
      label={say('keys.expires')}
      value={props.value}
      onChange={(value) => value && props.onChange(value)}
      allowDeselect={false}
      data={choices.map((value) => ({ value, label: say(`agents.lifetime.${value}`) }))}
    />
  )
}

function useAgentDraft({ agent, onDone }: FormProps) {
  const queries = useQueryClient()
  // The agent that the form was filled from, which is not followed: what others change is not taken for a change made here.
  const [{ base, draft }, setState, clearDraft] = useFormDraft(`agent ${agent?.id ?? ''}`, () => ({
    base: agent,
    draft: agentDraftOf(agent),
  }))
  const [openedMs] = useState(() => Date.now())
  const [opened, setOpened] = useState({ reach: false, limits: false })
  const saving = useMutation({
    mutationFn: () => save(draft, base, openedMs),
    onSuccess: (created) => {
      clearDraft()
      queries.invalidateQueries({ queryKey: agentsQuery.queryKey })
      onDone(created)
    },
    onError: (error) => {
      if (!(error instanceof Problem)) return
      const isIn = (field: string) => error.fields.some((problem) => isWithin(problem, field))
      setOpened((before) => ({ reach: before.reach || isIn('reach'), limits: before.limits || isIn('limits') }))
    },
  })
  const set = (change: Partial<AgentDraft>) => setState((before) => ({ draft: { ...before.draft, ...change } }))
  const foldOf = (name: keyof typeof opened) => ({
    isOpen: opened[name],
    onTurn: () => setOpened((before) => ({ ...before, [name]: !before[name] })),
  })
  const folds = { reach: foldOf('reach'), limits: foldOf('limits') }
  return { draft, set, saving, folds, submit: submitting(() => saving.mutate()) }
}

async function save(draft: AgentDraft, base: Agent | undefined, openedMs: number): Promise<CreatedAgent | null> {
  if (base === undefined) return createAgent(agentInputOf(draft, openedMs))
  const changes = agentChangesOf(draft, base, openedMs)
  if (Object.keys(changes).length > 0) await changeAgent(base.id, changes)
  return null
}
