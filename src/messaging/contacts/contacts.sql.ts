import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg, isOrgApart, orgAs } from '../../platform/database/organization-filter.ts'
import { asJson } from '../../platform/database/stored-json.ts'
import { NEWEST_LOOKED_AT, searchNewestFirst } from '../search/search.ts'

/**
 * The tables of contacts. Here and in the other statements of messaging, rows are looked up by whole keys inside laterals, so
 * that a plan created while the tables were empty is still right later.
 *
 * Where an index could be searched by the organization alone, org_id is a member of each wanted row and not a condition
 * beside them. For an organization that the statistics do not know yet PostgreSQL expects a single row, so it would choose
 * that search and read all rows of the organization for every wanted row, until the table is analyzed again.
 */
export type IdentityKind = 'phone' | 'user_id' | 'username' | 'group_id'
export type Identity = { kind: IdentityKind; value: string }

/** The last word about marketing messages from one number. */
export type MarketingOptOut = { number_id: Id<'num'>; at: string; is_stopped: boolean }

export type ContactRow = {
  org_id: OrgId
  id: Id<'con'>
  name: string | null
  /** Digits. */
  phone: string | null
  identities: { type: IdentityKind; value: string }[]
  marketing_wishes: MarketingOptOut[]
  /** Whether the team gave the name: then one that the customer reports does not replace it. */
  is_name_given: boolean
  merged_into: Id<'con'> | null
  created_at: Date
  updated_at: Date
}

const columns = (queries: Queries) =>
  queries.part`org_id, id, name, phone, identities, marketing_wishes, is_name_given, merged_into, created_at, updated_at`

export const findContact = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<ContactRow>`
  select ${columns(queries)} from contacts where org_id = ${orgId} and id = ${id}`

/** One that is known to exist. */
export const getContact = (queries: Queries, orgId: OrgId, id: string) => queries.one<ContactRow>`
  select ${columns(queries)} from contacts where org_id = ${orgId} and id = ${id}`

export type HeldIdentity = Identity & { contact_id: Id<'con'> }

/** Looks each identity up in a lateral: a join would read all identities of the organization while PostgreSQL expects few. */
export const listHeldIdentities = (queries: Queries, orgId: OrgId, identities: readonly Identity[]) =>
  queries.many<HeldIdentity>`
    select kind, value, contact_id
    from (
      select wanted.kind, wanted.value, (
        select identity.contact_id from contact_identities identity
        where identity.org_id = ${orgAs(queries, orgId, queries.part`wanted.org_id`)} and identity.kind = wanted.kind and identity.value = wanted.value) as contact_id
      from unnest(${identities.map(() => orgId)}::text[], ${identities.map(({ kind }) => kind)}::text[],
        ${identities.map(({ value }) => value)}::text[]) as wanted (org_id, kind, value)
      offset 0) held
    where contact_id is not null`

export type WantedIdentity = Identity & { position: number }

/** The contact of each identity that is known. */
export const listHoldersOf = (queries: Queries, orgId: OrgId, wanted: readonly WantedIdentity[]) =>
  queries.many<ContactRow & { position: number }>`
    select wanted.position, contact.org_id, contact.id, contact.name, contact.phone, contact.identities,
      contact.marketing_wishes, contact.is_name_given, contact.merged_into, contact.created_at, contact.updated_at
    from unnest(${wanted.map(({ position }) => position)}::int[], ${wanted.map(() => orgId)}::text[],
      ${wanted.map(({ kind }) => kind)}::text[], ${wanted.map(({ value }) => value)}::text[]
    ) as wanted (position, org_id, kind, value)
    cross join lateral (
      select contact_id from contact_identities
      where org_id = ${orgAs(queries, orgId, queries.part`wanted.org_id`)} and kind = wanted.kind and value = wanted.value offset 0) identity
    cross join lateral (
      select * from contacts where org_id = ${orgId} and id = identity.contact_id offset 0) contact`

/** Reads contacts, each with the requested id; for a merged contact, the one it was merged into. */
export const listPersons = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<
  ContactRow & { asked_id: Id<'con'> }
>`
  select wanted.id as asked_id, person.org_id, person.id, person.name, person.phone, person.identities,
    person.marketing_wishes, person.is_name_given, person.merged_into, person.created_at, person.updated_at
  from unnest(${[...ids]}::text[]) as wanted (id)
  cross join lateral (
    select id, merged_into from contacts where org_id = ${orgId} and id = wanted.id offset 0) contact
  cross join lateral (
    select * from contacts where org_id = ${orgId} and id = coalesce(contact.merged_into, contact.id) offset 0) person`

