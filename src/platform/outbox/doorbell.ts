import type { Database, Listener, ListenSession } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Tells every process that some lanes have new work. Rung after the commit that enqueued it, never inside: transactions
 * that notify commit one after another. The first ring goes out at once; those that follow within a few milliseconds go
 * out together. A lost ring costs at most one poll, so nothing waits for it and nothing is sent twice.
 *
 * An empty notification (a poke) names no lane: it only makes the processes look at the lanes that are ready, which is
 * enough after a function of lanes.ts or entries.ts other than `enqueue`, since those leave the lane ready.
 */
export const OUTBOX_CHANNEL = 'nexkit_outbox'

/** PostgreSQL takes payloads below 8,000 bytes. */
const PAYLOAD_BYTES_MAX = 7_900
const EVERY_LANE = '*'

export type Doorbell = {
  /** Without ids: look everywhere. */
  ring(laneIds?: readonly string[]): void
  close(): Promise<void>
}

export type DoorbellOptions = { database: Database; processId: string; log: Log; coalesceMs?: number }

export function openDoorbell({ database, processId, log, coalesceMs = 10 }: DoorbellOptions): Doorbell {
  let gathered = new Set<string>()
  let quiet: Promise<void> | null = null
  const send = async () => {
    const payload = writeRing(processId, gathered)
    gathered = new Set()
    await database.notify(OUTBOX_CHANNEL, payload).catch((error) => log.debug({ err: error }, 'outbox ring lost'))
  }
  const sendUntilQuiet = async () => {
    while (gathered.size > 0) {
      await send()
      await new Promise((resolve) => setTimeout(resolve, coalesceMs))
    }
    quiet = null
  }
  return {
    ring(laneIds = [EVERY_LANE]) {
      for (const laneId of laneIds) gathered.add(laneId)
      quiet ??= sendUntilQuiet()
    },
    close: async () => {
      await quiet
    },
  }
}

function writeRing(processId: string, laneIds: Set<string>): string {
  const payload = [processId, ...laneIds].join('\n')
  return Buffer.byteLength(payload) <= PAYLOAD_BYTES_MAX ? payload : `${processId}\n${EVERY_LANE}`
}

export type Ring = { processId: string; laneIds: string[]; isEveryLane: boolean }

export function readRing(payload: string): Ring {
  const [processId = '', ...laneIds] = payload.split('\n')
  return {
    processId,
    laneIds: laneIds.filter((laneId) => laneId !== EVERY_LANE),
    isEveryLane: laneIds.includes(EVERY_LANE),
  }
}

/** `onMissed` is called whenever rings may have been missed: the listening connection was down. */
export function listenForRings(
  database: Database,
  { onRing, onMissed, session }: { onRing: (ring: Ring) => void; onMissed: () => void; session?: ListenSession },
): Promise<Listener> {
  return database.listen(OUTBOX_CHANNEL, (payload) => onRing(readRing(payload)), onMissed, session)
}
