import { auditContext, recordAudit } from '../../accounts/audit/audit.ts'
import { loadSecretKey } from '../../boot/secret-key.ts'
import type { Config } from '../../config.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'

/**
 * Every change by a command is in the audit log under the operation id that the same act has in the console, written last in the
 * transaction of the change. The user of the terminal is unknown, so the entry names the command. Playing customers and payers
 * (`simulate`) is not recorded: people outside of the organization do that.
 */
export type CommandAct = {
  /** The words after `nexkit`. */
  command: string
  act: string
  subject: string
}

export type EnterAct = (tx: Tx, orgId: OrgId, act: CommandAct) => Promise<void>

const ACTOR_NAME = 'command line'

export async function createCommandAudit(database: Database, config: Config): Promise<EnterAct> {
  const audit = auditContext({ database, clock: systemClock, secretKey: await loadSecretKey(database, config) })
  return async (tx, orgId, { command, act, subject }) => {
    const actor = { type: 'command' as const, id: command, name: ACTOR_NAME }
    recordAudit(audit, tx, orgId, { actor, act, subject, requestId: null, address: null })
  }
}
