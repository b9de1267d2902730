import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { EventBuffer } from '../event-buffer.ts'
import { moveByReport } from '../messages/message-moves.ts'
import { listByProviderIds, lockMessage } from '../messages/message-states.sql.ts'
import type { ProviderKey } from '../messages/messages.sql.ts'
import { takeParkedOf } from '../sending/sending.sql.ts'
import { type LearnedReport, learnedOf } from './parked-reports.ts'

/**
 * Applies parked statuses. A status can arrive before the transaction that records the answer naming its message; then it
 * is parked. That transaction does not look for parked statuses, which are rare: the process that parked some looks for
 * their messages again, a few times within a minute. When that process dies meanwhile, the sweep applies them
 * (parked-sweep.ts).
 */
export type ParkedWatch = {
  /** Call it after the commit. */
  note(orgId: OrgId, keys: readonly ProviderKey[]): void
  /** Whether this process parked something under the id a moment ago. */
  has(orgId: OrgId, key: ProviderKey): boolean
  stop(): Promise<void>
}

const LOOKS_AFTER_MS = [250, 1_000, 5_000, 60_000]
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
      const dueMs = performance.now() + (LOOKS_AFTER_MS[0] as number)
      for (const key of keys) {
        if (watched.size >= KEYS_MAX) watched.delete(watched.keys().next().value as string)
        watched.set(nameOf(orgId, key), { orgId, key, looks: 0, dueMs })
      }
      timer ??= setInterval(tick, LOOKS_AFTER_MS[0])
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
export async function applyParked(
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
