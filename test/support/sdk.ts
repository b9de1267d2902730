import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Nexkit, type NexkitOptions } from '../../sdk/src/nexkit.ts'
import { createApp } from '../../src/app.ts'
import { listen } from '../../src/platform/runtime/server.ts'
import { type AgentShop, anAgentShop } from './agents.ts'
import { type TestApp, testAppOptions } from './app.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { duringTests } from './during-tests.ts'

/** A whole server behind a port, with a shop in it, and clients of it as a program has them. */
export type SdkServer = TestDatabase & {
  url: string
  shop: AgentShop
  /** Of the shop's key unless another token is given. */
  client(options?: Partial<NexkitOptions>): Nexkit
  /** The same through a way that loses, delays or replaces answers. */
  behind(trouble: Trouble, options?: Partial<NexkitOptions>): Promise<Behind>
}

/** Decided for each request, by its number from 1 on, once the server has answered it. */
export type Trouble = (nth: number, request: Seen) => 'pass' | 'cut' | ((response: ServerResponse) => void)

export type Seen = { method: string; url: string; headers: Record<string, string>; atMs: number }
export type Behind = { nexkit: Nexkit; seen: Seen[] }

export const useSdkServer = (): SdkServer =>
  duringTests('the server', async () => {
    const db = await createTestDatabase()
    const app = createApp(testAppOptions(db))
    await app.start()
    const onError = () => new Response(null, { status: 500 })
    const server = listen({ host: '127.0.0.1', port: 0, bodyBytesMax: 1e6, handle: app.fetch, onError })
    const ways: Server[] = []
    const shop = await anAgentShop(inProcess(db, app))
    const client: SdkServer['client'] = (options = {}) =>
      new Nexkit({ token: shop.token, baseUrl: server.url, ...options })
    const value: SdkServer = {
      ...db,
      url: server.url,
      shop,
      client,
      async behind(trouble, options = {}) {
        const seen: Seen[] = []
        const way = await aWayTo(server.url, trouble, seen)
        ways.push(way)
        return {
          seen,
          nexkit: client({ baseUrl: `http://127.0.0.1:${(way.address() as AddressInfo).port}`, ...options }),
        }
      },
    }
    return {
      value,
      async stop() {
        for (const way of ways) {
          way.close()
          way.closeAllConnections()
        }
        await server.drain(500)
        await app.stop()
        await db.close()
      },
    }
  })

/** For the makers, which need no port. */
const inProcess = (db: TestDatabase, app: ReturnType<typeof createApp>): TestApp => ({
  ...db,
  app,
  async call(path, { token, json, address, ...init } = {}) {
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    if (json !== undefined) headers.set('content-type', 'application/json')
    const body = json === undefined ? {} : { body: JSON.stringify(json), method: init.method ?? 'POST' }
    return app.fetch(
      new Request(`http://localhost:3900${path}`, { ...init, headers, ...body }),
      () => address ?? '127.0.0.1',
    )
  },
})

async function aWayTo(target: string, trouble: Trouble, seen: Seen[]): Promise<Server> {
  const way = createServer(async (request, response) => {
    const one = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers as Seen['headers'],
      atMs: performance.now(),
    }
    seen.push(one)
    const nth = seen.length
    const answer = await forward(target, request)
    const fate = trouble(nth, one)
    if (fate === 'cut') return response.socket?.destroy()
    if (fate !== 'pass') return fate(response)
    const { 'content-length': _, ...headers } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, headers).end(answer.body)
  })
  await new Promise<void>((listening) => way.listen(0, '127.0.0.1', listening))
  return way
}

async function forward(target: string, request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { host: _, connection: __, 'accept-encoding': ___, ...headers } = request.headers
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { ...(headers as Record<string, string>), 'accept-encoding': 'identity' },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
}
