import type { MessageType } from '../../channels/content/content.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, hiddenOrg, homeOrg, orgAs } from '../../platform/database/organization-filter.ts'
import { asJson } from '../../platform/database/stored-json.ts'
import type { ContactRow } from '../contacts/contacts.ts'
import type { MessageStatus } from '../messages/messages.states.ts'
import { stateOf, statusColumn } from '../messages/messages.ts'
import type { OpenOrderView } from './chats.schemas.ts'

export type ChatStatus = 'open' | 'closed'

/** The newest message of a chat, as much of it as its preview needs. */
export type LastMessage = {
  id: Id<'msg'>
  direction: 'inbound' | 'outbound'
  type: MessageType
  body: string | null
  status: MessageStatus
  at: string
}

export type ChatRow = {
  org_id: OrgId
  id: Id<'chat'>
  number_id: Id<'num'>
  status: ChatStatus
  labels: string[]
  assignee: string | null
  unread_count: number
  last_message_id: Id<'msg'> | null
  last_activity_at: Date
  last_inbound_at: Date | null
  open_order: OpenOrderView | null
  merged_into: Id<'chat'> | null
  created_at: Date
  contact: Pick<ContactRow, 'id' | 'name' | 'phone' | 'identities' | 'marketing_wishes'>
  last_message: LastMessage | null
}

export type FlatChatRow = Omit<ChatRow, 'contact' | 'last_message'> & {
  contact_id: Id<'con'>
  contact_name: string | null
  contact_phone: string | null
  contact_identities: ContactRow['identities']
  contact_wishes: ContactRow['marketing_wishes']
  message_id: Id<'msg'> | null
  message_direction: LastMessage['direction']
  message_type: MessageType
  message_body: string | null
  message_status: MessageStatus
  message_at: Date
}

export const chatColumns = (queries: Queries) => queries.part`
  chat.org_id, chat.id, chat.number_id, chat.contact_id, chat.status, chat.labels, chat.assignee, chat.unread_count,
  chat.last_message_id, chat.last_activity_at, chat.last_inbound_at, chat.open_order, chat.merged_into, chat.created_at`

export const contactColumns = ({ part }: Queries) => part`
  contact.name as contact_name, contact.phone as contact_phone, contact.identities as contact_identities,
  contact.marketing_wishes as contact_wishes`

/** Reads the contact and the newest message of each found chat: three look-ups by key. */
export const chatWithDetails = (queries: Queries) => queries.part`
  select ${chatColumns(queries)}, ${contactColumns(queries)},
    message.id as message_id, message.direction as message_direction, message.type as message_type,
    left(message.body, 640) as message_body, ${statusColumn(queries)} as message_status, message.happened_at as message_at`

/** Look-ups and not joins, with the organization of the row; contacts.sql.ts explains why. */
export const chatJoins = (queries: Queries, orgId: OrgId) => queries.part`
  cross join lateral (
    select * from contacts where contacts.org_id = ${orgAs(queries, orgId, queries.part`chat.org_id`)} and contacts.id = chat.contact_id offset 0) contact
  left join lateral (
    select * from messages where messages.org_id = ${orgAs(queries, orgId, queries.part`chat.org_id`)} and messages.id = chat.last_message_id offset 0) message on true
  ${stateOf(queries, orgId)}`

export function unflattenChat(row: FlatChatRow): ChatRow {
  return {
    org_id: row.org_id,
    id: row.id,
    number_id: row.number_id,
    status: row.status,
    labels: row.labels,
    assignee: row.assignee,
    unread_count: row.unread_count,
    last_message_id: row.last_message_id,
    last_activity_at: row.last_activity_at,
    last_inbound_at: row.last_inbound_at,
    open_order: row.open_order,
    merged_into: row.merged_into,
    created_at: row.created_at,
    contact: {
      id: row.contact_id,
      name: row.contact_name,
      phone: row.contact_phone,
      identities: row.contact_identities,
      marketing_wishes: row.contact_wishes,
    },
    last_message:
      row.message_id === null
        ? null
        : {
            id: row.message_id,
            direction: row.message_direction,
            type: row.message_type,
            body: row.message_body,
            status: row.message_status,
            at: row.message_at.toISOString(),
          },
  }
}

export const findChat = async (queries: Queries, orgId: OrgId, id: string): Promise<ChatRow | null> =>
  (await listChatsById(queries, orgId, [id]))[0] ?? null

export const listChatsById = async (queries: Queries, orgId: OrgId, ids: readonly string[]): Promise<ChatRow[]> => {
  const rows = await queries.many<FlatChatRow>`
    ${chatWithDetails(queries)}
    from unnest(${ids.map(() => orgId)}::text[], ${[...ids]}::text[]) as wanted (org_id, id)
    cross join lateral (
      select * from chats where chats.org_id = ${orgAs(queries, orgId, queries.part`wanted.org_id`)} and chats.id = wanted.id offset 0) chat
    ${chatJoins(queries, orgId)}`
  return rows.map(unflattenChat)
}

