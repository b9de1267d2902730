import { z } from 'zod'
import {
  changeOrganization,
  findOrganizationById,
  getProfile,
  holdProfile,
  type Organization,
} from '../../accounts/organizations/organizations.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { defineChange, defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { BEYOND_SCHEMA } from '../../platform/http/pipeline/validation.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { presentSettings, settingMembers, settingsChange, settingsExample } from '../console-api/settings.routes.ts'

/** The organization of a key, with its settings. */
export const OrganizationShape = z
  .object({
    object: z.literal('organization'),
    id: idSchema('org'),
    slug: textSchema(63),
    currency: textSchema(3),
    sandbox: z.boolean().meta({ description: 'Whether this is the sandbox of an organization.' }),
    created_at: timeSchema,
    ...settingMembers,
  })
  .meta({ id: 'OrganizationDetails', description: 'An organization and its settings.' })

export const OrganizationChange = settingsChange(BEYOND_SCHEMA).meta({ id: 'OrganizationChange' })

export const organizationExample = {
  object: 'organization',
  ...settingsExample,
  sandbox: false,
  created_at: '2026-11-14T09:30:00.000Z',
}

const shared = { tag: 'Organization', path: '/organization' } as const

type OrganizationView = z.input<typeof OrganizationShape>

export const presentOrganization = async (queries: Queries, orgId: OrgId): Promise<OrganizationView> => {
  const organization = (await findOrganizationById(queries, orgId)) as Organization
  return {
    object: 'organization',
    sandbox: organization.sandbox_of !== null,
    created_at: organization.created_at.toISOString(),
    ...presentSettings(organization, await getProfile(queries, orgId)),
  }
}

export async function changeFrom(
  tx: Tx,
  orgId: OrgId,
  { name, default_country, timezone, ...settings }: z.output<typeof OrganizationChange>,
): Promise<OrganizationView> {
  const details = {
    ...(name && { name }),
    ...(default_country && { default_country }),
    ...(timezone && { timezone }),
  }
  await changeOrganization(tx, orgId, { ...details, settings })
  return presentOrganization(tx, orgId)
}

export const organizationRoutes = (): Route[] => [
  defineRoute({
    ...shared,
    id: 'getOrganization',
    method: 'GET',
    summary: 'Get the organization',
    description: 'Returns the organization of the key with its settings.',
    access: key('settings:read'),
    reply: { status: 200, body: OrganizationShape },
    example: { reply: organizationExample },
    handle: ({ caller: { orgId }, queries }) => presentOrganization(queries, orgId),
  }),
  defineChange({
    ...shared,
    id: 'updateOrganization',
    method: 'PATCH',
    summary: 'Edit the organization',
    description: 'Changes the settings you send. They apply within a second. The slug and the currency do not change.',
    access: key('settings:write'),
    body: OrganizationChange,
    reply: { status: 200, body: OrganizationShape },
    errors: [valueRefused],
    example: { body: { language: 'id' }, reply: organizationExample },
    lock: (tx, { caller: { orgId } }) => holdProfile(tx, orgId),
    handle: ({ tx, caller: { orgId }, body }) => changeFrom(tx, orgId, body),
  }),
]
