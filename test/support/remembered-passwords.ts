import { hashPassword, verifyPassword } from 'better-auth/crypto'
import type { PasswordKeeping } from '../../src/accounts/people/dashboard-auth.ts'

/**
 * Hashing a password is slow on purpose, and hundreds of tests that are about something else sign somebody in. What was hashed or
 * checked once is remembered: kept and checked as the server does it, but for the salt, which is then the same for everybody with
 * that password. A test of how passwords are kept, or of how long that takes, wants `useTestApp({ passwords: null })`.
 */
const hashes = new Map<string, Promise<string>>()
const verdicts = new Map<string, Promise<boolean>>()

export const rememberedPasswords: PasswordKeeping = {
  hash(password) {
    const hash = hashes.get(password) ?? hashPassword(password)
    hashes.set(password, hash)
    return hash
  },
  verify({ hash, password }) {
    const claim = JSON.stringify([hash, password])
    const verdict = verdicts.get(claim) ?? verifyPassword({ hash, password })
    verdicts.set(claim, verdict)
    return verdict
  },
}
