import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import {
  organizationNotFound,
  organizationSlugTaken,
  platformKeyRequired,
  scopeNotGrantable,
} from '../../accounts/accounts.errors.ts'
import { type AuditContext, recordAudit } from '../../accounts/audit/audit.ts'
import type { AccountsContext } from '../../accounts/keys/keys.ts'
import { createApiKeyIn } from '../../accounts/keys/keys.ts'
import {
  createOrganizationIn,
  holdProfile,
  isSlugTaken,
  resumeOrganization,
  SLUG_PATTERN,
  slugOf,
  suspendOrganization,
} from '../../accounts/organizations/organizations.ts'
import { isOrganizationOf, listOrganizationIds, platformKey, platformOf } from '../../accounts/platform/platform.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { allScopes } from '../../kernel/scopes.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, type Route } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { idSchema, textSchema, visibleText } from '../../platform/http/schemas.ts'
import { settingMembers } from '../console-api/settings.routes.ts'
import {
  changeFrom,
  OrganizationChange,
  OrganizationShape,
  organizationExample,
  presentOrganization,
} from './organization.routes.ts'
import { byCaller, pageQuery } from './shared.ts'

/** The organizations of a platform. Keys of organizations are refused. */
export type OrganizationsRouteParts = { accounts: AccountsContext; audit: AuditContext }

const FirstKey = z
  .strictObject({
    name: visibleText(200),
    scopes: z.array(z.enum(allScopes)).min(1, 'Choose at least one scope.').max(allScopes.length),
  })
  .meta({ id: 'FirstApiKey', description: 'An API key to create with the organization.' })

const NewOrganization = z
  .strictObject({
    name: visibleText(200),
    slug: z
      .string()
      .max(63)
      .regex(SLUG_PATTERN, 'Use up to 63 lowercase letters, digits and hyphens, such as toko-budi.')
      .optional()
      .meta({ description: 'Short name for commands and URLs. Derived from the name by default, and never changed.' }),
    default_country: OrganizationChange.shape.default_country,
    timezone: OrganizationChange.shape.timezone,
    language: settingMembers.language.optional(),
    api_key: FirstKey.optional().meta({ description: 'Creates a key for the shop as well.' }),
  })
  .meta({ id: 'NewOrganization', description: 'An organization to create.' })

const CreatedOrganization = OrganizationShape.extend({
  api_key: z
    .object({ id: idSchema('key'), token: textSchema(60) })
    .nullable()
    .meta({ description: 'The key that was asked for, with its token. It is only in this response.' }),
}).meta({ id: 'CreatedOrganization', description: 'An organization that was just created.' })

const params = z.object({ id: idSchema('org') })
const paramsExample = { id: organizationExample.id }
const shared = { tag: 'Organizations', access: platformKey } as const

const Suspension = z
  .strictObject({ reason: visibleText(500).optional().meta({ description: 'Why, for people of the platform.' }) })
  .meta({ id: 'Suspension', description: 'Why an organization is suspended.' })

const suspension = {
  ...shared,
  method: 'POST',
  idempotency: 'transaction',
  params,
  reply: { status: 200, body: OrganizationShape },
  errors: [platformKeyRequired, organizationNotFound],
} as const

async function assertOwn(queries: Queries, caller: Caller, id: OrgId): Promise<void> {
  if (!(await isOrganizationOf(queries, platformOf(caller), id)))
    throw organizationNotFound({ says: `This platform key has no organization ${id}.`, params: { id } })
}

type Call = { caller: Caller; requestId: Id<'req'>; address: string }

/** The caller belongs to no organization, so the entry goes to the one that it is about. */
const enter = (
  audit: AuditContext,
  tx: Tx,
  { caller, requestId, address }: Call,
  { orgId, act }: { orgId: OrgId; act: string },
) =>
  recordAudit(audit, tx, orgId, {
    actor: { type: 'key', id: caller.id, name: null },
    ...{ act, subject: orgId, requestId, address },
  })

const uniqueSlug = (name: string): string =>
  `${slugOf(name).slice(0, 50).replace(/-+$/, '')}-${randomBytes(4).toString('hex')}`

