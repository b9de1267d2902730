import { connect, createServer, type Server, type Socket } from 'node:net'

/** A way to PostgreSQL that a test can cut, so that the database is really away: refused, or silent. */
export type TcpProxy = {
  /** The same address, through the proxy. */
  url: string
  /** Connections break and new ones are refused. */
  cut(): Promise<void>
  restore(): Promise<void>
  /** Connections stay open, and nothing comes through any more. */
  silence(): void
}

export async function createTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let isSilent = false
  const accept = (client: Socket) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (bytes) => {
        if (!isSilent) to.write(bytes)
      })
    }
  }
  let server: Server | null = await listen(accept, 0)
  const { port } = server.address() as { port: number }
  const url = new URL(targetUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    async cut() {
      const closed = new Promise<void>((resolve) => (server === null ? resolve() : server.close(() => resolve())))
      for (const socket of sockets) socket.destroy()
      await closed
      server = null
    },
    async restore() {
      isSilent = false
      server ??= await listen(accept, port)
    },
    silence() {
      isSilent = true
    },
  }
}

const listen = (accept: (client: Socket) => void, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer(accept)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
