import type { Clock } from '../../../kernel/clock.ts'
import { messageOf, ProblemError } from '../../../kernel/errors.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import { firstOf, storedValue } from '../../../kernel/lists.ts'
import type { Database } from '../../../platform/database/database.ts'
import { databaseCode, isConnectionFailure } from '../../../platform/database/database-errors.ts'
import { createGroupCommit } from '../../../platform/database/group-commit.ts'
import { ensureLane } from '../../../platform/outbox/lanes.ts'
import type { ChannelNumber } from '../../channel-connector.ts'
import { seedOf } from './seeded.ts'
import { type AcceptedRow, insertAccepted, type ReportEntry } from './simulator.sql.ts'
import { type Form, hookDueMs, pulseAfter, type Script, scriptOf } from './status-scripts.ts'

/**
 * The moment in which the network takes a message: it is written down together with the entry of the outbox that will
 * report its statuses. Messages of an organization that are taken at the same time share one statement, and those of one number whose story
 * is of the same kind share one entry, so that at a high rate both cost a fraction of a message each.
 */
export type Taken = {
  number: ChannelNumber
  recipient: string
  messageId: string
  content: string | null
  script: Script
  form: Form
}

/** A network that cannot write down what it takes has not taken it; one whose pen broke off may have. */
export type Taking = { kind: 'taken'; copies: number } | { kind: 'not_taken'; detail: string } | { kind: 'unknown' }

export type Acceptances = {
  /** With how often this message was taken by now. */
  take(message: Taken): Promise<Taking>
  drain(): Promise<void>
}

export type AcceptanceOptions = { database: Database; clock: Clock; wake: (orgIds: readonly OrgId[]) => void }

export const REPORT_JOB = 'simulator.report'

const reportLaneOf = (numberId: string): string => `${numberId}:simulator`

const MESSAGES_PER_STATEMENT_MAX = 128
/** With user ids of full length these stay below the size of a payload. */
const MESSAGES_PER_ENTRY_MAX = 32
/** They are posted together as far as they are due at the same time. */
const REPORTS_AT_ONCE_MAX = 32

export function createAcceptances({ database, clock, wake }: AcceptanceOptions): Acceptances {
  const waker = createPulseWaker({ clock, wake })
  const laned = new Set<string>()
  /** Once in the life of a process: only the simulator has this lane, so no other code creates it. */
  const prepareLane = async ({ orgId, id }: ChannelNumber) => {
    if (laned.has(id)) return
    const plain = { isAdaptive: false, hasBreaker: false, ordering: 'none' } as const
    const lane = {
      id: reportLaneOf(id),
      orgId,
      kind: 'simulated network',
      concurrencyMax: REPORTS_AT_ONCE_MAX,
      ...plain,
    }
    await ensureLane(database, lane)
    laned.add(id)
  }
  const group = createGroupCommit<Taken, number>({
    name: 'simulated network',
    groupOf: ({ number }) => number.orgId,
    batchItemsMax: MESSAGES_PER_STATEMENT_MAX,
    async write(messages) {
      const now = new Date(clock.now())
      const { rows, entries } = arrange(messages, now)
      const { orgId } = firstOf(messages).number
      const accepted = await insertAccepted(database, orgId, { rows, entries, job: REPORT_JOB, now })
      for (const { dueAt } of entries) waker.wakeAt(orgId, dueAt)
      const copies = new Map(accepted.map((row) => [`${row.number_id} ${row.message_id}`, row.copies]))
      return messages.map(({ number, messageId }) => ({
        ok: true,
        value: storedValue(copies, `${number.id} ${messageId}`),
      }))
    },
  })
  return {
    async take(message) {
      try {
        await prepareLane(message.number)
      } catch (error) {
        return { kind: 'not_taken', detail: messageOf(error) }
      }
      return group.submit(message).then((copies) => ({ kind: 'taken', copies }), explain)
    },
    async drain() {
      await group.drain()
      waker.stop()
    },
  }
}

