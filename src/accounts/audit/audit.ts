/**
 * The audit log: who did what in an organization, in a chain of entries that shows when one was changed or removed.
 *
 *   recorded with the act ──▶ linked into the chain ──▶ checkpoints outside of the database ──▶ verified, exported
 */

export { adoptAuditLog } from './audit-adoption.ts'
export { createCheckpointWriter } from './audit-checkpoints.ts'
export { exportAudit, type FileVerdict, verifyExport } from './audit-export.ts'
export { createAuditLinker } from './audit-linker.ts'
export {
  type AuditChange,
  type AuditContext,
  type AuditEntry,
  auditContext,
  listAuditEntries,
  type NewAuditEntry,
  recordAudit,
  recordAuditAlone,
  recordAudits,
  recordAuditUnless,
} from './audit-log.ts'
export { type ChainVerdict, explainProblem, verifyChain } from './audit-verification.ts'
