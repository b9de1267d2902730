import { type Initiator, recordEvents, systemActor } from '../events/events.ts'
import { type Id, newId, type OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/outbox/entries.ts'
import { ensureLane, type LaneOptions } from '../platform/outbox/lanes.ts'
import { OUTBOX_CHANNEL } from '../platform/outbox/wake-ups.ts'
import { broadcastNotFound, broadcastStatusConflict } from './broadcasts.errors.ts'
import { broadcastEvents } from './broadcasts.events.ts'
import type { BroadcastStatus, BroadcastView } from './broadcasts.schemas.ts'
import {
  type BroadcastRow,
  type CountRow,
  cancelPending,
  countRecipients,
  findBroadcast,
  lockBroadcast,
  saveStatus,
} from './broadcasts.sql.ts'
import type { BroadcastsContext } from './broadcasts-context.ts'

/**
 * The life of a broadcast. A draft is the dry run: it has its audience and counts, and nothing is sent until it is started.
 *
 *   draft ── start ──▶ running ── no one pending ──▶ completed
 *                       │   ▲
 *                 pause │   │ resume
 *                       ▼   │
 *                      paused            draft, running, paused ── cancel ──▶ cancelled
 */
const MOVES = {
  start: { from: ['draft'], to: 'running' },
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  cancel: { from: ['draft', 'running', 'paused'], to: 'cancelled' },
  complete: { from: ['running'], to: 'completed' },
} as const satisfies Record<string, { from: readonly BroadcastStatus[]; to: BroadcastStatus }>

export type Move = keyof typeof MOVES

export const BROADCAST_JOB = 'broadcasts.send'

const laneOf = (orgId: OrgId): LaneOptions => ({
  id: `${orgId}:broadcasts`,
  orgId,
  kind: BROADCAST_JOB,
  concurrencyMax: 4,
  isAdaptive: false,
  hasBreaker: false,
  ordering: 'none',
})

type Moved = { id: string; move: Move; reason?: string | null; initiator?: Initiator }

export async function moveBroadcast(
  { clock }: Pick<BroadcastsContext, 'clock'>,
  tx: Tx,
  orgId: OrgId,
  { id, move, reason = null, initiator = { actor: systemActor } }: Moved,
): Promise<BroadcastRow> {
  const row = await lockBroadcast(tx, orgId, id)
  if (row === null) throw broadcastNotFound({ params: { id } })
  const { from, to }: { from: readonly BroadcastStatus[]; to: BroadcastStatus } = MOVES[move]
  if (!from.includes(row.status)) throw broadcastStatusConflict({ params: { id, status: row.status } })
  const now = new Date(clock.now())
  const isEnd = to === 'completed' || to === 'cancelled'
  const after = await saveStatus(tx, orgId, id, {
    status: to,
    paused_reason: to === 'paused' ? reason : null,
    started_at: row.started_at ?? (to === 'running' ? now : null),
    resumed_at: to === 'running' ? now : row.resumed_at,
    ended_at: isEnd ? now : null,
  })
  if (to === 'cancelled') await cancelPending(tx, orgId, id)
  if (to === 'running') await enqueueRun(tx, after, now)
  const type = to === 'paused' ? broadcastEvents.paused : to === 'completed' ? broadcastEvents.completed : null
  if (type !== null)
    await recordEvents(
      tx,
      orgId,
      [{ type, subject: id, data: await presentBroadcast(tx, after), ...initiator }],
      now.getTime(),
    )
  return after
}

/** A run belongs to one start: what an earlier one left in the outbox ends when it sees that. */
async function enqueueRun(tx: Tx, { org_id: orgId, id, send_at }: BroadcastRow, now: Date): Promise<void> {
  const lane = laneOf(orgId)
  await ensureLane(tx, lane)
  const payload = { broadcast: id, since: now.toISOString() }
  const dueAt = send_at !== null && send_at > now ? send_at : now
  await enqueue(tx, [{ id: newId('job', now.getTime()), laneId: lane.id, orgId, job: BROADCAST_JOB, dueAt, payload }])
  tx.poke(OUTBOX_CHANNEL)
}

export async function getBroadcast(queries: Queries, orgId: OrgId, id: string): Promise<BroadcastRow> {
  const row = await findBroadcast(queries, orgId, id)
  if (row === null) throw broadcastNotFound({ params: { id } })
  return row
}

export const presentBroadcast = async (queries: Queries, row: BroadcastRow): Promise<BroadcastView> =>
  present(row, await countRecipients(queries, row.org_id, [row.id]))

export async function presentBroadcasts(queries: Queries, rows: readonly BroadcastRow[]): Promise<BroadcastView[]> {
  const [first] = rows
  if (first === undefined) return []
  const ids = rows.map(({ id }) => id)
  const counts = Map.groupBy(await countRecipients(queries, first.org_id, ids), ({ broadcast_id }) => broadcast_id)
  return rows.map((row) => present(row, counts.get(row.id) ?? []))
}

const DELIVERED = ['delivered', 'read', 'played']
const READ = ['read', 'played']

function present(row: BroadcastRow, rows: readonly CountRow[]): BroadcastView {
  const count = (is: (one: CountRow) => boolean) => rows.filter(is).reduce((sum, one) => sum + one.count, 0)
  const ofMessages = (statuses: readonly string[]) =>
    count(({ message_status: status }) => status !== null && statuses.includes(status))
  const counts = {
    pending: count(({ status }) => status === 'pending'),
    sent: count(({ status }) => status === 'sent'),
    delivered: ofMessages(DELIVERED),
    read: ofMessages(READ),
    failed: ofMessages(['failed']),
    skipped: count(({ status }) => status === 'skipped'),
  }
  const reasons = rows.flatMap(({ status, reason, count: number }) =>
    status === 'skipped' && reason !== null ? [[reason, number] as const] : [],
  )
  const { unit_price: price } = row
  return {
    object: 'broadcast',
    ...{ id: row.id, name: row.name, status: row.status, paused_reason: row.paused_reason, number_id: row.number_id },
    template: row.template as BroadcastView['template'],
    ...{ label: row.label, per_minute: row.per_minute, daily_max: row.daily_max, counts },
    skipped: Object.fromEntries(reasons),
    estimated_cost: price === null ? null : { amount: price * (counts.pending + counts.sent), currency: 'IDR' },
    send_at: row.send_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  }
}

export type BroadcastId = Id<'brd'>
