import { mediaNotFound } from '../channels/media/media.errors.ts'
import { deleteMedia, type MediaContext } from '../channels/media/media.ts'
import type { Clock } from '../kernel/clock.ts'
import { ProblemError } from '../kernel/errors.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { findContactById } from '../messaging/contacts/contacts.ts'
import { contactNotFound } from '../messaging/messaging.errors.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/outbox/entries.ts'
import { defineJob, type Job } from '../platform/outbox/job.ts'
import { ensureLane, type LaneOptions } from '../platform/outbox/lanes.ts'
import { OUTBOX_CHANNEL } from '../platform/outbox/wake-ups.ts'
import { eraseNaming } from '../webhooks/erasure/erasure.ts'
import { contactErasureNotFound } from './erasure.errors.ts'
import {
  clearProofs,
  clearStatements,
  completeErasure,
  deleteChats,
  deleteContacts,
  deleteMessages,
  deleteSimulated,
  deleteStoredAnswers,
  type ErasureRow,
  eraseBroadcasts,
  erasePosts,
  findErasure,
  findPerson,
  findRunningErasure,
  insertErasure,
  isBusy,
  isExpected,
  listFiles,
  lockChats,
  lockErasure,
  type Person,
  type Replaced,
  reduceOrders,
  replaceTexts,
  saveErasure,
} from './erasure.sql.ts'

export { type ErasureRow, listErasures } from './erasure.sql.ts'

/**
 * Erases a customer, for one who asks to be forgotten.
 *
 *   (asked) ── collect ids, phones, names ──▶ running: orders → files → messages → contact → posts → texts → events ──▶ completed
 *
 * Every step is a short transaction that is safe to repeat, and the row says which is next: a process that dies leaves the step to
 * another. Orders come first, so that no further notice is sent to the chat. Events come last, because the steps before may record some. Chats and the contact are deleted, so a later message from
 * the same phone starts a new contact. Orders stay with what the books need. The audit log has ids only, and is not touched.
 */
export type ErasureContext = {
  database: Database
  clock: Clock
  media: MediaContext
  wake: (orgIds: readonly OrgId[]) => void
}

const ERASE_JOB = 'contacts.erase'

const steps = ['orders', 'files', 'messages', 'contact', 'posts', 'texts', 'events'] as const
type Step = (typeof steps)[number]

const erasureLane = (orgId: OrgId): LaneOptions => ({
  id: `${orgId}:erasures`,
  orgId,
  kind: ERASE_JOB,
  concurrencyMax: 1,
  isAdaptive: false,
  hasBreaker: false,
  ordering: 'none',
})

/** Asking again while it runs answers with the erasure that runs. */
export async function eraseContact(
  { clock }: Pick<ErasureContext, 'clock'>,
  tx: Tx,
  orgId: OrgId,
  id: string,
): Promise<ErasureRow> {
  const contact = await findContactById(tx, orgId, id)
  if (contact === null) throw contactNotFound({ params: { id } })
  const running = await findRunningErasure(tx, orgId, contact.id)
  if (running !== null) return running
  const found = await findPerson(tx, orgId, contact.id)
  const person = Object.fromEntries(Object.entries(found).map(([name, values]) => [name, values ?? []])) as Person
  const nowMs = clock.now()
  const now = new Date(nowMs)
  const input = { id: newId('era', nowMs), contactId: contact.id, person, step: steps[0], now }
  const row = await insertErasure(tx, orgId, input)
  const lane = erasureLane(orgId)
  await ensureLane(tx, lane)
  await enqueue(tx, [{ id: row.id, laneId: lane.id, orgId, job: ERASE_JOB, dueAt: now }])
  tx.poke(OUTBOX_CHANNEL)
  return row
}

export async function getErasure(queries: Queries, orgId: OrgId, id: string): Promise<ErasureRow> {
  const row = await findErasure(queries, orgId, id)
  if (row === null) throw contactErasureNotFound({ params: { id } })
  return row
}

const BUSY_WAIT_MS = 1000

const retry = {
  delaysMs: [1, 5, 30, 60, ...Array<number>(48).fill(3600)].map((seconds) => seconds * 1000),
  jitter: 0.2,
}

