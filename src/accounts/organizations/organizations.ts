import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { isUniqueViolation } from '../../platform/database/database-errors.ts'
import { organizationNotFound, organizationSlugTaken, sandboxSimulatorsOnly } from '../accounts.errors.ts'
import { bumpAccountRevision } from '../keys/keys.ts'
import {
  findOrganization,
  findOrganizationBySlug,
  findProfile,
  findSandbox as findSandboxRow,
  insertHome,
  insertMissingHomes,
  insertOrganization,
  isAnyHomeMissing,
  listOrganizations as listRows,
  lockProfile,
  mergeSettings,
  type OrganizationDetails,
  type OrganizationRow,
  type ProfileRow,
  saveSuspension,
  updateOrganizationDetails,
} from './organizations.sql.ts'

/** Organizations: the tenants of a server, with the settings that capabilities read their own members of. */
export type Organization = OrganizationRow

export type NewOrganization = {
  name: string
  slug: string
  defaultCountry?: string
  currency?: string
  timezone?: string
  settings?: Record<string, unknown>
  /** The live organization that this one is the sandbox of. */
  sandboxOf?: OrgId
  /** The platform that creates it, and may act for it. */
  platformKeyId?: Id<'pky'>
}

export const SLUG_PATTERN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** A slug from a name; empty when the name has no letter or digit of the alphabet. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)

export async function createOrganization(
  database: Database,
  clock: Clock,
  input: NewOrganization,
): Promise<Organization> {
  try {
    return await database.transaction((tx) => createOrganizationIn(tx, clock, input))
  } catch (error) {
    if (isUniqueViolation(error, 'organizations_slug_key'))
      throw organizationSlugTaken({
        says: `Another organization already has the slug "${input.slug}". Choose another.`,
      })
    throw error
  }
}

/** Creates it in the caller's transaction, so that a sandbox and what it starts with are created together. */
export async function createOrganizationIn(tx: Tx, clock: Clock, input: NewOrganization): Promise<Organization> {
  const now = clock.now()
  const row: OrganizationRow = {
    id: newId('org', now),
    slug: input.slug,
    name: input.name,
    default_country: input.defaultCountry ?? 'ID',
    currency: input.currency ?? 'IDR',
    timezone: input.timezone ?? 'Asia/Jakarta',
    created_at: new Date(now),
    sandbox_of: input.sandboxOf ?? null,
    suspended_at: null,
    suspended_reason: null,
  }
  const more = { settings: input.settings ?? {}, platformKeyId: input.platformKeyId ?? null }
  await Promise.all([insertOrganization(tx, row, more), insertHome(tx, row.id)])
  return row
}

/** In a cluster, for organizations that a process of an earlier version created. */
export async function completeHomes(database: Database): Promise<void> {
  if (database.isSharded() && (await isAnyHomeMissing(database))) await insertMissingHomes(database)
}

export const listOrganizations = (database: Database): Promise<Organization[]> => listRows(database)

export async function getOrganizationBySlug(database: Database, slug: string): Promise<Organization> {
  const row = await findOrganizationBySlug(database, slug)
  if (row === null)
    throw organizationNotFound({ says: `There is no organization with the slug "${slug}".`, params: { slug } })
  return row
}

export const isSlugTaken = async (queries: Queries, slug: string): Promise<boolean> =>
  (await findOrganizationBySlug(queries, slug)) !== null

/** The sandbox of a live organization; for a sandbox, itself. */
export const findSandbox = (queries: Queries, orgId: OrgId): Promise<Organization | null> =>
  findSandboxRow(queries, orgId)

const REMEMBERED_MAX = 10_000
/** Of this process. An organization is a sandbox or live for good. */
const sandboxes = new Map<OrgId, boolean>()

