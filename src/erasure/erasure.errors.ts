import { defineError } from '../kernel/errors.ts'

export const contactErasureNotFound = defineError({
  code: 'contact_erasure_not_found',
  status: 404,
  title: 'Erasure not found',
  says: 'There is no erasure with this id in the organization. Check the id.',
  cause: 'No erasure of the organization has this id. Ids of erasures begin with `era_`.',
  fix: 'List the erasures with `GET /erasures`.',
})
