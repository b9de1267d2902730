import type { ChannelFailure, ReportedStatus, StatusReport } from '../../channels/channel-connector.ts'
import { deleteOldReports } from '../../channels/numbers/numbers.ts'
import { EventBuffer } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { createSweep, deleteByOrganization, type Sweep } from '../../platform/database/sweep.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { failureOf, type Learned, moveByReport } from './message-moves.ts'
import {
  deleteParked,
  listByProviderIds,
  listOldParked,
  listParkedPlaces,
  lockMessage,
  takeParkedOf,
} from './message-states.sql.ts'
import type { ProviderKey } from './messages.sql.ts'

/**
 * Applies parked statuses. A status can arrive before the transaction that records the answer naming its message; then it
 * is parked. That transaction does not look for parked statuses, which are rare: the process that parked some looks for
 * their messages again, a few times within a minute. When that process dies meanwhile, the sweep applies them.
 */
export type ParkedWatch = {
  /** Call it after the commit. */
  note(orgId: OrgId, keys: readonly ProviderKey[]): void
  /** Whether this process parked something under the id a moment ago. */
  has(orgId: OrgId, key: ProviderKey): boolean
  stop(): Promise<void>
}

const FIRST_LOOK_MS = 250
const LOOKS_AFTER_MS = [FIRST_LOOK_MS, 1_000, 5_000, 60_000]
const KEYS_MAX = 10_000

type Watched = { orgId: OrgId; key: ProviderKey; looks: number; dueMs: number }

export function createParkedWatch(options: { database: Database; clock: Clock; log: Log }): ParkedWatch {
  const watched = new Map<string, Watched>()
  let timer: ReturnType<typeof setInterval> | null = null
  let looking: Promise<void> = Promise.resolve()
  const nameOf = (orgId: OrgId, { numberId, providerId }: ProviderKey) => `${orgId} ${numberId} ${providerId}`

  const look = async () => {
    const nowMs = performance.now()
    const due = [...watched].filter(([, { dueMs }]) => dueMs <= nowMs)
    for (const [orgId, ofOrg] of Map.groupBy(due, ([, one]) => one.orgId)) {
      const keys = ofOrg.map(([, { key }]) => key)
      const applied = new Set((await applyParked(options, orgId, keys)).map((key) => nameOf(orgId, key)))
      for (const [name, one] of ofOrg) {
        const nextMs = LOOKS_AFTER_MS[one.looks + 1]
        if (applied.has(name) || nextMs === undefined) watched.delete(name)
        else watched.set(name, { ...one, looks: one.looks + 1, dueMs: nowMs + nextMs })
      }
    }
  }
  const stop = () => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  const tick = () => {
    looking = looking.then(look).catch((error) => {
      options.log.warn({ err: error }, 'parked statuses could not be looked at; will try again')
    })
    if (watched.size === 0) stop()
  }
  return {
    note(orgId, keys) {
      const dueMs = performance.now() + FIRST_LOOK_MS
      for (const key of keys) {
        const [oldest] = watched.size >= KEYS_MAX ? watched.keys() : []
        if (oldest !== undefined) watched.delete(oldest)
        watched.set(nameOf(orgId, key), { orgId, key, looks: 0, dueMs })
      }
      timer ??= setInterval(tick, FIRST_LOOK_MS)
      timer.unref()
    },
    has: (orgId, key) => watched.has(nameOf(orgId, key)),
    async stop() {
      stop()
      await looking
    },
  }
}

/** Applies parked statuses of messages that are known by now. Returns their keys. */
async function applyParked(
  { database, clock }: { database: Database; clock: Clock },
  orgId: OrgId,
  keys: readonly ProviderKey[],
): Promise<ProviderKey[]> {
  const known = await listByProviderIds(database, orgId, keys)
  if (known.length === 0) return []
  const applied = known.map(({ number_id, provider_id }) => ({ numberId: number_id, providerId: provider_id }))
  await database.transaction(async (tx) => {
    const events = new EventBuffer()
    await takeParked(tx, orgId, known, events)
    await events.record(tx, clock.now())
  })
  return applied
}

