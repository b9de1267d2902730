import type { OrgId } from '../kernel/ids.ts'
import type { Database, Listener } from '../platform/database/database.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { listAnswered } from './payments.sql.ts'

/**
 * Lets a request wait for the provider's answer to a charge that some process makes: woken by the transaction that stores
 * the answer, and looking by itself now and then in case the call was lost. All waiting requests share one look.
 */
export const PAYMENTS_CHANNEL = 'nexkit_payments'

export type PaymentWaiter = {
  /** True once it was answered; false when the time was up. */
  waitForAnswer(orgId: OrgId, paymentId: string, timeoutMs: number): Promise<boolean>
  start(): Promise<void>
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 500

type Waiting = { orgId: OrgId; settle: (isAnswered: boolean) => void }

export function createPaymentWaiter({ database, log }: { database: Database; log: Log }): PaymentWaiter {
  const waiting = new Map<string, Waiting>()
  let listener: Listener | null = null
  let looking: Promise<void> | null = null
  let isWanted = false
  let timer: ReturnType<typeof setInterval> | null = null

  const look = async () => {
    const orgIds = [...new Set([...waiting.values()].map(({ orgId }) => orgId))]
    try {
      for (const { id } of await listAnswered(database, orgIds, [...waiting.keys()])) waiting.get(id)?.settle(true)
    } catch (error) {
      log.warn({ err: error }, 'looking for answered charges failed')
    }
  }
  // A call during a look means another look right after it: the first may have been too early.
  const lookSoon = () => {
    if (waiting.size === 0) return
    isWanted = true
    looking ??= lookWhileWanted().finally(() => {
      looking = null
    })
  }
  const stopLooking = () => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  const lookWhileWanted = async () => {
    while (isWanted) {
      isWanted = false
      await look()
    }
  }
  return {
    waitForAnswer(orgId, paymentId, timeoutMs) {
      return new Promise((resolve) => {
        const settle = (isAnswered: boolean) => {
          clearTimeout(limit)
          waiting.delete(paymentId)
          if (waiting.size === 0) stopLooking()
          resolve(isAnswered)
        }
        const limit = setTimeout(() => settle(false), timeoutMs)
        waiting.set(paymentId, { orgId, settle })
        timer ??= setInterval(lookSoon, LOOK_EVERY_MS)
        lookSoon()
      })
    },
    async start() {
      listener = await database.listen(PAYMENTS_CHANNEL, lookSoon, lookSoon)
    },
    async stop() {
      for (const { settle } of [...waiting.values()]) settle(false)
      await looking
      await listener?.close().catch(() => {})
    },
  }
}