/** Costs a statement the first time only, so that paths of every message may ask. */
export async function isSandbox(queries: Queries, orgId: OrgId): Promise<boolean> {
  const known = sandboxes.get(orgId)
  if (known !== undefined) return known
  const organization = await findOrganizationById(queries, orgId)
  if (organization === null) return false
  if (sandboxes.size >= REMEMBERED_MAX) sandboxes.clear()
  sandboxes.set(orgId, organization.sandbox_of !== null)
  return organization.sandbox_of !== null
}

/** Nothing in a sandbox reaches a real network or provider, because only simulators can be connected to it. */
export async function refuseInSandbox(queries: Queries, orgId: OrgId, connected: string): Promise<void> {
  const organization = await findOrganization(queries, orgId)
  if (organization?.sandbox_of) throw sandboxSimulatorsOnly({ params: { connector: connected } })
}

export const findOrganizationById = (queries: Queries, orgId: OrgId): Promise<Organization | null> =>
  findOrganization(queries, orgId)

/**
 * What a hot path needs to know of an organization: its name, its country, and the settings that capabilities read their
 * own members of. Kept in memory for a moment, so a change of a setting counts everywhere within a second.
 */
export type OrganizationProfile = ProfileRow

export type OrganizationProfiles = { read(orgId: OrgId): Promise<OrganizationProfile> }

const KEPT_MS = 1000
const ORGANIZATIONS_KEPT_MAX = 5000

export function createOrganizationProfiles(database: Database): OrganizationProfiles {
  const kept = new RecentMap<OrgId, { readAtMs: number; profile: Promise<OrganizationProfile> }>({
    sizeMax: ORGANIZATIONS_KEPT_MAX,
  })
  const readAnew = (orgId: OrgId): Promise<OrganizationProfile> => {
    const profile = getProfile(database, orgId)
    kept.set(orgId, { readAtMs: performance.now(), profile })
    // A failed read is not cached: only its own callers see the failure.
    profile.catch(() => kept.delete(orgId))
    return profile
  }
  return {
    read(orgId) {
      const known = kept.get(orgId)
      return known !== undefined && performance.now() - known.readAtMs < KEPT_MS ? known.profile : readAnew(orgId)
    },
  }
}

export async function getProfile(queries: Queries, orgId: OrgId): Promise<OrganizationProfile> {
  const row = await findProfile(queries, orgId)
  if (row === null) throw organizationNotFound({ params: { id: orgId } })
  return row
}

export type OrganizationChange = Partial<OrganizationDetails> & { settings?: Record<string, unknown> }

/** Locks the profile for a caller that reads it before it changes it. */
export const holdProfile = (tx: Tx, orgId: OrgId): Promise<unknown> => lockProfile(tx, orgId)

/** Cached keys contain these details, so the account revision changes too. */
export async function changeOrganization(
  tx: Tx,
  orgId: OrgId,
  { name = null, default_country = null, timezone = null, settings = {} }: OrganizationChange,
): Promise<OrganizationProfile> {
  await updateOrganizationDetails(tx, orgId, { name, default_country, timezone })
  await mergeSettings(tx, orgId, settings)
  await bumpAccountRevision(tx, orgId)
  return getProfile(tx, orgId)
}

/**
 * Refuses the keys and agents of an organization and of its sandbox, within a second everywhere. Its people, its platform, its webhooks
 * and its jobs go on, and payments and messages that arrive are recorded.
 */
export const suspendOrganization = (tx: Tx, orgId: OrgId, { at, reason }: { at: Date; reason: string | null }) =>
  changeSuspension(tx, orgId, { at, reason })

export const resumeOrganization = (tx: Tx, orgId: OrgId) => changeSuspension(tx, orgId, { at: null, reason: null })

async function changeSuspension(tx: Tx, orgId: OrgId, suspension: { at: Date | null; reason: string | null }) {
  await saveSuspension(tx, orgId, suspension)
  await bumpAccountRevision(tx, orgId)
  const sandbox = await findSandboxRow(tx, orgId)
  if (sandbox !== null && sandbox.id !== orgId) await bumpAccountRevision(tx, sandbox.id)
}
