import { ResponseReader } from './response-reader.ts'

/**
 * The load generator, run as a process of its own: `startLoad` starts it, hands it the plan on stdin and reads the report
 * from its stdout. Raw sockets, requests encoded once, one request outstanding per connection.
 */
export type LoadRequest = { method: string; path: string; headers?: Record<string, string>; body?: string }

export type LoadPlan = {
  /** Scheme, host and port. */
  origin: string
  connections: number
  durationMs: number
  /** Requests answered in this time before the measurement are sent but not counted. */
  warmupMs: number
  /** Sent in turn. Connections begin as far apart as they can: side by side, all of them would soon want the same one. */
  requests: LoadRequest[]
}

export type LoadReport = {
  /** Everything the server answered, also before and after the measurement. */
  answered: number
  /** Answered within the measurement, as is all that follows. */
  requests: number
  requestsPerSecond: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  non2xx: number
  statuses: Record<string, number>
  connectionsBroken: number
}

export async function startLoad(plan: LoadPlan): Promise<LoadReport> {
  const child = Bun.spawn([process.execPath, import.meta.path], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  child.stdin.write(JSON.stringify(plan))
  await child.stdin.end()
  const report = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the load generator failed')
  return JSON.parse(report)
}

type Tally = { answered: number; latenciesMs: number[]; statuses: Map<number, number>; connectionsBroken: number }
type Window = { startsAtMs: number; endsAtMs: number }

/** More than this means the server is not there or refuses us; the report would measure nothing. */
const CONNECTIONS_BROKEN_MAX = 1_000

async function driveLoad(plan: LoadPlan): Promise<LoadReport> {
  const startsAtMs = performance.now() + plan.warmupMs
  const window = { startsAtMs, endsAtMs: startsAtMs + plan.durationMs }
  const tally: Tally = { answered: 0, latenciesMs: [], statuses: new Map(), connectionsBroken: 0 }
  const encoded = plan.requests.map((request) => encodeRequest(request, new URL(plan.origin).host))
  const connections = Array.from({ length: plan.connections }, (_, index) =>
    driveConnection(plan.origin, encoded, Math.floor((index * encoded.length) / plan.connections), window, tally),
  )
  await Promise.all(connections)
  return summarize(tally, plan.durationMs)
}

/** Until the window ends; a connection the server closes is counted and opened again. */
async function driveConnection(origin: string, requests: Buffer[], offset: number, window: Window, tally: Tally) {
  while (performance.now() < window.endsAtMs) {
    const isBroken = await useConnection(origin, requests, offset, window, tally)
    if (!isBroken) return
    tally.connectionsBroken += 1
    if (tally.connectionsBroken > CONNECTIONS_BROKEN_MAX) throw new Error(`cannot keep a connection to ${origin}`)
  }
}

function useConnection(origin: string, requests: Buffer[], offset: number, window: Window, tally: Tally) {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { hostname, port } = new URL(origin)
  const reader = new ResponseReader()
  let next = offset
  let sentAtMs = 0
  let unsent: Buffer | null = null
  const send = (socket: Bun.Socket, data: Buffer) => {
    const written = socket.write(data)
    unsent = written < data.length ? data.subarray(Math.max(written, 0)) : null
  }
  const sendNext = (socket: Bun.Socket, nowMs: number) => {
    sentAtMs = nowMs
    send(socket, requests[next++ % requests.length] as Buffer)
  }
  Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => sendNext(socket, performance.now()),
      drain: (socket) => {
        if (unsent !== null) send(socket, unsent)
      },
      data: (socket, chunk) => {
        const status = reader.read(chunk)
        if (status === null) return
        tally.answered += 1
        const nowMs = performance.now()
        if (nowMs >= window.endsAtMs) {
          resolve(false)
          socket.end()
          return
        }
        if (nowMs >= window.startsAtMs) count(tally, status, nowMs - sentAtMs)
        sendNext(socket, nowMs)
      },
      close: () => resolve(true),
      error: () => resolve(true),
      connectError: () => resolve(true),
    },
  }).catch(() => resolve(true))
  return promise
}

function count(tally: Tally, status: number, latencyMs: number): void {
  tally.latenciesMs.push(latencyMs)
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
}

function encodeRequest(request: LoadRequest, host: string): Buffer {
  const body = Buffer.from(request.body ?? '')
  const headers: Record<string, string> = { host, ...request.headers }
  if (request.body !== undefined) headers['content-length'] = String(body.length)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`), body])
}

function summarize({ answered, latenciesMs, statuses, connectionsBroken }: Tally, durationMs: number): LoadReport {
  const sorted = Float64Array.from(latenciesMs).sort()
  const percentile = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(3))
  let non2xx = 0
  for (const [status, responses] of statuses) if (status < 200 || status > 299) non2xx += responses
  return {
    answered,
    requests: sorted.length,
    requestsPerSecond: Math.round((sorted.length * 1000) / durationMs),
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
    non2xx,
    statuses: Object.fromEntries(statuses),
    connectionsBroken,
  }
}

if (import.meta.main) {
  const report = await driveLoad(await Bun.stdin.json())
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
