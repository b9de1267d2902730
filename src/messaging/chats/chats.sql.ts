import type { MessageType } from '../../channels/content/message-content.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { ContactRow } from '../contacts/contacts.sql.ts'
import { stateOf, statusColumn } from '../messages/messages.sql.ts'
import type { MessageStatus } from '../messages/messages.states.ts'
import { asJson } from '../messages/stored-json.ts'
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
const chatWithDetails = (queries: Queries) => queries.part`
  select ${chatColumns(queries)}, ${contactColumns(queries)},
    message.id as message_id, message.direction as message_direction, message.type as message_type,
    left(message.body, 640) as message_body, ${statusColumn(queries)} as message_status, message.happened_at as message_at`

/** Look-ups and not joins, with the organization of the row; applying.sql.ts explains why. */
const chatJoins = (queries: Queries) => queries.part`
  cross join lateral (
    select * from contacts where contacts.org_id = chat.org_id and contacts.id = chat.contact_id offset 0) contact
  left join lateral (
    select * from messages where messages.org_id = chat.org_id and messages.id = chat.last_message_id offset 0) message on true
  ${stateOf(queries)}`

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
      select * from chats where chats.org_id = wanted.org_id and chats.id = wanted.id offset 0) chat
    ${chatJoins(queries)}`
  return rows.map(unflattenChat)
}

/** The chats of a contact, the most recently active one first. */
export const listChatsOfContact = async (queries: Queries, orgId: OrgId, contactId: string): Promise<ChatRow[]> => {
  const rows = await queries.many<FlatChatRow>`
    ${chatWithDetails(queries)}
    from unnest(${[orgId]}::text[], ${[contactId]}::text[]) as wanted (org_id, contact_id)
    cross join lateral (
      select * from chats
      where chats.org_id = wanted.org_id and chats.contact_id = wanted.contact_id and merged_into is null offset 0) chat
    ${chatJoins(queries)}
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

export type LockedChat = Pick<ChatRow, 'id' | 'status' | 'last_activity_at' | 'last_message_id'>

/**
 * Here and below a chat is found by its whole key. The organization comes from a sub-select, where PostgreSQL cannot look
 * up how few rows it has; applying.sql.ts explains why that matters.
 */
export const lockChat = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<LockedChat>`
  select id, status, last_activity_at, last_message_id from chats where org_id = (select ${orgId}::text) and id = ${id} for update`

export type ChatFilter = {
  isUnread?: boolean
  status?: ChatStatus
  label?: string
  assignee?: string
  numberId?: string
  since?: Date
  contactQuery?: string
  textQuery?: string
  before?: { at: Date; id: string }
  limit: number
}

/** A word that more messages hold than this finds some of their chats only: the search stays short whatever is asked. */
const TEXT_HITS_MAX = 10_000
/**
 * At most this many people are looked up by name; a search that means more of them finds some among the most active
 * chats.
 */
export const PEOPLE_HITS_MAX = 3_000

type SearchHits = { people: number; chats_of_people: string[]; chats_of_text: string[] }

/** A separate statement, so that no plan looks the hits up again for each chat; word-search.ts explains `|| ''`. */
const findHits = (
  queries: Queries,
  orgId: OrgId,
  { contactQuery, textQuery }: Pick<ChatFilter, 'contactQuery' | 'textQuery'>,
) => queries.one<SearchHits>`
  with person as materialized (
    select id from contacts
    where org_id || '' = ${orgId} and words @@ ${contactQuery ?? ''}::tsquery and merged_into is null limit ${PEOPLE_HITS_MAX})
  select (select count(*)::int from person) as people,
    array(select found.id from person cross join lateral (
      select id from chats where org_id = ${orgId} and contact_id = person.id) found) as chats_of_people,
    array(select distinct hit.chat_id from (
      select chat_id from messages
      where org_id || '' = ${orgId} and words @@ ${textQuery ?? ''}::tsquery limit ${TEXT_HITS_MAX}) hit) as chats_of_text`

