import type { TemplateContent } from '../channels/content/content.ts'
import type { EventActor } from '../events/events.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { ContactRow } from '../messaging/contacts/contacts.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { fromHome, homeOrg } from '../platform/database/organization-filter.ts'
import { jsonList } from '../platform/database/plain-lists.ts'
import type { BroadcastStatus } from './broadcasts.schemas.ts'

export type BroadcastRow = {
  org_id: OrgId
  id: Id<'brd'>
  name: string
  number_id: Id<'num'>
  template: TemplateContent
  label: string | null
  status: BroadcastStatus
  paused_reason: string | null
  per_minute: number
  daily_max: number | null
  unit_price: number | null
  send_at: Date | null
  created_by: EventActor
  created_at: Date
  started_at: Date | null
  resumed_at: Date | null
  ended_at: Date | null
}

const columns = (queries: Queries) => queries.part`
  org_id, id, name, number_id, template, label, status, paused_reason, per_minute, daily_max, unit_price, send_at, created_by,
  created_at, started_at, resumed_at, ended_at`

export const insertBroadcast = (tx: Tx, orgId: OrgId, row: Omit<BroadcastRow, 'org_id'>) => tx.one<BroadcastRow>`
  insert into broadcasts (org_id, id, name, number_id, template, label, status, per_minute, daily_max, unit_price, send_at,
    created_by, created_at)
  values (${orgId}, ${row.id}, ${row.name}, ${row.number_id}, ${JSON.stringify(row.template)}::text::jsonb, ${row.label},
    ${row.status}, ${row.per_minute}, ${row.daily_max}, ${row.unit_price}, ${row.send_at},
    ${JSON.stringify(row.created_by)}::text::jsonb, ${row.created_at})
  returning ${columns(tx)}`

export const findBroadcast = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<BroadcastRow>`
  select ${columns(queries)} from broadcasts where org_id = ${orgId} and id = ${id}`

export const lockBroadcast = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<BroadcastRow>`
  select ${columns(tx)} from broadcasts where org_id = ${orgId} and id = ${id} for update`

/** While it is held, the broadcast cannot be paused or cancelled. */
export const shareBroadcast = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<BroadcastRow>`
  select ${columns(tx)} from broadcasts where org_id = ${orgId} and id = ${id} for share`

export const listBroadcasts = (
  queries: Queries,
  orgId: OrgId,
  { before, limit, status }: { before: string | null; limit: number; status: string | null },
) => queries.many<BroadcastRow>`
  select ${columns(queries)} from broadcasts
  where org_id = ${orgId} and (${before}::text is null or id < ${before}) and (${status}::text is null or status = ${status})
  order by id desc limit ${limit}`

export type StatusChange = Pick<BroadcastRow, 'status' | 'paused_reason' | 'started_at' | 'resumed_at' | 'ended_at'>

export const saveStatus = (tx: Tx, orgId: OrgId, id: string, change: StatusChange) => tx.one<BroadcastRow>`
  update broadcasts set status = ${change.status}, paused_reason = ${change.paused_reason}, started_at = ${change.started_at},
    resumed_at = ${change.resumed_at}, ended_at = ${change.ended_at}
  where org_id = ${orgId} and id = ${id} returning ${columns(tx)}`

export type RecipientRow = {
  person: string
  position: number
  contact_id: Id<'con'> | null
  chat_id: Id<'chat'> | null
  /** Without the plus. */
  phone: string | null
  variables: readonly string[] | Record<string, string> | null
  opt_in_source: string | null
  opt_in_at: Date | null
  status: 'pending' | 'sent' | 'skipped' | 'cancelled'
  reason: string | null
}

