import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { listAnswered } from './payments.sql.ts'

/**
 * Lets a request wait for the provider's answer to a charge. The process that stores the answer ends the wait after its
 * commit. An answer that another process stored is found in the database, by one look for all requests of an organization that wait.
 */
export type PaymentWaiter = {
  /** Resolves when the charge was answered or the wait timed out. */
  waitForAnswer(orgId: OrgId, paymentId: string, timeoutMs: number): Promise<void>
  onAnswered(paymentId: string): void
  stop(): Promise<void>
}

/** How late a request may learn of an answer that another process stored. */
const LOOK_EVERY_MS = 100

type Waiting = { orgId: OrgId; paymentId: string; end: () => void }

export function createPaymentWaiter({ database, log }: { database: Database; log: Log }): PaymentWaiter {
  const waiting = new Set<Waiting>()
  let timer: ReturnType<typeof setInterval> | null = null
  let looking: Promise<void> | null = null
  let isLookDue = false

  const onAnswered = (paymentId: string) => {
    for (const each of waiting) if (each.paymentId === paymentId) each.end()
  }
  const lookFor = async (orgId: OrgId, some: readonly Waiting[]) => {
    const ids = some.map(({ paymentId }) => paymentId)
    for (const { id } of await listAnswered(database, orgId, ids)) onAnswered(id)
  }
  const look = async () => {
    while (isLookDue) {
      isLookDue = false
      const byOrg = Map.groupBy(waiting, ({ orgId }) => orgId)
      await Promise.all([...byOrg].map(([orgId, ofOrg]) => lookFor(orgId, ofOrg)))
    }
  }
  // One look at a time. A request that begins to wait during a look needs another: its answer may have been stored before.
  const lookSoon = () => {
    isLookDue = true
    looking ??= look()
      .catch((error) => log.warn({ err: error }, 'looking for answered charges failed'))
      .finally(() => {
        looking = null
      })
  }
  return {
    async waitForAnswer(orgId, paymentId, timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const each = { orgId, paymentId, end: resolve }
      const limit = setTimeout(resolve, timeoutMs)
      waiting.add(each)
      timer ??= setInterval(lookSoon, LOOK_EVERY_MS)
      lookSoon()
      await promise
      clearTimeout(limit)
      waiting.delete(each)
      if (waiting.size > 0) return
      clearInterval(timer)
      timer = null
    },
    onAnswered,
    async stop() {
      for (const { end } of waiting) end()
      await looking
    },
  }
}
