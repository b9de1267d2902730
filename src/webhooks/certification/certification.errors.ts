import { defineError } from '../../kernel/errors.ts'

export const certificationNotFound = defineError({
  code: 'certification_not_found',
  status: 404,
  title: 'There is no such certification',
  says: 'There is no certification with this id for this webhook endpoint.',
  help: 'Certification ids begin with `job_` and belong to one endpoint. The last 20 of each endpoint are kept.',
})

export const certificationRunning = defineError({
  code: 'certification_running',
  status: 409,
  title: 'A certification is running already',
  says: 'Another certification of this webhook endpoint is still running. Wait for its report.',
  help: 'An endpoint has one certification at a time, because the probes of two would disturb each other. `params.certification_id` names the one that runs; it takes a few seconds, or up to two minutes with a receiver that hardly answers.',
})