export const insertRecipients = (
  tx: Tx,
  orgId: OrgId,
  { id, number_id: numberId }: Pick<BroadcastRow, 'id' | 'number_id'>,
  rows: readonly RecipientRow[],
) => tx.run`
  insert into broadcast_recipients (org_id, broadcast_id, number_id, person, position, contact_id, chat_id, phone, variables,
    opt_in_source, opt_in_at, status, reason)
  select ${homeOrg(tx, orgId)}, ${id}::text, ${numberId}::text, person, position, contact_id, chat_id, phone, variables::jsonb,
    opt_in_source, opt_in_at, status, reason
  from ${fromHome(tx, orgId)} unnest(
    ${rows.map((row) => row.person)}::text[], ${rows.map((row) => row.position)}::integer[],
    ${rows.map((row) => row.contact_id)}::text[], ${rows.map((row) => row.chat_id)}::text[],
    ${rows.map((row) => row.phone)}::text[], ${jsonList(tx, rows, (row) => row.variables)},
    ${rows.map((row) => row.opt_in_source)}::text[], ${rows.map((row) => row.opt_in_at)}::timestamptz[],
    ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.reason)}::text[]
  ) as fresh(person, position, contact_id, chat_id, phone, variables, opt_in_source, opt_in_at, status, reason)`

/** The next who wait, in the order of the audience. */
export const listPending = (queries: Queries, orgId: OrgId, id: string, limit: number) => queries.many<RecipientRow>`
  select person, position, contact_id, chat_id, phone, variables, opt_in_source, opt_in_at, status, reason
  from broadcast_recipients where org_id = ${orgId} and broadcast_id = ${id} and status = 'pending'
  order by position limit ${limit}`

/** False when the person was sent it, or left out, before. */
export const takeRecipient = async (tx: Tx, orgId: OrgId, id: string, { person }: RecipientRow): Promise<boolean> =>
  (await tx.run`
    update broadcast_recipients set status = 'sent'
    where org_id = ${orgId} and broadcast_id = ${id} and person = ${person} and status = 'pending'`) === 1

export type Sent = { contactId: string; messageId: Id<'msg'>; at: Date }

export const noteSent = (tx: Tx, orgId: OrgId, id: string, { person }: RecipientRow, sent: Sent) => tx.run`
  update broadcast_recipients set contact_id = ${sent.contactId}, message_id = ${sent.messageId}, sent_at = ${sent.at}
  where org_id = ${orgId} and broadcast_id = ${id} and person = ${person}`

export const skipRecipient = (
  tx: Queries,
  orgId: OrgId,
  id: string,
  { person }: RecipientRow,
  reason: string,
) => tx.run`
  update broadcast_recipients set status = 'skipped', reason = ${reason}
  where org_id = ${orgId} and broadcast_id = ${id} and person = ${person} and status = 'pending'`

export const cancelPending = (tx: Tx, orgId: OrgId, id: string) => tx.run`
  update broadcast_recipients set status = 'cancelled'
  where org_id = ${orgId} and broadcast_id = ${id} and status = 'pending'`

/** How many people the number was used for since then, by all its broadcasts. */
export const countSentSince = async (queries: Queries, orgId: OrgId, numberId: string, since: Date): Promise<number> =>
  (
    await queries.one<{ count: number }>`
      select count(*)::integer as count from broadcast_recipients
      where org_id = ${orgId} and number_id = ${numberId} and status = 'sent' and sent_at > ${since}`
  ).count

export type CountRow = {
  broadcast_id: string
  status: RecipientRow['status']
  reason: string | null
  message_status: string | null
  count: number
}

/** Numbers of people by what happened to them. */
export const countRecipients = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<CountRow>`
  select recipient.broadcast_id, recipient.status, recipient.reason, state.status as message_status, count(*)::integer as count
  from broadcast_recipients recipient
  left join message_states state on state.org_id = ${orgId} and state.message_id = recipient.message_id
  where recipient.org_id = ${orgId} and recipient.broadcast_id = any(${[...ids]}::text[])
  group by 1, 2, 3, 4`

export type ReportRow = Pick<
  RecipientRow,
  'position' | 'contact_id' | 'phone' | 'status' | 'reason' | 'opt_in_source' | 'opt_in_at'
