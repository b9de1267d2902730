import { defineError } from '../../kernel/errors.ts'

export const certificationNotFound = defineError({
  code: 'certification_not_found',
  status: 404,
  title: 'Certification not found',
  says: 'There is no certification with this id for this webhook endpoint. Check the id, or start a new one.',
  cause:
    'The endpoint has no certification with this id. Certification ids begin with `job_`; the last 20 of each endpoint are kept.',
  fix: 'Check the id, or start a new certification.',
})

export const certificationRunning = defineError({
  code: 'certification_running',
  status: 409,
  title: 'Certification already running',
  says: 'Another certification of this webhook endpoint is still running. Wait for its report.',
  cause:
    'An endpoint runs one certification at a time, because the probes of two would disturb each other. `params.certification_id` is the one that runs.',
  fix: 'Wait for its report. It takes a few seconds, or up to two minutes with a slow receiver.',
  example: { params: { certification_id: 'job_01k9x3m5q8e0t9v7a2b4c6d8fg' } },
})
