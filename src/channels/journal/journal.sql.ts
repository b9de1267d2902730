import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'
import { unsizedList } from '../../platform/database/plain-lists.ts'
import { bornLease, bornOn, leaseColumns, type Offer, traceColumn } from '../../platform/outbox/entries.sql.ts'

export type JournalRow = {
  org_id: OrgId
  id: Id<'jrn'>
  number_id: Id<'num'>
  body: Uint8Array
  applied_at: Date | null
  problem: string | null
}

export type NewJournalRow = Pick<JournalRow, 'org_id' | 'id' | 'number_id' | 'body'> & { traceparent: string | null }

/**
 * The batches and the work of applying them, in one statement. Written a second time it changes nothing, or at most has a
 * batch applied twice, which is the same as once. Answers with the entries: those that are leased are this process's to run.
 */
export const insertJournal = (
  queries: Queries,
  orgId: OrgId,
  rows: readonly NewJournalRow[],
  { job, laneIds, offer }: { job: string; laneIds: string[]; offer: Offer & { ids: readonly string[] } },
) => {
  const trace = traceColumn(queries, rows)
  return queries.many<{ id: string; state: string }>`
  with batch as materialized (
    select id, number_id, body, lane_id${trace.name}
    from unnest(${unsizedList(queries, queries.part`${rows.map((row) => row.id)}::text[]`)},
      ${rows.map((row) => row.number_id)}::text[], ${rows.map((row) => row.body)}::bytea[], ${laneIds}::text[]${trace.list})
      as given (id, number_id, body, lane_id${trace.name})
  ),
  journaled as (
    insert into channel_journal (org_id, id, number_id, body)
    select ${homeOrg(queries, orgId)}, id, number_id, body from ${fromHome(queries, orgId)} batch
    on conflict do nothing
  ),
  entries as (
  insert into outbox_entries (id, lane_id, org_id, job, payload, ${leaseColumns(queries)}${trace.name})
  select id, lane_id, ${homeOrg(queries, orgId)}, ${job}::text, jsonb_build_object('number_id', number_id), ${bornLease(queries, offer)}${trace.name}
  from ${fromHome(queries, orgId)} batch cross join lateral ${bornOn(queries, {
    orgId,
    laneId: queries.part`batch.lane_id`,
    isOffered: queries.part`batch.id = any(${unsizedList(queries, queries.part`${[...offer.ids]}::text[]`)})`,
    processId: offer.processId,
  })}
  on conflict do nothing
  returning id, state)
  select id, state from entries`
}

/** Batches of a number since then that are not applied yet. */
export const countUnapplied = (
  queries: Queries,
  orgId: OrgId,
  { numberId, after }: { numberId: string; after: string },
) =>
  queries.one<{ count: number }>`
    select count(*)::int as count from channel_journal
    where org_id = ${orgId} and number_id = ${numberId} and id > ${after} and applied_at is null`

/** The bounds say nothing new, but from them PostgreSQL knows also under a kept plan which days it need not open. */
const within = ({ part }: Queries, ids: readonly string[]) => {
  const sorted = ids.toSorted()
  return part`journal.id >= ${sorted[0] ?? ''} and journal.id <= ${sorted.at(-1) ?? ''}`
}

/** Several of one organization, in the order they arrived. */
export const listJournalById = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<JournalRow>`
  select org_id, id, number_id, body, applied_at, problem from channel_journal journal
  where org_id = ${orgId} and id = any(${unsizedList(queries, queries.part`${ids}::text[]`)}) and ${within(queries, ids)}
  order by id`

/** Keeps batches from being deleted until the transaction ends. Returns those that are there. */
export const lockJournal = (tx: Queries, orgId: OrgId, ids: readonly string[]) => tx.many<{ id: string }>`
  select id from channel_journal journal
  where org_id = ${orgId} and id = any(${[...ids]}::text[]) and ${within(tx, ids)} for key share`

export const markJournalApplied = (queries: Queries, orgId: OrgId, applied: readonly AppliedRow[], now: Date) =>
  queries.run`${appliedUpdate(queries, orgId, applied, now)}`

export type AppliedRow = { id: string; problem: string | null }

/** As a part of a statement: a further condition may follow. */
export const appliedUpdate = (
  queries: Queries,
  orgId: OrgId,
  applied: readonly AppliedRow[],
  now: Date,
) => queries.part`
  update channel_journal journal set applied_at = ${now}, problem = applied.problem
  from unnest(${applied.map(({ id }) => id)}::text[], ${applied.map(({ problem }) => problem)}::text[])
    as applied (id, problem)
  where journal.org_id = ${orgId} and journal.id = applied.id
    and ${within(
      queries,
      applied.map(({ id }) => id),
    )}`
