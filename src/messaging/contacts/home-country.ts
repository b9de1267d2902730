import { findOrganizationById } from '../../accounts/organizations/organizations.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database } from '../../platform/database/database.ts'

/** The country in whose spelling an organization writes phone numbers. It hardly ever changes, so it is kept for a while. */
export type HomeCountry = (orgId: OrgId) => string | Promise<string>

const KEPT_MS = 30_000
const ORGANIZATIONS_MAX = 10_000
const UNKNOWN = 'ID'

export function createHomeCountry(database: Database): HomeCountry {
  const kept = new RecentMap<OrgId, { country: string; atMs: number }>({ sizeMax: ORGANIZATIONS_MAX })
  const load = async (orgId: OrgId) => {
    const country = (await findOrganizationById(database, orgId))?.default_country ?? UNKNOWN
    kept.set(orgId, { country, atMs: performance.now() })
    return country
  }
  return (orgId) => {
    const known = kept.get(orgId)
    return known !== undefined && performance.now() - known.atMs < KEPT_MS ? known.country : load(orgId)
  }
}
