import type { Clock } from '../../kernel/clock.ts'
import { type Id, idTime, newId, type OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import { ensurePartitions, type PartitionedTable } from '../../platform/database/daily-partitions.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { databaseCode } from '../../platform/database/database-errors.ts'
import { createGroupCommit } from '../../platform/database/group-commit.ts'
import type { HookReply } from '../../platform/http/hook-receiver.ts'
import { bornEntry, traceEnqueued } from '../../platform/outbox/entries.ts'
import type { HandOver } from '../../platform/outbox/grants.ts'
import type { ClaimedEntry } from '../../platform/outbox/job.ts'
import type { RawHook } from '../channel-connector.ts'
import { inboundLaneOf, type NumberHealth, type OpenedNumbers } from '../numbers/numbers.ts'
import {
  type AppliedRow,
  appliedUpdate,
  insertJournal,
  type JournalRow,
  listJournalById,
  markJournalApplied,
  type NewJournalRow,
} from './journal.sql.ts'

/**
 * The journal: every inbound batch as it arrived, before anything is made of it, together with the work of applying it.
 *
 *   arrived ──▶ journaled, work in the outbox (one commit) ──▶ answered 200 ──▶ applied | applied with a problem
 *
 * Batches of an organization that arrive at the same time share a commit. Large ones go alone, so that a group never grows past a few
 * megabytes.
 */
export type JournalEntry = JournalRow

/** The job that applies a batch. Its entry has the journal's id, and `{ number_id }` as payload. */
export const APPLY_JOB = 'messages.apply'

export const journalTable: PartitionedTable = { table: 'channel_journal', idPrefix: 'jrn', retentionDays: 14 }

export type JournaledNumber = { orgId: OrgId; id: string }

function newRow(number: JournaledNumber, body: Uint8Array, nowMs: number): NewJournalRow {
  const id = newId('jrn', nowMs)
  const traceparent = traceEnqueued({ id, job: APPLY_JOB })
  return { org_id: number.orgId, id, number_id: number.id as Id<'num'>, body, traceparent }
}

/** How batches get to where they are applied. */
export type Applying = { handOver: HandOver; wake: (orgIds: readonly OrgId[]) => void }

/** Of the job that applies: a large batch takes its time. */
export const APPLY_LEASE_MS = 120_000

type Written = { orgId: OrgId; started: ClaimedEntry[]; isAnyWaiting: boolean }

/** Of one organization. Those that this process has a place for are its own to apply, once they are committed. */
async function writeRows(queries: Queries, rows: readonly NewJournalRow[], handOver: HandOver): Promise<Written> {
  const orgId = firstOf(rows).org_id
  const laneIds = rows.map((row) => inboundLaneOf(row.number_id))
  const byLane = Map.groupBy(rows, (row) => inboundLaneOf(row.number_id))
  const offered = [...byLane].flatMap(([id, ofLane]) => ofLane.slice(0, handOver.reserve({ orgId, id }, ofLane.length)))
  const offer = { ids: offered.map(({ id }) => id), processId: handOver.processId, leaseMs: APPLY_LEASE_MS }
  let handed = new Set<string>()
  try {
    const entries = await insertJournal(queries, orgId, rows, { job: APPLY_JOB, laneIds, offer })
    handed = new Set(entries.flatMap(({ id, state }) => (state === 'leased' ? [id] : [])))
  } finally {
    for (const row of offered) if (!handed.has(row.id)) handOver.release(inboundLaneOf(row.number_id), 1)
  }
  const started = offered.filter(({ id }) => handed.has(id)).map(entryOf)
  return { orgId, started, isAnyWaiting: rows.some(({ id }) => !handed.has(id)) }
}

const entryOf = ({ id, org_id, number_id, traceparent }: NewJournalRow): ClaimedEntry =>
  bornEntry(
    { id, laneId: inboundLaneOf(number_id), orgId: org_id, job: APPLY_JOB, payload: { number_id }, traceparent },
    { leaseMs: APPLY_LEASE_MS, now: idTime(id) },
  )

function begin({ handOver, wake }: Applying, { orgId, started, isAnyWaiting }: Written): void {
  if (started.length > 0) handOver.start(started)
  if (isAnyWaiting) wake([orgId])
}

/** In the caller's transaction. */
export async function appendToJournal(
  tx: Tx,
  number: JournaledNumber,
  { body, nowMs, applying }: { body: Uint8Array; nowMs: number; applying: Applying },
): Promise<Id<'jrn'>> {
  const row = newRow(number, body, nowMs)
  const written = await writeRows(tx, [row], applying.handOver)
  tx.afterCommit(() => begin(applying, written))
  tx.afterRollback(() => {
    for (const { laneId } of written.started) applying.handOver.release(laneId, 1)
  })
  return row.id
}

/** In the order they arrived. */
export const listJournaled = (queries: Queries, orgId: OrgId, ids: readonly string[]): Promise<JournalEntry[]> =>
  listJournalById(queries, orgId, [...ids])

export const markApplied = (
  queries: Queries,
  orgId: OrgId,
  applied: readonly AppliedRow[],
  now: Date,
): Promise<number> => (applied.length === 0 ? Promise.resolve(0) : markJournalApplied(queries, orgId, applied, now))

/** For batches whose entries are ended by the same statement: see `recordDone` of a job. */
export const markAppliedWith = (
  queries: Queries,
  orgId: OrgId,
  applied: readonly AppliedRow[],
  now: Date,
): unknown => queries.part`
  applied as (${appliedUpdate(queries, orgId, applied, now)} and journal.id in (select id from acked))`

export type JournalWriter = {
  /** Resolves once it is durable. */
  write(number: JournaledNumber, body: Uint8Array): Promise<Id<'jrn'>>
  drain(): Promise<void>
}

const SHARED_BYTES_MAX = 64 * 1024
const SHARED_ITEMS_MAX = 64
const NO_PARTITION = '23514'

export function createJournalWriter(options: Applying & { database: Database; clock: Clock }): JournalWriter {
  const { database, clock, handOver } = options
  /** A process that slept through its timers finds the day missing; the partition is made on the spot. */
  const store = async (rows: readonly NewJournalRow[]) => {
    try {
      begin(options, await writeRows(database, rows, handOver))
    } catch (error) {
      if (databaseCode(error) !== NO_PARTITION) throw error
      await ensurePartitions(database, journalTable, clock.now())
      begin(options, await writeRows(database, rows, handOver))
    }
  }
  const group = createGroupCommit<NewJournalRow, Id<'jrn'>>({
    name: 'channel journal',
    repeatable: true,
    groupOf: (row) => row.org_id,
    batchItemsMax: SHARED_ITEMS_MAX,
    async write(rows) {
      await store(rows)
      return rows.map((row) => ({ ok: true, value: row.id }))
    },
  })
  return {
    async write(number, body) {
      const row = newRow(number, body, clock.now())
      if (body.byteLength <= SHARED_BYTES_MAX) return group.submit(row)
      await store([row])
      return row.id
    },
    drain: group.drain,
  }
}

/**
 * What a network posts to us, up to the answer.
 *
 *   unknown number ──▶ 404
 *   readHook: challenge ──▶ 200 with what it asks for · refused ──▶ 4xx · genuine ──▶ journaled, then 200
 *
 * Nothing is applied here: networks want their answer within a quarter of a second, and repeat what they got none for.
 */
export type HookReception = (connector: string, numberId: string, hook: RawHook) => Promise<HookReply>

const PLAIN = 'text/plain; charset=utf-8'
const says = (status: number, body: string): Pick<HookReply, 'status' | 'body' | 'contentType'> => ({
  status,
  body,
  contentType: PLAIN,
})

export function createHookReception(options: {
  numbers: OpenedNumbers
  journal: JournalWriter
  health: NumberHealth
}): HookReception {
  const { numbers, journal, health } = options
  return async (name, numberId, hook) => {
    const opened = await numbers.openById(numberId)
    if (opened === null || opened.connector.name !== name)
      return { ...says(404, 'No business number has this address.'), owner: null, detail: 'number unknown' }
    const { row, number, connector } = opened
    const owner = { orgId: row.org_id, id: row.id }
    const verdict = connector.readHook(number, hook)
    if (verdict.kind === 'challenge') return { ...says(200, verdict.body), owner, detail: null }
    if (verdict.kind === 'refused')
      return { ...says(verdict.status, 'This request was rejected.'), owner, detail: verdict.detail }
    await journal.write(number, hook.body)
    health.heardOf(row.org_id, row.id)
    return { ...says(200, 'ok'), owner, detail: null }
  }
}

export { countUnapplied, lockJournal } from './journal.sql.ts'
