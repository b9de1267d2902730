import { createHmac } from 'node:crypto'
import type { OrgId } from '../../kernel/ids.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import {
  type CheckpointRow,
  findAuditEntry,
  findCheckpoint,
  listUncoveredLogs,
  saveCheckpoint,
  type UncoveredLog,
} from './audit.sql.ts'
import { linkLogs } from './audit-linker.ts'
import type { AuditContext } from './audit-log.ts'

/**
 * Checkpoints of the audit log: signed statements of how long the log of an organization was and how it ended, so that cutting
 * off its end shows. They are written every few minutes and at shutdown, not with the entries.
 *
 *   a log grew ── its last checkpoint still holds ──▶ signed ──▶ in the database, and in the store outside of it
 *              └─ it does not ──▶ an error in the log; the checkpoint stays as it is, as evidence
 *
 * A database that is rolled back as a whole takes its checkpoints along. Only those in the store (NEXKIT_AUDIT_CHECKPOINTS) show
 * that, and only where write access to the database does not come with write access to the store.
 */
export type Checkpoint = CheckpointRow

const signatureOf = (key: Uint8Array, { org_id, sequence, hash, at }: Omit<Checkpoint, 'signature'>): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['checkpoint', org_id, sequence, hash, at.toISOString()]))
    .digest('base64url')

export const isGenuine = (key: Uint8Array, checkpoint: Checkpoint): boolean =>
  isSameSecret(signatureOf(key, checkpoint), checkpoint.signature)

const keyOf = (orgId: OrgId) => `${orgId}.json`

/** Null when the store has none; throws when it cannot be read. */
async function readStoredCheckpoint(store: Storage, orgId: OrgId): Promise<Checkpoint | null> {
  const bytes = await store.get(keyOf(orgId))
  if (bytes === null) return null
  // Under the name of this organization: one that was copied from another has a signature that does not fit.
  return { ...parseCheckpoint(JSON.parse(new TextDecoder().decode(bytes))), org_id: orgId }
}

export function parseCheckpoint(value: Record<string, unknown>): Checkpoint {
  const { org_id, sequence, hash, at, signature } = value
  return {
    org_id: org_id as OrgId,
    sequence: Number(sequence),
    hash: String(hash),
    at: new Date(String(at)),
    signature: String(signature),
  }
}

/** All that are kept for this organization, in the database and outside of it. */
export async function listCheckpoints(
  { database, checkpointStore }: AuditContext,
  orgId: OrgId,
): Promise<Checkpoint[]> {
  const [known, stored] = await Promise.all([
    findCheckpoint(database, orgId),
    checkpointStore === null ? null : readStoredCheckpoint(checkpointStore, orgId),
  ])
  return [known, stored].filter((checkpoint) => checkpoint !== null)
}

/** Whether it is signed by us and the entry that it names is there as it was. */
async function holds({ database, checkpointKey }: AuditContext, checkpoint: Checkpoint): Promise<boolean> {
  if (!isGenuine(checkpointKey, checkpoint)) return false
  const entry = await findAuditEntry(database, checkpoint.org_id, checkpoint.sequence)
  return entry?.hash === checkpoint.hash
}

const ORGANIZATIONS_AT_ONCE = 500

/** Once, for all organizations. Answers how many checkpoints were written. They cover linked entries. */
export async function writeCheckpoints(context: AuditContext, log: Log): Promise<number> {
  await linkLogs(context, log)
  let [written, after] = [0, '']
  for (;;) {
    const uncovered = await listUncoveredLogs(context.database, { after, limit: ORGANIZATIONS_AT_ONCE })
    for (const one of uncovered) if (await writeCheckpoint(context, log, one)) written += 1
    if (uncovered.length < ORGANIZATIONS_AT_ONCE) return written
    after = uncovered.at(-1)?.org_id ?? ''
  }
}

async function writeCheckpoint(
  context: AuditContext,
  log: Log,
  { org_id: orgId, ...head }: UncoveredLog,
): Promise<boolean> {
  const earlier = await listCheckpoints(context, orgId)
  for (const checkpoint of earlier)
    if (checkpoint.sequence > head.linked_sequence || !(await holds(context, checkpoint))) {
      log.error(
        { org_id: orgId, checkpoint_sequence: checkpoint.sequence, linked_sequence: head.linked_sequence },
        'the audit log does not agree with its checkpoint; run "npx nexkit audit verify"',
      )
      return false
    }
  const unsigned = {
    org_id: orgId,
    sequence: head.linked_sequence,
    hash: head.linked_hash,
    at: new Date(context.clock.now()),
  }
  const checkpoint = { ...unsigned, signature: signatureOf(context.checkpointKey, unsigned) }
  // The store first: what the database says was written there is there.
  await context.checkpointStore?.put(
    keyOf(orgId),
    new TextEncoder().encode(`${JSON.stringify(checkpoint)}\n`),
    'application/json',
  )
  return (await saveCheckpoint(context.database, orgId, checkpoint)) > 0
}

const EVERY_MS = 5 * 60_000

export type CheckpointWriter = { start(): Promise<void>; stop(): Promise<void> }

/** Writes at the start, every five minutes, and at the end. A store that is away costs a warning and is tried again. */
export function createCheckpointWriter(context: AuditContext, log: Log): CheckpointWriter {
  let timer: ReturnType<typeof setInterval> | null = null
  let running = Promise.resolve()
  const write = () => {
    running = running.then(async () => {
      await writeCheckpoints(context, log).catch((error) =>
        log.warn({ err: error }, 'checkpoints of the audit log could not be written; will try again'),
      )
    })
    return running
  }
  return {
    async start() {
      void write()
      timer = setInterval(write, EVERY_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
      await write()
    },
  }
}
