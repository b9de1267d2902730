import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { ContactRow } from '../contacts/contacts.ts'
import type { MessageRow } from './messages.sql.ts'

/** What an event about a message does not say: who it is with, what it quotes, and what else the network reported. */
export type MessageFacts = Pick<MessageRow, 'id' | 'number_id' | 'raw'> &
  Pick<ContactRow, 'name' | 'phone' | 'identities'> & {
    /** Of the message that this one replies to; null when there is none, or it is not known. */
    quoted_direction: 'inbound' | 'outbound' | null
    /** By status. */
    reports: Record<string, Record<string, unknown>> | null
  }

export const listMessageFacts = (
  queries: Queries,
  orgId: OrgId,
  ids: readonly Id<'msg'>[],
) => queries.many<MessageFacts>`
  select message.id, message.number_id, message.raw, quoted.direction as quoted_direction, state.reports, contact.name,
    contact.phone, contact.identities
  from unnest(${[...ids]}::text[]) as wanted (id)
  cross join lateral (
    select id, chat_id, number_id, reply_to, raw from messages where org_id = ${orgId} and id = wanted.id offset 0) message
  left join lateral (
    select reports from message_states where org_id = ${orgId} and message_id = message.id offset 0) state on true
  left join lateral (
    select direction from messages where org_id = ${orgId} and id = message.reply_to offset 0) quoted on true
  cross join lateral (
    select contact_id from chats where org_id = ${orgId} and id = message.chat_id offset 0) chat
  cross join lateral (
    select name, phone, identities from contacts where org_id = ${orgId} and id = chat.contact_id offset 0) contact`
