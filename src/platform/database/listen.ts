import type { Connections } from './connections.ts'
import type { Listener, ListenSession } from './queries.ts'

/** One connection per listened channel, opened again with growing patience whenever it is lost. */
const RETRY_MS = [50, 100, 250, 500, 1000]

export async function listenOn(
  connections: Connections,
  {
    channel,
    onMessage,
    onConnect,
    session,
  }: { channel: string; onMessage: (payload: string) => void; onConnect: () => void; session?: ListenSession },
): Promise<Listener> {
  let isClosed = false
  let failures = 0
  let current = await connect()

  async function connect() {
    const connection = connections.open({
      onNotify: (name, payload) => name === channel && onMessage(payload),
      onClose: reopen,
    })
    await connection.sql.unsafe(`listen "${channel.replaceAll('"', '""')}"; ${session?.setup ?? ''}`).simple()
    failures = 0
    session?.onOpen()
    onConnect()
    return connection
  }

  function reopen() {
    if (isClosed) return
    session?.onLost()
    const delayMs = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]
    failures += 1
    setTimeout(async () => {
      if (isClosed) return
      // A failed try closes its connection, and that comes back here.
      const next = await connect().catch(() => null)
      if (next !== null) current = next
    }, delayMs)
  }

  return {
    async close() {
      isClosed = true
      session?.onClosed()
      await current.sql.end({ timeout: 1 }).catch(() => {})
    },
  }
}
