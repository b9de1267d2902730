import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { PaymentStatusOfOrder } from '../settlement/settlement.ts'
import type { NoticeKind } from './due-notices.ts'

export type SentNotice = { kind: NoticeKind; subject: string; message_id: string | null }

export const listSentNotices = (queries: Queries, orgId: OrgId, orderId: string) => queries.many<SentNotice>`
  select kind, subject, message_id from order_notices where org_id = ${orgId} and order_id = ${orderId}`

/** Requires the order's lock, so that no other process sends notices about this order meanwhile. */
export const insertSentNotice = (tx: Tx, orgId: OrgId, row: SentNotice & { order_id: string; told_at: Date }) => tx.run`
  insert into order_notices (org_id, order_id, kind, subject, message_id, told_at)
  values (${orgId}, ${row.order_id}, ${row.kind}, ${row.subject}, ${row.message_id}, ${row.told_at})`

/** Links an order to its chat once. No event reports the link, so `updated_at` changes for callers that poll for changes. */
export const linkOrderToChat = (
  tx: Tx,
  orgId: OrgId,
  { id, chatId, contactId, now }: { id: string; chatId: string; contactId: string | null; now: Date },
) => tx.run`
  update orders set chat_id = ${chatId}, contact_id = coalesce(contact_id, ${contactId}), updated_at = ${now}
  where org_id = ${orgId} and id = ${id} and chat_id is null`

export type OpenOrderRow = {
  id: Id<'ord'>
  number: number
  total: number | null
  payment_status: PaymentStatusOfOrder
  expires_at: Date | null
}

/** Finds the newest order of these chats that awaits payment, or that is still a draft. */
export const findOpenOrder = (queries: Queries, orgId: OrgId, chatIds: readonly string[]) =>
  queries.maybeOne<OpenOrderRow>`
    select orders.id, orders.number, orders.total, orders.payment_status, attempt.expires_at
    from orders left join payments attempt on attempt.org_id = orders.org_id and attempt.id = orders.payment_id
    where orders.org_id = ${orgId} and orders.chat_id = any(${[...chatIds]}::text[])
      and orders.status in ('draft', 'pending_payment')
    order by orders.id desc limit 1`