/**
 * Locks names instead of rows, for rows that may not exist yet: a new person, a message whose id is still to come. Names
 * are locked until the transaction ends, in sorted order, so that two transactions never deadlock.
 */
export const lockNames = (tx: Tx, names: readonly string[]) => tx.run`
  select pg_advisory_xact_lock(hashtextextended(name, 7)) from unnest(${[...new Set(names)].toSorted()}::text[]) as name`

export type NewContact = Pick<ContactRow, 'id' | 'name' | 'phone' | 'identities'> & {
  words: string
  known: readonly Identity[]
}

/** Inserts contacts with their identities. An identity of another contact moves to the new one. */
export const insertContacts = (tx: Tx, orgId: OrgId, people: readonly NewContact[], now: Date) => {
  const links = people.flatMap(({ id, known }) => known.map((identity) => ({ ...identity, contactId: id })))
  return tx.run`
    with people as (
      insert into contacts (org_id, id, name, phone, identities, words, created_at, updated_at)
      select ${homeOrg(tx, orgId)}, id, name, phone, identities::jsonb, words::tsvector, ${now}, ${now}
      from ${fromHome(tx, orgId)} unnest(
        ${people.map(({ id }) => id)}::text[], ${people.map(({ name }) => name)}::text[],
        ${people.map(({ phone }) => phone)}::text[], ${people.map(({ identities }) => asJson(identities))}::text[],
        ${people.map(({ words }) => words)}::text[]) as person (id, name, phone, identities, words)),
    links as (
      insert into contact_identities (org_id, kind, value, contact_id, created_at)
      select ${homeOrg(tx, orgId)}, kind, value, contact_id, ${now}
      from ${fromHome(tx, orgId)} unnest(
        ${links.map(({ kind }) => kind)}::text[], ${links.map(({ value }) => value)}::text[],
        ${links.map(({ contactId }) => contactId)}::text[]) as link (kind, value, contact_id)
      order by kind, value
      on conflict (org_id, kind, value) do update set contact_id = excluded.contact_id)
    select 1`
}

/** An identity of another contact moves to this one. */
export const upsertIdentity = (
  tx: Tx,
  orgId: OrgId,
  { kind, value, contactId, now }: Identity & { contactId: Id<'con'>; now: Date },
) => tx.run`
  insert into contact_identities (org_id, kind, value, contact_id, created_at)
  values (${orgId}, ${kind}, ${value}, ${contactId}, ${now})
  on conflict (org_id, kind, value) do update set contact_id = excluded.contact_id`

export const deleteIdentities = (tx: Tx, orgId: OrgId, contactId: Id<'con'>, identities: readonly Identity[]) => tx.run`
  delete from contact_identities identity
  using unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[])
    as given (kind, value)
  where identity.org_id = ${orgId} and identity.contact_id = ${contactId}
    and identity.kind = given.kind and identity.value = given.value`

/** The identities of a contact with the time each was learned, the latest last. */
export const listIdentities = (queries: Queries, orgId: OrgId, contactId: Id<'con'>) => queries.many<
  Identity & { created_at: Date }
>`
  select kind, value, created_at from contact_identities where org_id = ${orgId} and contact_id = ${contactId}
  order by created_at, kind, value`

const moveIdentities = (tx: Tx, orgId: OrgId, { from, to }: { from: Id<'con'>; to: Id<'con'> }) => tx.run`
  update contact_identities set contact_id = ${to} where org_id = ${orgId} and contact_id = ${from}`

export type ContactDetails = {
  id: Id<'con'>
  name: string | null
  phone: string | null
  identities: ContactRow['identities']
  words: string
  now: Date
}

export const updateContact = (tx: Tx, orgId: OrgId, details: ContactDetails) => tx.one<ContactRow>`
  update contacts
  set name = ${details.name}, phone = ${details.phone}, identities = ${asJson(details.identities)}::text::jsonb,
      words = ${details.words}::tsvector, updated_at = ${details.now}
  where org_id = ${orgId} and id = ${details.id}
  returning ${columns(tx)}`

export const setNameGiven = (tx: Tx, orgId: OrgId, { id, isGiven }: { id: Id<'con'>; isGiven: boolean }) => tx.run`
  update contacts set is_name_given = ${isGiven} where org_id = ${orgId} and id = ${id}`

/** Locks contacts in the order of their ids. Other transactions may still create chats for them. */
export const lockContacts = (tx: Tx, orgId: OrgId, ids: readonly Id<'con'>[]) => tx.many<ContactRow>`
  select ${columns(tx)} from contacts where org_id = ${orgId} and id = any(${[...ids]}::text[])
  order by id for no key update`

