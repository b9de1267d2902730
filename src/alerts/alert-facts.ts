import { apiKeyState, getApiKey } from '../accounts/keys/keys.ts'
import { findApproval, statusAt } from '../agents/approvals/approvals.ts'
import { findNumber } from '../channels/numbers/numbers.ts'
import { ProblemError } from '../kernel/errors.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import { findEndpoint, maskUrl } from '../webhooks/endpoints/endpoints.ts'
import type { Alert, AlertKind } from './alert-kinds.ts'

/** What an alert says, read when it is sent; null when it is over by then. */
export type AlertFacts = {
  /** What it is about, as people call it. */
  name: string
  detail: string
  /** Of the console. */
  page: string
}

type Reader = (queries: Queries, orgId: OrgId, alert: Alert, nowMs: number) => Promise<AlertFacts | null>

const readers: Record<AlertKind, Reader> = {
  async endpoint(queries, orgId, { subject, stage }) {
    const endpoint = await findEndpoint(queries, orgId, subject)
    const isSo = stage === 'disabled' ? endpoint?.state === 'disabled' : endpoint?.degraded_at != null
    if (endpoint === null || !isSo) return null
    const detail = stage === 'disabled' ? (endpoint.disabled_reason ?? '') : ''
    return { name: maskUrl(endpoint.url), detail, page: `webhooks/${endpoint.id}` }
  },
  async number(queries, orgId, { subject }) {
    const number = await findNumber(queries, orgId, subject)
    if (number?.state !== 'paused') return null
    return { name: number.display_phone, detail: number.state_reason ?? '', page: 'settings' }
  },
  async key(queries, orgId, { subject }, nowMs) {
    const key = await getApiKey(queries, orgId, subject).catch(noneIfGone)
    if (key?.expires_at == null || !['active', 'retiring'].includes(apiKeyState(key, nowMs))) return null
    const name = `${key.name} (${key.key_prefix}…)`
    return { name, detail: key.expires_at.toISOString(), page: `keys/${key.id}` }
  },
  async approval(queries, orgId, { subject }, nowMs) {
    const approval = await findApproval(queries, orgId, subject)
    if (approval === null || statusAt(approval, nowMs) !== 'pending') return null
    return { name: approval.agent_name, detail: approval.operation, page: 'approvals' }
  },
}

export const readFacts: Reader = (queries, orgId, alert, nowMs) => readers[alert.kind](queries, orgId, alert, nowMs)

const noneIfGone = (error: unknown): null => {
  if (error instanceof ProblemError) return null
  throw error
}
