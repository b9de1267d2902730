import type { Scope } from '../../kernel/scopes.ts'
import { messagingRoutes } from '../../messaging/messaging.ts'
import { allOrderRoutes } from '../../orders/orders.ts'
import { type AgentAct, agentActOf, unserved } from '../../platform/http/define-route.ts'

/** An operation by which agents change something, as its route declares it, with the scope of the route. */
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

/** `open` is an order whose amount the customer chooses, so it is not known yet. */
export type Amount = number | 'open' | null