/** Newest activity first. */
export const listChats = async (queries: Queries, orgId: OrgId, filter: ChatFilter): Promise<ChatRow[]> => {
  const { textQuery, contactQuery } = filter
  if (textQuery === undefined && contactQuery === undefined) return readPage(queries, orgId, filter, queries.part``)
  const isFrequentWord = textQuery !== undefined && (await isFrequent(queries, orgId, textQuery))
  const asked = isFrequentWord ? await listAsked(queries, orgId, { ...filter, textQuery }) : NOBODY_ASKED
  if (asked.isWhole) return asked.chats
  const found = await findHits(queries, orgId, filter)
  // The chats that were searched one by one are added: the index does not always find them, and the pages would skip them.
  const hits = { ...found, chats_of_text: [...found.chats_of_text, ...asked.chats.map(({ id }) => id)] }
  return readPage(queries, orgId, filter, searchPart(queries, orgId, { ...filter, hits }))
}

/** Reads one range of an index of chats until the page is full. */
const readPage = (queries: Queries, orgId: OrgId, filter: ChatFilter, search: Part) =>
  withRest(
    queries,
    queries.part`
      select * from chats chat
      where chat.org_id = ${orgId} and chat.merged_into is null ${filterParts(queries, orgId, filter)} ${search}
      order by chat.last_activity_at desc, chat.id desc limit ${filter.limit}`,
  )

type Part = ReturnType<Queries['part']>

const withRest = async (queries: Queries, page: Part): Promise<ChatRow[]> => {
  const rows = await queries.many<FlatChatRow>`
    with page as materialized (${page})
    ${chatWithDetails(queries)} from page chat ${chatJoins(queries)}
    order by chat.last_activity_at desc, chat.id desc`
  return rows.map(unflattenChat)
}

/** A word is frequent when FREQUENT_HITS of the newest SAMPLE_MESSAGES messages hold it. */
const [SAMPLE_MESSAGES, FREQUENT_HITS] = [1_000, 10]

const isFrequent = async (queries: Queries, orgId: OrgId, textQuery: string): Promise<boolean> =>
  (
    await queries.one<{ count: number }>`
      select count(*)::int as count
      from (select words from messages where org_id = ${orgId} order by id desc limit ${SAMPLE_MESSAGES}) newest
      where words @@ ${textQuery}::tsquery`
  ).count >= FREQUENT_HITS

/** Upper bound on the chats that are searched one by one for a frequent word, before all its messages are looked up. */
const CHATS_ASKED_MAX = 2_000

/** `isWhole`: nothing of the page is missing. Else they were too many to ask them all. */
type Asked = { chats: ChatRow[]; isWhole: boolean }

const NOBODY_ASKED: Asked = { chats: [], isWhole: false }

/**
 * Searches the most recently active chats one by one, each from its newest message on. A word of a hundred thousand
 * messages takes long to look up in the index, which would find only some of their chats.
 */
async function listAsked(queries: Queries, orgId: OrgId, filter: ChatFilter & { textQuery: string }): Promise<Asked> {
  const { textQuery, ...others } = filter
  const hits = await findHits(queries, orgId, others)
  const looked = queries.part`
    select * from chats chat
    where chat.org_id = ${orgId} and chat.merged_into is null ${filterParts(queries, orgId, filter)}
    order by chat.last_activity_at desc, chat.id desc limit ${CHATS_ASKED_MAX}`
  const chats = await withRest(
    queries,
    queries.part`
      select * from (${looked}) chat where true ${searchPart(queries, orgId, { ...filter, hits, askedFor: textQuery })}
      order by chat.last_activity_at desc, chat.id desc limit ${filter.limit}`,
  )
  if (chats.length === filter.limit) return { chats, isWhole: true }
  const { count } = await queries.one<{ count: number }>`select count(*)::int as count from (${looked}) chat`
  return { chats, isWhole: count < CHATS_ASKED_MAX }
}

