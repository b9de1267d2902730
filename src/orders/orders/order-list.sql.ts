import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { type OrderStatus, orderStates } from '../settlement/orders.states.ts'
import { type PaymentStatusOfOrder, paymentStatuses } from '../settlement/settlement.ts'
import { type OrderRow, orderColumns } from './orders.sql.ts'

/**
 * Reads a page of orders, newest first. Every filter has an index that yields the ids in that order or only a few of them, so
 * a page costs the same with a thousand orders and with a million.
 */
export type OrderFilter = {
  statuses: readonly OrderStatus[] | null
  paymentStatuses: readonly PaymentStatusOfOrder[] | null
  phone: string | null
  chatIds: readonly string[] | null
  reference: string | null
  paymentLinkId: string | null
  search: OrderSearch | null
  needsReview: boolean | null
  /** Bounds of the creation time, which ids carry: `fromId` is inclusive, `beforeId` exclusive. */
  fromId: string | null
  beforeId: string | null
  updatedFrom: Date | null
  updatedBefore: Date | null
  limit: number
}

export type OrderSearch = { number: number | null; text: string; phone: string | null }

export async function listOrders(queries: Queries, orgId: OrgId, filter: OrderFilter): Promise<OrderRow[]> {
  const { search } = filter
  if (search !== null) return listFound(queries, orgId, { ...filter, search })
  return listWalking(queries, orgId, filter, queries.part``)
}

/** Few matches are fetched by id. With many matches, a scan from the newest order finds a page soon enough. */
async function listFound(queries: Queries, orgId: OrgId, filter: OrderFilter & { search: OrderSearch }) {
  const ids = (await listMatches(queries, orgId, filter.search)).map(({ id }) => id)
  return ids.length < MATCHES_MAX
    ? listPlainly(queries, orgId, filter, queries.part`and id = any(${ids}::text[])`)
    : listWalking(queries, orgId, filter, matching(queries, filter.search))
}

/** Scans the index of the filter, so that orders in a rare state are not searched among all orders. */
function listWalking(queries: Queries, orgId: OrgId, filter: OrderFilter, condition: Part) {
  if (filter.chatIds !== null) return listOfChats(queries, orgId, { ...filter, chatIds: filter.chatIds }, condition)
  const isByStatus = filter.statuses !== null || filter.paymentStatuses !== null
  const isNarrow = filter.phone !== null || filter.reference !== null || filter.paymentLinkId !== null
  return (isByStatus && !isNarrow ? listByStatus : listPlainly)(queries, orgId, filter, condition)
}

const MATCHES_MAX = 2000

/** Contains only the conditions of the request: a condition that is always true would hide the index from the planner. */
const conditions = (queries: Queries, filter: OrderFilter) => {
  const { part } = queries
  const when = (isGiven: boolean, condition: ReturnType<typeof part>) => (isGiven ? condition : part``)
  return part`and not is_checkout
    ${when(filter.fromId !== null, part`and id >= ${filter.fromId}`)}
    ${when(filter.beforeId !== null, part`and id < ${filter.beforeId}`)}
    ${when(filter.phone !== null, part`and customer_phone = ${filter.phone}`)}
    ${when(filter.reference !== null, part`and reference = ${filter.reference}`)}
    ${when(filter.paymentLinkId !== null, part`and payment_link_id = ${filter.paymentLinkId}`)}
    ${when(filter.needsReview === true, part`and review_since is not null`)}
    ${when(filter.needsReview === false, part`and review_since is null`)}
    ${when(filter.updatedFrom !== null, part`and updated_at >= ${filter.updatedFrom}`)}
    ${when(filter.updatedBefore !== null, part`and updated_at < ${filter.updatedBefore}`)}`
}

type Part = ReturnType<Queries['part']>

const listPlainly = (queries: Queries, orgId: OrgId, filter: OrderFilter, condition: Part) => {
  const { part } = queries
  const { statuses, paymentStatuses, chatIds } = filter
  return queries.many<OrderRow>`
    select ${orderColumns(queries)} from orders
    where org_id = ${orgId} ${conditions(queries, filter)} ${condition}
      ${chatIds === null ? part`` : part`and chat_id = any(${[...chatIds]}::text[])`}
      ${statuses === null ? part`` : part`and status = any(${[...statuses]}::text[])`}
      ${paymentStatuses === null ? part`` : part`and payment_status = any(${[...paymentStatuses]}::text[])`}
    order by id desc limit ${filter.limit}`
}

/** Finds orders by number, reference, phone, or the beginning of the customer's name, each with one short index scan. */
const listMatches = (queries: Queries, orgId: OrgId, { number, text, phone }: OrderSearch) =>
  queries.many<{ id: string }>`
    select id from (
      select id from orders where org_id = ${orgId} and number = ${number}::bigint
      union all select id from orders where org_id = ${orgId} and reference = ${text}
      union all (select id from orders where org_id = ${orgId} and customer_phone = ${phone} limit ${MATCHES_MAX})
      union all (select id from orders
        where org_id = ${orgId} and customer_name is not null and lower(customer_name) collate "C" >= lower(${text})
          and lower(customer_name) collate "C" < lower(${text}) || ${LAST}
        limit ${MATCHES_MAX})) as matches
    limit ${MATCHES_MAX}`

/** Sorts after every character that a name can continue with. */
const LAST = '\u{10ffff}'

/**
 * The same as a condition on the rows of a scan. `|| ''` keeps the planner from using the index of names: the matches are
 * many here, and it would fetch and sort all of them once for every pair of states.
 */
const matching = (queries: Queries, { number, text, phone }: OrderSearch) => queries.part`
  and (number = ${number}::bigint or reference = ${text} or customer_phone = ${phone}
    or starts_with(lower(customer_name) || '', lower(${text})))`

/** Merges one short index range per pair of states, so that no range is scanned for rows of another. */
const listByStatus = (queries: Queries, orgId: OrgId, filter: OrderFilter, condition: Part) => queries.many<OrderRow>`
  select page.* from
    unnest(${[...(filter.statuses ?? orderStates.all)]}::text[]) as wanted(status)
    cross join unnest(${[...(filter.paymentStatuses ?? paymentStatuses)]}::text[]) as asked(payment_status)
    cross join lateral (
      select ${orderColumns(queries)} from orders
      where org_id = ${orgId} and orders.status = wanted.status and orders.payment_status = asked.payment_status
        ${conditions(queries, filter)} ${condition}
      order by id desc limit ${filter.limit}) as page
  order by page.id desc limit ${filter.limit}`

/** The same for a chat and the chats merged into it: one short index range per chat and state. */
const listOfChats = (
  queries: Queries,
  orgId: OrgId,
  filter: OrderFilter & { chatIds: readonly string[] },
  condition: Part,
) => {
  const { part } = queries
  const { paymentStatuses } = filter
  return queries.many<OrderRow>`
    select page.* from
      unnest(${[...filter.chatIds]}::text[]) as meant(chat_id)
      cross join unnest(${[...(filter.statuses ?? orderStates.all)]}::text[]) as wanted(status)
      cross join lateral (
        select ${orderColumns(queries)} from orders
        where org_id = ${orgId} and orders.chat_id = meant.chat_id and orders.status = wanted.status
          ${conditions(queries, filter)} ${condition}
          ${paymentStatuses === null ? part`` : part`and payment_status = any(${[...paymentStatuses]}::text[])`}
        order by id desc limit ${filter.limit}) as page
    order by page.id desc limit ${filter.limit}`
}