export const createErasureJob = (context: ErasureContext): Job =>
  defineJob<unknown>({
    name: ERASE_JOB,
    retry,
    async run(entry) {
      const next = await takeStep(context, entry.orgId, entry.id)
      if (next === 'end') return { kind: 'done' }
      return { kind: 'repeat', ...(next === 'wait' && { at: new Date(context.clock.now() + BUSY_WAIT_MS) }) }
    },
  })

type Next = 'more' | 'wait' | 'end'

async function takeStep(context: ErasureContext, orgId: OrgId, id: string): Promise<Next> {
  const row = await findErasure(context.database, orgId, id)
  if (row === null || row.person === null) return 'end'
  // Files are outside of the database; deleting one again changes nothing.
  if (row.step === 'files') await deleteFiles(context, orgId, row.person)
  return context.database.transaction(async (tx) => {
    const held = await lockErasure(tx, orgId, id)
    if (held === null || held.person === null) return 'end'
    return advance(context, tx, held, held.person)
  })
}

async function advance(context: ErasureContext, tx: Tx, row: ErasureRow, person: Person): Promise<Next> {
  const { org_id: orgId, id, counts } = row
  const step = row.step as Step
  if (step !== 'events' && (await isBusy(tx, orgId, person))) return 'wait'
  const done = await runStep(context, tx, orgId, { step, person })
  const sum = { ...counts }
  for (const [name, count] of Object.entries(done.counts)) sum[name] = (sum[name] ?? 0) + count
  const following = done.isOver ? steps[steps.indexOf(step) + 1] : step
  if (following === undefined) {
    await completeErasure(tx, orgId, { id, counts: sum, now: new Date(context.clock.now()) })
    return 'end'
  }
  await saveErasure(tx, orgId, { id, step: following, counts: sum, person })
  return done.isOver || !done.isWaiting ? 'more' : 'wait'
}

type Done = { isOver: boolean; isWaiting?: boolean; counts: Record<string, number> }
const over = (counts: Record<string, number>): Done => ({ isOver: true, counts })

async function runStep(
  context: ErasureContext,
  tx: Tx,
  orgId: OrgId,
  { step, person }: { step: Step; person: Person },
): Promise<Done> {
  switch (step) {
    case 'files': {
      const left = await listFiles(tx, orgId, person.chats)
      return { isOver: left.length === 0, counts: {} }
    }
    case 'messages': {
      const messages = await deleteMessages(tx, orgId, person.chats)
      return { isOver: messages === 0, counts: { messages } }
    }
    case 'contact': {
      // A message may have arrived since; a chat that is locked takes no more.
      await lockChats(tx, orgId, person)
      const messages = await deleteMessages(tx, orgId, person.chats)
      if (messages > 0) return { isOver: false, counts: { messages } }
      const chats = await deleteChats(tx, orgId, person)
      return over({ chats, identities: await deleteContacts(tx, orgId, person) })
    }
    case 'orders':
      await clearProofs(tx, orgId, person)
      await clearStatements(tx, orgId, person)
      return over({
        orders: await reduceOrders(tx, orgId, person, allOf(needlesOf(person))),
        broadcasts: await eraseBroadcasts(tx, orgId, person),
      })
    case 'posts':
      if (await isExpected(tx, orgId, person)) return { isOver: false, isWaiting: true, counts: {} }
      return over({ posts: await erasePosts(tx, orgId, person), simulated: await deleteSimulated(tx, orgId, person) })
    case 'texts':
      return over(await replaceEverywhere(tx, orgId, person))
    case 'events':
      return eraseEvents(context, tx, orgId, person)
  }
}

async function deleteFiles({ database, media }: ErasureContext, orgId: OrgId, { chats }: Person): Promise<void> {
  for (const { id } of await listFiles(database, orgId, chats)) {
    try {
      await deleteMedia(media, orgId, id)
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== mediaNotFound.code) throw error
    }
  }
}

/** A phone is also written without its country code, and a name in JSON with escapes. */
const spellingsOf = (phone: string): string[] => (phone.startsWith('62') ? [phone, `0${phone.slice(2)}`] : [phone])

