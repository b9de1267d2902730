import { afterAll, beforeAll } from 'bun:test'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type ListeningServer, listen } from '../../src/platform/runtime/server.ts'
import type { TestApp } from './app.ts'

/** The official client of the Model Context Protocol, over real HTTP, at the app of a test. */
export type McpBench = {
  /** Where the app listens. */
  url(): string
  connect(token: string, options?: McpConnectOptions): Promise<Client>
  post(options: McpPost): Promise<Response>
}

export type McpConnectOptions = { revision?: '2025-11-25' | '2026-07-28'; headers?: Record<string, string> }
export type McpPost = { token?: string | null; headers?: Record<string, string>; body?: BodyInit; method?: string }

/** Larger than the limit of /mcp, so that it is /mcp that refuses. */
const SERVER_BYTES_MAX = 8 * 1024 * 1024

export function useMcp(app: TestApp): McpBench {
  const holder = {} as { server?: ListeningServer }
  const clients: Client[] = []
  beforeAll(() => {
    holder.server = listen({
      host: '127.0.0.1',
      port: 0,
      bodyBytesMax: SERVER_BYTES_MAX,
      handle: (request, readSocketAddress) => app.app.fetch(request, readSocketAddress),
      onError: () => new Response('the server itself failed', { status: 599 }),
    })
  })
  afterAll(async () => {
    for (const client of clients) await client.close()
    await holder.server?.drain(1000)
  })
  const url = () => `${holder.server?.url}/mcp`
  return {
    url,
    async connect(token, { revision = '2026-07-28', headers = {} } = {}) {
      const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy'
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
      const requestInit = { headers: { Authorization: `Bearer ${token}`, ...headers } }
      await client.connect(new StreamableHTTPClientTransport(new URL(url()), { requestInit }))
      clients.push(client)
      return client
    },
    post: ({ token = null, headers = {}, body, method = 'POST' }) =>
      fetch(url(), {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the tool answered
export const structured = (result: CallToolResult): any => result.structuredContent

export const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
