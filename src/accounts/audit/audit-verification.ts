import type { OrgId } from '../../kernel/ids.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'
import {
  type AuditHead,
  type AuditRow,
  EMPTY_HEAD,
  findAuditEntry,
  findAuditHead,
  findLastSequence,
  listAuditEntriesAfter,
} from './audit.sql.ts'
import { type Checkpoint, isGenuine, listCheckpoints } from './audit-checkpoints.ts'
import { type AuditContext, hashOf, isAuthentic } from './audit-log.ts'

/**
 * Whether the audit log is whole: entry by entry, then the checkpoints, the only ones that show a missing end. Linked entries fit their
 * hash and their mac; those behind the linked head fit their mac, and their numbers have no gap.
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

/** How far the log holds. The hash of an entry that is not linked yet is computed; without the key it is null. */
export type Place = { sequence: number; hash: string | null }
export const START: Place = { sequence: 0, hash: '' }

/** From the first entry on, for as long as there is time. */
export async function verifyChain(
  context: AuditContext,
  orgId: OrgId,
  { timeMsMax = Number.POSITIVE_INFINITY }: { timeMsMax?: number } = {},
): Promise<ChainVerdict> {
  const deadline = performance.now() + timeMsMax
  const { database, key } = context
  const head = (await findAuditHead(database, orgId)) ?? EMPTY_HEAD
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
      const checked = checkEntry(row, place, { key, linkedUntil: head.linked_sequence })
      if ('kind' in checked) return verdict(checked, place)
      if (row.sequence === head.linked_sequence && row.hash !== head.linked_hash)
        return verdict({ kind: 'changed', sequence: row.sequence }, place)
      place = checked
    }
    const isOver = rows.length < STEP
    const isLate = !isOver && performance.now() > deadline
    if (isOver || isLate)
      return verdict(await problemOfEnd(context, { head, checkpoints, place, isOver }), place, isLate)
  }
}

/**
 * One entry behind another: what is wrong with it, or the place behind it. Without the key only numbers and links are compared. The
 * next entry may be linked where this one was not: the linker has been there meanwhile.
 */
export function checkEntry(
  row: AuditRow,
  before: Place,
  { key, linkedUntil = 0 }: { key: Uint8Array | null; linkedUntil?: number },
): AuditProblem | Place {
  const sequence = before.sequence + 1
  if (row.sequence > sequence) return { kind: 'missing', sequence }
  const isInPlace =
    row.sequence === sequence && (isLinked(row) ? row.previous_hash === before.hash : sequence > linkedUntil)
  if (!isInPlace || (key !== null && !isSound(key, row))) return { kind: 'changed', sequence }
  return {
    sequence,
    hash: isLinked(row) ? row.hash : key && hashOf(key, { ...row, previous_hash: before.hash as string }),
  }
}

type LinkedRow = AuditRow & { previous_hash: string; hash: string }

const isLinked = (row: AuditRow): row is LinkedRow => row.previous_hash !== null && row.hash !== null

function isSound(key: Uint8Array, row: AuditRow): boolean {
  if (!isLinked(row)) return isAuthentic(key, row)
  return isSameSecret(hashOf(key, row), row.hash) && (row.mac === null || isAuthentic(key, row))
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

/** Entries may have been added while we read; there must not be fewer than the head says. */
const problemOfHead = ({ last_sequence: until }: AuditHead, { sequence }: Place): AuditProblem | null =>
  sequence < until ? { kind: 'tail_missing', sequence: sequence + 1, until, since: null } : null

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
