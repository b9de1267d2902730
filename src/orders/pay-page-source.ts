import type { OrganizationProfile, OrganizationProfiles } from '../accounts/organization-profiles.ts'
import type { Id } from '../kernel/ids.ts'
import type { PayTarget } from '../payments/pay-token.ts'
import type { Database } from '../platform/database/database.ts'
import { findPayPage, type PayPageRow } from './pay-pages.sql.ts'

/** What the payer's page is made of. Nothing about the customer is read at all, so nothing of it can be shown. */
export type PayPageSource = {
  /** Null when the order is gone. */
  read(target: PayTarget): Promise<PayPageFacts | null>
}

export type PayPageFacts = { row: PayPageRow; profile: OrganizationProfile }
export type { PayPageRow } from './pay-pages.sql.ts'

/** One statement for a page; the organization is in memory. */
export const createPayPageSource = (options: {
  database: Database
  profiles: OrganizationProfiles
}): PayPageSource => ({
  async read({ orgId, id }) {
    const [prefix] = id.split('_')
    const wanted = prefix === 'ord' ? { orderId: id as Id<'ord'> } : { paymentId: id as Id<'pay'> }
    const row = await findPayPage(options.database, orgId, wanted)
    return row === null ? null : { row, profile: await options.profiles.read(orgId) }
  },
})
