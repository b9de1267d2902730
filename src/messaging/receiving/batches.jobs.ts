import type { ChannelReport } from '../../channels/channel-connector.ts'
import type { ConnectorMap } from '../../channels/channels-context.ts'
import {
  APPLY_JOB,
  APPLY_LEASE_MS,
  type JournalEntry,
  listJournaled,
  markApplied,
  markAppliedWith,
} from '../../channels/journal/journal.ts'
import {
  type BusinessNumber,
  findByPhoneNumberId,
  findNumber,
  findNumberByReference,
} from '../../channels/numbers/numbers.ts'
import { Batches } from '../../kernel/batches.ts'
import { type Id, idTime, type OrgId } from '../../kernel/ids.ts'
import { firstOf, itemAt } from '../../kernel/lists.ts'
import { isDatabaseUnavailable, isTimeout } from '../../platform/database/database-errors.ts'
import { defineJob, type Job, type JobResult, type RetrySchedule } from '../../platform/outbox/job.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { ReportItem } from './applying.ts'
import { type ApplyOptions, applyAlone, applyTogether, canBeTogether, ReportsDeleted } from './receiving.ts'

/**
 * A journaled batch ──▶ its reports, applied ──▶ the journal says that it was applied, and which reports could not be.
 *
 * Batches that wait at the same time are applied together: those of one organization one group after the other, in the
 * order they arrived, because the organization's counter of events admits one transaction at a time anyway. Applying is
 * idempotent, so an interrupted run is repeated.
 */
type Payload = { number_id: string }
type Applied = { problem: string | null }

const RETRY: RetrySchedule = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000], jitter: 0.2 }
const RUN_TIMEOUT_MS = 120_000
const PROBLEM_CHARACTERS_MAX = 2000
const BATCHES_TOGETHER_MAX = 64
const GROUPS_AT_ONCE_MAX = 4
/** How long reports behind a lock that is held elsewhere wait for their next try, which counts as no attempt. */
const LOCKED_WAIT_MS = 1_000

export const createApplyJob = (options: ApplyBatchesOptions): Job => {
  const groups = new Batches<WaitingBatch, BatchOutcome>({
    keyOf: ({ orgId }) => orgId,
    work: (batches) => applyBatches(options, batches),
    itemsMax: BATCHES_TOGETHER_MAX,
    batchesMax: GROUPS_AT_ONCE_MAX,
  })
  return defineJob<Payload, Applied>({
    name: APPLY_JOB,
    retry: RETRY,
    timeoutMs: RUN_TIMEOUT_MS,
    leaseMs: APPLY_LEASE_MS,
    async run({ id, orgId, payload }) {
      const outcome = await groups.submit({ orgId: orgId, id, numberId: payload.number_id })
      if (outcome === 'unread')
        return { kind: 'failed', reason: 'connector_missing', data: { problem: CONNECTOR_MISSING } }
      if (outcome === 'locked')
        return { kind: 'defer', until: new Date(options.clock.now() + LOCKED_WAIT_MS), reason: 'locked' }
      const { problems } = outcome
      const problem = problems.length === 0 ? null : problems.join('\n').slice(0, PROBLEM_CHARACTERS_MAX)
      return { kind: 'done', data: { problem } }
    },
    async record(tx, results) {
      const applied = appliedOf(results)
      const now = options.clock.now()
      await markApplied(tx, firstOf(results).entry.orgId, applied, new Date(now))
      tx.afterCommit(() => noteLag(options, applied, now))
    },
    recordDone(queries, results) {
      const applied = appliedOf(results)
      const now = options.clock.now()
      noteLag(options, applied, now)
      return markAppliedWith(queries, firstOf(results).entry.orgId, applied, new Date(now))
    },
  })
}

type AppliedBatch = Applied & { id: string }

const appliedOf = (results: readonly JobResult<Payload, Applied>[]): AppliedBatch[] =>
  results.flatMap(({ entry, outcome }) => (outcome.data === undefined ? [] : [{ id: entry.id, ...outcome.data }]))

function noteLag({ metrics }: ApplyBatchesOptions, applied: readonly AppliedBatch[], nowMs: number): void {
  for (const { id } of applied) metrics.lagged(nowMs - idTime(id as Id<'jrn'>).getTime())
}

const CONNECTOR_MISSING = 'The connector of this number is not available.'

