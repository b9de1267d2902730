import { createHash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/limits/client-address.ts'
import { findSpent, refundGuess, spendGuess } from './guess-throttle.sql.ts'

/**
 * How often the secrets of an account may be guessed, without locking its owner out.
 *
 *   device that signed in to the account before ── limit of the device ──▶ admitted
 *   any other, and a device above its limit ── limit of (address, account) ── limit of the account ──▶ admitted
 *
 * The limit of the account bounds guessing from many addresses. It is several times what one address may try, so one address
 * cannot use it up, and known devices never touch it. GCRA in the table that the library counts in: `last_request` is the moment
 * at which everything spent is paid back, so a row in the past says nothing and the library's sweep may delete it. In the
 * database because a limit of a few per hour cannot be divided among processes.
 */
export type GuessThrottle = { admit(secret: GuessedSecret, guess: Guess): Promise<Admission> }

export type GuessedSecret = keyof typeof LIMITS

export type Guess = {
  account: string
  address: string
  /** Null when the browser never signed in to this account. */
  device: string | null
}

export type Admission =
  | { isAdmitted: true; isKnownDevice: boolean; refund(): Promise<void> }
  | { isAdmitted: false; limit: 'address' | 'account'; retryAfterSeconds: number }

type Limit = { perHour: number; burst: number }

const LIMITS = {
  password: {
    device: { perHour: 20, burst: 10 },
    address: { perHour: 20, burst: 10 },
    account: { perHour: 100, burst: 100 },
  },
  code: {
    device: { perHour: 20, burst: 10 },
    address: { perHour: 10, burst: 5 },
    account: { perHour: 40, burst: 20 },
  },
  /** Not guessed, but asked for: every link is a mail. */
  reset_link: {
    device: { perHour: 6, burst: 3 },
    address: { perHour: 6, burst: 3 },
    account: { perHour: 20, burst: 10 },
  },
} as const satisfies Record<string, Record<'device' | 'address' | 'account', Limit>>

const HOUR_MS = 3_600_000
/** Attempts at the same moment are written in any order; far below the shortest interval. */
const ORDER_SLACK_MS = 1_000

export function createGuessThrottle({ database, clock }: { database: Database; clock: Clock }): GuessThrottle {
  async function spend(limit: Limit, name: string) {
    const key = createHash('sha256').update(name).digest('hex')
    const intervalMs = HOUR_MS / limit.perHour
    const capacityMs = limit.burst * intervalMs + ORDER_SLACK_MS
    const nowMs = clock.now()
    const isAllowed = (await spendGuess(database, { key, nowMs, intervalMs, capacityMs })) !== null
    const retryAfterSeconds = async () => {
      const paidBackMs = (await findSpent(database, key))?.last_request ?? nowMs
      return Math.max(1, Math.ceil((paidBackMs + intervalMs - capacityMs - nowMs) / 1000))
    }
    return { isAllowed, retryAfterSeconds, refund: () => refundGuess(database, key, intervalMs) }
  }
  return {
    async admit(secret, { account, address, device }) {
      const limits = LIMITS[secret]
      if (device !== null) {
        const spent = await spend(limits.device, `${secret} device ${device}`)
        if (spent.isAllowed)
          return { isAdmitted: true, isKnownDevice: true, refund: async () => void (await spent.refund()) }
      }
      const byAddress = await spend(limits.address, `${secret} address ${networkOf(address)} ${account}`)
      if (!byAddress.isAllowed)
        return { isAdmitted: false, limit: 'address', retryAfterSeconds: await byAddress.retryAfterSeconds() }
      const byAccount = await spend(limits.account, `${secret} account ${account}`)
      if (!byAccount.isAllowed)
        return { isAdmitted: false, limit: 'account', retryAfterSeconds: await byAccount.retryAfterSeconds() }
      return {
        isAdmitted: true,
        isKnownDevice: false,
        async refund() {
          await byAddress.refund()
          await byAccount.refund()
        },
      }
    },
  }
}
