import type { OrgId } from '../../../kernel/ids.ts'
import type { Queries } from '../../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../../platform/database/organization-filter.ts'

export type AcceptedRow = {
  numberId: string
  recipient: string
  messageId: string
  /** As JSON; null where it is never read. */
  content: string | null
  /** The entry that reports it; null when there is nothing to report. */
  entryId: string | null
}

export type ReportEntry = { id: string; laneId: string; dueAt: Date; payload: string }

export type Acceptance = { number_id: string; message_id: string; copies: number }

/** The messages, and the entries that will report them, in one statement. */
export const insertAccepted = (
  queries: Queries,
  orgId: OrgId,
  {
    rows,
    entries,
    job,
    now,
  }: { rows: readonly AcceptedRow[]; entries: readonly ReportEntry[]; job: string; now: Date },
) => queries.many<Acceptance>`
  with given as materialized (
    select number_id, recipient, message_id, content, entry_id
    from unnest(${rows.map((row) => row.numberId)}::text[],
      ${rows.map((row) => row.recipient)}::text[], ${rows.map((row) => row.messageId)}::text[],
      ${rows.map((row) => row.content)}::text[], ${rows.map((row) => row.entryId)}::text[])
      as given (number_id, recipient, message_id, content, entry_id)
  ),
  accepted as (
    insert into simulator_messages as kept (org_id, number_id, recipient, message_id, content, copies, seen_at)
    select ${homeOrg(queries, orgId)}, number_id, recipient, message_id, content::jsonb, 1, ${now} from ${fromHome(queries, orgId)} given
    on conflict on constraint simulator_messages_pkey do update set copies = kept.copies + 1, seen_at = excluded.seen_at
    returning kept.number_id, kept.recipient, kept.message_id, kept.copies
  ),
  reported as (
    select given.entry_id, jsonb_agg(jsonb_build_array(given.recipient, given.message_id, accepted.copies)) as messages
    from given
    join accepted on accepted.number_id = given.number_id and accepted.message_id = given.message_id
      and accepted.recipient = given.recipient
    group by given.entry_id
  ),
  queued as (
    insert into outbox_entries (id, lane_id, org_id, job, due_at, payload)
    select entry.id, entry.lane_id, ${homeOrg(queries, orgId)}, ${job}::text, entry.due_at,
      entry.payload::jsonb || jsonb_build_object('messages', reported.messages)
    from ${fromHome(queries, orgId)} unnest(${entries.map((entry) => entry.id)}::text[], ${entries.map((entry) => entry.laneId)}::text[],
      ${entries.map((entry) => entry.dueAt)}::timestamptz[],
      ${entries.map((entry) => entry.payload)}::text[]) as entry (id, lane_id, due_at, payload)
    join reported on reported.entry_id = entry.id
  )
  select number_id, message_id, copies from accepted`

export type MessagePlace = { numberId: string; recipient: string; messageId: string }

/** How often the network has said no to this message, this time included. */
export const noteRefusal = (
  queries: Queries,
  orgId: OrgId,
  { numberId, recipient, messageId, now }: MessagePlace & { now: Date },
) =>
  queries.one<{ refusals: number }>`
    insert into simulator_messages as kept (org_id, number_id, recipient, message_id, refusals, seen_at)
    values (${orgId}, ${numberId}, ${recipient}, ${messageId}, 1, ${now})
    on conflict on constraint simulator_messages_pkey
    do update set refusals = kept.refusals + 1, seen_at = excluded.seen_at
    returning refusals`

export type MessageRow = { recipient: string; message_id: string; content: unknown; copies: number }

export type SentRow = MessageRow & { refusals: number; seen_at: Date }

export const findReceived = (
  queries: Queries,
  orgId: OrgId,
  { numberId, recipients, messageId }: { numberId: string; recipients: string[]; messageId: string },
) => queries.maybeOne<MessageRow>`
  select recipient, message_id, content, copies from simulator_messages
  where org_id = ${orgId} and number_id = ${numberId} and recipient = any(${recipients}) and message_id = ${messageId}
    and copies > 0
  order by recipient limit 1`

/** For any recipient. */
export const findMessage = (
  queries: Queries,
  orgId: OrgId,
  { numberId, messageId }: { numberId: string; messageId: string },
) =>
  queries.maybeOne<MessageRow>`
    select recipient, message_id, content, copies from simulator_messages
    where org_id = ${orgId} and number_id = ${numberId} and message_id = ${messageId} and copies > 0
    order by recipient limit 1`

export type Reading = { numberId: string; recipients: string[]; messageId: string | null; limit: number; now: Date }

