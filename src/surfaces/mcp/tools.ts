import type { Caller } from '../../platform/http/caller.ts'
import type { Route } from '../../platform/http/define-route.ts'
import { inputSchemaOf, type ObjectSchema, outputSchemaOf } from './tool-schemas.ts'
import { MARKS_SAY } from './untrusted-text.ts'

/** A route as a tool. Hints are hints: what a caller may do is decided when the route runs. */
export type Tool = { route: Route; definition: ToolDefinition }

export type ToolDefinition = {
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  outputSchema: ObjectSchema
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean }
}

/** In the order of the docs, which stays the same: what a model was told before can be kept. */
export const createTools = (routes: readonly Route[]): Tool[] =>
  routes.filter(({ agentTool }) => agentTool === true).map((route) => ({ route, definition: defineTool(route) }))

const defineTool = (route: Route): ToolDefinition => ({
  name: toolName(route.id),
  title: route.summary,
  description: `${route.description} ${route.method === 'GET' ? MARKS_SAY : APPROVAL_SAYS}`,
  inputSchema: inputSchemaOf(route),
  outputSchema: outputSchemaOf(route),
  annotations: {
    readOnlyHint: route.method === 'GET',
    destructiveHint: route.method !== 'GET' && !ADDITIVE.includes(route.id),
    // A POST is repeated safely with its key, which is among its arguments only when the caller chose one.
    idempotentHint: route.method !== 'POST',
  },
})

const APPROVAL_SAYS =
  'It may be that a person has to approve it first: then nothing has happened yet, and the answer holds `approval`.'

/** They add something and take nothing away. Whatever is not named here counts as able to. */
const ADDITIVE = ['sendMessage', 'markChatRead', 'createOrder', 'createOrderPayment']

const toolName = (operationId: string) => operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Whether the scopes of this caller reach this far. */
export const isWithinScopes = ({ scopes }: Caller, { access }: Route) =>
  access.type === 'key' && (access.scope === null || scopes.includes(access.scope))
