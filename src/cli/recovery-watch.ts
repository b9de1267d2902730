import type { RecoveryView } from '../webhooks/recovery/recovery.ts'
import { printNote } from './framework/output.ts'

/**
 * Watches a recovery from a terminal. The recovery is a job of the server and continues without a watcher.
 *
 *   watching ── it is over ──▶ the result is printed
 *   watching ── Ctrl-C ──▶ the watching ends, the recovery does not; the command that cancels it is printed
 */
export type Watch = {
  look: () => Promise<RecoveryView>
  id: string
  /** The command that cancels it. */
  cancelling: string
}

export type Watched = { recovery: RecoveryView; isInterrupted: boolean }

const POLL_MS = 250

export async function watchRecovery({ look, id, cancelling }: Watch): Promise<Watched> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  try {
    let recovery = await look()
    let said = say(recovery, '')
    while (recovery.finished_at === null && !interruption.signal.aborted) {
      await pause(interruption.signal)
      recovery = await look()
      said = say(recovery, said)
    }
    const isInterrupted = recovery.finished_at === null
    if (isInterrupted) printNote(`Recovery ${id} continues without this command. To cancel it: ${cancelling}`)
    return { recovery, isInterrupted }
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

/** Ends at once when interrupted. */
const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, POLL_MS)
    signal.addEventListener('abort', end)
  })

/** A line whenever something changed; progress is for people, so it stays off stdout. */
function say({ status, reason, progress }: RecoveryView, before: string): string {
  const { total, done, queued } = progress
  const tried = done - queued
  const share = total === null || total === 0 ? '' : ` (${Math.floor((100 * tried) / total)} %)`
  const why = reason === null ? '' : `; ${reason}`
  const line = total === null ? 'counting' : `${status}: ${tried} of ${total} tried${share}${why}`
  if (line !== before) printNote(line)
  return line
}
