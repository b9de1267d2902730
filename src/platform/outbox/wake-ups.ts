import type { OrgId } from '../../kernel/ids.ts'
import type { Database, Listener, ListenSession } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Informs the other processes that some organizations have new work. Sent after the commit that enqueued it, never inside:
 * transactions that notify commit one after another. The first goes out at once; those that follow within a few
 * milliseconds go out together. A lost one costs a second, and five at most, so nothing waits for it and nothing is sent twice.
 *
 * An empty notification (a poke) names no organization: the processes look at all of them.
 */
export const OUTBOX_CHANNEL = 'nexkit_outbox'

/** PostgreSQL takes payloads below 8,000 bytes. */
const PAYLOAD_BYTES_MAX = 7_900
const EVERY_ORG = '*'

export type WakeUps = {
  /** Without ids: look everywhere. */
  send(orgIds?: readonly OrgId[]): void
  close(): Promise<void>
}

export type WakeUpsOptions = { database: Database; processId: string; log: Log; coalesceMs?: number }

export function openWakeUps({ database, processId, log, coalesceMs = 10 }: WakeUpsOptions): WakeUps {
  let gathered = new Set<string>()
  let quiet: Promise<void> | null = null
  const notify = async () => {
    const payload = writeWakeUp(processId, gathered)
    gathered = new Set()
    await database.notify(OUTBOX_CHANNEL, payload).catch((error) => log.debug({ err: error }, 'outbox wake-up lost'))
  }
  const sendUntilQuiet = async () => {
    while (gathered.size > 0) {
      await notify()
      await new Promise((resolve) => setTimeout(resolve, coalesceMs))
    }
    quiet = null
  }
  return {
    send(orgIds) {
      for (const orgId of orgIds ?? [EVERY_ORG]) gathered.add(orgId)
      quiet ??= sendUntilQuiet()
    },
    close: async () => {
      await quiet
    },
  }
}

function writeWakeUp(processId: string, orgIds: ReadonlySet<string>): string {
  const payload = [processId, ...orgIds].join('\n')
  return Buffer.byteLength(payload) <= PAYLOAD_BYTES_MAX ? payload : `${processId}\n${EVERY_ORG}`
}

export type WakeUp = { processId: string; orgIds: OrgId[]; isEveryOrg: boolean }

export function readWakeUp(payload: string): WakeUp {
  const [processId = '', ...orgIds] = payload.split('\n')
  return {
    processId,
    orgIds: orgIds.filter((orgId): orgId is OrgId => orgId.startsWith('org_')),
    isEveryOrg: orgIds.length === 0 || orgIds.includes(EVERY_ORG),
  }
}

/** `onMissed` is called whenever wake-ups may have been missed: the listening connection was down. */
export function listenForWakeUps(
  database: Database,
  {
    onWakeUp,
    onMissed,
    session,
  }: { onWakeUp: (wakeUp: WakeUp) => void; onMissed: () => void; session?: ListenSession },
): Promise<Listener> {
  return database.listen(OUTBOX_CHANNEL, (payload) => onWakeUp(readWakeUp(payload)), onMissed, session)
}

/** A wait that can be ended early. A ring without a waiter is kept for the next one, so none is lost between two looks. */
export class Alarm {
  #isRung = false
  #awaken: (() => void) | null = null

  ring(): void {
    this.#isRung = true
    this.#awaken?.()
  }

  /** True when it was rung, false when the time ran out. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#isRung) await this.#sleep(timeoutMs)
    const wasRung = this.#isRung
    this.#isRung = false
    return wasRung
  }

  async #sleep(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, Math.max(0, timeoutMs))
    this.#awaken = resolve
    await promise
    clearTimeout(timer)
    this.#awaken = null
  }
}
