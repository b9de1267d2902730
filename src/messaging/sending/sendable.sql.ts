import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { ContactRow } from '../contacts/contacts.ts'
import { type MessageRow, stateOf, statusColumn } from '../messages/messages.ts'

/** The fields of a message that a run needs; read for many runs at once. */
export type Sendable = Pick<
  MessageRow,
  'org_id' | 'id' | 'chat_id' | 'type' | 'body' | 'content' | 'status' | 'settled_lease' | 'unknown_since' | 'is_resent'
> & {
  contact_id: Id<'con'>
  phone: string | null
  identities: ContactRow['identities']
  reply_provider_id: string | null
  reaction_provider_id: string | null
}

/**
 * Sub-selects and not joins, as in lockWantedChats: a first message is sent from tables that were empty. Each is ordered by the
 * key it asks for: for an organization that the statistics do not know, every index that begins with the organization looks
 * alike, and only the primary key has that order.
 */
export const listSendable = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<Sendable>`
  select message.org_id, message.id, message.chat_id, message.type, message.body, message.content,
    ${statusColumn(queries)} as status, coalesce(state.settled_lease, 0) as settled_lease, state.unknown_since,
    coalesce(state.is_resent, false) as is_resent, chat.contact_id, contact.phone, contact.identities,
    (select provider_id from message_states replied
      where replied.org_id = ${orgId} and replied.message_id = message.reply_to) as reply_provider_id,
    case message.type when 'reaction' then (
      select provider_id from message_states reacted
      where reacted.org_id = ${orgId} and reacted.message_id = message.content -> 'reaction' ->> 'message_id'
    ) end as reaction_provider_id
  from unnest(${[...ids]}::text[]) as wanted (id)
  cross join lateral (
    select * from messages where messages.org_id = ${orgId} and messages.id = wanted.id order by messages.id limit 1) message
  ${stateOf(queries)}
  cross join lateral (
    select contact_id from chats where chats.org_id = ${orgId} and chats.id = message.chat_id order by chats.id limit 1) chat
  cross join lateral (
    select phone, identities from contacts
    where contacts.org_id = ${orgId} and contacts.id = chat.contact_id order by contacts.id limit 1) contact`
