import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'

/** The values by which the rows of a customer are found, until all of them are erased. */
export type Person = {
  contacts: string[]
  chats: string[]
  orders: string[]
  /** Without the plus. */
  phones: string[]
  /** Other identities on the network. */
  identities: string[]
  names: string[]
}

export type ErasureRow = {
  org_id: OrgId
  id: Id<'era'>
  contact_id: Id<'con'>
  status: 'running' | 'completed'
  person: Person | null
  step: string | null
  counts: Record<string, number>
  created_at: Date
  completed_at: Date | null
}

const columns = (queries: Queries) =>
  queries.part`org_id, id, contact_id, status, person, step, counts, created_at, completed_at`

export const insertErasure = (
  tx: Tx,
  orgId: OrgId,
  row: { id: Id<'era'>; contactId: string; person: Person; step: string; now: Date },
) => tx.one<ErasureRow>`
  insert into contact_erasures (org_id, id, contact_id, status, person, step, created_at)
  values (${orgId}, ${row.id}, ${row.contactId}, 'running', ${JSON.stringify(row.person)}::text::jsonb, ${row.step}, ${row.now})
  returning ${columns(tx)}`

export const findErasure = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<ErasureRow>`
  select ${columns(queries)} from contact_erasures where org_id = ${orgId} and id = ${id}`

export const lockErasure = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<ErasureRow>`
  select ${columns(tx)} from contact_erasures where org_id = ${orgId} and id = ${id} for update`

export const findRunningErasure = (queries: Queries, orgId: OrgId, contactId: string) => queries.maybeOne<ErasureRow>`
  select ${columns(queries)} from contact_erasures
  where org_id = ${orgId} and contact_id = ${contactId} and status = 'running'`

export const listErasures = (
  queries: Queries,
  orgId: OrgId,
  { before, limit }: { before: string | null; limit: number },
) => queries.many<ErasureRow>`
  select ${columns(queries)} from contact_erasures
  where org_id = ${orgId} and (${before}::text is null or id < ${before}) order by id desc limit ${limit}`

export const saveErasure = (
  tx: Tx,
  orgId: OrgId,
  { id, step, counts, person }: { id: string; step: string; counts: Record<string, number>; person: Person },
) => tx.run`
  update contact_erasures
  set step = ${step}, counts = ${JSON.stringify(counts)}::text::jsonb, person = ${JSON.stringify(person)}::text::jsonb
  where org_id = ${orgId} and id = ${id}`

export const completeErasure = (
  tx: Tx,
  orgId: OrgId,
  { id, counts, now }: { id: string; counts: Record<string, number>; now: Date },
) => tx.run`
  update contact_erasures
  set status = 'completed', step = null, person = null, counts = ${JSON.stringify(counts)}::text::jsonb, completed_at = ${now}
  where org_id = ${orgId} and id = ${id}`

type Found = Record<'contacts' | 'chats' | 'orders' | 'phones' | 'identities' | 'names', string[] | null>

/** A contact with those that were merged into it, and everything that refers to one of them. */
export const findPerson = (queries: Queries, orgId: OrgId, contactId: string) => queries.one<Found>`
  with person as (
    select id, name, synced_name, phone from contacts
    where org_id = ${orgId} and (id = ${contactId} or merged_into = ${contactId})
  ), known as (
    select kind, value from contact_identities where org_id = ${orgId} and contact_id in (select id from person)
  ), phone as (
    select phone from person where phone is not null union select value from known where kind = 'phone'
  ), talk as (
    select id from chats where org_id = ${orgId} and contact_id in (select id from person)
  ), bought as (
    select id, customer_name from orders
    where org_id = ${orgId} and (contact_id in (select id from person) or chat_id in (select id from talk)
      or ltrim(customer_phone, '+') in (select phone from phone))
  )
  select array(select id from person) as contacts, array(select id from talk) as chats,
    array(select id from bought) as orders, array(select phone from phone) as phones,
    array(select value from known where kind <> 'phone') as identities,
    array(select name from person where name is not null union select synced_name from person where synced_name is not null
      union select customer_name from bought where customer_name is not null) as names`

/** Whether a process is sending to, or working on, one of the chats or orders at this moment. */
export const isBusy = async (queries: Queries, orgId: OrgId, { chats, orders }: Person): Promise<boolean> =>
  (
    await queries.one<{ busy: boolean }>`
      select exists (
        select from outbox_entries
        where org_id = ${orgId} and state = 'leased' and order_key = any(${[...chats, ...orders]}::text[])) as busy`
  ).busy

