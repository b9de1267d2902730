import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

/** Methods whose payer may show a proof: a transfer, and the static QRIS code of the shop. */
const isProvable = ({ part }: Queries) => part`
  payments.is_manual and payments.status in ('created', 'pending') and payments.method in ('bank_transfer', 'qris')`

export const hasOpenTransfer = async (queries: Queries, orgId: OrgId): Promise<boolean> =>
  (
    await queries.one<{ has: boolean }>`
      select exists (select from payments where org_id = ${orgId} and ${isProvable(queries)}) as has`
  ).has

/** The open manual payment of the newest order of these chats. */
export const findOpenTransfer = (queries: Queries, orgId: OrgId, chatIds: readonly string[]) =>
  queries.maybeOne<{ id: Id<'pay'>; order_id: Id<'ord'> }>`
    select payments.id, payments.order_id
    from payments join orders on orders.org_id = ${orgId} and orders.id = payments.order_id
    where payments.org_id = ${orgId} and orders.chat_id = any(${[...chatIds]}::text[]) and ${isProvable(queries)}
    order by orders.id desc limit 1`