/** Nothing is stored when the statement was refused, by the database or before it came there. */
function explain(error: unknown): Taking {
  const isRefused = error instanceof ProblemError || (databaseCode(error) !== null && !isConnectionFailure(error))
  return isRefused ? { kind: 'not_taken', detail: messageOf(error) } : { kind: 'unknown' }
}

type Draft = Omit<ReportEntry, 'dueAt' | 'payload'> & { first: Taken; size: number; dueMs: number }

function arrange(messages: readonly Taken[], now: Date): { rows: AcceptedRow[]; entries: ReportEntry[] } {
  const drafts: Draft[] = []
  const open = new Map<string, Draft>()
  const draftFor = (message: Taken): Draft => {
    const { number, script, form } = message
    const key = `${number.id} ${JSON.stringify(script)} ${form}`
    const known = open.get(key)
    if (known !== undefined && known.size < MESSAGES_PER_ENTRY_MAX) return known
    const entry = { id: newId('job', now.getTime()), laneId: reportLaneOf(number.id) }
    const draft = { ...entry, first: message, size: 0, dueMs: 0 }
    open.set(key, draft)
    drafts.push(draft)
    return draft
  }
  const rows = messages.map((message): AcceptedRow => {
    const { number, recipient, messageId, content } = message
    const dueMs = firstDueMs(message)
    const draft = dueMs === null ? null : draftFor(message)
    if (draft !== null) {
      draft.size += 1
      draft.dueMs = Math.max(draft.dueMs, dueMs ?? 0)
    }
    return { numberId: number.id, recipient, messageId, content, entryId: draft?.id ?? null }
  })
  return { rows, entries: drafts.map((draft) => entryOf(draft, now)) }
}

/** Null when the network will have nothing to say. */
const firstDueMs = ({ number, script, form, recipient }: Taken): number | null => {
  const [hook] = scriptOf(script, form, { seed: seedOf(number), recipient })
  return hook === undefined ? null : hookDueMs(hook)
}

/** The messages themselves are put in by the statement, which counts their copies. */
function entryOf({ id, laneId, first, dueMs }: Draft, now: Date): ReportEntry {
  const { number, script, form } = first
  const payload = { number_id: number.id, accepted_ms: now.getTime(), course: script, form, step: 0 }
  return { id, laneId, dueAt: pulseAfter(now.getTime() + dueMs), payload: JSON.stringify(payload) }
}

/**
 * Wakes the outbox for entries that are due later: once for each organization and due time, when that has come. A wake-up when they are
 * enqueued would be a claim that finds nothing. One that is lost with its process costs a second: the scout finds the entries.
 */
export type PulseWaker = { wakeAt(orgId: OrgId, dueAt: Date): void; stop(): void }

type Pulse = { orgIds: Set<OrgId>; timer: ReturnType<typeof setTimeout> }

export function createPulseWaker(options: { clock: Clock; wake: (orgIds: readonly OrgId[]) => void }): PulseWaker {
  const { clock, wake } = options
  const pulses = new Map<number, Pulse>()
  const start = (dueMs: number): Pulse => {
    const timer = setTimeout(
      () => {
        const orgIds = pulses.get(dueMs)?.orgIds ?? []
        pulses.delete(dueMs)
        wake([...orgIds])
      },
      Math.max(0, dueMs - clock.now()) + 1,
    )
    timer.unref()
    const pulse = { orgIds: new Set<OrgId>(), timer }
    pulses.set(dueMs, pulse)
    return pulse
  }
  return {
    wakeAt(orgId, dueAt) {
      const pulse = pulses.get(dueAt.getTime()) ?? start(dueAt.getTime())
      pulse.orgIds.add(orgId)
    },
    stop() {
      for (const { timer } of pulses.values()) clearTimeout(timer)
      pulses.clear()
    },
  }
}
