import { connect, createServer, type Socket } from 'node:net'
import { findFreePort } from './nexkit-server.ts'

/**
 * A network between the server and PostgreSQL, as a process of its own: it hands on what it gets, both ways, after half a
 * millisecond. What was sent together arrives together, so statements that do not wait for each other wait for the network
 * once.
 */
export type SlowNetwork = {
  /** The same database over the slow network. */
  url: string
  stop(): Promise<unknown>
}

export const ONE_WAY_MS = 0.5

export async function startSlowNetwork(databaseUrl: string): Promise<SlowNetwork> {
  const target = new URL(databaseUrl)
  const port = await findFreePort()
  const child = Bun.spawn([process.execPath, import.meta.path], {
    env: { ...process.env, PORT: String(port), TARGET_PORT: target.port },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  await child.stdout.getReader().read()
  target.port = String(port)
  return {
    url: target.href,
    stop() {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

type Travelling = { dueMs: number; arrive: () => void }

function serveSlowly(): void {
  const travelling: Travelling[] = []
  let isMoving = false

  /** Timers count whole milliseconds, so while something travels the clock is watched, with a nap between two looks. */
  const nap = new Int32Array(new SharedArrayBuffer(4))
  const move = () => {
    while (travelling[0] !== undefined && travelling[0].dueMs <= performance.now()) travelling.shift()?.arrive()
    isMoving = travelling.length > 0
    if (!isMoving) return
    Atomics.wait(nap, 0, 0, 0.05)
    setImmediate(move)
  }
  const send = (arrive: () => void) => {
    travelling.push({ dueMs: performance.now() + ONE_WAY_MS, arrive })
    if (isMoving) return
    isMoving = true
    setImmediate(move)
  }
  const handOn = (from: Socket, to: Socket) => {
    from.setNoDelay(true)
    from.on('data', (bytes) => send(() => to.write(bytes)))
    from.on('close', () => send(() => to.end()))
    from.on('error', () => {})
  }
  const server = createServer((client) => {
    const postgres = connect(Number(process.env.TARGET_PORT), '127.0.0.1')
    handOn(client, postgres)
    handOn(postgres, client)
  })
  server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'))
  process.on('SIGTERM', () => process.exit(0))
}

if (import.meta.main) serveSlowly()
