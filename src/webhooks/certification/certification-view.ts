import type { z } from 'zod'
import type { Certification } from './certifications.schemas.ts'
import type { CertificationRow } from './certifications.sql.ts'

/** A certification as the API shows it. */
const NO_REPORT = { summary: null, likely_bugs: [], probes: [], trials: [] }

export const presentCertification = (row: CertificationRow): z.input<typeof Certification> => ({
  object: 'webhook_certification',
  id: row.id,
  endpoint_id: row.endpoint_id,
  status: row.status,
  failure: row.failure,
  ...(row.report ?? NO_REPORT),
  grade: row.grade,
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  completed_at: row.completed_at?.toISOString() ?? null,
})