> & {
  message_id: Id<'msg'> | null
  sent_at: Date | null
  message_status: string | null
  message_error: { code: string } | null
}

export const listReport = (
  queries: Queries,
  orgId: OrgId,
  { id, after, limit, status }: { id: string; after: number | null; limit: number; status: string | null },
) => queries.many<ReportRow>`
  select recipient.position, recipient.contact_id, recipient.phone, recipient.status, recipient.reason,
    recipient.opt_in_source, recipient.opt_in_at, recipient.message_id, recipient.sent_at,
    case when recipient.message_id is null then null else coalesce(state.status, 'queued') end as message_status,
    state.error as message_error
  from broadcast_recipients recipient
  left join message_states state on state.org_id = ${orgId} and state.message_id = recipient.message_id
  where recipient.org_id = ${orgId} and recipient.broadcast_id = ${id}
    and (${after}::integer is null or recipient.position > ${after})
    and (${status}::text is null or recipient.status = ${status})
  order by recipient.position limit ${limit}`

/** A person of an audience, with all that decides whether they are sent anything. */
export type Candidate = {
  contact_id: Id<'con'>
  chat_id: Id<'chat'> | null
  number_id: Id<'num'> | null
  phone: string | null
  marketing_wishes: ContactRow['marketing_wishes']
  consent: { is_given: boolean; at: string; source: string } | null
}

const consentOf = (queries: Queries, orgId: OrgId) => queries.part`
  left join lateral (
    select jsonb_build_object('is_given', is_given, 'at', at, 'source', source) as consent
    from contact_consents where org_id = ${orgId} and contact_id = contact.id) as known on true`

/** Everyone with a chat that has the label, once, by the chat on this number if there is one. */
export const listLabelled = (
  queries: Queries,
  orgId: OrgId,
  { label, numberId, limit }: { label: string; numberId: string; limit: number },
) => queries.many<Candidate>`
  select distinct on (contact.id) contact.id as contact_id, chat.id as chat_id, chat.number_id, contact.phone,
    contact.marketing_wishes, known.consent
  from chat_labels labelled
  join chats chat on chat.org_id = ${orgId} and chat.id = labelled.chat_id
  join contacts contact on contact.org_id = ${orgId} and contact.id = chat.contact_id
  ${consentOf(queries, orgId)}
  where labelled.org_id = ${orgId} and labelled.label = ${label}
  order by contact.id, chat.number_id = ${numberId} desc, chat.id limit ${limit}`

/** Those of the phones that belong to a contact, with the phone that was asked for. */
export const listByPhones = (queries: Queries, orgId: OrgId, phones: readonly string[]) => queries.many<
  Candidate & { asked: string }
>`
  select identity.value as asked, contact.id as contact_id, null as chat_id, null as number_id, contact.phone,
    contact.marketing_wishes, known.consent
  from contact_identities identity
  join contacts contact on contact.org_id = ${orgId} and contact.id = identity.contact_id
  ${consentOf(queries, orgId)}
  where identity.org_id = ${orgId} and identity.kind = 'phone' and identity.value = any(${[...phones]}::text[])`

export type ConsentRow = { contact_id: Id<'con'>; is_given: boolean; source: string; at: Date }

/** The latest counts, in whatever order they are recorded. */
export const saveConsent = (tx: Tx, orgId: OrgId, row: ConsentRow) => tx.run`
  insert into contact_consents as known (org_id, contact_id, is_given, source, at)
  values (${orgId}, ${row.contact_id}, ${row.is_given}, ${row.source}, ${row.at})
  on conflict (org_id, contact_id) do update
    set is_given = excluded.is_given, source = excluded.source, at = excluded.at where known.at <= excluded.at`

export const findConsent = (queries: Queries, orgId: OrgId, contactId: string) => queries.maybeOne<ConsentRow>`
  select contact_id, is_given, source, at from contact_consents where org_id = ${orgId} and contact_id = ${contactId}`
