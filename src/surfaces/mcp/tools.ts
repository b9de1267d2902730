import { APPROVAL_WAIT_SECONDS } from '../../agents/approvals/approvals.schemas.ts'
import { agentActOf, type Route } from '../../platform/http/define-route.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { inputSchemaOf, type ObjectSchema, outputSchemaOf } from './tool-schemas.ts'
import { toolTexts } from './tool-texts.ts'

/** A route as a tool. Hints are hints: what a caller may do is decided when the route runs. */
export type Tool = {
  route: Route
  definition: ToolDefinition
  /** For arguments that are left out. */
  defaults: Record<string, unknown>
}

export type ToolDefinition = {
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  outputSchema: ObjectSchema
  annotations?: { readOnlyHint?: true; destructiveHint?: false; idempotentHint?: true }
}

/** Tools are in the stable order of the docs, so a model's cached list stays valid. */
export const createTools = (routes: readonly Route[]): Tool[] =>
  routes.filter(({ agentTool }) => agentTool !== undefined).flatMap((route) => toolsOf(route))

function toolsOf(route: Route): Tool[] {
  if (route.id !== 'getApproval') return [{ route, definition: defineTool(route), defaults: defaultsOf(route) }]
  return [
    { route, definition: defineTool(route, { hidden: ['wait'] }), defaults: {} },
    { route, definition: defineTool(route, { id: 'waitForApproval' }), defaults: { wait: APPROVAL_WAIT_SECONDS } },
  ]
}

/** A page that a model can read at once. */
const PAGE = 10

const defaultsOf = ({ query }: Route): Record<string, unknown> =>
  query !== undefined && 'limit' in query.shape ? { limit: PAGE } : {}

function defineTool(
  route: Route,
  { id = route.id, hidden = [] }: { id?: string; hidden?: string[] } = {},
): ToolDefinition {
  return {
    name: toolName(id),
    title: id === route.id ? route.summary : 'Wait for an approval',
    description: toolTexts[id]?.says ?? route.summary,
    inputSchema: inputSchemaOf(route, id, hidden),
    outputSchema: outputSchemaOf(route, isBrief(route)),
    ...annotationsOf(route),
  }
}

/** Whether the answer shows the main members only. */
export const isBrief = (route: Route) => route.method !== 'GET' && agentActOf(route)?.answersInFull !== true

/** Only what differs from what the protocol assumes of a tool: that it changes, destroys and is not safe to repeat. */
function annotationsOf(route: Route): Pick<ToolDefinition, 'annotations'> {
  const annotations = {
    ...(route.method === 'GET' && { readOnlyHint: true as const }),
    ...(agentActOf(route)?.isAdditive && { destructiveHint: false as const }),
    // A POST is repeated safely with its key, which is among its arguments only when the caller chose one.
    ...(route.method !== 'GET' && route.method !== 'POST' && { idempotentHint: true as const }),
  }
  return Object.keys(annotations).length > 0 ? { annotations } : {}
}

export const toolName = (operationId: string) =>
  operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Whether the caller has the scope of the route. */
export const isWithinScopes = ({ scopes }: Caller, { access }: Route) =>
  access.type === 'key' && (access.scope === null || scopes.includes(access.scope))
