import { isAlive } from './processes.ts'
import { bringUp, type Site } from './start.ts'

/**
 * Watches the postmaster while our server runs, and starts it again when it dies (killed, out of memory). Its clients
 * reconnect to the same port, so it must not change; while another program holds the port, the guard keeps trying.
 *
 *   watching → (postmaster gone) → reviving → watching
 *          ↘ (end)                        ↘ (end, after the attempt under way) → ended
 */
export type Guard = { pid(): number; end(): Promise<void> }

const LOOK_MS = 250
const RETRY_DELAY_MS_MAX = 10_000

export function guardPostgres(site: Site, firstPid: number): Guard {
  const { port } = site.connection
  let pid = firstPid
  let ended = false
  let failures = 0
  let nextTryMs = 0
  let reviving: Promise<void> | null = null

  async function revive(): Promise<void> {
    try {
      pid = (await bringUp(site, { keepPort: true })).pid
      failures = 0
      site.log.warn({ pid, port }, 'PostgreSQL is back')
    } catch (error) {
      nextTryMs = Date.now() + Math.min(RETRY_DELAY_MS_MAX, LOOK_MS * 2 ** failures++)
      site.log.error({ reason: String(error) }, 'PostgreSQL cannot be started again')
    }
  }

  const look = setInterval(() => {
    if (ended || reviving !== null || Date.now() < nextTryMs || isAlive(pid)) return
    if (failures === 0) site.log.error({ pid }, 'PostgreSQL died; starting it again')
    reviving = revive().finally(() => {
      reviving = null
    })
  }, LOOK_MS)
  look.unref()

  return {
    pid: () => pid,
    async end() {
      ended = true
      clearInterval(look)
      await reviving
    },
  }
}
