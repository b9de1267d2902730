import type { OrgId } from '../../kernel/ids.ts'
/**
 * Which organizations this process believes to have work, and whose turn it is. A hint that may be wrong in both
 * directions: a claim that finds nothing costs little, and what is missing here the scout (maintenance.ts) finds.
 *
 *   due         in the order in which they became due; one that was served and has more goes to the end
 *   later       has something that may go at a known time
 *   held back   has something that is due, but a pool or a destination is full; becomes due as runs end
 *
 * An organization whose claim is under way has none of these states until it is noted again.
 */
export class OrganizationQueue {
  readonly #due = new Set<OrgId>()
  readonly #laterMs = new Map<OrgId, number>()
  readonly #heldBack = new Set<OrgId>()
  readonly #claimed = new Set<OrgId>()
  #nextMs = Number.POSITIVE_INFINITY

  /** How many are due. */
  get size(): number {
    return this.#due.size
  }

  noteDue(orgId: OrgId): void {
    this.#laterMs.delete(orgId)
    this.#heldBack.delete(orgId)
    this.#due.add(orgId)
  }

  /** Something of it may go at that time; or earlier, if that was known before. */
  noteLater(orgId: OrgId, atMs: number): void {
    if (this.#due.has(orgId) || atMs >= (this.#laterMs.get(orgId) ?? Number.POSITIVE_INFINITY)) return
    this.#laterMs.set(orgId, atMs)
    this.#nextMs = Math.min(this.#nextMs, atMs)
  }

  holdBack(orgId: OrgId): void {
    if (!this.#due.has(orgId)) this.#heldBack.add(orgId)
  }

  /** So many runs of an organization ended: it may go on, and as many others. */
  noteRoom(orgId: OrgId, count: number): void {
    if (this.#heldBack.has(orgId)) this.noteDue(orgId)
    for (const other of [...this.#heldBack].slice(0, count)) this.noteDue(other)
  }

  /** The next to claim for, until `endClaim`. */
  take(nowMs: number): OrgId | null {
    this.#moveDue(nowMs)
    for (const orgId of this.#due) {
      if (this.#claimed.has(orgId)) continue
      this.#due.delete(orgId)
      this.#claimed.add(orgId)
      return orgId
    }
    return null
  }

  endClaim(orgId: OrgId): void {
    this.#claimed.delete(orgId)
  }

  /** How long to wait for the next that is due later. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#nextMs - nowMs)
  }

  #moveDue(nowMs: number): void {
    if (nowMs < this.#nextMs) return
    this.#nextMs = Number.POSITIVE_INFINITY
    for (const [orgId, atMs] of this.#laterMs)
      if (atMs <= nowMs) this.noteDue(orgId)
      else this.#nextMs = Math.min(this.#nextMs, atMs)
  }
}