export const organizationsRoutes = ({ accounts, audit }: OrganizationsRouteParts): Route[] => [
  defineList({
    ...shared,
    id: 'listOrganizations',
    path: '/organizations',
    summary: 'List organizations',
    description: 'The organizations that this platform key may act for, newest first. Needs a platform key.',
    query: pageQuery,
    item: OrganizationShape,
    errors: [platformKeyRequired],
    example: { items: [organizationExample] },
    list: 'organizations',
    sort: '-id',
    read: ({ caller, queries, limit, position }) =>
      listOrganizationIds(queries, {
        key: platformOf(caller),
        before: position === null ? null : String(position[0]),
        limit,
      }),
    place: placeById,
    present: (rows, { queries }) => Promise.all(rows.map(({ id }) => presentOrganization(queries, id))),
  }),
  defineRoute({
    ...shared,
    id: 'createOrganization',
    method: 'POST',
    path: '/organizations',
    summary: 'Create an organization',
    description:
      'Creates an organization, and a first API key if you ask for one. Connect numbers and payment accounts and invite its owner by naming it in `Nexkit-Organization`. Needs a platform key.',
    body: NewOrganization,
    reply: { status: 201, body: CreatedOrganization },
    location: ({ id }) => `/organizations/${id}`,
    errors: [platformKeyRequired, organizationSlugTaken, scopeNotGrantable, valueRefused],
    showsSecret: true,
    idempotency: 'transaction',
    example: {
      body: { name: 'Toko Budi', slug: 'toko-budi' },
      reply: { ...organizationExample, name: 'Toko Budi', slug: 'toko-budi', api_key: null },
    },
    async handle({ tx, body, ...call }) {
      const platform = platformOf(call.caller)
      const slug = body.slug ?? uniqueSlug(body.name)
      if (await isSlugTaken(tx, slug)) throw organizationSlugTaken({ params: { slug } })
      const { id } = await createOrganizationIn(tx, accounts.clock, {
        name: body.name,
        slug,
        ...(body.default_country && { defaultCountry: body.default_country }),
        ...(body.timezone && { timezone: body.timezone }),
        settings: body.language === undefined ? {} : { language: body.language },
        platformKeyId: platform.id,
      })
      enter(audit, tx, call, { orgId: id, act: 'createOrganization' })
      const { by, initiator } = byCaller(call)
      const made =
        body.api_key &&
        (await createApiKeyIn(accounts, tx, id, { ...body.api_key, createdBy: by, initiator, grantor: platform }))
      return {
        ...(await presentOrganization(tx, id)),
        api_key: made ? { id: made.key.id, token: made.token } : null,
      }
    },
  }),
  defineRoute({
    ...shared,
    id: 'getOrganizationById',
    method: 'GET',
    path: '/organizations/{id}',
    summary: 'Get an organization',
    description: 'Returns one organization with its settings. Needs a platform key.',
    params,
    reply: { status: 200, body: OrganizationShape },
    errors: [platformKeyRequired, organizationNotFound],
    example: { params: paramsExample, reply: organizationExample },
    async handle({ params: { id }, caller, queries }) {
      await assertOwn(queries, caller, id as OrgId)
      return presentOrganization(queries, id as OrgId)
    },
  }),
  defineChange({
    ...shared,
    id: 'updateOrganizationById',
    method: 'PATCH',
    path: '/organizations/{id}',
    summary: 'Edit an organization',
    description: 'Changes the settings you send, as `PATCH /organization` does. Needs a platform key.',
    params,
    body: OrganizationChange,
    reply: { status: 200, body: OrganizationShape },
    errors: [platformKeyRequired, organizationNotFound, valueRefused],
    example: { params: paramsExample, body: { language: 'id' }, reply: organizationExample },
    lock: (tx, { params: { id } }) => holdProfile(tx, id as OrgId),
    async handle({ tx, params: { id }, body, ...call }) {
      const orgId = id as OrgId
      await assertOwn(tx, call.caller, orgId)
      enter(audit, tx, call, { orgId, act: 'updateOrganization' })
      return changeFrom(tx, orgId, body)
    },
  }),
  ...suspensionRoutes({ accounts, audit }),
]

const suspensionRoutes = ({ accounts, audit }: OrganizationsRouteParts): Route[] => [
  defineRoute({
    ...suspension,
    id: 'suspendOrganization',
    path: '/organizations/{id}/suspend',
    summary: 'Suspend an organization',
    description:
      'Refuses the keys and agents of the organization and of its sandbox with 403 `organization_suspended`, within a second. Payments and messages that arrive are recorded, webhooks are delivered, and its people can sign in. Needs a platform key.',
    body: Suspension,
    isBodyOptional: true,
    example: {
      ...{ params: paramsExample, body: { reason: 'Invoice 42 is unpaid' } },
      reply: {
        ...organizationExample,
        suspended: { since: '2026-11-14T09:30:00.000Z', reason: 'Invoice 42 is unpaid' },
      },
    },
    async handle({ tx, params: { id }, body, ...call }) {
      const orgId = id as OrgId
      await assertOwn(tx, call.caller, orgId)
      enter(audit, tx, call, { orgId, act: 'suspendOrganization' })
      await suspendOrganization(tx, orgId, { at: new Date(accounts.clock.now()), reason: body.reason ?? null })
      return presentOrganization(tx, orgId)
    },
  }),
  defineRoute({
    ...suspension,
    id: 'resumeOrganization',
    path: '/organizations/{id}/resume',
    summary: 'Resume an organization',
    description:
      'Accepts the keys and agents of a suspended organization again, within a second. Needs a platform key.',
    example: { params: paramsExample, reply: organizationExample },
    async handle({ tx, params: { id }, ...call }) {
      const orgId = id as OrgId
      await assertOwn(tx, call.caller, orgId)
      enter(audit, tx, call, { orgId, act: 'resumeOrganization' })
      await resumeOrganization(tx, orgId)
      return presentOrganization(tx, orgId)
    },
  }),
]
