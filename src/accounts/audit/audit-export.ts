import { createHash, createHmac } from 'node:crypto'
import type { OrgId } from '../../kernel/ids.ts'
import { isSameSecret } from '../../kernel/same-secret.ts'
import { type AuditRow, findAuditHead, listAuditEntriesAfter } from './audit.sql.ts'
import { type Checkpoint, listCheckpoints, parseCheckpoint } from './audit-checkpoints.ts'
import type { AuditContext } from './audit-log.ts'
import {
  type AuditProblem,
  checkEntry,
  explainProblem,
  type Place,
  problemOfCheckpoint,
  START,
} from './audit-verification.ts'

/**
 * The audit log of an organization as JSON lines that can be verified without the database:
 *
 *   {"object": "audit_entry", "sequence": 1, …, "mac": "…", "previous_hash": "", "hash": "…"}
 *   {"object": "audit_export_end", "entries": 1, "sha256": "…", "checkpoints": […], "signature": "…"}
 *
 * Without the secret key the last line shows whether the lines before it are all there and unchanged, and the links show whether
 * they follow each other. With it, the hashes of every entry, the checkpoints and the signature of the last line are checked too.
 * Entries that the linker has not reached at the time of the export have no link; their numbers and their mac are checked.
 */
const STEP = 1000

type End = {
  object: 'audit_export_end'
  org_id: OrgId
  entries: number
  /** Of all lines before this one. */
  sha256: string
  at: string
  checkpoints: Checkpoint[]
  signature: string
}

const endSignature = (key: Uint8Array, end: Omit<End, 'signature'>) =>
  createHmac('sha256', key)
    .update(JSON.stringify(['export', end.org_id, end.entries, end.sha256, end.at, end.checkpoints]))
    .digest('base64url')

/** Line by line, with the entries that there are at its start. */
export async function* exportAudit(context: AuditContext, orgId: OrgId): AsyncGenerator<string> {
  const head = await findAuditHead(context.database, orgId)
  const checkpoints = await listCheckpoints(context, orgId)
  const sha256 = createHash('sha256')
  let [entries, after] = [0, 0]
  for (;;) {
    const rows = await listAuditEntriesAfter(context.database, orgId, { after, limit: STEP })
    const wanted = rows.filter(({ sequence }) => sequence <= (head?.last_sequence ?? 0))
    for (const row of wanted) {
      const line = `${JSON.stringify({ object: 'audit_entry', ...row })}\n`
      sha256.update(line)
      yield line
    }
    entries += wanted.length
    after = wanted.at(-1)?.sequence ?? after
    if (wanted.length < STEP) break
  }
  const at = new Date(context.clock.now()).toISOString()
  const end = {
    object: 'audit_export_end' as const,
    org_id: orgId,
    entries,
    sha256: sha256.digest('hex'),
    at,
    checkpoints,
  }
  yield `${JSON.stringify({ ...end, signature: endSignature(context.checkpointKey, end) })}\n`
}

export type FileVerdict = {
  isIntact: boolean
  entries: number
  brokenAt: number | null
  /** What is wrong, in a sentence. */
  says: string | null
  /** Without the secret key, hashes and signatures are not checked. */
  isKeyed: boolean
}

export type FileKeys = Pick<AuditContext, 'key' | 'checkpointKey'>

/** Ends the verification at the first line that does not hold. */
class Broken extends Error {
  readonly at: number

  constructor(at: number, says: string) {
    super(says)
    this.at = at
  }
}

const broken = (problem: AuditProblem) => new Broken(problem.sequence, explainProblem(problem))
const wrongLine = ({ sequence }: Place, what: string) =>
  new Broken(sequence + 1, `The line after entry ${sequence} ${what}.`)

export async function verifyExport(lines: AsyncIterable<string>, keys: FileKeys | null): Promise<FileVerdict> {
  const check = new FileCheck(keys)
  const verdict = (error: Broken | null): FileVerdict => ({
    isIntact: error === null,
    entries: check.place.sequence,
    brokenAt: error?.at ?? null,
    says: error?.message ?? null,
    isKeyed: keys !== null,
  })
  try {
    for await (const line of lines) if (line !== '') check.read(line)
    check.finish()
    return verdict(null)
  } catch (error) {
    if (error instanceof Broken) return verdict(error)
    throw error
  }
}

class FileCheck {
  place: Place = START
  readonly #keys: FileKeys | null
  readonly #sha256 = createHash('sha256')
  #orgId: OrgId | null = null
  #end: End | null = null
  /** Checkpoints come after the entries that they name. */
  readonly #hashes = new Map<number, string>()

  constructor(keys: FileKeys | null) {
    this.#keys = keys
  }

  read(line: string): void {
    const value = parseLine(line)
    if (value === null) throw wrongLine(this.place, 'is no line of an export')
    if (this.#end !== null) throw wrongLine(this.place, 'follows the end of the export')
    if (value.object === 'audit_export_end') this.#end = readEnd(value)
    else this.#readEntry(line, readRow(value))
  }

  #readEntry(line: string, row: AuditRow): void {
    this.#orgId ??= row.org_id
    if (row.org_id !== this.#orgId) throw wrongLine(this.place, 'belongs to another organization')
    const checked = checkEntry(row, this.place, { key: this.#keys?.key ?? null })
    if ('kind' in checked) throw broken(checked)
    this.#sha256.update(`${line}\n`)
    if (this.#keys !== null && row.hash !== null) this.#hashes.set(row.sequence, row.hash)
    this.place = checked
  }

  finish(): void {
    const end = this.#end
    const { sequence } = this.place
    if (end === null) throw wrongLine(this.place, 'is missing: the file was cut off')
    if (end.entries !== sequence || end.sha256 !== this.#sha256.digest('hex'))
      throw new Broken(
        Math.min(sequence, end.entries) + 1,
        `The last line was written for ${end.entries} entries with other contents than the ${sequence} of this file.`,
      )
    if (this.#keys !== null) this.#checkSignatures(end, this.#keys)
  }

  #checkSignatures(end: End, { checkpointKey: key }: FileKeys): void {
    for (const checkpoint of end.checkpoints) {
      const hash = this.#hashes.get(checkpoint.sequence)
      const entry = hash === undefined ? null : { hash }
      const problem = problemOfCheckpoint(checkpoint, entry, { key, last: this.place.sequence })
      if (problem !== null) throw broken(problem)
    }
    const isOfOrg = [end, ...end.checkpoints].every(({ org_id }) => org_id === (this.#orgId ?? end.org_id))
    if (!isOfOrg || !isSameSecret(endSignature(key, end), end.signature))
      throw wrongLine(this.place, 'was not signed with this secret key')
  }
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const readRow = ({ object: _, ...value }: Record<string, unknown>): AuditRow =>
  ({ ...value, at: readTime(value.at) }) as AuditRow

/** An invalid time is read as the epoch, so that the hash of its entry does not match. */
function readTime(text: unknown): Date {
  const time = new Date(String(text))
  return Number.isNaN(time.getTime()) ? new Date(0) : time
}

const readEnd = (value: Record<string, unknown>): End => {
  const listed = Array.isArray(value.checkpoints) ? (value.checkpoints as Record<string, unknown>[]) : []
  return { ...(value as End), checkpoints: listed.map(parseCheckpoint) }
}
