import type { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { OUTBOX_CHANNEL } from '../../platform/outbox/wake-ups.ts'
import { webhookFormatUnsupported } from '../endpoints/endpoints.errors.ts'
import { getEndpoint, handLaneOf, isCloudFormat, lockSubscriptions } from '../endpoints/endpoints.ts'
import { certificationNotFound, certificationRunning } from './certification.errors.ts'
import { CERTIFY_JOB } from './certification.jobs.ts'
import type { Certification } from './certification.schemas.ts'
import {
  type CertificationRow,
  deleteOldCertifications,
  findCertification,
  findRunningCertification,
  insertCertification,
} from './certification.sql.ts'

export type { CertificationRow } from './certification.sql.ts'

/**
 * Certifications: is the receiver behind an endpoint any good, and if not, what is its likely bug?
 *
 *   (request) ──▶ pending ── the outbox comes to it ──▶ running ── all probes answered or given up ──▶ completed
 *   pending, running ── the endpoint is deleted, or three runs were cut off ──▶ failed
 *
 * It travels in the endpoint's lane by hand: the caller wants to know now, also of an endpoint that is paused or
 * failing, and what comes of it must not count for or against the endpoint.
 */
const CERTIFICATIONS_KEPT = 20
const NOT_CERTIFIABLE = 'Only receivers of the format "standard" can be certified: the probes are Standard Webhooks.'

export async function requestCertification(
  { clock }: { clock: Clock },
  tx: Tx,
  orgId: OrgId,
  endpointId: string,
): Promise<CertificationRow> {
  // Or the endpoint could be deleted meanwhile, and with it the lane.
  await lockSubscriptions(tx, orgId, 'shared')
  const endpoint = await getEndpoint(tx, orgId, endpointId)
  if (isCloudFormat(endpoint)) throw webhookFormatUnsupported({ says: NOT_CERTIFIABLE })
  const now = new Date(clock.now())
  const id = newId('job', now.getTime())
  const row = await insertCertification(tx, orgId, { id, endpoint_id: endpoint.id, created_at: now })
  if (row === null) throw await runningAlready(tx, orgId, endpoint.id)
  await deleteOldCertifications(tx, orgId, { endpointId: endpoint.id, kept: CERTIFICATIONS_KEPT })
  const laneId = handLaneOf(endpoint.id)
  await enqueue(tx, [{ id, laneId, orgId, job: CERTIFY_JOB, dueAt: now, payload: { certification: id } }])
  tx.poke(OUTBOX_CHANNEL)
  return row
}

async function runningAlready(tx: Tx, orgId: OrgId, endpointId: Id<'wep'>) {
  const running = await findRunningCertification(tx, orgId, endpointId)
  return certificationRunning(running === null ? {} : { params: { certification_id: running.id } })
}

export async function getCertification(
  queries: Queries,
  orgId: OrgId,
  { id, endpointId }: { id: string; endpointId: string },
): Promise<CertificationRow> {
  await getEndpoint(queries, orgId, endpointId)
  const row = isId('job', id) ? await findCertification(queries, orgId, id) : null
  if (row === null || row.endpoint_id !== endpointId) throw certificationNotFound({ params: { id } })
  return row
}

const NO_REPORT = { summary: null, likely_bugs: [], probes: [], trials: [] }

/** A certification as the API shows it. */
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
