import { pause } from './deadline.ts'
import { NexkitError, TimeoutError } from './errors.ts'
import { Approvals } from './generated/resources.ts'
import type { Approval } from './generated/types.ts'
import { isWorthRepeating } from './retry.ts'

const POLL_MS = 2000

/** A person has to decide, or it has to run. */
const UNSETTLED = ['pending', 'approved']

export type WaitOptions = {
  /** Throws a `TimeoutError` after it. Without it, until the approval expires, which it does after 15 minutes. */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  /** How long to wait before it is asked for again. */
  pollMs?: number | undefined
}

export class ApprovalDesk extends Approvals {
  /**
   * Until it ran (`done`, `failed`) or will not (`refused`, `expired`).
   *
   * A person takes minutes, in which a server may be restarted: it asks again after a transient failure, once
   * a first call has succeeded, for as long as the approval could be decided.
   */
  async wait(
    id: string,
    { timeoutMs = Number.POSITIVE_INFINITY, signal, pollMs = POLL_MS }: WaitOptions = {},
  ): Promise<Approval> {
    const endsAtMs = Date.now() + timeoutMs
    let approval: Approval = await this.get(id, {}, { signal })
    while (UNSETTLED.includes(approval.status)) {
      const leftMs = endsAtMs - Date.now()
      if (leftMs <= 0) throw new TimeoutError({ message: `${id} was still ${approval.status} after ${timeoutMs} ms.` })
      await pause(Math.min(pollMs, leftMs), signal)
      approval = await this.#lookAgain(approval, signal)
    }
    return approval
  }

  /** As it was when it cannot be seen right now. */
  async #lookAgain(known: Approval, signal: AbortSignal | undefined): Promise<Approval> {
    try {
      return await this.get(known.id, {}, { signal })
    } catch (error) {
      const isPassing = error instanceof NexkitError && isWorthRepeating(error)
      if (isPassing && Date.now() < Date.parse(known.expires_at)) return known
      throw error
    }
  }
}
