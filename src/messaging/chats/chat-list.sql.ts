import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { isOrgApart, orgAs } from '../../platform/database/organization-filter.ts'
import {
  type ChatRow,
  type ChatStatus,
  chatJoins,
  chatWithDetails,
  type FlatChatRow,
  unflattenChat,
} from './chats.sql.ts'

export type ChatFilter = {
  isUnread?: boolean
  status?: ChatStatus
  label?: string
  assignee?: string
  isAssigned?: boolean
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

/** A separate statement, so that no plan looks the hits up again for each chat; search.ts explains `|| ''`. */
const findHits = (
  queries: Queries,
  orgId: OrgId,
  { contactQuery, textQuery }: Pick<ChatFilter, 'contactQuery' | 'textQuery'>,
) => queries.one<SearchHits>`
  with person as materialized (
    select id from contacts
    where ${isOrgApart(queries, orgId)} and words @@ ${contactQuery ?? ''}::tsquery and merged_into is null limit ${PEOPLE_HITS_MAX})
  select (select count(*)::int from person) as people,
    array(select found.id from person cross join lateral (
      select id from chats where org_id = ${orgId} and contact_id = person.id) found) as chats_of_people,
    array(select distinct hit.chat_id from (
      select chat_id from messages
      where ${isOrgApart(queries, orgId)} and words @@ ${textQuery ?? ''}::tsquery limit ${TEXT_HITS_MAX}) hit) as chats_of_text`

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
    orgId,
    queries.part`
      select * from chats chat
      where chat.org_id = ${orgId} and chat.merged_into is null ${filterParts(queries, orgId, filter)} ${search}
      order by chat.last_activity_at desc, chat.id desc limit ${filter.limit}`,
  )

type Part = ReturnType<Queries['part']>

const withRest = async (queries: Queries, orgId: OrgId, page: Part): Promise<ChatRow[]> => {
  const rows = await queries.many<FlatChatRow>`
    with page as materialized (${page})
    ${chatWithDetails(queries)} from page chat ${chatJoins(queries, orgId)}
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
    orgId,
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
    ${filter.isAssigned === undefined ? part`` : filter.isAssigned ? part`and chat.assignee is not null` : part`and chat.assignee is null`}
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
const searchPart = (queries: Queries, orgId: OrgId, filter: ChatFilter & { hits: SearchHits; askedFor?: string }) => {
  const { part } = queries
  const { chats_of_people, chats_of_text, people } = filter.hits
  const holdsWord =
    filter.askedFor === undefined
      ? part``
      : part`or (
          select true from messages
          where messages.org_id = ${orgAs(queries, orgId, part`chat.org_id`)} and messages.chat_id = chat.id and words @@ ${filter.askedFor}::tsquery
          order by happened_at desc, id desc limit 1)`
  return people < PEOPLE_HITS_MAX
    ? part`and (chat.id = any(${[...chats_of_people, ...chats_of_text]}::text[]) ${holdsWord})`
    : part`and (chat.id = any(${chats_of_text}::text[]) or (
        select person.words @@ ${filter.contactQuery ?? ''}::tsquery from contacts person
        where person.org_id = ${orgId} and person.id = chat.contact_id) ${holdsWord})`
}

/**
 * From label to label along the primary key, one look-up each: `select distinct` would read every labelled chat, and a shop may
 * have a million of them under a handful of labels.
 */
export const listLabels = (queries: Queries, orgId: OrgId, limit: number) => queries.many<{ label: string }>`
  with recursive used as (
    (select label from chat_labels where org_id = ${orgId} order by label limit 1)
    union all
    select next.label from used
    cross join lateral (
      select label from chat_labels where org_id = ${orgId} and label > used.label order by label limit 1) next)
  select label from used limit ${limit}`
