import {
  type AgentScope,
  agentScopes,
  type Decision,
  isPriced,
  type Operation,
  operationsWithin,
  type Rule,
} from '../api/agents.ts'
import { capitalized, type Say } from '../text/text.tsx'
import { rupiah } from '../ui/Money.tsx'

/** What an agent may do, in words that promise neither more nor less than its scopes and rules. */
type Rights = { scopes: readonly string[]; rules: readonly Rule[] }

/** "Reads chats and messages. Allowed: mark chats as read. Needs approval: send messages. Never: refund orders." */
export function agentSentence(say: Say, { scopes, rules }: Rights): string {
  const reads = agentScopes.filter(isReading).filter((scope) => scopes.includes(scope))
  const read = reads.map((scope) => say(`agents.reads.${scope}`)).join(', ')
  const parts = [
    read && say('agents.can.read', { what: read }),
    ...(['allow', 'ask', 'deny'] as const).map((decision) => {
      const what = actsOf(say, rules, decision).join(', ')
      return what && say(`agents.can.${decision}`, { what })
    }),
  ]
  return parts.filter(Boolean).join(' ') || say('agents.can.nothing')
}

type Reading = Extract<AgentScope, `${string}:read`>
const isReading = (scope: AgentScope): scope is Reading => scope.endsWith(':read')
const ordering = operationsWithin(['orders:write'])

/** Everything about orders is one act where all of it is decided alike. */
function actsOf(say: Say, rules: readonly Rule[], decision: Decision): string[] {
  const acts = rules.filter((rule) => rule.decision === decision || isAskedBeyond(rule, decision))
  const orders = acts.filter(({ operation }) => ordering.includes(operation))
  const isAllAlike = orders.length === ordering.length && orders.every(({ ask_above }) => ask_above === null)
  const single = isAllAlike ? acts.filter((rule) => !orders.includes(rule)) : acts
  return [...single.map((rule) => actOf(say, rule, decision)), ...(isAllAlike ? [say('agents.does.everyOrder')] : [])]
}

const isAskedBeyond = ({ decision, ask_above }: Rule, asked: Decision) =>
  asked === 'ask' && decision === 'allow' && ask_above !== null

function actOf(say: Say, { operation, ask_above }: Rule, decision: Decision): string {
  if (ask_above === null || !isPriced(operation)) return say(`agents.does.${operation}`)
  const key = decision === 'allow' ? 'upTo' : 'above'
  return say(`agents.does.${operation}.${key}`, { amount: rupiah(ask_above) })
}

/** One rule, for the list of them. */
export function ruleWords(say: Say, { operation, decision, ask_above }: Rule): string {
  if (decision !== 'allow' || ask_above === null || !isPriced(operation)) return say(`agents.rule.${decision}`)
  return say('agents.rule.upTo', { amount: rupiah(ask_above) })
}

export const operationWords = (say: Say, operation: Operation): string => capitalized(say(`agents.does.${operation}`))
