import type { OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import type { Alert, AlertKind } from './alert-kinds.ts'

type Raising = Alert & { now: Date; again: Date; keptSince: Date }

/** Null when the same was raised after `again`. What is older than what is kept is deleted on the way. */
export const markRaised = async (tx: Tx, orgId: OrgId, alert: Raising): Promise<boolean> => {
  await tx.run`delete from alerts where org_id = ${orgId} and raised_at < ${alert.keptSince}`
  const raised = await tx.maybeOne<{ kind: string }>`
    insert into alerts (org_id, kind, subject, stage, raised_at)
    values (${orgId}, ${alert.kind}, ${alert.subject}, ${alert.stage}, ${alert.now})
    on conflict (org_id, kind, subject, stage) do update set raised_at = excluded.raised_at
    where alerts.raised_at <= ${alert.again}
    returning kind`
  return raised !== null
}

/** What was raised without reaching anyone does not keep the next one back. */
export const forgetRaised = (tx: Tx, orgId: OrgId, { kind, subject, stage }: Alert): Promise<unknown> =>
  tx.run`
    delete from alerts where org_id = ${orgId} and kind = ${kind} and subject = ${subject} and stage = ${stage}`

export const countRaised = async (queries: Queries, orgId: OrgId, since: Date): Promise<number> =>
  (
    await queries.one<{ count: number }>`
      select count(*)::int as count from alerts where org_id = ${orgId} and raised_at > ${since}`
  ).count

export const listOptOuts = async (queries: Queries, personId: string): Promise<string[]> =>
  (await queries.many<{ kind: string }>`select kind from alert_opt_outs where person_id = ${personId}`).map(
    ({ kind }) => kind,
  )

export const listOptedOut = async (queries: Queries, personIds: string[], kind: AlertKind): Promise<string[]> =>
  (
    await queries.many<{ person_id: string }>`
      select person_id from alert_opt_outs where person_id = any(${personIds}) and kind = ${kind}`
  ).map(({ person_id }) => person_id)

/** Two saves at once wait for each other: the row of the person is locked. */
export async function replaceOptOuts(tx: Tx, personId: string, kinds: readonly AlertKind[]): Promise<void> {
  await tx.run`select from people where id = ${personId} for no key update`
  await tx.run`delete from alert_opt_outs where person_id = ${personId}`
  for (const kind of kinds) await tx.run`insert into alert_opt_outs (person_id, kind) values (${personId}, ${kind})`
}
