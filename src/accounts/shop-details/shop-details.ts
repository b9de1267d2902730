import { createHash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isRecord } from '../../kernel/records.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { changeOrganization, type OrganizationProfile } from '../organizations/organizations.ts'
import { deleteLogo, findLogo, type LogoRow, upsertLogo } from './shop-details.sql.ts'

/** What an organization says about itself on payment pages, receipts and invoices. All of it is optional, except for the name. */
export type ShopDetails = {
  name: string
  address: string | null
  /** E.164. */
  phone: string | null
  email: string | null
  taxNumber: string | null
  logo: ShopLogo | null
}

/** The hash changes with the image, so an address that contains it can be cached for ever. */
export type ShopLogo = { hash: string; contentType: LogoType }

export const logoTypes = ['image/png', 'image/jpeg'] as const
export type LogoType = (typeof logoTypes)[number]

export type Logo = Pick<LogoRow, 'content_type' | 'hash' | 'bytes'>

type Settings = Pick<OrganizationProfile, 'settings'>

export const shopDetailsOf = ({ name, settings }: Pick<OrganizationProfile, 'name' | 'settings'>): ShopDetails => ({
  name,
  address: textOf(settings.address),
  phone: textOf(settings.contact_phone),
  email: textOf(settings.contact_email),
  taxNumber: textOf(settings.tax_number),
  logo: logoOf({ settings }),
})

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

function logoOf({ settings }: Settings): ShopLogo | null {
  if (!isRecord(settings.logo)) return null
  const { hash, content_type: type } = settings.logo
  const contentType = logoTypes.find((known) => known === type)
  return typeof hash !== 'string' || contentType === undefined ? null : { hash, contentType }
}

/** Whether customers receive the receipt as a document when they have paid; off by default. */
export const areReceiptsSent = ({ settings }: Settings): boolean => settings.receipts_in_chat === true

/** Whether customers receive the invoice as a document when an order is paid by invoice; off by default. */
export const areInvoicesSent = ({ settings }: Settings): boolean => settings.invoices_in_chat === true

export const readLogo = (queries: Queries, orgId: OrgId): Promise<Logo | null> => findLogo(queries, orgId)

/** The caller has checked that the bytes are an image of this type. */
export async function saveLogo(
  tx: Tx,
  clock: Clock,
  orgId: OrgId,
  { contentType, bytes }: { contentType: LogoType; bytes: Uint8Array },
): Promise<OrganizationProfile> {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const row = { content_type: contentType, hash, bytes: Buffer.from(bytes), created_at: new Date(clock.now()) }
  await upsertLogo(tx, orgId, row)
  return changeOrganization(tx, orgId, { settings: { logo: { hash, content_type: contentType } } })
}

export async function removeLogo(tx: Tx, orgId: OrgId): Promise<OrganizationProfile> {
  await deleteLogo(tx, orgId)
  return changeOrganization(tx, orgId, { settings: { logo: null } })
}
