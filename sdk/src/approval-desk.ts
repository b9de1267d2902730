import { pause } from './deadline.ts'
import { TimeoutError } from './errors.ts'
import { Approvals } from './generated/resources.ts'
import type { Approval } from './generated/types.ts'

const POLL_MS = 2000

/** Somebody has to decide, or it has to run. */
const UNSETTLED = ['pending', 'approved']

export type WaitOptions = {
  /** Throws a `TimeoutError` after it. Without it, until the approval expires, which it does after 15 minutes. */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  /** How long to wait before it is asked for again. */
  pollMs?: number | undefined
}

export class ApprovalDesk extends Approvals {
  /** Until it ran (`done`, `failed`) or will not (`refused`, `expired`). */
  async wait(
    id: string,
    { timeoutMs = Number.POSITIVE_INFINITY, signal, pollMs = POLL_MS }: WaitOptions = {},
  ): Promise<Approval> {
    const started = Date.now()
    for (;;) {
      const approval = await this.get(id, { signal })
      if (!UNSETTLED.includes(approval.status)) return approval
      if (Date.now() - started + pollMs > timeoutMs)
        throw new TimeoutError({ message: `${id} was still ${approval.status} after ${timeoutMs} ms.` })
      await pause(pollMs, signal)
    }
  }
}
