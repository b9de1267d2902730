import { Batches } from '../../kernel/batches.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import type { Database } from '../../platform/database/database.ts'
import type { ClaimedEntry } from '../../platform/outbox/job.ts'
import type { ChatRow } from '../chats/chats.ts'
import type { MessageRow } from '../messages/messages.ts'
import { listSendable, type Sendable } from './sending.sql.ts'

/**
 * What a run needs to know of its message. Acceptance knows it, and the process that accepted a message mostly sends it a
 * moment later: it is handed over in memory, to the first run of the message and to no other. What was accepted elsewhere or
 * has waited is looked up; a claim starts many runs at once, so that is done together.
 */
export type SendSource = {
  load(run: { orgId: OrgId; id: string; leaseNumber: number }): Promise<LoadedMessage | null>
  /** Call it after the commit. */
  keep(message: AcceptedMessage): void
}

/** A message with the recent version of its number, where that is known. */
export type LoadedMessage = { row: Sendable; numberVersion: number | null }

/** An accepted message, with its entry and the version of its number when this process sends it. */
export type AcceptedMessage = {
  row: MessageRow
  contact: ChatRow['contact']
  entry: ClaimedEntry | null
  numberVersion: number | null
}

const KEPT_MAX = 2_000
/** People may get another number meanwhile, so nothing is kept for long. */
const KEPT_MS = 10_000
const KEPT_CHARACTERS_MAX = 4_096

/** How long the version of a number that acceptance read is valid. */
const VERSION_MS = 1_000

type Wanted = { orgId: OrgId; id: string }

export function createSendSource({ database, clock }: { database: Database; clock: Clock }): SendSource {
  const kept = new KeptMessages(clock)
  const batches = new Batches<Wanted, LoadedMessage | null>({
    keyOf: ({ orgId }) => orgId,
    async work(wanted) {
      const ids = wanted.map(({ id }) => id)
      const rows = await listSendable(database, firstOf(wanted).orgId, ids)
      const found = new Map<string, LoadedMessage>(rows.map((row) => [row.id, { row, numberVersion: null }]))
      return ids.map((id) => found.get(id) ?? null)
    },
  })
  return {
    keep: (message) => kept.add(message),
    load({ orgId, id, leaseNumber }) {
      const known = kept.take(id)
      if (known !== null && leaseNumber === 1) return Promise.resolve(known)
      return batches.submit({ orgId, id })
    },
  }
}

class KeptMessages {
  readonly #clock: Clock
  readonly #messages = new Map<string, LoadedMessage & { atMs: number }>()
  /** A process that only accepts messages keeps none. */
  #isAsked = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** When there are too many, the earliest accepted messages stay: they are sent first. */
  add({ row, contact, numberVersion }: AcceptedMessage): void {
    if (!this.#isAsked || !isPlain(row)) return
    const nowMs = this.#clock.now()
    if (this.#messages.size >= KEPT_MAX) this.#dropOld(nowMs)
    if (this.#messages.size >= KEPT_MAX) return
    this.#messages.set(row.id, { row: sendableOf(row, contact), numberVersion, atMs: nowMs })
  }

  #dropOld(nowMs: number): void {
    for (const [id, { atMs }] of this.#messages) {
      if (nowMs - atMs < KEPT_MS) return
      this.#messages.delete(id)
    }
  }

  take(id: string): LoadedMessage | null {
    this.#isAsked = true
    const found = this.#messages.get(id)
    if (found === undefined) return null
    this.#messages.delete(id)
    const ageMs = this.#clock.now() - found.atMs
    if (ageMs >= KEPT_MS) return null
    return { row: found.row, numberVersion: ageMs < VERSION_MS ? found.numberVersion : null }
  }
}

/** Due at once, small, and about no other message, whose id at the network would have to be looked up. */
const isPlain = ({ status, type, reply_to, body, content }: MessageRow): boolean =>
  status === 'queued' &&
  reply_to === null &&
  (type === 'text' || type === 'template') &&
  (body?.length ?? 0) + (type === 'text' ? 0 : JSON.stringify(content).length) <= KEPT_CHARACTERS_MAX

const sendableOf = (row: MessageRow, { id, phone, identities }: ChatRow['contact']): Sendable => ({
  org_id: row.org_id,
  id: row.id,
  chat_id: row.chat_id,
  type: row.type,
  body: row.body,
  content: row.content,
  status: row.status,
  settled_lease: row.settled_lease,
  unknown_since: row.unknown_since,
  is_resent: row.is_resent,
  contact_id: id,
  phone,
  identities,
  reply_provider_id: null,
  reaction_provider_id: null,
})
