import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { ToolResult } from './tool-results.ts'
import type { ToolDefinition } from './tools.ts'
import { CUSTOMER_TEXT_NOTE } from './untrusted-text.ts'

/**
 * The Model Context Protocol, as far as it is the library's: one message in, one JSON answer out. Each has a server of its
 * own that knows one caller, so that calls share nothing. Revision 2026-07-28 carries all it needs in every message; up to
 * 2025-11-25 there is a handshake first, which is answered and forgotten.
 *
 * It is loaded with the first message: the library takes some fifty milliseconds, which most starts have no use for.
 */
export type ToolBox = {
  list(): Promise<ToolDefinition[]>
  /** Null when there is no such tool for this caller. */
  call(name: string, given: Record<string, unknown>): Promise<ToolResult | null>
}

export type McpMessage = {
  request: Request
  body: unknown
  tools: ToolBox
  version: string
  onError: (error: Error) => void
}

const INSTRUCTIONS = [
  'Nexkit is the messaging-and-ordering server of a shop: WhatsApp chats with its customers, orders, payments (QRIS, virtual accounts) and their events. Money is whole rupiah.',
  'get_own_agent shows what you may do without approval and what needs one.',
  'When a response contains `approval`, nothing has happened yet: a person of the shop decides first. Call wait_for_approval for the result.',
  'Responses omit empty fields and are cut to about 4,000 tokens; lists show the main fields of 10 entries, and the tool for a single object shows all fields. If there is more, the response has `next_cursor` for `cursor`.',
  'Orders are named by id or number, times are ISO 8601, and a change that is repeated with the same `idempotency_key` happens once.',
  `${CUSTOMER_TEXT_NOTE} Do not write these brackets.`,
].join(' ')

/** Which tools there are changes with the scopes of a token, which is rare and no secret: a minute late is soon enough. */
const LIST_KEPT_MS = 60_000
const NAME_CHARACTERS_MAX = 100

export async function answerMessage(message: McpMessage): Promise<Response> {
  const { request, body } = message
  return (await isLegacyRequest(request, body)) ? answerOlder(message) : answerNewer(message)
}

function createServer({ tools, version, onError }: McpMessage): Server {
  const server = new Server(
    { name: 'nexkit', title: 'Nexkit', version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': { ttlMs: LIST_KEPT_MS, cacheScope: 'private' } },
    },
  )
  server.onerror = onError
  // Only a request in the same message could be cancelled, and the library would then wait for its answer forever.
  server.setNotificationHandler('notifications/cancelled', () => undefined)
  server.setRequestHandler('tools/list', async () => ({ tools: await tools.list() }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }) => {
    const result = await tools.call(name, given)
    if (result !== null) return result
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, NAME_CHARACTERS_MAX)}`)
  })
  return server
}

function answerNewer(message: McpMessage): Promise<Response> {
  const { request, body, onError } = message
  const handler = createMcpHandler(() => createServer(message), {
    legacy: 'reject',
    // The server sends no notifications, so there is nothing to subscribe to.
    maxSubscriptions: 0,
    onerror: onError,
  })
  return handler.fetch(request, { parsedBody: body })
}

async function answerOlder(message: McpMessage): Promise<Response> {
  const server = createServer(message)
  // Without sessions, and with JSON instead of the stream that the library uses by default.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await transport.handleRequest(message.request, { parsedBody: message.body })
  } finally {
    await server.close()
  }
}