/** The newest that were not read yet, or the one that is named. */
export const markMessagesRead = (queries: Queries, orgId: OrgId, reading: Reading) => queries.many<MessageRow>`
  update simulator_messages set read_at = ${reading.now}
  where org_id = ${orgId} and number_id = ${reading.numberId} and (recipient, message_id) in (
    select recipient, message_id from simulator_messages
    where org_id = ${orgId} and number_id = ${reading.numberId} and recipient = any(${reading.recipients})
      and copies > 0 and read_at is null and (${reading.messageId}::text is null or message_id = ${reading.messageId})
    order by message_id desc limit ${reading.limit})
  returning recipient, message_id, content, copies`

export type SentSearch = { numberId: string; recipients: string[] | null; after: string | null; limit: number }

/** What the network accepted, oldest first: the first after a message, or without one the newest. */
export async function listMessages(
  queries: Queries,
  orgId: OrgId,
  { numberId, recipients, after, limit }: SentSearch,
): Promise<SentRow[]> {
  const { part } = queries
  const rows = await queries.many<SentRow>`
    select recipient, message_id, content, copies, refusals, seen_at from simulator_messages
    where org_id = ${orgId} and number_id = ${numberId} and copies > 0
      ${recipients === null ? part`` : part`and recipient = any(${recipients})`}
      ${after === null ? part`` : part`and message_id > ${after}`}
    order by message_id ${after === null ? part`desc` : part`asc`} limit ${limit}`
  return after === null ? rows.reverse() : rows
}

export const deleteOldMessages = (queries: Queries, orgId: OrgId, { before, limit }: { before: Date; limit: number }) =>
  queries.run`
    delete from simulator_messages where org_id = ${orgId} and (number_id, recipient, message_id) in (
      select number_id, recipient, message_id from simulator_messages
      where org_id = ${orgId} and seen_at < ${before} limit ${limit})`

export const deleteOldFiles = (queries: Queries, orgId: OrgId, { before, limit }: { before: Date; limit: number }) =>
  queries.run`
    delete from simulator_files where org_id = ${orgId} and (number_id, id) in (
      select number_id, id from simulator_files where org_id = ${orgId} and created_at < ${before} limit ${limit})`

export type PersonRow = {
  id: string
  phone: string | null
  user_id: string
  username: string | null
  name: string
  messages_written: number
  last_wrote_at: Date
}

export type Writer = Pick<PersonRow, 'id' | 'phone' | 'user_id'> & {
  numberId: string
  username: string | null
  /** Null leaves the one that is known; a person who is new gets `fallbackName`. */
  name: string | null
  fallbackName: string
  messages: number
  now: Date
}

/** A person, with so many messages more. */
export const noteWriter = (queries: Queries, orgId: OrgId, writer: Writer) => queries.one<PersonRow>`
  insert into simulator_people as kept
    (org_id, number_id, id, phone, user_id, username, name, messages_written, last_wrote_at)
  values (${orgId}, ${writer.numberId}, ${writer.id}, ${writer.phone}, ${writer.user_id}, ${writer.username},
    coalesce(${writer.name}, ${writer.fallbackName}), ${writer.messages}, ${writer.now})
  on conflict on constraint simulator_people_pkey do update
  set phone = excluded.phone, user_id = excluded.user_id, username = coalesce(excluded.username, kept.username),
      name = coalesce(${writer.name}, kept.name), messages_written = kept.messages_written + excluded.messages_written,
      last_wrote_at = greatest(kept.last_wrote_at, excluded.last_wrote_at)
  returning id, phone, user_id, username, name, messages_written, last_wrote_at`

export const listPeople = (queries: Queries, orgId: OrgId, { numberId, limit }: { numberId: string; limit: number }) =>
  queries.many<PersonRow>`
    select id, phone, user_id, username, name, messages_written, last_wrote_at from simulator_people
    where org_id = ${orgId} and number_id = ${numberId} order by last_wrote_at desc, id limit ${limit}`

export type WantedStanding = {
  numberId: string
  recipient: string
  userId: string | null
  /** Whether the limits of a real number are needed: when they wrote, and how much they were sent. */
  isStrict: boolean
  /** What objects about the recipient may be kept under, and `*`. */
  ids: (string | null)[]
}
export type StandingObject = { kind: string; id: string; value: Record<string, unknown> }
export type StandingRow = {
  /** From 1 on. */
  position: number
  last_wrote_at: Date | null
  recent: number
  objects: StandingObject[] | null
}