/** The chats of a contact, the most recently active one first. */
export const listChatsOfContact = async (queries: Queries, orgId: OrgId, contactId: string): Promise<ChatRow[]> => {
  const rows = await queries.many<FlatChatRow>`
    ${chatWithDetails(queries)}
    from unnest(${[orgId]}::text[], ${[contactId]}::text[]) as wanted (org_id, contact_id)
    cross join lateral (
      select * from chats
      where chats.org_id = ${orgAs(queries, orgId, queries.part`wanted.org_id`)} and chats.contact_id = wanted.contact_id and merged_into is null offset 0) chat
    ${chatJoins(queries, orgId)}
    order by chat.last_activity_at desc, chat.id desc`
  return rows.map(unflattenChat)
}

/** The number and labels of chats, and their last activity. */
export type ChatPlace = Pick<ChatRow, 'id' | 'number_id' | 'labels' | 'last_activity_at' | 'merged_into'> & {
  contact_id: Id<'con'>
}

/** Chats by their ids, and all chats of people by theirs; what was merged too. */
export const listChatPlaces = (
  queries: Queries,
  orgId: OrgId,
  { chatIds, contactIds }: { chatIds: readonly string[]; contactIds: readonly string[] },
) => queries.many<ChatPlace>`
  select id, number_id, labels, last_activity_at, merged_into, contact_id from chats
  where org_id = ${orgId} and (id = any(${[...chatIds]}) or contact_id = any(${[...contactIds]}))`

/**
 * After a scheduled message was sent: its place in the thread is when it was sent. A later message stays the newest of the
 * chat.
 */
export const noteOutbound = (tx: Tx, orgId: OrgId, message: { chatId: Id<'chat'>; id: Id<'msg'>; at: Date }) => tx.run`
  with moved as (
    update messages set happened_at = ${message.at} where org_id = ${orgId} and id = ${message.id})
  update chats chat
  set last_message_id = case when exists (
          select from messages last
          where last.org_id = ${orgId} and last.id = chat.last_message_id
            and (last.happened_at, last.id) > (${message.at}, ${message.id}))
        then chat.last_message_id else ${message.id} end,
      last_activity_at = greatest(chat.last_activity_at, ${message.at})
  where org_id = ${hiddenOrg(tx, orgId)} and id = ${message.chatId}`

/** A call that is reported late, or again, does not move the time back. */
export const noteCall = (tx: Tx, orgId: OrgId, { id, at }: { id: Id<'chat'>; at: Date }) => tx.run`
  update chats set last_inbound_at = ${at}
  where org_id = ${hiddenOrg(tx, orgId)} and id = ${id} and (last_inbound_at is null or last_inbound_at < ${at})`

export type ChatDetails = { id: Id<'chat'>; status: ChatStatus; labels: string[]; assignee: string | null }

export const updateChatDetails = (tx: Tx, orgId: OrgId, chat: ChatDetails) => tx.run`
  update chats set status = ${chat.status}, labels = ${chat.labels}::text[], assignee = ${chat.assignee}
  where org_id = ${hiddenOrg(tx, orgId)} and id = ${chat.id}`

export const replaceLabels = (
  tx: Tx,
  orgId: OrgId,
  { id, labels }: Pick<ChatDetails, 'id' | 'labels'>,
  before: string[],
) =>
  tx.run`
    with gone as (
      delete from chat_labels
      where org_id = ${orgId} and chat_id = ${id} and label = any(${before.filter((label) => !labels.includes(label))}::text[])),
    added as (
      insert into chat_labels (org_id, label, chat_id)
      select ${homeOrg(tx, orgId)}, label, ${id} from ${fromHome(tx, orgId)} unnest(${labels}::text[]) as label
      on conflict do nothing)
    select 1`

export const setUnread = (tx: Tx, orgId: OrgId, { id, unread }: { id: Id<'chat'>; unread: number }) => tx.run`
  update chats set unread_count = ${unread} where org_id = ${hiddenOrg(tx, orgId)} and id = ${id}`

export const listMergedChats = (queries: Queries, orgId: OrgId, into: Id<'chat'>) => queries.many<{ id: Id<'chat'> }>`
  select id from chats where org_id = ${orgId} and merged_into = ${into}`

export const updateOpenOrder = (
  tx: Tx,
  orgId: OrgId,
  { id, openOrder }: { id: string; openOrder: OpenOrderView | null },
) =>
  tx.run`
    update chats set open_order = ${asJson(openOrder)}::text::jsonb where org_id = ${hiddenOrg(tx, orgId)} and id = ${id} and merged_into is null`

export type MessageNames = { id: string | null; numberId: Id<'num'>; providerId: string }

/** The recipient of an outbound message, which a status names by our id or by the network's. */
export const findRecipient = (queries: Queries, orgId: OrgId, { id, numberId, providerId }: MessageNames) =>
  queries.maybeOne<{ contact_id: Id<'con'> }>`
    select chat.contact_id from chats chat
    where chat.org_id = ${orgId} and chat.id = coalesce(
      (select chat_id from messages where org_id = ${orgId} and id = ${id} and number_id = ${numberId}),
      (select chat_id from messages where org_id = ${orgId} and id = (
        select message_id from message_states
        where org_id = ${orgId} and number_id = ${numberId} and provider_id = ${providerId})))`
