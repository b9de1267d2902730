import type { Scope } from '../../kernel/scopes.ts'
import { messagingRoutes } from '../../messaging/messaging.ts'
import { allOrderRoutes } from '../../orders/orders.ts'
import { type AgentAct, agentActOf, unserved } from '../../platform/http/define-route.ts'

/**
 * What agents can change, and who decides. Every writing operation has a rule: `allow` lets the agent, `ask` lets a person
 * decide first, `deny` is never. Where money is named, a rule may allow up to an amount and ask beyond it.
 */
export const decisions = ['allow', 'ask', 'deny'] as const
export type Decision = (typeof decisions)[number]

/** An operation as its route declares it for agents, with the scope of the route. */
type OperationFacts = AgentAct & { scope: Scope }

const agentOperations = new Map(
  [...messagingRoutes(unserved), ...allOrderRoutes(unserved)]
    .flatMap((route): [string, OperationFacts][] => {
      const act = agentActOf(route)
      const scope = route.access.type === 'key' ? route.access.scope : null
      return act === null || scope === null ? [] : [[route.id, { ...act, scope }]]
    })
    .toSorted(([, one], [, other]) => one.rank - other.rank),
)

/** The order in which people see them. */
export const agentOperationNames = [...agentOperations.keys()]

export const isAgentOperation = (id: string): boolean => agentOperations.has(id)

export function factsOf(operation: string): OperationFacts {
  const facts = agentOperations.get(operation)
  if (facts === undefined) throw new Error(`${operation} is no operation of agents`)
  return facts
}

export type Rule = { decision: Decision; ask_above: number | null }
export type Rules = Partial<Record<string, Rule>>

export const ruleOf = (rules: Rules, operation: string): Rule =>
  rules[operation] ?? { decision: factsOf(operation).decision, ask_above: null }

/** `open` is an order whose amount the customer chooses, so it is not known yet. */
export type Amount = number | 'open' | null

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
