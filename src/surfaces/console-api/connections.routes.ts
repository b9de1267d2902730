import { z } from 'zod'
import {
  type Asking,
  type AuthorizationContext,
  clientIdIn,
  concludeAuthorization,
  findOAuthClient,
  hostOfClient,
  prepareAuthorization,
  redirectUriIn,
  referenceOf,
} from '../../accounts/oauth/oauth.ts'
import { connectionRequestInvalid, connectionRequestStale } from '../../agents/agents.errors.ts'
import {
  type ConnectingProgram,
  connectAgent,
  connectedAgentName,
  plannedAgent,
} from '../../agents/connections/connections.ts'
import { Agent, agentExample } from '../../agents/records/agents.schemas.ts'
import type { AgentsContext } from '../../agents/records/records.ts'
import { firstOf } from '../../kernel/lists.ts'
import { agentScopes } from '../../kernel/scopes.ts'
import { defineRoute, type RequestContext, type Route } from '../../platform/http/define-route.ts'
import { idSchema, textSchema } from '../../platform/http/schemas.ts'
import { session } from './sign-in/session-caller.ts'

/**
 * Where a person is asked whether a program may connect. What it asks for is shown, and agreed to or refused, in the organization
 * that the person works in; the page changes that one first where another is meant.
 */
const shared = { tag: 'Agents', description: 'Of the console.' } as const

export type ConnectionRouteParts = { agents: AgentsContext; authorization: AuthorizationContext }

const REQUEST_LENGTH_MAX = 8000
const request = textSchema(REQUEST_LENGTH_MAX, 1)
const redirectUrl = textSchema(REQUEST_LENGTH_MAX)
const Program = z
  .object({
    name: textSchema(200),
    host: textSchema(300),
    is_described_there: z.boolean(),
    answered_at: textSchema(300),
  })
  .meta({ id: 'ConnectingProgram' })

/** Either the person decides about the request, or the program receives its error at once. */
const ConnectionRequest = z
  .object({
    request: request.nullable(),
    program: Program.nullable(),
    scopes: z.array(z.enum(agentScopes)),
    /** The name of the agent that the program already is, in the person's current organization. */
    agent_name: textSchema(200).nullable(),
    redirect_url: redirectUrl.nullable(),
  })
  .meta({ id: 'ConnectionRequest' })

const Agreement = z.strictObject({
  request,
  organization_id: idSchema('org'),
  scopes: z.array(z.enum(agentScopes)).min(1, 'Choose at least one scope.'),
})

const program = { name: 'Claude', host: 'claude.ai', is_described_there: true, answered_at: 'claude.ai' }
const back = 'https://claude.ai/api/mcp/auth_callback?code=…'
const exampleRequest = 'client_id=…&sig=…'

type Call = Pick<RequestContext, 'request' | 'address'>

const askingOf = ({ request: { headers }, address }: Call): Asking => ({
  cookie: headers.get('cookie'),
  address,
  userAgent: headers.get('user-agent'),
})