function filterParts(queries: Queries, orgId: OrgId, filter: ChatFilter) {
  const { part } = queries
  const when = (condition: unknown, sql: ReturnType<typeof part>) => (condition === undefined ? part`` : sql)
  return part`
    ${filter.isUnread === undefined ? part`` : filter.isUnread ? part`and chat.unread_count > 0` : part`and chat.unread_count = 0`}
    ${filter.status === undefined ? part`` : filter.status === 'closed' ? part`and chat.status = 'closed'` : part`and chat.status = 'open'`}
    ${when(filter.assignee, part`and chat.assignee is not null and chat.assignee = ${filter.assignee ?? ''}`)}
    ${when(filter.numberId, part`and chat.number_id = ${filter.numberId ?? ''}`)}
    ${when(filter.since, part`and chat.last_activity_at >= ${filter.since ?? new Date(0)}`)}
    ${when(filter.before, part`and (chat.last_activity_at, chat.id) < (${filter.before?.at ?? new Date(0)}, ${filter.before?.id ?? ''})`)}
    ${when(
      filter.label,
      part`and chat.id in (
        select chat_id from chat_labels where org_id = ${orgId} and label = ${filter.label ?? ''})`,
    )}`
}

/**
 * Chats of few people are known by now; of many, the walk asks each chat that it meets whose it is. In the same way it is
 * asked for a word that is not looked up.
 */
