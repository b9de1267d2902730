import type { AuditContext } from '../accounts/audit/audit.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { Database } from '../platform/database/database.ts'
import { createSweep, deleteByOrganization } from '../platform/database/sweep.ts'
import type { Route } from '../platform/http/define-route.ts'
import type { Caller } from '../platform/http/pipeline/caller.ts'
import type { Gate } from '../platform/http/pipeline/exchange.ts'
import type { Job } from '../platform/outbox/job.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { createApprovalJob, type RunApproved } from './approvals/approvals.jobs.ts'
import { approvalRoutes } from './approvals/approvals.routes.ts'
import { deleteApprovals, listOldApprovals } from './approvals/approvals.sql.ts'
import type { ApprovalsContext } from './approvals/approvals.ts'
import { createAgentGate } from './gate/gate.ts'
import { ownAgentRoutes } from './records/records.routes.ts'
import { findAgentRow } from './records/records.ts'
import { isAgentOperation, ruleOf } from './rules/rules.ts'

export { type RunApproved, runApproved } from './approvals/approvals.jobs.ts'

/**
 * AI agents as one unit for the app wiring: the gate that their calls pass, and the approvals that a person decides about.
 *
 *   call of an agent ─▶ gate ─▶ run | 202, approval ─▶ a person ─▶ approvals.run ─▶ the same call, once
 */
export type AgentsOptions = {
  database: Database
  clock: Clock
  log: Log
  /** The log that records look-ups of phones. */
  audit: AuditContext
  messaging: Pick<Messaging, 'context'>
  wake: (orgIds: readonly OrgId[]) => void
  runApproved: RunApproved
}

export type Agents = {
  context: ApprovalsContext
  gate: Gate
  jobs: Job[]
  /** Which routes to offer to a caller: denied operations are left out. */
  offersTo(caller: Caller): Promise<(route: Route) => boolean>
  start(): Promise<void>
  stop(): Promise<void>
}

const KEPT_MS = 30 * 24 * 3600 * 1000

export const agentRoutes = (context: ApprovalsContext): Route[] => [...ownAgentRoutes(), ...approvalRoutes(context)]

export function createAgents(options: AgentsOptions): Agents {
  const { database, clock, log, audit, messaging, wake, runApproved } = options
  const context = { database, clock, wake, messaging }
  const sweep = createSweep({
    database,
    what: 'old approvals',
    everyMs: 3600 * 1000,
    biteRows: 1000,
    deleteBites: [
      async (tx, rowsMax) => {
        const old = await listOldApprovals(tx, { before: new Date(clock.now() - KEPT_MS), rowsMax })
        return deleteByOrganization(old, (orgId, rows) =>
          deleteApprovals(
            tx,
            orgId,
            rows.map(({ id }) => id),
          ),
        )
      },
    ],
    log,
  })
  return {
    context,
    gate: createAgentGate({ ...context, audit }),
    jobs: [createApprovalJob({ database, run: runApproved })],
    async offersTo(caller) {
      const agent = await findAgentRow(database, caller.orgId, caller.id)
      return ({ id, method }) =>
        method === 'GET' || (agent !== null && isAgentOperation(id) && ruleOf(agent.rules, id).decision !== 'deny')
    },
    start: sweep.start,
    stop: sweep.stop,
  }
}
