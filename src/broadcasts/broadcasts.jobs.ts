import { z } from 'zod'
import { findNumber } from '../channels/numbers/numbers.ts'
import { ProblemError } from '../kernel/errors.ts'
import type { OrgId } from '../kernel/ids.ts'
import { findContactById } from '../messaging/contacts/contacts.ts'
import { numberNotConnected, templateNotApproved, templateNotFound } from '../messaging/messaging.errors.ts'
import type { Tx } from '../platform/database/database.ts'
import { defineJob, type Job } from '../platform/outbox/job.ts'
import { latestOf, refusalOf } from './audience.ts'
import { messageFor } from './broadcast-message.ts'
import { BROADCAST_JOB, moveBroadcast } from './broadcast-status.ts'
import {
  type BroadcastRow,
  countSentSince,
  findBroadcast,
  findConsent,
  listPending,
  noteSent,
  type RecipientRow,
  saveConsent,
  shareBroadcast,
  skipRecipient,
  takeRecipient,
} from './broadcasts.sql.ts'
import type { BroadcastsContext } from './broadcasts-context.ts'

/**
 * Sends a broadcast, a few people at a time. Each person is one transaction: they are taken off the list, and the message is
 * queued; a process that dies in between has done neither. A refusal that concerns the person leaves them out; one that
 * concerns the template or the number pauses the broadcast, and they stay on the list.
 */
const STEP_MS = 2_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** How long a broadcast waits that has used up its number's day. */
const FULL_DAY_WAIT_MS = 5 * MINUTE_MS

const retry = {
  delaysMs: [1, 5, 30, 60, ...Array<number>(48).fill(600)].map((seconds) => seconds * 1000),
  jitter: 0.2,
}

export const createBroadcastJob = (context: BroadcastsContext): Job =>
  defineJob({
    name: BROADCAST_JOB,
    payload: z.object({ broadcast: z.string(), since: z.string() }),
    retry,
    async run({ orgId, payload }) {
      const waitMs = await takeStep(context, orgId, payload)
      return waitMs === null ? { kind: 'done' } : { kind: 'repeat', at: new Date(context.clock.now() + waitMs) }
    },
  })

/** How long until the next step; null when there is none. */
async function takeStep(
  context: BroadcastsContext,
  orgId: OrgId,
  { broadcast: id, since }: { broadcast: string; since: string },
): Promise<number | null> {
  const { database, clock } = context
  const row = await findBroadcast(database, orgId, id)
  if (row?.status !== 'running' || row.resumed_at?.toISOString() !== since) return null
  const trouble = await findTrouble(context, row)
  if (trouble !== null) return pause(context, row, trouble)
  const { intervalMs, size } = paceOf(row)
  const room = await roomOf(context, row)
  if (room <= 0) return FULL_DAY_WAIT_MS
  const startedMs = clock.now()
  const limit = Math.min(size, room)
  const next = await listPending(database, orgId, id, limit)
  for (const recipient of next) {
    const outcome = await sendTo(context, row, recipient)
    if (outcome !== null) return outcome === 'stopped' ? null : pause(context, row, outcome)
  }
  if (next.length < limit) {
    await database.transaction((tx) => moveBroadcast(context, tx, orgId, { id, move: 'complete' }))
    return null
  }
  return Math.max(0, intervalMs - (clock.now() - startedMs))
}

/** A slow broadcast sends one at a time, a fast one several. */
function paceOf({ per_minute }: BroadcastRow): { intervalMs: number; size: number } {
  const intervalMs = Math.max(STEP_MS, MINUTE_MS / per_minute)
  return { intervalMs, size: Math.max(1, Math.floor((per_minute * intervalMs) / MINUTE_MS)) }
}

const pause = async (context: BroadcastsContext, { org_id, id }: BroadcastRow, reason: string): Promise<null> => {
  try {
    await context.database.transaction((tx) => moveBroadcast(context, tx, org_id, { id, move: 'pause', reason }))
  } catch (error) {
    // It was paused or cancelled meanwhile.
    if (!(error instanceof ProblemError)) throw error
  }
  return null
}

const QUALITY = 'phone_number_quality_update'

async function findTrouble({ database }: BroadcastsContext, row: BroadcastRow): Promise<string | null> {
  const number = await findNumber(database, row.org_id, row.number_id)
  if (number === null || number.state === 'disconnected') return numberNotConnected.code
  if (number.state !== 'connected') return 'number_paused'
  const quality = number.reports[QUALITY]
  const isNew = quality !== undefined && new Date(quality.at) > (row.resumed_at ?? row.created_at)
  return isNew && quality.is_trouble ? 'quality_low' : null
}

async function roomOf({ database, clock }: BroadcastsContext, row: BroadcastRow): Promise<number> {
  if (row.daily_max === null) return Number.POSITIVE_INFINITY
  const since = new Date(clock.now() - DAY_MS)
  return row.daily_max - (await countSentSince(database, row.org_id, row.number_id, since))
}

/** Refusals that meet everyone. */
const OF_ALL: readonly string[] = [templateNotFound.code, templateNotApproved.code, numberNotConnected.code]

class LeftOut extends Error {}

/** Null when it is done with the person; otherwise why no one else may be sent it. */
async function sendTo(context: BroadcastsContext, row: BroadcastRow, recipient: RecipientRow): Promise<string | null> {
  try {
    return await context.database.transaction((tx) => sendIn(context, tx, row, recipient))
  } catch (error) {
    const code = error instanceof ProblemError ? error.code : error instanceof LeftOut ? error.message : null
    if (code === null) throw error
    if (OF_ALL.includes(code)) return code
    await skipRecipient(context.database, row.org_id, row.id, recipient, code)
    return null
  }
}

async function sendIn(
  { messaging, clock }: BroadcastsContext,
  tx: Tx,
  { org_id: orgId, id, number_id: numberId }: BroadcastRow,
  recipient: RecipientRow,
): Promise<string | null> {
  const row = await shareBroadcast(tx, orgId, id)
  if (row?.status !== 'running') return 'stopped'
  if (!(await takeRecipient(tx, orgId, id, recipient))) return null
  const { phone, opt_in_source: source, opt_in_at: at } = recipient
  const contactId =
    phone === null ? recipient.contact_id : (await messaging.ensureContact(tx, orgId, { phone: `+${phone}` })).id
  const contact = contactId === null ? null : await findContactById(tx, orgId, contactId)
  if (contact === null) throw new LeftOut('contact_not_found')
  const given = source === null || at === null ? null : { is_given: true, source, at }
  const consent = latestOf(await findConsent(tx, orgId, contact.id), given)
  const refusal = refusalOf(contact, { numberId, consent })
  if (refusal !== null) throw new LeftOut(refusal)
  if (given !== null) await saveConsent(tx, orgId, { contact_id: contact.id, ...given })
  const message = await messaging.queueMessage(tx, { ...messageFor(row, recipient), numberId })
  const sent = { contactId: contact.id, messageId: message.id, at: new Date(clock.now()) }
  await noteSent(tx, orgId, id, recipient, sent)
  return null
}
