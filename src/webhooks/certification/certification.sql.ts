import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { Grade } from './bugs.ts'
import type { CertificationReport } from './certification.schemas.ts'

type CertificationStatus = 'pending' | 'running' | 'completed' | 'failed'

export type CertificationRow = {
  org_id: OrgId
  id: Id<'job'>
  endpoint_id: Id<'wep'>
  status: CertificationStatus
  grade: Grade | null
  report: CertificationReport | null
  failure: string | null
  created_at: Date
  started_at: Date | null
  completed_at: Date | null
}

const columns = (queries: Queries) => queries.part`
  org_id, id, endpoint_id, status, grade, report, failure, created_at, started_at, completed_at`

/** Null when one is running for the endpoint already. */
export const insertCertification = (
  tx: Tx,
  orgId: OrgId,
  row: Pick<CertificationRow, 'id' | 'endpoint_id' | 'created_at'>,
) => tx.maybeOne<CertificationRow>`
  insert into webhook_certifications (org_id, id, endpoint_id, created_at)
  values (${orgId}, ${row.id}, ${row.endpoint_id}, ${row.created_at})
  on conflict (org_id, endpoint_id) where completed_at is null do nothing
  returning ${columns(tx)}`

export const findCertification = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<CertificationRow>`
  select ${columns(queries)} from webhook_certifications where org_id = ${orgId} and id = ${id}`

export const findRunningCertification = (queries: Queries, orgId: OrgId, endpointId: string) =>
  queries.maybeOne<CertificationRow>`
    select ${columns(queries)} from webhook_certifications
    where org_id = ${orgId} and endpoint_id = ${endpointId} and completed_at is null`

/** All but the newest, which are kept to see whether a receiver gets better. */
export const deleteOldCertifications = (
  tx: Tx,
  orgId: OrgId,
  { endpointId, kept }: { endpointId: string; kept: number },
) => tx.run`
  delete from webhook_certifications
  where org_id = ${orgId} and endpoint_id = ${endpointId} and completed_at is not null and id < (
    select min(id) from (
      select id from webhook_certifications
      where org_id = ${orgId} and endpoint_id = ${endpointId} order by id desc limit ${kept}) newest)`

/** A run that was cut off and comes back starts anew. */
export const markCertificationRunning = (
  queries: Queries,
  orgId: OrgId,
  { id, now }: { id: string; now: Date },
) => queries.maybeOne<CertificationRow>`
  update webhook_certifications set status = 'running', started_at = ${now}
  where org_id = ${orgId} and id = ${id} and completed_at is null
  returning ${columns(queries)}`

export const completeCertification = (
  tx: Tx,
  orgId: OrgId,
  { id, report, now }: { id: string; report: CertificationReport; now: Date },
) => tx.run`
  update webhook_certifications
  set status = 'completed', grade = ${report.grade}, report = ${JSON.stringify(report)}::text::json, completed_at = ${now}
  where org_id = ${orgId} and id = ${id} and completed_at is null`

export const failCertification = (
  tx: Tx,
  orgId: OrgId,
  { id, failure, now }: { id: string; failure: string; now: Date },
) => tx.run`
  update webhook_certifications set status = 'failed', failure = ${failure}, completed_at = ${now}
  where org_id = ${orgId} and id = ${id} and completed_at is null`
