import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type NoticeStatus = 'waiting' | 'applied' | 'irrelevant' | 'failed'

export type NoticeRow = {
  org_id: OrgId
  id: Id<'ntc'>
  account_id: string
  provider: string
  payment_id: Id<'pay'> | null
  dedup_key: string
  is_state_proven: boolean
  status: NoticeStatus
  outcome: string | null
  report: unknown
  body: Uint8Array
  times_received: number
  received_at: Date
  applied_at: Date | null
}

export type NewNotice = Omit<NoticeRow, 'org_id' | 'outcome' | 'times_received' | 'applied_at'>

/** The outcome of a notification that its provider did not confirm. */
export const UNANSWERED = 'unanswered'

/** A repeated notification keeps its row and is counted. A failed one becomes waiting again. */
export const insertNotice = (tx: Tx, orgId: OrgId, row: NewNotice) =>
  tx.one<{ id: Id<'ntc'>; times_received: number; status: NoticeStatus }>`
    insert into payment_notices (org_id, id, account_id, provider, payment_id, dedup_key, is_state_proven, status, report,
      body, received_at)
    values (${orgId}, ${row.id}, ${row.account_id}, ${row.provider}, ${row.payment_id}, ${row.dedup_key},
      ${row.is_state_proven}, ${row.status}, ${row.report === null ? null : JSON.stringify(row.report)}::text::jsonb,
      ${row.body}, ${row.received_at})
    on conflict (org_id, account_id, dedup_key) do update set times_received = payment_notices.times_received + 1,
      status = case when payment_notices.status = 'failed' then 'waiting' else payment_notices.status end
    returning id, times_received, status`

export const findNotice = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<NoticeRow>`
  select org_id, id, account_id, provider, payment_id, dedup_key, is_state_proven, status, outcome, report, body,
    times_received, received_at, applied_at
  from payment_notices where org_id = ${orgId} and id = ${id}`

/** Whether an earlier notification reported another payment of the same attempt. */
export const followsAnotherPayment = async (
  queries: Queries,
  { org_id: orgId, id, payment_id: paymentId }: NoticeRow,
  named: string,
): Promise<boolean> =>
  (
    await queries.many`
      select from payment_notices
      where org_id = ${orgId} and payment_id = ${paymentId} and id < ${id}
        and report->>'state' = 'paid' and report->>'paymentId' <> ${named}
      limit 1`
  ).length > 0

export const finishNotice = (
  tx: Queries,
  orgId: OrgId,
  { id, status, outcome, now }: { id: string; status: NoticeStatus; outcome: string; now: Date },
) => tx.run`
  update payment_notices set status = ${status}, outcome = ${outcome}, applied_at = ${now}
  where org_id = ${orgId} and id = ${id}`

export type RetriedNotice = { id: Id<'ntc'>; times_received: number; order_id: Id<'ord'> }

/** Marks the oldest failed notifications of an account as waiting, and returns them with those still waiting, whose entry may be lost. */
export const retryNotices = (
  tx: Tx,
  orgId: OrgId,
  { accountId, rowsMax }: { accountId: string; rowsMax: number },
) => tx.many<RetriedNotice>`
  with retried as (
    update payment_notices set status = 'waiting', outcome = null
    where org_id = ${orgId} and id in (
      select id from payment_notices
      where org_id = ${orgId} and account_id = ${accountId} and payment_id is not null and status in ('failed', 'waiting')
      order by id limit ${rowsMax} for update)
    returning org_id, id, times_received, payment_id)
  select retried.id, retried.times_received, payments.order_id
  from retried join payments on payments.org_id = ${orgId} and payments.id = retried.payment_id`

/** Old notifications of all organizations, the oldest first. Waiting and unanswered notifications stay. */
export const listOldNotices = (tx: Tx, { before, rowsMax }: { before: Date; rowsMax: number }) => tx.many<{
  org_id: OrgId
  id: string
}>`
  select org_id, id from payment_notices
  where received_at < ${before} and status <> 'waiting' and outcome is distinct from 'unanswered'
  order by received_at limit ${rowsMax}`

/** Those that another transaction holds are left for the next run. */
export const deleteNotices = (tx: Tx, orgId: OrgId, ids: readonly string[]) => tx.run`
  delete from payment_notices where org_id = ${orgId} and id in (
    select id from payment_notices
    where org_id = ${orgId} and id = any(${[...ids]}::text[]) and status <> 'waiting' for update skip locked)`

/** Counts the notifications about a payment that are not applied yet. */
export const countWaitingNotices = (queries: Queries, orgId: OrgId, paymentId: string) =>
  queries.one<{ count: number }>`
    select count(*)::int as count from payment_notices
    where org_id = ${orgId} and payment_id = ${paymentId} and status = 'waiting'`
