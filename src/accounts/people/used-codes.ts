import { createHash } from 'node:crypto'
import type { PeopleContext } from './people.ts'

/**
 * A code of an authenticator app holds for a minute or so, and for one sign-in (RFC 6238, section 5.2): whoever looks over a
 * shoulder must not come in by it as well. It is claimed before it is looked at, and given back when it was wrong.
 */
const KEPT_MS = 120_000

export type UsedCode = { personId: string; code: string }

const nameOf = ({ personId, code }: UsedCode) => createHash('sha256').update(`${personId} ${code.trim()}`).digest('hex')

/** False when it was used before. */
export async function claimCode({ database, clock }: PeopleContext, used: UsedCode): Promise<boolean> {
  const now = new Date(clock.now())
  const identifier = `used code of ${used.personId}`
  await database.run`delete from person_verifications where identifier = ${identifier} and expires_at <= ${now}`
  const claimed = await database.run`
    insert into person_verifications (id, identifier, value, expires_at)
    values (${nameOf(used)}, ${identifier}, '', ${new Date(now.getTime() + KEPT_MS)})
    on conflict (id) do nothing`
  return claimed === 1
}

export const releaseCode = ({ database }: PeopleContext, used: UsedCode): Promise<number> =>
  database.run`delete from person_verifications where id = ${nameOf(used)}`
