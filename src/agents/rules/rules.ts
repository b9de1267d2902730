import { type Amount, factsOf } from './operations.ts'

export { type Amount, agentOperationNames, factsOf, isAgentOperation } from './operations.ts'
export { findTarget, type Recipient, type Target, type TargetWorld } from './targets.ts'

/**
 * What agents can change, and who decides. Every writing operation has a rule: `allow` lets the agent, `ask` lets a person
 * decide first, `deny` is never. Where money is named, a rule may allow up to an amount and ask beyond it.
 */
export const decisions = ['allow', 'ask', 'deny'] as const
export type Decision = (typeof decisions)[number]

export type Rule = { decision: Decision; ask_above: number | null }
export type Rules = Partial<Record<string, Rule>>

export const ruleOf = (rules: Rules, operation: string): Rule =>
  rules[operation] ?? { decision: factsOf(operation).decision, ask_above: null }

export type AskReason = 'rule' | 'amount' | 'open_amount' | 'anchor'

export type Judgement = { decision: 'allow' } | { decision: 'deny' } | { decision: 'ask'; reason: AskReason }

export function judge({ decision, ask_above }: Rule, amount: Amount): Judgement {
  if (decision === 'ask') return { decision, reason: 'rule' }
  if (decision === 'deny' || ask_above === null) return { decision }
  if (amount === 'open') return { decision: 'ask', reason: 'open_amount' }
  return amount !== null && amount > ask_above ? { decision: 'ask', reason: 'amount' } : { decision: 'allow' }
}

const strictness = ({ decision }: Judgement) => decisions.indexOf(decision)

/** Returns the stricter of two judgements that both apply. */
export const stricter = (one: Judgement, other: Judgement): Judgement =>
  strictness(other) > strictness(one) ? other : one