/**
 * Journaled batches of one organization ──▶ their reports, in the order they arrived ──▶ applied, as many together as
 * possible.
 *
 * When a group fails, its transaction is rolled back and the group is split in halves until the failing report is alone.
 * That report is written to the journal, the log and the health of its number; the others are applied. A batch lists its
 * first problems one by one and counts the remaining ones: a sender with a valid signature could otherwise fill the log.
 * Reports behind a lock that another transaction holds are left for the next run of their batch. Only an unavailable
 * database stops the whole run.
 */
export type ApplyMetrics = {
  applied(kind: ChannelReport['kind']): void
  notApplied(): void
  /** Adds the time from the arrival of a batch until it was applied. */
  lagged(ms: number): void
}

export type ApplyBatchesOptions = ApplyOptions & { connectors: ConnectorMap; log: Log; metrics: ApplyMetrics }

/**
 * What could not be applied of each batch; `unread` when its connector is missing here, `locked` when a part of it is behind a
 * lock that is held elsewhere and the batch has to be applied again.
 */
export type BatchOutcome = { problems: string[] } | 'unread' | 'locked'

export type WaitingBatch = { orgId: OrgId; id: string; numberId: string }

const TOGETHER_MAX = 500
/** A transaction next to ours is over within this; once a lock is known to be held, its part is found quickly. */
const LOCK_MS = { first: 500, split: 50 }
/** Upper bound on the problems that a batch lists one by one. */
const PROBLEMS_LISTED_MAX = 100

export async function applyBatches(
  options: ApplyBatchesOptions,
  waiting: readonly WaitingBatch[],
): Promise<BatchOutcome[]> {
  const run = new Run(options, firstOf(waiting).orgId)
  return run.apply(waiting)
}

type Item = ReportItem & { batchId: string }
type Spot = Pick<Item, 'batchId' | 'position'> & { number: { id: string } }

class Run {
  readonly #options: ApplyBatchesOptions
  readonly #orgId: OrgId
  readonly #numbers = new Map<string, Promise<BusinessNumber | null>>()
  readonly #problems = new Map<string, string[]>()
  readonly #unlisted = new Map<string, number>()
  readonly #lockedBatchIds = new Set<string>()

  constructor(options: ApplyBatchesOptions, orgId: OrgId) {
    this.#options = options
    this.#orgId = orgId
  }

