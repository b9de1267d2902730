import type { Scope } from '../../kernel/scopes.ts'

/**
 * What agents can change, and who decides. Every writing operation has a rule: `allow` lets the agent, `ask` lets a person
 * decide first, `deny` is never. Where money is named, a rule may allow up to an amount and ask beyond it.
 */
export const decisions = ['allow', 'ask', 'deny'] as const
export type Decision = (typeof decisions)[number]

type OperationFacts = {
  scope: Scope
  /** The default decision. */
  decision: Decision
  /** Asks for money to come in or go out, so that an amount can be the limit. */
  hasAmount?: boolean
  /** A customer is written to, if only because their order moved, and it counts among the messages. */
  isMessage?: boolean
}

/** The order in which people see them. */
const agentOperations = {
  sendMessage: { scope: 'messages:send', decision: 'ask', isMessage: true },
  cancelMessage: { scope: 'messages:send', decision: 'ask' },
  markChatRead: { scope: 'chats:write', decision: 'allow' },
  updateChat: { scope: 'chats:write', decision: 'ask' },
  createOrder: { scope: 'orders:write', decision: 'ask', hasAmount: true, isMessage: true },
  createOrderPayment: { scope: 'orders:write', decision: 'ask', isMessage: true },
  processOrder: { scope: 'orders:write', decision: 'ask' },
  completeOrder: { scope: 'orders:write', decision: 'ask' },
  cancelOrder: { scope: 'orders:write', decision: 'ask', isMessage: true },
  createOrderRefund: { scope: 'orders:write', decision: 'ask', hasAmount: true, isMessage: true },
} as const satisfies Record<string, OperationFacts>

export type AgentOperation = keyof typeof agentOperations
export const agentOperationNames = Object.keys(agentOperations) as AgentOperation[]

export const isAgentOperation = (id: string): id is AgentOperation => id in agentOperations

export const factsOf = (operation: AgentOperation): OperationFacts => agentOperations[operation]

export type Rule = { decision: Decision; ask_above: number | null }
export type Rules = Partial<Record<AgentOperation, Rule>>

export const ruleOf = (rules: Rules, operation: AgentOperation): Rule =>
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
