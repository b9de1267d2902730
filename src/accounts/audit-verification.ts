import type { OrgId } from '../kernel/ids.ts'
import { isSameSecret } from '../kernel/same-secret.ts'
import {
  type AuditHead,
  type AuditRow,
  findAuditEntry,
  findAuditHead,
  findLastSequence,
  listAuditEntriesAfter,
} from './audit.sql.ts'
import { type AuditContext, hashOf } from './audit.ts'
import { type Checkpoint, isGenuine, listCheckpoints } from './audit-checkpoints.ts'

/**
 * Whether the audit log is whole: checkpoints first, because they are quick to look at and the only ones that show a missing end;
 * then entry by entry.
 */
export type AuditProblem =
  /** The contents, or the link to the entry before, do not fit the hash. */
  | { kind: 'changed'; sequence: number }
  | { kind: 'missing'; sequence: number }
  | { kind: 'tail_missing'; sequence: number; until: number; since: Date | null }
  /** The entry that the checkpoint names has another hash. */
  | { kind: 'rewritten'; sequence: number; since: Date }
  | { kind: 'checkpoint_forged'; sequence: number }

export type ChainVerdict = {
  isIntact: boolean
  /** How many entries were looked at and found sound. */
  entries: number
  /** The first place at which the log does not hold. */
  brokenAt: number | null
  problem: AuditProblem | null
  /** Not everything could be looked at in time. */
  isPartial: boolean
  /** The one that covers most; null before the first. */
  checkpoint: Pick<Checkpoint, 'sequence' | 'at'> | null
}

const STEP = 1000

export type Place = { sequence: number; hash: string }
const START: Place = { sequence: 0, hash: '' }

/** From the first entry on, for as long as there is time. */
export async function verifyChain(
  context: AuditContext,
  orgId: OrgId,
  { timeMsMax = Number.POSITIVE_INFINITY }: { timeMsMax?: number } = {},
): Promise<ChainVerdict> {
  const deadline = performance.now() + timeMsMax
  const { database, key } = context
  const head = (await findAuditHead(database, orgId)) ?? { last_sequence: 0, last_hash: '' }
  const checkpoints = await listCheckpoints(context, orgId)
  const [checkpoint = null] = checkpoints.toSorted((one, other) => other.sequence - one.sequence)
  const verdict = (problem: AuditProblem | null, { sequence }: Place, isPartial = false): ChainVerdict => ({
    isIntact: problem === null,
    entries: sequence,
    brokenAt: problem?.sequence ?? null,
    problem,
    isPartial,
    checkpoint,
  })
  let place = START
  for (;;) {
    const rows = await listAuditEntriesAfter(database, orgId, { after: place.sequence, limit: STEP })
    for (const row of rows) {
      const problem = problemOf(row, place, key)
      if (problem !== null) return verdict(problem, place)
      place = row
    }
    const isOver = rows.length < STEP
    const isLate = !isOver && performance.now() > deadline
    if (isOver || isLate)
      return verdict(await problemOfEnd(context, { head, checkpoints, place, isOver }), place, isLate)
  }
}

/** Of one entry behind another. Without the key only numbers and links are compared. */
export function problemOf(row: AuditRow, before: Place, key: Uint8Array | null): AuditProblem | null {
  const sequence = before.sequence + 1
  if (row.sequence > sequence) return { kind: 'missing', sequence }
  const isLinked = row.sequence === sequence && row.previous_hash === before.hash
  const isSound = key === null || isSameSecret(hashOf(key, row), row.hash)
  return isLinked && isSound ? null : { kind: 'changed', sequence }
}

type End = { head: AuditHead; checkpoints: readonly Checkpoint[]; place: Place; isOver: boolean }

async function problemOfEnd(
  context: AuditContext,
  { head, checkpoints, place, isOver }: End,
): Promise<AuditProblem | null> {
  for (const checkpoint of checkpoints) {
    const entry = await findAuditEntry(context.database, checkpoint.org_id, checkpoint.sequence)
    const last = entry === null ? await findLastSequence(context.database, checkpoint.org_id) : checkpoint.sequence
    const problem = problemOfCheckpoint(checkpoint, entry, { key: context.checkpointKey, last })
    if (problem !== null) return problem
  }
  return isOver ? problemOfHead(head, place) : null
}

/** Entries may have been added while we read; fewer than the head says, or another end, must not be. */
function problemOfHead(head: AuditHead, { sequence, hash }: Place): AuditProblem | null {
  if (sequence < head.last_sequence)
    return { kind: 'tail_missing', sequence: sequence + 1, until: head.last_sequence, since: null }
  return sequence === head.last_sequence && hash !== head.last_hash ? { kind: 'changed', sequence } : null
}

export function problemOfCheckpoint(
  checkpoint: Checkpoint,
  entry: Pick<AuditRow, 'hash'> | null,
  { key, last }: { key: Uint8Array; last: number },
): AuditProblem | null {
  const { sequence, hash, at: since } = checkpoint
  if (!isGenuine(key, checkpoint)) return { kind: 'checkpoint_forged', sequence }
  if (entry === null)
    return { kind: 'tail_missing', sequence: Math.min(last, sequence - 1) + 1, until: sequence, since }
  return entry.hash === hash ? null : { kind: 'rewritten', sequence, since }
}

/** One sentence that names the first bad entry. */
export function explainProblem(problem: AuditProblem): string {
  const { sequence } = problem
  switch (problem.kind) {
    case 'changed':
      return `Entry ${sequence} was changed: it does not fit its hash. Either the table was edited, or another secret key was accepted since.`
    case 'missing':
      return `Entry ${sequence} is missing.`
    case 'tail_missing': {
      const evidence =
        problem.since === null ? 'the head of the log' : `the checkpoint of ${problem.since.toISOString()}`
      return `Entries ${sequence} to ${problem.until} are missing at the end: ${evidence} covers ${problem.until} entries.`
    }
    case 'rewritten':
      return `Entry ${sequence} is not the one that the checkpoint of ${problem.since.toISOString()} was written for.`
    case 'checkpoint_forged':
      return `The checkpoint at entry ${sequence} was not signed with this secret key. Either it was edited, or another secret key was accepted since.`
  }
}