  async apply(waiting: readonly WaitingBatch[]): Promise<BatchOutcome[]> {
    const ids = waiting.map(({ id }) => id)
    const entries = await listJournaled(this.#options.database, this.#orgId, ids)
    const items: Item[] = []
    for (const entry of entries) items.push(...(await this.#read(entry)))
    await this.#applyInOrder(items)
    // A batch without a journal entry, or without a number, has nothing left to apply.
    return ids.map((id) => {
      if (!entries.some((entry) => entry.id === id)) return { problems: [] }
      if (this.#lockedBatchIds.has(id)) return 'locked'
      const problems = this.#problems.get(id)
      return problems === undefined
        ? 'unread'
        : { problems: [...problems.toSorted(byPlace), ...this.#reportRemaining(id)] }
    })
  }

  #reportRemaining(batchId: string): string[] {
    const count = this.#unlisted.get(batchId)
    if (count === undefined) return []
    const problem = `and ${count} more`
    const place = { org_id: this.#orgId, journal_id: batchId }
    this.#options.log.warn({ ...place, problem }, 'more reports of the network were not applied')
    return [problem]
  }

  async #read(entry: JournalEntry): Promise<Item[]> {
    const number = await this.#numberNamed(`id ${entry.number_id}`, () =>
      findNumber(this.#options.database, this.#orgId, entry.number_id),
    )
    const connector = number === null ? undefined : this.#options.connectors.get(number.connector)
    if (number !== null && connector === undefined) return []
    this.#problems.set(entry.id, [])
    if (number === null || connector === undefined) return []
    const items: Item[] = []
    for (const [position, report] of connector.readBatch(entry.body).entries()) {
      const meant = await this.#numberMeant(number, report)
      const place = { batchId: entry.id, journalId: entry.id, position }
      const spot = { ...place, number: meant ?? number }
      if (report.kind === 'unreadable') this.#complain(spot, report.problem)
      else if (meant === null)
        this.#complain(spot, `it is about the number ${report.phoneNumberId}, which is not connected here`)
      else items.push({ ...place, report, number: { orgId: meant.org_id, id: meant.id } })
    }
    return items
  }

  /** A network may have one address for all numbers of an account: the report says which one it is about. */
  async #numberMeant(number: BusinessNumber, report: ChannelReport): Promise<BusinessNumber | null> {
    const { phoneNumberId } = report
    if (phoneNumberId === null && report.kind === 'other') return this.#numberWithPhone(number, report.displayPhone)
    if (phoneNumberId === null || phoneNumberId === number.phone_number_id) return number
    const other = await this.#numberNamed(`phone ${phoneNumberId}`, () =>
      findByPhoneNumberId(this.#options.database, this.#orgId, phoneNumberId),
    )
    return other?.connector === number.connector ? other : null
  }

  /** A report of the account that names a phone; one that is not connected here stays with the number whose hook got it. */
  async #numberWithPhone(number: BusinessNumber, phone: string | null): Promise<BusinessNumber> {
    if (phone === null || number.display_phone.replaceAll(/\D/g, '') === phone) return number
    const { database } = this.#options
    const found = await this.#numberNamed(`display ${phone}`, () => findNumberByReference(database, this.#orgId, phone))
    return found ?? number
  }

  #numberNamed(name: string, find: () => Promise<BusinessNumber | null>): Promise<BusinessNumber | null> {
    const known = this.#numbers.get(name) ?? find()
    this.#numbers.set(name, known)
    return known
  }

  /** Applies neighbouring reports in one transaction as long as they can share it. */
  async #applyInOrder(items: readonly Item[]): Promise<void> {
    for (let from = 0; from < items.length; ) {
      let to = from
      while (to < items.length && to - from < TOGETHER_MAX && canBeTogether(itemAt(items, to))) to += 1
      to = Math.max(to, from + 1)
      await this.#applySome(items.slice(from, to))
      from = to
    }
  }

  async #applySome(items: readonly Item[], lockMs = LOCK_MS.first): Promise<void> {
    const first = firstOf(items)
    const options = { ...this.#options, lockMs }
    try {
      if (canBeTogether(first)) await applyTogether(options, this.#orgId, items)
      else await applyAlone(options, first)
      for (const { report } of items) this.#options.metrics.applied(report.kind)
    } catch (error) {
      const isLocked = isTimeout(error)
      if (isDatabaseUnavailable(error) && !isLocked) throw error
      if (items.length === 1 && error instanceof ReportsDeleted) return
      if (items.length === 1 && isLocked) return void this.#lockedBatchIds.add(first.batchId)
      if (items.length === 1) return this.#fail(first, error)
      const middle = items.length >> 1
      const splitMs = isLocked ? LOCK_MS.split : lockMs
      await this.#applySome(items.slice(0, middle), splitMs)
      await this.#applySome(items.slice(middle), splitMs)
    }
  }

  #fail(item: Item, error: unknown): void {
    if (!this.#isListed(item)) return
    const fields = { org_id: this.#orgId, number_id: item.number.id, report: item.report.kind, err: error }
    this.#options.log.error(fields, 'a report of the network could not be applied')
    this.#note(item, { problem: error instanceof Error ? error.message : String(error), shown: NOT_STORED })
  }

  /** Signed by the network and lost to the chats: an operator has to hear of it, though never what a customer wrote. */
  #complain(spot: Spot, problem: string): void {
    if (!this.#isListed(spot)) return
    const place = { org_id: this.#orgId, number_id: spot.number.id, journal_id: spot.batchId }
    this.#options.log.warn({ ...place, problem: inPlace(spot, problem) }, 'a report of the network was not applied')
    this.#note(spot, { problem, shown: problem })
  }

  /** Counts the problem, and says whether the batch still lists it. */
  #isListed({ batchId }: Spot): boolean {
    this.#options.metrics.notApplied()
    if ((this.#problems.get(batchId)?.length ?? 0) < PROBLEMS_LISTED_MAX) return true
    this.#unlisted.set(batchId, (this.#unlisted.get(batchId) ?? 0) + 1)
    return false
  }

  /**
   * Writes the full problem to the journal, and the part that may be shown to the number, where the organization sees it.
   */
  #note(spot: Spot, { problem, shown }: { problem: string; shown: string }): void {
    const { health } = this.#options
    const detail = `${spot.batchId}, ${inPlace(spot, shown)}`
    health.failed(this.#orgId, spot.number.id, { code: 'report_not_applied', detail })
    this.#problems.get(spot.batchId)?.push(inPlace(spot, problem))
  }
}

/** An error of ours or of the database may quote what it failed on. */
const NOT_STORED = 'it could not be stored'

const inPlace = ({ position }: Spot, problem: string) => `report ${position + 1}: ${problem}`
const placeIn = (problem: string) => Number(/^report (\d+):/.exec(problem)?.[1])
const byPlace = (one: string, other: string) => placeIn(one) - placeIn(other)