export const connectionRoutes = ({ agents, authorization }: ConnectionRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'getConnectionAddress',
    method: 'GET',
    path: '/connection-address',
    summary: 'Get the address for programs that connect',
    access: session(null),
    reply: { status: 200, body: z.object({ url: textSchema(2048) }) },
    example: { reply: { url: 'https://shop.example.com/mcp' } },
    handle: () => ({ url: authorization.resource }),
  }),
  defineRoute({
    ...shared,
    id: 'getConnectionRequest',
    method: 'GET',
    path: '/connection-request',
    summary: 'Get a connection request',
    access: session(null),
    query: z.strictObject({ request }),
    reply: { status: 200, body: ConnectionRequest },
    errors: [connectionRequestInvalid],
    example: {
      query: { request: 'response_type=code&client_id=…' },
      reply: { request: exampleRequest, program, scopes: ['chats:read'], agent_name: null, redirect_url: null },
    },
    async handle({ query, ...call }) {
      const prepared = await prepareAuthorization(authorization, askingOf(call), query.request)
      if ('refusal' in prepared) throw refused(prepared.refusal.description)
      if ('redirectUrl' in prepared)
        return { request: null, program: null, scopes: [], agent_name: null, redirect_url: prepared.redirectUrl }
      const { consent } = prepared
      const { name, isFromDocument, clientId } = consent.client
      const whose = { personId: call.caller.id, clientId }
      return {
        request: consent.request,
        program: { name, host: consent.host, is_described_there: isFromDocument, answered_at: consent.answeredAt },
        scopes: agentScopes.filter((scope) => consent.scopes.includes(scope)),
        agent_name: await connectedAgentName(agents.database, call.caller.orgId, whose),
        redirect_url: null,
      }
    },
  }),
  defineRoute({
    ...shared,
    id: 'agreeToConnection',
    method: 'POST',
    path: '/connections',
    summary: 'Connect a program as an agent',
    access: session('agents:manage'),
    body: Agreement,
    reply: { status: 201, body: z.object({ agent: Agent, redirect_url: redirectUrl }) },
    errors: [connectionRequestInvalid, connectionRequestStale],
    // The code in the address is one.
    showsSecret: true,
    example: {
      body: { request: exampleRequest, organization_id: 'org_01k9x3m5q8e0t9v7a2b4c6d8fg', scopes: ['chats:read'] },
      reply: { agent: agentExample, redirect_url: back },
    },
    async handle({ body, requestId, ...call }) {
      const { orgId, person, type, id, sessionId } = call.caller
      if (body.organization_id !== orgId) throw connectionRequestStale()
      const known = await programIn(authorization, body.request)
      const agentId = await plannedAgent(agents.database, orgId, { personId: person.id, clientId: known.clientId })
      // The library runs first, so a forged or expired request creates no agent. A code whose agent is not created
      // afterwards opens nothing.
      const redirect = await concludeAuthorization(authorization, askingOf(call), {
        ...{ request: body.request, sessionId, isAgreed: true, scopes: body.scopes },
        reference: referenceOf(orgId, agentId),
      })
      if (redirect === null) throw connectionRequestStale()
      const owner = { id: person.id, name: person.name, email: person.email }
      const agent = await agents.database.transaction((tx) =>
        connectAgent(agents, tx, orgId, {
          ...{ agentId, program: known, person: owner, scopes: body.scopes },
          ...{ by: person.email, initiator: { type, id, requestId } },
        }),
      )
      return { agent, redirect_url: redirect }
    },
  }),
  defineRoute({
    ...shared,
    id: 'refuseConnection',
    method: 'POST',
    path: '/connections/refuse',
    summary: 'Refuse a connection request',
    access: session(null),
    body: z.strictObject({ request }),
    reply: { status: 200, body: z.object({ redirect_url: redirectUrl }) },
    errors: [connectionRequestStale],
    example: { body: { request: exampleRequest }, reply: { redirect_url: 'https://claude.ai/…?error=access_denied' } },
    async handle({ body, ...call }) {
      const { sessionId } = call.caller
      const decision = { request: body.request, sessionId, isAgreed: false } as const
      const redirect = await concludeAuthorization(authorization, askingOf(call), decision)
      if (redirect === null) throw connectionRequestStale()
      return { redirect_url: redirect }
    },
  }),
]

const refused = (reason: string) => connectionRequestInvalid({ params: { reason } })

async function programIn(context: AuthorizationContext, signed: string): Promise<ConnectingProgram> {
  const found = await findOAuthClient(context, clientIdIn(signed))
  if ('refusal' in found) throw refused(found.refusal.description)
  const { clientId, name, redirectUris } = found.client
  const redirectUri = redirectUriIn(signed)
  return {
    clientId,
    name,
    host: hostOfClient(found.client, URL.canParse(redirectUri) ? redirectUri : firstOf(redirectUris)),
  }
}
