import { createHash } from 'node:crypto'
import type { PeopleContext } from './people.ts'
import { deleteExpiredCodes, deleteUsedCode, insertUsedCode } from './used-codes.sql.ts'

/**
 * A code of an authenticator app is valid for about a minute and for one sign-in (RFC 6238, section 5.2), so an
 * observer cannot use it again. It is claimed before it is checked, and released when it was wrong.
 */
const KEPT_MS = 120_000

export type UsedCode = { personId: string; code: string }

const nameOf = ({ personId, code }: UsedCode) => createHash('sha256').update(`${personId} ${code.trim()}`).digest('hex')

/** False when it was used before. */
export async function claimCode({ database, clock }: PeopleContext, used: UsedCode): Promise<boolean> {
  const now = new Date(clock.now())
  const identifier = `used code of ${used.personId}`
  await deleteExpiredCodes(database, identifier, now)
  const expiresAt = new Date(now.getTime() + KEPT_MS)
  return (await insertUsedCode(database, { id: nameOf(used), identifier, expiresAt })) === 1
}

export const releaseCode = ({ database }: PeopleContext, used: UsedCode): Promise<number> =>
  deleteUsedCode(database, nameOf(used))