type Named = { id: string; number_id: string; provider_id: string | null }

export async function takeParked(tx: Tx, orgId: OrgId, messages: readonly Named[], events: EventBuffer): Promise<void> {
  const keys = messages.flatMap(({ number_id, provider_id }) =>
    provider_id === null ? [] : [{ numberId: number_id, providerId: provider_id }],
  )
  if (keys.length === 0) return
  for (const { number_id, provider_id, report } of await takeParkedOf(tx, orgId, keys)) {
    const found = messages.find((one) => one.number_id === number_id && one.provider_id === provider_id)
    const row = found === undefined ? null : await lockMessage(tx, orgId, found.id)
    if (row?.direction === 'outbound') await moveByReport(tx, row, learnedOf(report as LearnedReport), events)
  }
}

/**
 * A transaction that stores a message of a customer or parks a report takes this lock first: otherwise a report could be
 * parked at the moment in which its message becomes known, and stay parked. Recording that an outbound message was sent
 * takes no lock; the watch finds its statuses.
 */
export const providerLockName = (key: { orgId: string; numberId: string; providerId: string }): string =>
  `provider ${key.orgId} ${key.numberId} ${key.providerId}`

/** A status as it is kept until the message it is about is known. */
export type LearnedReport = {
  status: ReportedStatus
  at: string
  provider_id: string
  failure: ChannelFailure | null
  /** Absent when it was parked by an earlier version. */
  facts?: Record<string, unknown> | null
}

export const parkedFormOf = (
  { status, at, providerId, failure, facts }: StatusReport,
  arrivedAt: Date,
): LearnedReport => ({
  status,
  at: (at ?? arrivedAt).toISOString(),
  provider_id: providerId,
  failure,
  facts,
})

const NO_REASON = {
  code: 'undeliverable',
  provider_code: null,
  detail: 'The network could not deliver the message and reported no reason.',
  retryable: false,
}

export const learnedOf = ({ status, at, provider_id, failure, facts = null }: LearnedReport): Learned => ({
  status,
  at: new Date(at),
  providerId: provider_id,
  facts,
  error: status !== 'failed' ? null : failure === null ? NO_REASON : failureOf(failure),
})

/**
 * Forgets statuses whose message never came: of messages that another program sent through the same number, mostly. They
 * stay in the journal for as long as that is kept. What a process parked and did not look at again, because it died, is
 * applied first.
 */
const KEPT_MS = 2 * 24 * 3_600_000
/** Longer than the network repeats a report. */
const REPORTS_KEPT_MS = 10 * 24 * 3_600_000

export const createParkedSweep = (parts: { database: Database; clock: Clock; log: Log }): Sweep =>
  createSweep({
    database: parts.database,
    what: 'parked statuses',
    everyMs: 3_600_000,
    biteRows: 5_000,
    deleteBites: [
      (tx, rowsMax) => applyKnown(parts, tx, rowsMax),
      async (tx, rowsMax) => {
        const old = await listOldParked(tx, { before: new Date(parts.clock.now() - KEPT_MS), rowsMax })
        return deleteByOrganization(old, (orgId, rows) => deleteParked(tx, orgId, rows))
      },
      (tx, rowsMax) => deleteOldReports(tx, { before: new Date(parts.clock.now() - REPORTS_KEPT_MS), rowsMax }),
    ],
    log: parts.log,
  })

/** Each organization's in its transaction. */
async function applyKnown(parts: { database: Database; clock: Clock }, tx: Tx, rowsMax: number): Promise<number> {
  const byOrg = Map.groupBy(await listParkedPlaces(tx, rowsMax), (one) => one.org_id)
  let applied = 0
  for (const [orgId, parked] of byOrg) {
    const messages = await listByProviderIds(tx, orgId, parked)
    const known = messages.map(({ number_id: numberId, provider_id: providerId }) => ({ numberId, providerId }))
    if (known.length > 0) await applyParked(parts, orgId, known)
    applied += known.length
  }
  return applied
}