const NAME_CHARACTERS_MIN = 2

function needlesOf({ phones, identities, names }: Person) {
  const escaped = (text: string) => [text, JSON.stringify(text).slice(1, -1)]
  const named = names.map((name) => name.trim()).filter((name) => name.length >= NAME_CHARACTERS_MIN)
  return {
    sure: [...new Set([...phones.flatMap(spellingsOf), ...identities])].filter((text) => text !== ''),
    names: [...new Set(named.flatMap(escaped))].toSorted((one, other) => other.length - one.length),
  }
}

const allOf = ({ sure, names }: ReturnType<typeof needlesOf>) => [...sure, ...names]

/** Rows that stay and may repeat what a customer is called. */
const replacedTexts: readonly Replaced[] = [
  { table: 'orders', columns: { items: 'jsonb' }, ofOrders: 'id' },
  { table: 'payments', columns: { details: 'jsonb', error: 'jsonb' }, ofOrders: 'order_id' },
  { table: 'payment_ledger', columns: { facts: 'jsonb', note: 'text' }, ofOrders: 'order_id' },
  { table: 'refunds', columns: { reason: 'text', note: 'text', error: 'jsonb' }, ofOrders: 'order_id' },
  { table: 'payment_notices', columns: { report: 'jsonb' } },
  { table: 'statement_lines', columns: { description: 'text' } },
  {
    table: 'approvals',
    columns: {
      path: 'text',
      query: 'text',
      body: 'text',
      params: 'jsonb',
      reason: 'text',
      note: 'text',
      result_body: 'text',
    },
    ofOrders: 'order_id',
  },
  { table: 'agent_acts', columns: { recipient: 'text' } },
  { table: 'request_logs', columns: { kinds: 'text', calls: 'text', bodies: 'text' } },
  { table: 'channel_numbers', columns: { last_error: 'text' } },
  { table: 'saved_views', columns: { views: 'jsonb' } },
  { table: 'parked_events', columns: { error: 'text' } },
]

async function replaceEverywhere(tx: Tx, orgId: OrgId, person: Person): Promise<Record<string, number>> {
  const needles = needlesOf(person)
  const counts: Record<string, number> = { stored_answers: 0 }
  if (needles.sure.length > 0) counts.stored_answers = await deleteStoredAnswers(tx, orgId, needles.sure)
  for (const replaced of replacedTexts)
    counts[replaced.table] = await replaceTexts(tx, orgId, { replaced, needles, orders: person.orders })
  // The orders were counted by their own step.
  return { ...counts, orders: 0 }
}

const SUBJECTS_AT_ONCE = 200

/** Deliveries that wait are cancelled. An event in flight is left for a moment, and looked for again. */
async function eraseEvents(context: ErasureContext, tx: Tx, orgId: OrgId, person: Person): Promise<Done> {
  const phones = person.phones.map((phone) => `+${phone}`)
  const subjects = [...person.contacts, ...phones, ...person.identities, ...person.chats, ...person.orders]
  let [events, left] = [0, 0]
  for (let from = 0; from < subjects.length; from += SUBJECTS_AT_ONCE) {
    const some = subjects.slice(from, from + SUBJECTS_AT_ONCE)
    for (let after: number | null = 0; after !== null; ) {
      const part = await eraseNaming(context, tx, orgId, { subjects: some, after, unfinished: 'cancel' })
      events += part.erased
      left += part.unfinished
      after = part.nextAfter
    }
  }
  return { isOver: left === 0, isWaiting: true, counts: left === 0 ? { events } : {} }
}

/** What stays after an erasure, and why. */
export const KEPT: readonly { what: string; why: string }[] = [
  { what: 'orders, payments and refunds', why: 'The books need their numbers, amounts, items and dates.' },
  { what: 'events, without their payload', why: 'Sequence numbers stay without gaps.' },
  { what: 'audit log', why: 'It contains ids only, and its chain has to stay verifiable.' },
  { what: 'backups', why: 'Backups are not changed. They end with their own retention.' },
]
