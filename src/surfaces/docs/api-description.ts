import type { ErrorDeclaration } from '../../kernel/errors.ts'
import type { Route } from '../../platform/http/define-route.ts'
import { type AsyncApiDocument, buildAsyncApi } from '../../platform/http/openapi/asyncapi.ts'
import { buildOpenApi, type OpenApiDocument } from '../../platform/http/openapi/openapi.ts'
import type { WebhookDescription } from '../../platform/http/openapi/openapi-webhooks.ts'
import { API_VERSION } from '../../platform/http/pipeline/reply.ts'

/** What the description says about the API as a whole; everything else in it comes from the routes. */

const info = {
  title: 'Nexkit Public API',
  // The date of the contract, not the release of the server: a release that changes no route changes nothing here.
  version: API_VERSION,
  summary: 'WhatsApp chats, orders and Indonesian payments behind one key.',
  description: [
    'Authenticate every request with `Authorization: Bearer nxk_live_…`. Bodies are JSON; errors are problem documents (RFC 9457) with a stable `code`.',
    'The same endpoints exist below `/api/public/v1` and `/public/v1`. Within `v1` the API only grows: ignore fields you do not know.',
    'Guides, a page per error code and a summary for language models are at `/docs` and `/llms.txt`.',
  ].join('\n\n'),
  contact: { name: 'Nexkit', url: 'https://nexkit.dev' },
  license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
}

/** In alphabetical order, which the linter requires. */
const tags = [
  { name: 'Agents', description: 'AI agents: their rules, reach and limits.' },
  { name: 'API keys', description: 'The keys of the organization.' },
  {
    name: 'Approvals',
    description:
      'Requests of AI agents that need the approval of a person. With the token of an agent, an operation marked `x-agent-tool` that changes something may return 202 with an `Approval` instead of running; with an API key it never does. Agents can send two more headers: `Agent-Session` names the conversation the program works on, and `Approval-Id`, sent with an approved request, returns its result. Besides the errors of each operation, agents can get 403 `agent_not_permitted`, `agent_paused`, `agent_amount_exceeded` or `approval_refused`, and 429 `agent_limit_reached`.',
  },
  { name: 'Broadcasts', description: 'One template to many people who opted in, each at most once.' },
  { name: 'Chats', description: 'Conversations with customers.' },
  { name: 'Cloud API', description: 'Endpoints compatible with Meta’s WhatsApp Cloud API.' },
  { name: 'Contacts', description: 'The customers you chat with, and all their identities on the network.' },
  {
    name: 'Events',
    description: 'Everything that happened, in order and without gaps. Webhooks deliver the same events.',
  },
  { name: 'Identity', description: 'The organization and the permissions of an API key.' },
  { name: 'Media', description: 'Files in messages: upload, download and delete.' },
  { name: 'Messages', description: 'Sent and received messages.' },
  { name: 'Numbers', description: 'The business numbers that messages are sent from.' },
  { name: 'Orders', description: 'Orders, their payments and refunds.' },
  { name: 'Organization', description: 'The organization of the key and its settings.' },
  {
    name: 'Organizations',
    description:
      'The organizations of a platform. A platform key creates organizations and acts for each by naming it in the header `Nexkit-Organization`.',
  },
  { name: 'Payment accounts', description: 'The accounts of payment providers that payments go through.' },
  { name: 'Payment links', description: 'Pages for payments without an order before.' },
  { name: 'Payments', description: 'Payments and refunds of all orders, and their sums.' },
  { name: 'People', description: 'The members of the organization and invitations to it.' },
  { name: 'Products', description: 'What you sell: prices, taxes and stock.' },
  { name: 'Saved replies', description: 'Texts that the team sends often, inserted with a slash in the console.' },
  {
    name: 'Simulator',
    description:
      'A test API for simulator numbers and simulator payment accounts: play customers and payers, and read what your program sent.',
  },
  { name: 'Templates', description: 'Message templates, which the network of a number approves.' },
  { name: 'Webhooks', description: 'Webhook endpoints, and each delivery to them.' },
]

export type PublicApiDescription = {
  routes: readonly Route[]
  errors: readonly ErrorDeclaration[]
  /** The same endpoints below each; the first is the one to prefer. */
  basePaths: readonly [string, ...string[]]
  /** The address of this installation, where it is known and https. */
  publicUrl?: string
  webhooks?: readonly WebhookDescription[]
}

export function describePublicApi(options: PublicApiDescription): OpenApiDocument {
  const { routes, errors, basePaths, publicUrl, webhooks = [] } = options
  return buildOpenApi({
    info,
    tags,
    servers: serversOf(basePaths, publicUrl),
    basePath: basePaths[0],
    routes,
    errors,
    webhooks,
  })
}

/** The events alone, for tools that speak AsyncAPI. */
export const describeEvents = (webhooks: readonly WebhookDescription[]): AsyncApiDocument =>
  buildAsyncApi({
    info: {
      title: 'Nexkit events',
      version: info.version,
      description:
        'The events that Nexkit sends to webhook endpoints: signed according to the Standard Webhooks specification, and retried until the response is 2xx. The OpenAPI description explains how to register an endpoint.',
      contact: info.contact,
      license: info.license,
    },
    channel: {
      name: 'webhookEndpoint',
      title: 'Your webhook endpoint',
      description:
        'The URL you registered with `POST /webhook-endpoints`. It receives the events that you select in `events`, each as a separate POST request.',
    },
    webhooks,
  })

/**
 * Without a public https address, a server is described by its path alone, which clients resolve against the address
 * that they loaded the description from: right on every port and behind every proxy, and plain http is never advertised.
 */
function serversOf(basePaths: readonly string[], publicUrl: string | undefined) {
  const origin = publicUrl?.startsWith('https://') ? publicUrl.replace(/\/+$/, '') : ''
  return basePaths.map((basePath, index) => ({
    url: origin + basePath,
    description:
      index === 0
        ? 'This installation, local or production'
        : 'The same endpoints under their second path, local or production',
  }))
}