/** Whether posts of a network about the customer are still to be applied, or to be sent by the simulator. */
export const isExpected = async (queries: Queries, orgId: OrgId, { phones, identities }: Person): Promise<boolean> =>
  (
    await queries.one<{ expected: boolean }>`
      with named as (select unnest(${[...phones, ...identities]}::text[]) as text)
      select exists (
        select from outbox_entries, named
        where outbox_entries.org_id = ${orgId} and position(named.text in payload::text) > 0
      ) or exists (
        select from channel_journal, named
        where channel_journal.org_id = ${orgId} and applied_at is null
          and position(convert_to(named.text, 'UTF8') in body) > 0
      ) as expected`
  ).expected

const MESSAGES_AT_ONCE = 2_000

/** Files of a piece of the chats: those that customers sent and that we drew, and uploads that no other chat has. */
export const listFiles = (queries: Queries, orgId: OrgId, chats: readonly string[]) => queries.many<{ id: string }>`
  with named as (
    select distinct match[1] as id
    from messages, regexp_matches(content::text, 'med_[0-9a-z]{26}', 'g') as match
    where org_id = ${orgId} and chat_id = any(${[...chats]}::text[])
  )
  select media.id from media join named on named.id = media.id
  where media.org_id = ${orgId} and (media.source <> 'upload' or not exists (
    select from messages other
    where other.org_id = ${orgId} and other.chat_id <> all(${[...chats]}::text[])
      and other.content::text like '%' || media.id || '%'))
  limit 100`

export const deleteMessages = async (tx: Tx, orgId: OrgId, chats: readonly string[]): Promise<number> => {
  const gone = await tx.many<{ id: string }>`
    delete from messages where org_id = ${orgId} and id in (
      select id from messages where org_id = ${orgId} and chat_id = any(${[...chats]}::text[]) limit ${MESSAGES_AT_ONCE})
    returning id`
  const ids = gone.map(({ id }) => id)
  await tx.run`delete from message_states where org_id = ${orgId} and message_id = any(${ids}::text[])`
  return ids.length
}

export const lockChats = (tx: Tx, orgId: OrgId, { contacts, chats }: Person) => tx.run`
  with person as (
    select id from contacts where org_id = ${orgId} and id = any(${contacts}::text[]) order by id for update
  )
  select chats.id from chats, (select count(*) from person) locked
  where org_id = ${orgId} and chats.id = any(${chats}::text[]) order by chats.id for update of chats`

export const deleteChats = async (tx: Tx, orgId: OrgId, { chats }: Person): Promise<number> => {
  await tx.run`delete from auto_replies where org_id = ${orgId} and chat_id = any(${chats}::text[])`
  await tx.run`delete from chat_labels where org_id = ${orgId} and chat_id = any(${chats}::text[])`
  return tx.run`delete from chats where org_id = ${orgId} and id = any(${chats}::text[])`
}

export const deleteContacts = async (tx: Tx, orgId: OrgId, { contacts }: Person): Promise<number> => {
  const identities = await tx.run`
    delete from contact_identities where org_id = ${orgId} and contact_id = any(${contacts}::text[])`
  await tx.run`delete from contact_notes where org_id = ${orgId} and contact_id = any(${contacts}::text[])`
  await tx.run`delete from contacts where org_id = ${orgId} and id = any(${contacts}::text[])`
  return identities
}

/** Number, amounts, items and dates stay: the books need them. A reference is unique, so one that names the customer becomes the id. */
export const reduceOrders = (tx: Tx, orgId: OrgId, { orders }: Person, needles: readonly string[]) => tx.run`
  update orders set customer_name = null, customer_phone = null, contact_id = null, chat_id = null, note = null,
    delivery = null, metadata = '{}', reference = case when exists (
      select from unnest(${[...needles]}::text[]) as named (text) where position(named.text in reference) > 0)
      then id else reference end
  where org_id = ${orgId} and id = any(${orders}::text[])`

/** The files are deleted with the chats. Staff may have attached one to an order of someone else, or of no one. */
export const clearProofs = async (tx: Tx, orgId: OrgId, { orders, chats }: Person): Promise<void> => {
  await tx.run`
    update payments set proofs = '[]' where org_id = ${orgId} and order_id = any(${orders}::text[]) and proofs <> '[]'`
  await tx.run`
    update payments set proofs = (
      select coalesce(jsonb_agg(proof order by position), '[]')
      from jsonb_array_elements(proofs) with ordinality as listed (proof, position)
      where proof ->> 'chat_id' <> all(${chats}::text[]))
    where org_id = ${orgId} and proofs <> '[]' and exists (
      select from jsonb_array_elements(proofs) as proof where proof ->> 'chat_id' = any(${chats}::text[]))`
}

/** Banks write the name of the payer into it. */
export const clearStatements = (tx: Tx, orgId: OrgId, { orders }: Person) => tx.run`
  update statement_lines set description = '' where org_id = ${orgId} and order_id = any(${orders}::text[])`

