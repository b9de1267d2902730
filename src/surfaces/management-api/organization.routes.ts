import { z } from 'zod'
import { logoNotFound } from '../../accounts/accounts.errors.ts'
import type { AccountsContext } from '../../accounts/keys/keys.ts'
import {
  findOrganizationById,
  getProfile,
  holdProfile,
  type Organization,
} from '../../accounts/organizations/organizations.ts'
import {
  type LogoType,
  logoTypes,
  readLogo,
  removeLogo,
  type Logo as StoredLogo,
  saveLogo,
} from '../../accounts/shop-details/shop-details.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { inspectLogo, LOGO_BYTES_MAX, LOGO_PIXELS_MAX } from '../../orders/documents/documents.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { defineChange, defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { BEYOND_SCHEMA, refuseValues } from '../../platform/http/pipeline/validation.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import {
  changeSettings,
  logoMember,
  presentSettings,
  settingMembers,
  settingsChange,
  settingsExample,
} from '../console-api/settings.routes.ts'

/** The organization of a key, with its settings. */
export const OrganizationShape = z
  .object({
    object: z.literal('organization'),
    id: idSchema('org'),
    slug: textSchema(63),
    currency: textSchema(3),
    sandbox: z.boolean().meta({ description: 'Whether this is the sandbox of an organization.' }),
    suspended: z
      .object({ since: timeSchema, reason: textSchema(500).nullable() })
      .nullable()
      .meta({ description: 'Since when its keys and agents are refused, and why. Null if they are not.' }),
    created_at: timeSchema,
    ...settingMembers,
    ...logoMember,
  })
  .meta({ id: 'OrganizationDetails', description: 'An organization and its settings.' })

export const OrganizationChange = settingsChange(BEYOND_SCHEMA).meta({ id: 'OrganizationChange' })

export const organizationExample = {
  object: 'organization',
  ...settingsExample,
  sandbox: false,
  suspended: null,
  created_at: '2026-11-14T09:30:00.000Z',
}

const shared = { tag: 'Organization', path: '/organization' } as const

type OrganizationView = z.input<typeof OrganizationShape>

export const presentOrganization = async (queries: Queries, orgId: OrgId): Promise<OrganizationView> => {
  const organization = (await findOrganizationById(queries, orgId)) as Organization
  return {
    object: 'organization',
    sandbox: organization.sandbox_of !== null,
    suspended: suspensionOf(organization),
    created_at: organization.created_at.toISOString(),
    ...presentSettings(organization, await getProfile(queries, orgId)),
  }
}

const suspensionOf = ({
  suspended_at: since,
  suspended_reason: reason,
}: Organization): OrganizationView['suspended'] => (since === null ? null : { since: since.toISOString(), reason })

export async function changeFrom(
  tx: Tx,
  orgId: OrgId,
  change: z.output<typeof OrganizationChange>,
): Promise<OrganizationView> {
  await changeSettings(tx, orgId, change)
  return presentOrganization(tx, orgId)
}

const BASE64_MAX = Math.ceil(LOGO_BYTES_MAX / 3) * 4

const NewLogo = z
  .strictObject({
    data: z
      .string()
      .min(4)
      .max(BASE64_MAX)
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'This must be base64.')
      .meta({
        description: `The image in base64: PNG or JPEG, at most ${LOGO_BYTES_MAX} bytes and ${LOGO_PIXELS_MAX} pixels on each side.`,
      }),
  })
  .meta({ id: 'NewLogo', description: 'An image.' })

const Logo = z
  .object({
    object: z.literal('logo'),
    content_type: z.enum(logoTypes),
    hash: textSchema(64).meta({ description: 'Changes with the image.' }),
    data: textSchema(BASE64_MAX).meta({ description: 'The image in base64.' }),
  })
  .meta({ id: 'Logo', description: 'The logo of the organization.' })

const logoExample = {
  object: 'logo' as const,
  content_type: 'image/png' as const,
  hash: '9b0f4c1d2e3a5b6c',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
}

const logoPlace = { tag: 'Organization', path: '/organization/logo' } as const

const presentLogo = ({ content_type, hash, bytes }: StoredLogo): z.input<typeof Logo> => ({
  object: 'logo',
  content_type: content_type as LogoType,
  hash,
  data: Buffer.from(bytes).toString('base64'),
})

/** What the bytes are decides, not what the client says of them. */
async function inspect(data: string) {
  const logo = await inspectLogo(Buffer.from(data, 'base64'))
  if (!logo.ok) throw refuseValues([{ pointer: '#/data', ...logo.problem }])
  return logo
}

export type OrganizationRouteParts = { accounts: Pick<AccountsContext, 'clock'> }

export const organizationRoutes = ({ accounts }: OrganizationRouteParts): Route[] => [
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
  defineRoute({
    ...logoPlace,
    id: 'getOrganizationLogo',
    method: 'GET',
    summary: 'Get the logo',
    description: 'Returns the logo of the organization.',
    access: key('settings:read'),
    reply: { status: 200, body: Logo },
    errors: [logoNotFound],
    example: { reply: logoExample },
    async handle({ caller: { orgId }, queries }) {
      const logo = await readLogo(queries, orgId)
      if (logo === null) throw logoNotFound()
      return presentLogo(logo)
    },
  }),
  defineChange({
    ...logoPlace,
    id: 'setOrganizationLogo',
    method: 'PUT',
    summary: 'Set the logo',
    description:
      'Stores a PNG or JPEG image as the logo on payment pages, receipts and invoices, in place of the one before.',
    access: key('settings:write'),
    body: NewLogo,
    reply: { status: 200, body: Logo },
    errors: [valueRefused],
    example: { body: { data: logoExample.data }, reply: logoExample },
    lock: (tx, { caller: { orgId } }) => holdProfile(tx, orgId),
    async handle({ tx, caller: { orgId }, body }) {
      const { contentType, bytes } = await inspect(body.data)
      await saveLogo(tx, accounts.clock, orgId, { contentType, bytes })
      return presentLogo((await readLogo(tx, orgId)) as StoredLogo)
    },
  }),
  defineChange({
    ...logoPlace,
    id: 'deleteOrganizationLogo',
    method: 'DELETE',
    summary: 'Delete the logo',
    description: 'Removes the logo. Payment pages and documents show the name alone.',
    access: key('settings:write'),
    reply: { status: 204, body: null },
    example: { reply: null },
    lock: (tx, { caller: { orgId } }) => holdProfile(tx, orgId),
    async handle({ tx, caller: { orgId } }) {
      await removeLogo(tx, orgId)
      return undefined
    },
  }),
]
