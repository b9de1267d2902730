import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { listLabels } from './chat-labels.sql.ts'

/** Upper bound on listed labels: with more, users type the one they look for. */
const LABELS_LISTED_MAX = 200

export type LabelsInUse = { labels: string[]; isCut: boolean }

/** Every label that some chat has, in the order of the alphabet. */
export async function listLabelsInUse(queries: Queries, orgId: OrgId): Promise<LabelsInUse> {
  const rows = await listLabels(queries, orgId, LABELS_LISTED_MAX + 1)
  const labels = rows.slice(0, LABELS_LISTED_MAX).map(({ label }) => label)
  return { labels, isCut: rows.length > LABELS_LISTED_MAX }
}
