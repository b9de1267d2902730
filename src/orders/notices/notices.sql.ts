import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { NoticeKind } from './due-notices.ts'

export type SentNotice = { kind: NoticeKind; subject: string; message_id: string | null }

export const listSentNotices = (queries: Queries, orgId: OrgId, orderId: string) => queries.many<SentNotice>`
  select kind, subject, message_id from order_notices where org_id = ${orgId} and order_id = ${orderId}`

/** Requires the order's lock, so that no other process sends notices about this order meanwhile. */
export const insertSentNotice = (tx: Tx, orgId: OrgId, row: SentNotice & { order_id: string; told_at: Date }) => tx.run`
  insert into order_notices (org_id, order_id, kind, subject, message_id, told_at)
  values (${orgId}, ${row.order_id}, ${row.kind}, ${row.subject}, ${row.message_id}, ${row.told_at})`
