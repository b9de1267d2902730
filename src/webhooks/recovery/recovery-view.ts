import type { z } from 'zod'
import type { Queries } from '../../platform/database/database.ts'
import type { WebhookRecovery, WebhookRecoveryEstimate } from './recoveries.schemas.ts'
import { countQueued, type Estimate, type Recovery } from './recoveries.ts'

/** Recoveries as the API shows them. */
export type RecoveryView = z.input<typeof WebhookRecovery>
export type EstimateView = z.input<typeof WebhookRecoveryEstimate>

const presentSelection = (selection: Recovery | Estimate) => ({
  endpoint_id: selection.endpoint_id,
  mode: selection.mode,
  include_before_creation: selection.include_before_creation,
  since: selection.since.toISOString(),
  until: selection.until.toISOString(),
  types: selection.types,
  statuses: selection.statuses,
})

export async function presentRecovery(queries: Queries, row: Recovery): Promise<RecoveryView> {
  return {
    object: 'webhook_recovery' as const,
    id: row.id,
    ...presentSelection(row),
    status: row.status,
    reason: row.reason,
    progress: {
      total: row.status === 'counting' ? null : row.total,
      done: row.done,
      queued: await countQueued(queries, row),
    },
    counts: inOrder(Object.entries(row.counts)).map(([type, { total, done }]) => ({ type, total, done })),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}

export function presentEstimate(estimate: Estimate): EstimateView {
  const counts = inOrder([...estimate.counts]).map(([type, total]) => ({ type, total }))
  return {
    object: 'webhook_recovery_estimate' as const,
    ...presentSelection(estimate),
    total: counts.reduce((sum, { total }) => sum + total, 0),
    is_exact: estimate.isExact,
    counts,
  }
}

const inOrder = <Value>(entries: [string, Value][]) => entries.sort(([one], [other]) => (one < other ? -1 : 1))
