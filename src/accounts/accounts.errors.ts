import { defineError } from '../kernel/errors.ts'

export const apiKeyNotFound = defineError({
  code: 'api_key_not_found',
  status: 404,
  title: 'There is no such API key',
  says: 'There is no API key with this id in the organization.',
  help: 'Key ids begin with `key_`. List the keys of the organization to find the one you mean.',
})

export const apiKeyNotActive = defineError({
  code: 'api_key_not_active',
  status: 409,
  title: 'The API key is no longer active',
  says: 'This API key was revoked or has expired, so it cannot be rotated. Make a new key instead.',
  help: 'Only a key that still works can hand over to a successor.',
})

export const organizationNotFound = defineError({
  code: 'organization_not_found',
  status: 404,
  title: 'There is no such organization',
  says: 'There is no organization with this slug.',
  help: 'The slug is the short name that was given when the organization was made, for example `demo-store`.',
})

export const organizationSlugTaken = defineError({
  code: 'organization_slug_taken',
  status: 409,
  title: 'The slug is taken',
  says: 'Another organization already has this slug. Choose another.',
  help: 'Slugs are unique on an installation and never change.',
})
