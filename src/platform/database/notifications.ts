import { randomUUID } from 'node:crypto'
import type { Connections } from './connections.ts'
import type { Listener, ListenSession } from './queries.ts'

/**
 * LISTEN and NOTIFY for one process, over one connection for all channels. A lost connection is opened again with growing
 * delays, and every listener is called then, because it may have missed notifications.
 *
 * A poke reaches the listeners of this process without PostgreSQL, at the end of the current turn of the event loop. Other
 * processes are notified at once when the channel was quiet, and at most every 50 ms while it is busy: each NOTIFY takes a
 * lock of the whole cluster and wakes every process. This process ignores the notifications of its pokes.
 */
export type Notifications = {
  listen(listening: Listening): Promise<Listener>
  poke(channel: string): void
}

export type NotificationsOptions = {
  connections: Connections
  /** A poke that cannot be sent costs other processes one poll, nothing more. */
  send(channel: string, payload: string): Promise<unknown>
}

const RECONNECT_MS = [50, 100, 250, 500, 1000]
const POKE_GAP_MS = 50
const POKE_PREFIX = 'poke '

type Listening = {
  channel: string
  onMessage: (payload: string) => void
  onConnect: () => void
  session?: ListenSession
}

export function createNotifications({ connections, send }: NotificationsOptions): Notifications {
  const ownPoke = POKE_PREFIX + randomUUID()
  const listeners = new Set<Listening>()
  let current: ReturnType<typeof connect> | null = null
  let failures = 0

  const closeStatement = ({ channel, session }: Listening) => {
    const isUsed = [...listeners].some((other) => other.channel === channel)
    return [...(isUsed ? [] : [`unlisten ${quoted(channel)}`]), ...(session ? [session.teardown] : [])].join('; ')
  }

  async function connect() {
    const connection = connections.open({ onNotify: receive, onClose: reopen })
    const covered = [...listeners]
    await connection.sql.unsafe(covered.map(openStatement).join('; ')).simple()
    failures = 0
    for (const listening of covered) announce(listening)
    return connection
  }

  function reopen() {
    current = null
    if (listeners.size === 0) return
    for (const { session } of listeners) session?.onLost()
    const delayMs = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)]
    failures += 1
    setTimeout(() => {
      if (listeners.size === 0 || current !== null) return
      current = connect()
      // A failed try closes its connection, which calls reopen again.
      current.catch(() => {})
    }, delayMs)
  }

  function receive(channel: string, payload: string) {
    if (payload !== ownPoke) deliver(channel, payload.startsWith(POKE_PREFIX) ? '' : payload)
  }

  function deliver(channel: string, payload: string) {
    for (const listening of listeners) if (listening.channel === channel) listening.onMessage(payload)
  }

  async function subscribe(listening: Listening): Promise<void> {
    const open = current
    listeners.add(listening)
    if (open === null) {
      current = connect()
      await current
      return
    }
    const connection = await open
    try {
      await connection.sql.unsafe(openStatement(listening)).simple()
      announce(listening)
    } catch (error) {
      // The next connection is opened for all listeners.
      if (!connection.isDead) throw error
    }
  }

  async function unsubscribe(listening: Listening): Promise<void> {
    listening.session?.onClosed()
    if (!listeners.delete(listening) || current === null) return
    const connection = await current.catch(() => null)
    if (connection === null || connection.isDead) return
    const statement = closeStatement(listening)
    if (listeners.size === 0) await connection.sql.end({ timeout: 1 }).catch(() => {})
    else if (statement !== '')
      await connection.sql
        .unsafe(statement)
        .simple()
        .catch(() => {})
  }

  const pokeOthers = createPacer(POKE_GAP_MS, (channel) => {
    send(channel, ownPoke).catch(() => {})
  })
  const pokedHere = new Set<string>()

  return {
    async listen(listening) {
      try {
        await subscribe(listening)
      } catch (error) {
        listeners.delete(listening)
        throw error
      }
      return { close: () => unsubscribe(listening) }
    },
    poke(channel) {
      pokeOthers(channel)
      if (pokedHere.has(channel)) return
      pokedHere.add(channel)
      queueMicrotask(() => {
        pokedHere.delete(channel)
        deliver(channel, '')
      })
    },
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const openStatement = ({ channel, session }: Listening) =>
  [`listen ${quoted(channel)}`, ...(session ? [session.setup] : [])].join('; ')

function announce({ session, onConnect }: Listening): void {
  session?.onOpen()
  onConnect()
}

/** Acts at once for a name that was quiet, and then at most once per gap for as long as it is named. */
function createPacer(gapMs: number, act: (name: string) => void): (name: string) => void {
  const waiting = new Map<string, { isNamed: boolean }>()
  const actAndWait = (name: string) => {
    const wait = { isNamed: false }
    waiting.set(name, wait)
    act(name)
    setTimeout(() => {
      if (wait.isNamed) actAndWait(name)
      else waiting.delete(name)
    }, gapMs).unref()
  }
  return (name) => {
    const wait = waiting.get(name)
    if (wait === undefined) actAndWait(name)
    else wait.isNamed = true
  }
}
