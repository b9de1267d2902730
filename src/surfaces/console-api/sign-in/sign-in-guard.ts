import { createGuessThrottle, createKnownDevices, type GuessedSecret } from '../../../accounts/people/people.ts'
import { type Asked, type AuthRouteParts, throttled } from './auth-question.ts'

/** Throttles what proves who someone is, and remembers the browsers that proved it. */
export type SignInGuard = {
  /** Throws when there were too many guesses. */
  admit(asked: Asked, secret: Exclude<GuessedSecret, 'reset_link'>, email: string): Promise<Admitted>
  /**
   * Null when no further link is sent: those sent within the last hour still work and are in the owner's inbox. Throws when this
   * address has asked for too many.
   */
  admitReset(asked: Asked, email: string): Promise<Admitted | null>
  /** Sets the cookie by which this browser is known for the account. */
  remember(asked: Asked, email: string): void
}

/** `refund` for a guess that was right, which is not counted. */
export type Admitted = { isKnownDevice: boolean; refund(): Promise<void> }

export function createSignInGuard({ people, publicOrigin }: AuthRouteParts): SignInGuard {
  const isHttps = publicOrigin.startsWith('https:')
  const devices = createKnownDevices({ secret: people.secret, clock: people.clock, isHttps })
  const throttle = createGuessThrottle(people)
  const guess = ({ request, address }: Asked, email: string) => ({
    account: email,
    address,
    device: devices.find(request.headers.get('cookie'), email),
  })
  return {
    async admit(asked, secret, email) {
      const admission = await throttle.admit(secret, guess(asked, email))
      if (!admission.isAdmitted) throw throttled(admission.retryAfterSeconds)
      return admission
    },
    async admitReset(asked, email) {
      const admission = await throttle.admit('reset_link', guess(asked, email))
      if (admission.isAdmitted) return admission
      if (admission.limit === 'account') return null
      throw throttled(admission.retryAfterSeconds)
    },
    remember: ({ headers }, email) => headers.push('Set-Cookie', devices.remember(email)),
  }
}
