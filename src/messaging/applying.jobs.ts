import type { ChannelReport } from '../channels/channel-connector.ts'
import type { ConnectorMap } from '../channels/channels-context.ts'
import { APPLY_JOB, markApplied, readJournal } from '../channels/journal.ts'
import { type BusinessNumber, findByPhoneNumberId, findNumber } from '../channels/numbers.ts'
import type { OrgId } from '../kernel/ids.ts'
import { isDatabaseUnavailable } from '../platform/database/database-errors.ts'
import { defineJob, type Job } from '../platform/outbox/job.ts'
import type { RetrySchedule } from '../platform/outbox/retry-schedule.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { type ApplyOptions, applyReport } from './apply-reports.ts'

/**
 * A journaled batch ──▶ its reports, applied one by one ──▶ the journal says that it was applied, and what could not be.
 *
 * Applying is the same however often it happens, so a run that ends half way is simply made again. A report that fails is
 * written to the journal and the log, and the others go on; only a database that is away stops the run.
 */
export type ApplyJobOptions = ApplyOptions & { connectors: ConnectorMap; log: Log }

type Payload = { number_id: string }
type Applied = { problem: string | null }

const RETRY: RetrySchedule = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000], jitter: 0.2 }
const RUN_TIMEOUT_MS = 120_000
const PROBLEM_CHARACTERS_MAX = 2000

export const createApplyJob = (options: ApplyJobOptions): Job =>
  defineJob<Payload, Applied>({
    name: APPLY_JOB,
    retry: RETRY,
    timeoutMs: RUN_TIMEOUT_MS,
    leaseMs: RUN_TIMEOUT_MS,
    async run({ id, orgId, payload }) {
      const [entry, number] = await Promise.all([
        readJournal(options.database, orgId as OrgId, id),
        findNumber(options.database, orgId as OrgId, payload.number_id),
      ])
      if (entry === null || number === null) return { kind: 'done' }
      const problems = await applyBatch(options, number, entry.body)
      if (problems === null)
        return { kind: 'failed', reason: 'connector_missing', data: { problem: CONNECTOR_MISSING } }
      const problem = problems.length === 0 ? null : problems.join('\n').slice(0, PROBLEM_CHARACTERS_MAX)
      return { kind: 'done', data: { problem } }
    },
    async record(tx, results) {
      const applied = results.flatMap(({ entry, outcome }) =>
        outcome.data === undefined ? [] : [{ orgId: entry.orgId as OrgId, id: entry.id, ...outcome.data }],
      )
      await markApplied(tx, applied, new Date(options.clock.now()))
    },
  })

const CONNECTOR_MISSING = 'The connector of this number is not there.'

/** What could not be applied; null when nobody here can read the batch. */
export async function applyBatch(
  options: ApplyJobOptions,
  number: BusinessNumber,
  body: Uint8Array,
): Promise<string[] | null> {
  const connector = options.connectors.get(number.connector)
  if (connector === undefined) return null
  const problems: string[] = []
  for (const [index, report] of connector.readBatch(body).entries()) {
    const problem = await applyOne(options, number, report)
    if (problem !== null) problems.push(`report ${index + 1}: ${problem}`)
  }
  return problems
}

async function applyOne(
  options: ApplyJobOptions,
  number: BusinessNumber,
  report: ChannelReport,
): Promise<string | null> {
  if (report.kind === 'unreadable') return report.problem
  try {
    const meant = await numberMeant(options, number, report)
    if (meant === null) return `it is about the number ${report.phoneNumberId}, which is not connected here`
    await applyReport(options, { orgId: meant.org_id, id: meant.id }, report)
    return null
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    const fields = { org_id: number.org_id, number_id: number.id, report: report.kind, err: error }
    options.log.error(fields, 'a report of the network could not be applied')
    return error instanceof Error ? error.message : String(error)
  }
}

/** A network may have one address for all numbers of an account: the report says which one it is about. */
async function numberMeant(
  { database }: ApplyJobOptions,
  number: BusinessNumber,
  { phoneNumberId }: ChannelReport,
): Promise<BusinessNumber | null> {
  if (phoneNumberId === null || phoneNumberId === number.phone_number_id) return number
  const other = await findByPhoneNumberId(database, number.org_id, phoneNumberId)
  return other?.connector === number.connector ? other : null
}
