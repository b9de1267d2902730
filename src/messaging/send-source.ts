import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { ClaimedEntry } from '../platform/outbox/job.ts'
import type { ChatRow } from './chats.sql.ts'
import type { MessageRow } from './messages.sql.ts'
import { listSendable, type Sendable } from './sending.sql.ts'

/**
 * What a run needs to know of its message. Acceptance knows it, and the process that accepted a message mostly sends it a
 * moment later: it is handed over in memory, to the first run of the message and to no other. What was accepted elsewhere or
 * has waited is looked up; a claim starts many runs at once, so that is done together.
 */
export type SendSource = {
  load(run: { orgId: string; id: string; leaseNumber: number }): Promise<Sendable | null>
  /** After the commit. */
  keep(message: AcceptedMessage): void
}

/** With its entry, where it is this process's to send. */
export type AcceptedMessage = { row: MessageRow; contact: ChatRow['contact']; entry: ClaimedEntry | null }

const KEPT_MAX = 2_000
/** People may get another number meanwhile, so nothing is kept for long. */
const KEPT_MS = 10_000
const KEPT_CHARACTERS_MAX = 4_096

type Wanted = { orgId: string; id: string; settle: PromiseWithResolvers<Sendable | null> }

export function createSendSource({ database, clock }: { database: Database; clock: Clock }): SendSource {
  const kept = new KeptMessages(clock)
  let wanted: Wanted[] = []
  const loadAll = async () => {
    const batch = wanted
    wanted = []
    for (const [orgId, ofOrg] of Map.groupBy(batch, (one) => one.orgId))
      try {
        const ids = ofOrg.map(({ id }) => id)
        const rows = new Map((await listSendable(database, orgId, ids)).map((row) => [row.id as string, row]))
        for (const { id, settle } of ofOrg) settle.resolve(rows.get(id) ?? null)
      } catch (error) {
        for (const { settle } of ofOrg) settle.reject(error)
      }
  }
  return {
    keep: (message) => kept.add(message),
    load({ orgId, id, leaseNumber }) {
      const known = kept.take(id)
      if (known !== null && leaseNumber === 1) return Promise.resolve(known)
      const settle = Promise.withResolvers<Sendable | null>()
      if (wanted.push({ orgId, id, settle }) === 1) setImmediate(loadAll)
      return settle.promise
    },
  }
}

class KeptMessages {
  readonly #clock: Clock
  readonly #messages = new Map<string, { sendable: Sendable; atMs: number }>()
  /** A process that only accepts messages keeps none. */
  #isAsked = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add({ row, contact }: AcceptedMessage): void {
    if (!this.#isAsked || !isPlain(row)) return
    if (this.#messages.size >= KEPT_MAX) this.#messages.delete(this.#messages.keys().next().value as string)
    this.#messages.set(row.id, { sendable: sendableOf(row, contact), atMs: this.#clock.now() })
  }

  take(id: string): Sendable | null {
    this.#isAsked = true
    const found = this.#messages.get(id)
    if (found === undefined) return null
    this.#messages.delete(id)
    return this.#clock.now() - found.atMs < KEPT_MS ? found.sendable : null
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
