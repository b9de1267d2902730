import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'

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