/** What networks and providers posted, once it was applied. The body of a notification is kept empty: its row says that it was received. */
export const erasePosts = async (tx: Tx, orgId: OrgId, { phones, identities, orders }: Person): Promise<number> => {
  const texts = [...phones, ...identities]
  const journal = await tx.run`
    delete from channel_journal
    where org_id = ${orgId} and applied_at is not null and exists (
      select from unnest(${texts}::text[]) as named (text) where position(convert_to(named.text, 'UTF8') in body) > 0)`
  const notices = await tx.run`
    update payment_notices set body = ''::bytea
    where org_id = ${orgId} and payment_id in (
      select id from payments where org_id = ${orgId} and order_id = any(${orders}::text[]))`
  await tx.run`
    delete from message_statuses_parked where org_id = ${orgId} and exists (
      select from unnest(${texts}::text[]) as named (text) where position(named.text in report::text) > 0)`
  return journal + notices
}

export const deleteSimulated = async (tx: Tx, orgId: OrgId, { phones, identities }: Person): Promise<number> => {
  const texts = [...phones, ...identities, ...phones.map((phone) => `+${phone}`)]
  const messages = await tx.run`
    delete from simulator_messages where org_id = ${orgId} and recipient = any(${texts}::text[])`
  await tx.run`
    delete from simulator_people
    where org_id = ${orgId} and (ltrim(phone, '+') = any(${phones}::text[]) or user_id = any(${identities}::text[]))`
  return messages
}

/** Stored answers live for a day; a repeat after the erasure is a new request. */
export const deleteStoredAnswers = (tx: Tx, orgId: OrgId, needles: readonly string[]) => tx.run`
  delete from idempotency_keys where org_id = ${orgId} and exists (
    select from unnest(${[...needles]}::text[]) as named (text) where position(named.text in body) > 0)`

/** Columns in which texts are replaced, and which of their rows are looked at. */
export type Replaced = {
  table: string
  columns: Readonly<Record<string, 'text' | 'jsonb'>>
  /** Rows that belong to the orders of the customer; all others only where they contain a phone or an identity. */
  ofOrders?: string
}

const statement = (...strings: string[]): TemplateStringsArray =>
  Object.assign(strings, { raw: strings }) as unknown as TemplateStringsArray

const REPLACEMENT = '[erased]'

/** The name of a table and its columns come from the declaration, and from nowhere else. */
export const replaceTexts = (
  tx: Tx,
  orgId: OrgId,
  { replaced, needles, orders }: { replaced: Replaced; needles: { sure: string[]; names: string[] }; orders: string[] },
): Promise<number> => {
  const { table, columns: kinds, ofOrders } = replaced
  const names = Object.keys(kinds)
  const whole = names.map((name) => `coalesce(${name}::text, '')`).join(" || ' ' || ")
  const sets = names.map((name) => {
    const replacedText = `(select coalesce(nexkit_erased.text, ${name}::text) from (
      with recursive step (at, text) as (
        select 0, ${name}::text union all
        select at + 1, replace(step.text, needles.all_texts[at + 1], '${REPLACEMENT}')
        from step where at < cardinality(needles.all_texts)
      ) select text from step order by at desc limit 1) nexkit_erased)`
    return `${name} = ${kinds[name] === 'jsonb' ? `${replacedText}::jsonb` : replacedText}`
  })
  const own = ofOrders === undefined ? 'false' : `${table}.${ofOrders} = any(needles.orders)`
  return tx.run(
    statement(
      `update ${table} set ${sets.join(', ')} from (select `,
      '::text[] as sure, ',
      '::text[] as all_texts, ',
      `::text[] as orders) needles where ${table}.org_id = `,
      ` and (${own} or exists (select from unnest(needles.sure) as named (text) where position(named.text in ${whole}) > 0))`,
    ),
    needles.sure,
    [...needles.sure, ...needles.names],
    orders,
    orgId,
  )
}

/** The report of a broadcast stays, without the person. Who waits for a message is not sent it. */
export const eraseBroadcasts = async (tx: Tx, orgId: OrgId, { contacts, phones }: Person): Promise<number> => {
  await tx.run`delete from contact_consents where org_id = ${orgId} and contact_id = any(${contacts}::text[])`
  return tx.run`
    update broadcast_recipients set person = 'erased ' || position, contact_id = null, chat_id = null, phone = null,
      variables = null, opt_in_source = null, opt_in_at = null,
      status = case when status = 'pending' then 'skipped' else status end,
      reason = case when status = 'pending' then 'erased' else reason end
    where org_id = ${orgId} and (contact_id = any(${contacts}::text[]) or phone = any(${phones}::text[]))`
}
