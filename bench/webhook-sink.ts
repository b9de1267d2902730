import { findFreePort } from './nexkit-server.ts'

/**
 * A receiver of webhooks that does as little as possible, as a process of its own: it answers all, counts what
 * comes below /count and /time, notes when each message came below /time, and below /hang takes the request and never
 * answers. It reports arrivals: a bench that keeps asking would take from what it measures.
 */
export type WebhookSink = {
  origin: string
  /** From now on this many more are expected; `arrived` answers when they are there. */
  expectMore(arrivals: number): Promise<void>
  arrived(): Promise<void>
  /** When each message came, by webhook-id, in milliseconds of the wall clock. */
  times(): Promise<Record<string, number>>
  stop(): Promise<unknown>
}

export async function startWebhookSink(): Promise<WebhookSink> {
  const child = Bun.spawn([process.execPath, import.meta.path], {
    env: { ...process.env, PORT: String(await findFreePort()) },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  const origin = new TextDecoder().decode(value).trim()
  const ask = async (question: string) => (await fetch(`${origin}/${question}`)).json()
  return {
    origin,
    expectMore: (arrivals) => ask(`expect?${arrivals}`) as Promise<void>,
    arrived: () => ask('arrived') as Promise<void>,
    times: () => ask('times') as Promise<Record<string, number>>,
    stop() {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

/** Comparable between processes of one machine, and finer than Date.now(). */
export const preciseNow = (): number => performance.timeOrigin + performance.now()

function serveSink(): void {
  const times = new Map<string, number>()
  let [count, expected] = [0, 0]
  let tell: (() => void) | null = null
  const answer = async (path: string, query: string): Promise<Response> => {
    if (path === '/times') return Response.json(Object.fromEntries(times))
    if (path === '/expect') expected = count + Number(query)
    else if (count < expected)
      await new Promise<void>((resolve) => {
        tell = resolve
      })
    return Response.json(null)
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: Number(process.env.PORT),
    idleTimeout: 120,
    fetch(request) {
      const [path, query] = request.url.slice(request.url.indexOf('/', 'http://'.length)).split('?') as [string, string]
      if (request.method === 'GET') return answer(path, query)
      if (path.startsWith('/hang')) return new Promise<Response>(() => {})
      const isTimed = path.startsWith('/time')
      if (isTimed) times.set(request.headers.get('webhook-id') ?? '', preciseNow())
      if (isTimed || path.startsWith('/count')) count += 1
      if (count >= expected) tell?.()
      return new Response(null, { status: 204 })
    },
  })
  process.on('SIGTERM', () => process.exit(0))
  process.stdout.write(`${server.url.origin}\n`)
}

if (import.meta.main) serveSink()