const searchPart = ({ part }: Queries, orgId: OrgId, filter: ChatFilter & { hits: SearchHits; askedFor?: string }) => {
  const { chats_of_people, chats_of_text, people } = filter.hits
  const holdsWord =
    filter.askedFor === undefined
      ? part``
      : part`or (
          select true from messages
          where messages.org_id = chat.org_id and messages.chat_id = chat.id and words @@ ${filter.askedFor}::tsquery
          order by happened_at desc, id desc limit 1)`
  return people < PEOPLE_HITS_MAX
    ? part`and (chat.id = any(${[...chats_of_people, ...chats_of_text]}::text[]) ${holdsWord})`
    : part`and (chat.id = any(${chats_of_text}::text[]) or (
        select person.words @@ ${filter.contactQuery ?? ''}::tsquery from contacts person
        where person.org_id = ${orgId} and person.id = chat.contact_id) ${holdsWord})`
}

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
  where org_id = (select ${orgId}::text) and id = ${message.chatId}`

/** A call that is reported late, or again, does not move the time back. */
export const noteCall = (tx: Tx, orgId: OrgId, { id, at }: { id: Id<'chat'>; at: Date }) => tx.run`
  update chats set last_inbound_at = ${at}
  where org_id = (select ${orgId}::text) and id = ${id} and (last_inbound_at is null or last_inbound_at < ${at})`

export type ChatDetails = { id: Id<'chat'>; status: ChatStatus; labels: string[]; assignee: string | null }

export const updateChatDetails = (tx: Tx, orgId: OrgId, chat: ChatDetails) => tx.run`
  update chats set status = ${chat.status}, labels = ${chat.labels}::text[], assignee = ${chat.assignee}
  where org_id = (select ${orgId}::text) and id = ${chat.id}`

export const replaceLabels = (
  tx: Tx,
  orgId: OrgId,
  { id, labels }: Pick<ChatDetails, 'id' | 'labels'>,
  before: string[],
) =>
  tx.run`
    with gone as (
      delete from chat_labels
      where org_id = ${orgId} and chat_id = ${id} and label = any(${before.filter((label) => !labels.includes(label))}::text[]))
    insert into chat_labels (org_id, label, chat_id)
    select ${orgId}, label, ${id} from unnest(${labels}::text[]) as label
    on conflict do nothing`

export const setUnread = (tx: Tx, orgId: OrgId, { id, unread }: { id: Id<'chat'>; unread: number }) => tx.run`
  update chats set unread_count = ${unread} where org_id = (select ${orgId}::text) and id = ${id}`

export const listMergedChats = (queries: Queries, orgId: OrgId, into: Id<'chat'>) => queries.many<{ id: Id<'chat'> }>`
  select id from chats where org_id = ${orgId} and merged_into = ${into}`

export const updateOpenOrder = (
  tx: Tx,
  orgId: OrgId,
  { id, openOrder }: { id: string; openOrder: OpenOrderView | null },
) =>
  tx.run`
    update chats set open_order = ${asJson(openOrder)}::text::jsonb where org_id = (select ${orgId}::text) and id = ${id} and merged_into is null`

/** The contacts among these who wrote after that time. */
export const listWrittenAfter = (queries: Queries, orgId: OrgId, contactIds: readonly string[], at: Date) =>
  queries.many<{ contact_id: Id<'con'> }>`
    select contact_id from chats
    where org_id = ${orgId} and contact_id = any(${[...contactIds]}::text[]) and last_inbound_at > ${at}`

/** A chat whose person turned out to be another: it goes on under that person. */
export const moveChatToContact = (tx: Tx, orgId: OrgId, { id, contactId }: { id: Id<'chat'>; contactId: Id<'con'> }) =>
  tx.run`update chats set contact_id = ${contactId} where org_id = ${orgId} and id = ${id}`

export const listChatsToMerge = (tx: Tx, orgId: OrgId, contactIds: readonly string[]) => tx.many<{
  id: Id<'chat'>
  number_id: Id<'num'>
  contact_id: Id<'con'>
  labels: string[]
}>`
  select id, number_id, contact_id, labels from chats
  where org_id = ${orgId} and contact_id = any(${[...contactIds]}::text[]) and merged_into is null
  order by id for update`

/** Merges a chat into another: what is newest, open, assigned or unread in either holds for both. */
export const absorbChat = (tx: Tx, orgId: OrgId, { from, into }: { from: Id<'chat'>; into: Id<'chat'> }) => tx.run`
  update chats kept
  set status = case when 'open' in (kept.status, gone.status) then 'open' else 'closed' end,
      labels = array(select distinct label from unnest(kept.labels || gone.labels) as label order by label),
      assignee = coalesce(kept.assignee, gone.assignee),
      unread_count = (select count(*) from message_states
        where org_id = ${orgId} and unread_chat_id in (${from}, ${into}) and unread_chat_id is not null),
      last_message_id = (select message.id from messages message ${stateOf(tx)}
        where message.org_id = ${orgId} and message.chat_id in (${from}, ${into}) and ${statusColumn(tx)} <> 'scheduled'
        order by message.happened_at desc, message.id desc limit 1),
      last_activity_at = greatest(kept.last_activity_at, gone.last_activity_at),
      last_inbound_at = greatest(kept.last_inbound_at, gone.last_inbound_at),
      open_order = case
        when gone.open_order is null or (kept.open_order->>'id') collate "C" > gone.open_order->>'id' then kept.open_order
        else gone.open_order end,
      created_at = least(kept.created_at, gone.created_at)
  from chats gone
  where kept.org_id = ${orgId} and kept.id = ${into} and gone.org_id = ${orgId} and gone.id = ${from}`

export const mergeChatInto = (tx: Tx, orgId: OrgId, { from, into }: { from: Id<'chat'>; into: Id<'chat'> }) => tx.run`
  with moved as (
    update messages set chat_id = ${into} where org_id = ${orgId} and chat_id = ${from}),
  unread as (
    update message_states set unread_chat_id = ${into}
    where org_id = ${orgId} and unread_chat_id = ${from} and unread_chat_id is not null),
  unlabelled as (
    delete from chat_labels where org_id = ${orgId} and chat_id = ${from})
  update chats set merged_into = ${into}, unread_count = 0
  where org_id = ${orgId} and (id = ${from} or merged_into = ${from})`
