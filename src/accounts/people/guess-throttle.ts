import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'
import type { Database } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/limits/client-address.ts'
import { deleteExpiredCodes, deleteUsedCode, findSpent, insertUsedCode, refundGuess, spendGuess } from './people.sql.ts'

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

type ThrottleParts = { database: Database; clock: Clock }

export function createGuessThrottle({ database, clock }: ThrottleParts): GuessThrottle {
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

/**
 * A signed cookie by which a browser proves that it signed in to an account before. It opens nothing: the throttle of guesses
 * counts such a device apart, so that guesses of others do not lock its owner out. One cookie per account, named by a hash, so a
 * shared computer does not show who uses it. Nothing is stored here.
 */
export type KnownDevices = {
  /** A name for the device, or null when the browser has no valid cookie for the account. */
  find(cookies: string | null, email: string): string | null
  /** The Set-Cookie line. */
  remember(email: string): string
}

export type KnownDevicesOptions = { secret: Uint8Array; clock: Clock; isHttps: boolean }

const DEVICE_DAYS = 180
const DAY_MS = 24 * 3_600_000

export function createKnownDevices({ secret, clock, isHttps }: KnownDevicesOptions): KnownDevices {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
  const nameFor = (email: string) =>
    `${isHttps ? '__Secure-' : ''}nexkit.device_${sign(`device cookie of ${email}`).slice(0, 12)}`
  const proofFor = (email: string, device: string) => sign(`device ${device} of ${email}`)
  return {
    find(cookies, email) {
      const name = nameFor(email)
      const pair = (cookies ?? '').split(';').find((one) => one.trim().startsWith(`${name}=`))
      const [device = '', proof = ''] = (pair?.trim().slice(name.length + 1) ?? '').split('.')
      if (!isSameSecret(proof, proofFor(email, device))) return null
      const issuedAtMs = Number.parseInt(device.split('-')[0] as string, 36)
      return clock.now() - issuedAtMs <= DEVICE_DAYS * DAY_MS ? device : null
    },
    remember(email) {
      const device = `${clock.now().toString(36)}-${randomBytes(12).toString('hex')}`
      const attributes = `Max-Age=${(DEVICE_DAYS * DAY_MS) / 1000}; Path=/api/auth; HttpOnly; SameSite=Lax`
      return `${nameFor(email)}=${device}.${proofFor(email, device)}; ${attributes}${isHttps ? '; Secure' : ''}`
    },
  }
}

/**
 * A code of an authenticator app is valid for about a minute and for one sign-in (RFC 6238, section 5.2), so an
 * observer cannot use it again. It is claimed before it is checked, and released when it was wrong.
 */
const KEPT_MS = 120_000

export type UsedCode = { personId: string; code: string }

const nameOf = ({ personId, code }: UsedCode) => createHash('sha256').update(`${personId} ${code.trim()}`).digest('hex')

/** False when it was used before. */
export async function claimCode({ database, clock }: ThrottleParts, used: UsedCode): Promise<boolean> {
  const now = new Date(clock.now())
  const identifier = `used code of ${used.personId}`
  await deleteExpiredCodes(database, identifier, now)
  const expiresAt = new Date(now.getTime() + KEPT_MS)
  return (await insertUsedCode(database, { id: nameOf(used), identifier, expiresAt })) === 1
}

export const releaseCode = ({ database }: Pick<ThrottleParts, 'database'>, used: UsedCode): Promise<number> =>
  deleteUsedCode(database, nameOf(used))
