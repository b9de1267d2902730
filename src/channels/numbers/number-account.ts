import { createHash } from 'node:crypto'
import type { NumberRow } from './numbers.sql.ts'

/**
 * The WhatsApp Business account of a number, as Meta's dialect names it: the one that was given with the number, else an id
 * of the organization that stays the same and, like Meta's, has digits only.
 */
export const accountIdOf = ({ org_id: orgId, settings }: Pick<NumberRow, 'org_id' | 'settings'>): string =>
  typeof settings.waba_id === 'string' ? settings.waba_id : derivedIdOf(orgId)

const FIRST = 100_000_000_000_000n
const COUNT = 900_000_000_000_000n

const derivedIdOf = (orgId: string): string => {
  const digest = createHash('sha256').update(`business account ${orgId}`).digest()
  return String(FIRST + (digest.readBigUInt64BE() % COUNT))
}