/** Keeps the name that the address book of the business has. Returns the one it had before. */
export const replaceSyncedName = (
  tx: Tx,
  orgId: OrgId,
  { id, name }: { id: Id<'con'>; name: string | null },
) => tx.one<{
  before: string | null
}>`
  update contacts set synced_name = ${name}
  from (select synced_name from contacts where org_id = ${orgId} and id = ${id}) old
  where org_id = ${orgId} and id = ${id}
  returning old.synced_name as before`

export type NewOptOuts = { id: Id<'con'>; optOuts: readonly MarketingOptOut[]; now: Date }

export const updateOptOuts = (tx: Tx, orgId: OrgId, { id, optOuts, now }: NewOptOuts) => tx.one<ContactRow>`
  update contacts set marketing_wishes = ${asJson(optOuts)}::text::jsonb, updated_at = ${now}
  where org_id = ${orgId} and id = ${id}
  returning ${columns(tx)}`

/** Several who are one person, and locked: of each number the last word of any of them. */
const mergeOptOuts = (tx: Tx, orgId: OrgId, { kept, others }: { kept: Id<'con'>; others: readonly Id<'con'>[] }) =>
  tx.run`
    update contacts set marketing_wishes = (
      select jsonb_agg(newest.opt_out) from (
        select distinct on (opt_out ->> 'number_id') opt_out
        from contacts person cross join jsonb_array_elements(person.marketing_wishes) as opt_out
        where person.org_id = ${orgId} and person.id = any(${[kept, ...others]}::text[])
        order by opt_out ->> 'number_id', opt_out ->> 'at' desc) newest)
    where org_id = ${orgId} and id = ${kept} and exists (
      select from contacts person
      where person.org_id = ${orgId} and person.id = any(${[...others]}::text[]) and person.marketing_wishes <> '[]')`

/** A name that the team gave to one of the others stays, unless the kept contact has such a name too; any name replaces none. */
const mergeNames = (tx: Tx, orgId: OrgId, { kept, others }: { kept: Id<'con'>; others: readonly Id<'con'>[] }) =>
  tx.run`
    update contacts set name = other.name, is_name_given = other.is_name_given
    from (
      select name, is_name_given from contacts
      where org_id = ${orgId} and id = any(${[...others]}::text[]) and name is not null
      order by is_name_given desc, id limit 1) other
    where org_id = ${orgId} and id = ${kept} and not contacts.is_name_given
      and (other.is_name_given or contacts.name is null)`

/** Contacts that were merged into this one before now point to where it goes. */
const mergeContactInto = (tx: Tx, orgId: OrgId, { from, to, now }: { from: Id<'con'>; to: Id<'con'>; now: Date }) =>
  tx.run`
    update contacts set merged_into = ${to}, updated_at = ${now}
    where org_id = ${orgId} and (id = ${from} or merged_into = ${from})`

/** Merges contacts, whose rows are locked, into one: it takes over their identities, name and opt-outs, and their rows point to it. */
export async function mergeContactRows(
  tx: Tx,
  orgId: OrgId,
  { kept, others, now }: { kept: Id<'con'>; others: readonly Id<'con'>[]; now: Date },
): Promise<void> {
  await mergeOptOuts(tx, orgId, { kept, others })
  await mergeNames(tx, orgId, { kept, others })
  for (const from of others) {
    await moveIdentities(tx, orgId, { from, to: kept })
    await mergeContactInto(tx, orgId, { from, to: kept, now })
  }
}

export type ContactFilter = { query: string | null; before: string | null; limit: number }

/** Newest first. */
export function listContacts(queries: Queries, orgId: OrgId, { query, before, limit }: ContactFilter) {
  const { part } = queries
  const isBefore = before === null ? part`` : part`and id < ${before}`
  if (query === null)
    return queries.many<ContactRow>`
      select ${columns(queries)} from contacts
      where org_id = ${orgId} and merged_into is null ${isBefore} order by id desc limit ${limit}`
  return searchNewestFirst(
    limit,
    () => queries.many<ContactRow>`
      select ${columns(queries)}
      from (
        select * from contacts where org_id = ${orgId} ${isBefore} order by id desc limit ${NEWEST_LOOKED_AT}) contact
      where merged_into is null and words @@ ${query}::tsquery order by id desc limit ${limit}`,
    () => queries.many<ContactRow>`
      select ${columns(queries)} from contacts
      where ${isOrgApart(queries, orgId)} and words @@ ${query}::tsquery and merged_into is null ${isBefore} order by id desc limit ${limit}`,
  )
}
