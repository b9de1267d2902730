import { defineError } from '../kernel/errors.ts'

export const apiKeyNotFound = defineError({
  code: 'api_key_not_found',
  status: 404,
  title: 'API key not found',
  says: 'There is no API key with this id in the organization. List the keys to find the id.',
  cause: 'No API key of the organization has this id. Key ids begin with `key_`.',
  fix: 'List the keys of the organization to find the id.',
})

export const apiKeyNotActive = defineError({
  code: 'api_key_not_active',
  status: 409,
  title: 'API key no longer active',
  says: 'This API key was revoked or has expired, so it cannot be rotated. Create a new key instead.',
  cause: 'Only an active key can be rotated.',
  fix: 'Create a new key.',
})

export const scopeNotGrantable = defineError({
  code: 'scope_not_grantable',
  status: 403,
  title: 'Scope cannot be granted',
  says: 'You cannot give a key or an agent a scope that you do not have. Leave out the scopes in "params.missing".',
  cause:
    '`params.missing` are the requested scopes that the caller does not have, `params.granted` those that it has. This also applies to rotating a key.',
  fix: 'Leave these scopes out, or let someone who has them do it: a key with these scopes, or an owner or admin in the console.',
  example: { params: { missing: ['people:write'], granted: ['keys:write', 'orders:read'] } },
})

export const logoNotFound = defineError({
  code: 'logo_not_found',
  status: 404,
  title: 'No logo',
  says: 'This organization has no logo. Set one with `PUT /organization/logo`.',
  cause: 'No logo was set, or it was deleted.',
  fix: 'Send a PNG or JPEG image in base64 to `PUT /organization/logo`.',
})

export const organizationNotFound = defineError({
  code: 'organization_not_found',
  status: 404,
  title: 'Organization not found',
  says: 'There is no organization with this slug. List the organizations to find it.',
  cause:
    'No organization of this installation has this slug. The slug is the short name chosen when the organization was created, such as `demo-store`.',
  fix: 'List the organizations with `npx nexkit org list`.',
})

export const organizationSuspended = defineError({
  code: 'organization_suspended',
  status: 403,
  title: 'Organization suspended',
  says: 'This organization is suspended, so its keys and agents are refused. Ask the platform or the operator of the server to resume it.',
  cause:
    'The platform that created the organization, or the operator of the server, suspended it. Payments and messages that arrive are still recorded.',
  fix: 'Resume it with `POST /organizations/{id}/resume` and a platform key, or with `npx nexkit org resume`.',
  example: { params: { since: '2026-11-14T09:30:00.000Z' } },
})

export const organizationSlugTaken = defineError({
  code: 'organization_slug_taken',
  status: 409,
  title: 'Slug already taken',
  says: 'Another organization already has this slug. Choose another.',
  cause: 'Slugs are unique on an installation and never change.',
  fix: 'Choose another slug.',
})

export const platformKeyRequired = defineError({
  code: 'platform_key_required',
  status: 403,
  title: 'Platform key required',
  says: 'Only a platform key can manage organizations. Use GET /organization for the organization of this key.',
  cause:
    'The request was sent with a key of an organization. Such a key has one organization and cannot create others.',
  fix: 'Use a platform key, which the operator of the server creates with `npx nexkit platform-key create`.',
})

export const platformKeyNotFound = defineError({
  code: 'platform_key_not_found',
  status: 404,
  title: 'Platform key not found',
  says: 'There is no platform key with this id. List them with `npx nexkit platform-key list`.',
  cause: 'No platform key of this server has this id. Ids of platform keys begin with `pky_`.',
  fix: 'List the platform keys with `npx nexkit platform-key list`.',
})

export const organizationHeaderMissing = defineError({
  code: 'organization_header_missing',
  status: 400,
  title: 'Organization missing',
  says: 'Name the organization that this platform key acts for in the header Nexkit-Organization, such as org_01k9….',
  cause: 'A platform key belongs to no organization. Every path except `/organizations` needs the header.',
  fix: 'Send `Nexkit-Organization` with the id of an organization from `GET /organizations`.',
})

export const sandboxSimulatorsOnly = defineError({
  code: 'sandbox_simulators_only',
  status: 409,
  title: 'Simulators only in a sandbox',
  says: 'A sandbox has simulators only. Connect this in the live organization.',
  cause:
    'Nothing in a sandbox reaches a customer or a bank, so real numbers and accounts of payment providers cannot be connected to it.',
  fix: 'Switch to the live organization and connect it there. In the sandbox, use the simulator.',
  example: { params: { connector: 'whatsapp-cloud' } },
})
