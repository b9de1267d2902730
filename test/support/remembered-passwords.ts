import { hashPassword, verifyPassword } from 'better-auth/crypto'
import type { PasswordKeeping } from '../../src/accounts/people/dashboard-auth.ts'

/**
 * Hashing a password is slow on purpose, and hundreds of tests about other things sign a person in. Hashes and verdicts
 * are therefore cached: stored and checked as the server does it, except that equal passwords share a salt. A test of
 * how passwords are stored, or of how long that takes, uses `useTestApp({ passwords: null })`.
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
