import {
  type Agent,
  type AgentInput,
  type AgentScope,
  agentPresets,
  agentScopes,
  type Decision,
  defaultDecisionOf,
  isPriced,
  type Limits,
  type Operation,
  operationsWithin,
  type Rule,
} from '../api/agents.ts'

/** An agent as it is typed, and what of it is to be another. */
type Typed = number | string
export type RuleDraft = { decision: Decision; askAbove: Typed }
export type AgentDraft = {
  name: string
  purpose: string
  scopes: AgentScope[]
  lifetime: Lifetime
  numbers: string[]
  labels: string[]
  days: Typed
  hidesPhones: boolean
  limits: Record<keyof Limits, Typed>
  rules: Record<Operation, RuleDraft>
  isAnchored: boolean
}

/** Days from now, for ever, or as it is. */
export const lifetimes = ['30', '90', '365', 'never'] as const
export type Lifetime = (typeof lifetimes)[number] | 'same'

/** What is proposed to begin with: little, and a person decides. */
const PROPOSED: Pick<AgentInput, 'scopes' | 'reach' | 'limits'> = {
  scopes: agentPresets.answer,
  reach: { numbers: [], labels: [], days: null, hides_phones: false },
  limits: { messages_per_minute: 10, recipients_per_day: 100, order_amount: null, order_amount_per_day: null },
}

export function agentDraftOf(agent: Agent | undefined): AgentDraft {
  const { scopes, reach, limits } = agent ?? PROPOSED
  return {
    name: agent?.name ?? '',
    purpose: agent?.purpose ?? '',
    scopes: [...scopes],
    lifetime: agent === undefined ? '90' : 'same',
    numbers: reach.numbers,
    labels: reach.labels,
    days: reach.days ?? '',
    hidesPhones: reach.hides_phones,
    limits: {
      messages_per_minute: limits.messages_per_minute ?? '',
      recipients_per_day: limits.recipients_per_day ?? '',
      order_amount: limits.order_amount ?? '',
      order_amount_per_day: limits.order_amount_per_day ?? '',
    },
    rules: rulesDraftOf(agent?.rules ?? []),
    isAnchored: agent?.is_anchored ?? true,
  }
}

/** Also for what its scopes do not allow yet: they may be given in the same form. */
function rulesDraftOf(rules: readonly Rule[]): Record<Operation, RuleDraft> {
  const draftOf = (operation: Operation): RuleDraft => {
    const rule = rules.find((one) => one.operation === operation)
    return { decision: rule?.decision ?? defaultDecisionOf(operation), askAbove: rule?.ask_above ?? '' }
  }
  const all = operationsWithin(agentScopes)
  return Object.fromEntries(all.map((operation) => [operation, draftOf(operation)])) as AgentDraft['rules']
}

const numberOf = (typed: Typed): number | null => (typed === '' ? null : Number(typed))

/** One for everything that its scopes allow it to change. An amount counts only where it acts by itself up to it. */
export const rulesOf = ({ scopes, rules }: Pick<AgentDraft, 'scopes' | 'rules'>): Rule[] =>
  operationsWithin(scopes).map((operation) => {
    const { decision, askAbove } = rules[operation]
    return { operation, decision, ask_above: isPriced(operation) && decision === 'allow' ? numberOf(askAbove) : null }
  })

const DAY_MS = 24 * 3600 * 1000

/** Counted from when the form was opened and not from the click, so that the second click of two asks for the same agent. */
const expiryOf = (lifetime: Lifetime, openedMs: number): string | null =>
  lifetime === 'never' ? null : new Date(openedMs + Number(lifetime) * DAY_MS).toISOString()

const withoutExpiry = (draft: AgentDraft): Omit<AgentInput, 'expires_at'> => ({
  name: draft.name.trim(),
  purpose: draft.purpose.trim() || null,
  scopes: draft.scopes,
  reach: {
    numbers: draft.numbers,
    labels: draft.labels,
    days: numberOf(draft.days),
    hides_phones: draft.hidesPhones,
  },
  limits: {
    messages_per_minute: numberOf(draft.limits.messages_per_minute),
    recipients_per_day: numberOf(draft.limits.recipients_per_day),
    order_amount: numberOf(draft.limits.order_amount),
    order_amount_per_day: numberOf(draft.limits.order_amount_per_day),
  },
  rules: rulesOf(draft),
  is_anchored: draft.isAnchored,
})

export const agentInputOf = (draft: AgentDraft, openedMs: number): AgentInput => ({
  ...withoutExpiry(draft),
  expires_at: expiryOf(draft.lifetime, openedMs),
})

/** What differs from what the form was filled from: whatever others changed meanwhile stays. */
export function agentChangesOf(draft: AgentDraft, base: Agent, openedMs: number): Partial<AgentInput> {
  const before = withoutExpiry(agentDraftOf(base))
  const now = Object.entries(withoutExpiry(draft)) as [keyof typeof before, unknown][]
  const changed = now.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
  return {
    ...Object.fromEntries(changed),
    ...(draft.lifetime !== 'same' && { expires_at: expiryOf(draft.lifetime, openedMs) }),
  }
}