/** What is known about recipients of one organization, in one statement. */
export const listStandings = (
  queries: Queries,
  orgId: OrgId,
  { wanted, kinds, since }: { wanted: readonly WantedStanding[]; kinds: string[]; since: Date },
) => queries.many<StandingRow>`
  select wanted.position::integer as position,
    case when wanted.is_strict then coalesce(
      (select last_wrote_at from simulator_people person
        where person.org_id = ${orgId} and person.number_id = wanted.number_id and person.id = wanted.recipient),
      (select max(last_wrote_at) from simulator_people person
        where person.org_id = ${orgId} and person.number_id = wanted.number_id and person.user_id = wanted.user_id)
    ) end as last_wrote_at,
    case when wanted.is_strict then (select count(*)::integer from simulator_messages message
      where message.org_id = ${orgId} and message.number_id = wanted.number_id
        and message.recipient = wanted.recipient and message.copies > 0 and message.seen_at > ${since}) else 0 end as recent,
    (select jsonb_agg(jsonb_build_object('kind', object.kind, 'id', object.id, 'value', object.value))
      from simulator_objects object
      where object.org_id = ${orgId} and object.number_id = wanted.number_id and object.kind = any(${kinds})
        and object.id in (wanted.id1, wanted.id2, wanted.id3, wanted.id4)) as objects
  from unnest(${wanted.map((one) => one.numberId)}::text[], ${wanted.map((one) => one.recipient)}::text[],
    ${wanted.map((one) => one.userId)}::text[], ${wanted.map((one) => one.isStrict)}::boolean[],
    ${wanted.map((one) => one.ids[0] ?? null)}::text[],
    ${wanted.map((one) => one.ids[1] ?? null)}::text[], ${wanted.map((one) => one.ids[2] ?? null)}::text[],
    ${wanted.map((one) => one.ids[3] ?? null)}::text[])
    with ordinality as wanted (number_id, recipient, user_id, is_strict, id1, id2, id3, id4, position)`

export type FileRow = { mime_type: string; filename: string | null; bytes: Uint8Array }

export const insertFile = (
  queries: Queries,
  orgId: OrgId,
  file: FileRow & { numberId: string; id: string; now: Date },
) => queries.run`
  insert into simulator_files as kept (org_id, number_id, id, mime_type, filename, bytes, created_at)
  values (${orgId}, ${file.numberId}, ${file.id}, ${file.mime_type}, ${file.filename}, ${file.bytes}, ${file.now})
  on conflict on constraint simulator_files_pkey do update set created_at = excluded.created_at`

export const findFile = (queries: Queries, orgId: OrgId, { numberId, id }: { numberId: string; id: string }) =>
  queries.maybeOne<FileRow>`
    select mime_type, filename, bytes from simulator_files
    where org_id = ${orgId} and number_id = ${numberId} and id = ${id}`

/** What a simulated number, or with an empty number its account, has of one kind. */
export type ObjectPlace = { orgId: OrgId; numberId: string; kind: string }

export type ObjectRow = { id: string; value: Record<string, unknown> }

export const listObjects = (queries: Queries, { orgId, numberId, kind }: ObjectPlace) => queries.many<ObjectRow>`
  select id, value from simulator_objects
  where org_id = ${orgId} and number_id = ${numberId} and kind = ${kind}
  order by created_at, id`

export const putObject = (
  queries: Queries,
  { orgId, numberId, kind }: ObjectPlace,
  { id, value, now }: ObjectRow & { now: Date },
) => queries.many`
  insert into simulator_objects (org_id, number_id, kind, id, value, created_at)
  values (${orgId}, ${numberId}, ${kind}, ${id}, ${JSON.stringify(value)}::text::jsonb, ${now})
  on conflict on constraint simulator_objects_pkey do update set value = excluded.value`

/** False when there is one with this id. */
export const insertObject = async (
  queries: Queries,
  { orgId, numberId, kind }: ObjectPlace,
  { id, value, now }: ObjectRow & { now: Date },
): Promise<boolean> =>
  (
    await queries.many`
      insert into simulator_objects (org_id, number_id, kind, id, value, created_at)
      values (${orgId}, ${numberId}, ${kind}, ${id}, ${JSON.stringify(value)}::text::jsonb, ${now})
      on conflict on constraint simulator_objects_pkey do nothing
      returning 1`
  ).length > 0

export const deleteObject = async (
  queries: Queries,
  { orgId, numberId, kind }: ObjectPlace,
  id: string,
): Promise<boolean> =>
  (
    await queries.many`
      delete from simulator_objects
      where org_id = ${orgId} and number_id = ${numberId} and kind = ${kind} and id = ${id}
      returning 1`
  ).length > 0
