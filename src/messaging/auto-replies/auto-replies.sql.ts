import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'

/** Whether this is the first answer of the chat in the period. */
export const claimPeriod = async (
  tx: Tx,
  orgId: OrgId,
  { chatId, period }: { chatId: string; period: string },
): Promise<boolean> =>
  (await tx.maybeOne<{ chat_id: Id<'chat'> }>`
    insert into auto_replies as answered (org_id, chat_id, period) values (${orgId}, ${chatId}, ${period})
    on conflict (org_id, chat_id) do update set period = excluded.period where answered.period <> excluded.period
    returning chat_id`) !== null
