import { z } from 'zod'
import { type Initiator, recordEvents } from '../../events/events.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { MessageRow } from '../../messaging/messages/messages.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import { lockForMove, presentPayment } from '../../payments/attempts/attempts.ts'
import { paymentEvents } from '../../payments/payments.events.ts'
import { PROOFS_MAX } from '../../payments/payments.schemas.ts'
import { type PaymentProof, saveProofs } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { defineJob, type Job } from '../../platform/outbox/job.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import type { OrdersContext } from '../orders-context.ts'
import { findOpenTransfer, hasOpenTransfer } from './proofs.sql.ts'

/**
 * Proofs of payment: a picture or document in the chat of a customer who has an open manual payment is attached to it.
 *
 *   the message is stored ──▶ an outbox entry in the same transaction ──▶ orders.attach_proof: payment + event, one transaction
 *
 * A proof marks nothing as paid. A message is attached to a payment once, so a second run changes nothing.
 */
export type ProofsOptions = {
  database: Database
  orders: { context: OrdersContext }
  messaging: Pick<Messaging, 'findMessage' | 'findChatById'>
  /** Wakes the outbox for lanes with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
}

export type Proofs = {
  /** Called in the transaction that stores the message with the file. */
  onFileReceived(tx: Tx, orgId: OrgId, messageId: Id<'msg'>): Promise<void>
  jobs: Job[]
}

const PROOF_JOB = 'orders.attach_proof'
const RETRY = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000], jitter: 0.2 }

const laneOf = (orgId: OrgId) => `${orgId}:proofs`

export const createProofs = (options: ProofsOptions): Proofs => ({
  async onFileReceived(tx, orgId, messageId) {
    if (!(await hasOpenTransfer(tx, orgId))) return
    const laneId = laneOf(orgId)
    // The job calls no other system, so the lane needs neither a breaker nor an adaptive rate.
    await ensureLane(tx, { id: laneId, orgId, kind: 'proofs', hasBreaker: false, isAdaptive: false })
    tx.atEnd(enqueue, { id: newId('job'), laneId, orgId, job: PROOF_JOB, payload: { message: messageId } })
    tx.afterCommit(() => options.wake([orgId]))
  },
  jobs: [
    defineJob<{ message: string }>({
      name: PROOF_JOB,
      payload: z.object({ message: z.string() }),
      retry: RETRY,
      async run({ orgId, payload }) {
        await attachReceived(options, orgId, payload.message)
        return { kind: 'done', verdict: 'neutral' }
      },
    }),
  ],
})

async function attachReceived(options: ProofsOptions, orgId: OrgId, messageId: string): Promise<void> {
  const { database, messaging } = options
  const message = await messaging.findMessage(database, orgId, messageId)
  const chat = message && (await messaging.findChatById(database, orgId, message.chat_id))
  if (message === null || chat === null) return
  const payment = await findOpenTransfer(database, orgId, [chat.id, ...chat.mergedIds])
  if (payment === null) return
  await database.transaction((tx) => attachProof(options.orders.context, tx, orgId, { payment, message }))
}

type Attached = { payment: Pick<PaymentRow, 'id' | 'order_id'>; message: MessageRow; initiator?: Initiator }

/** The newest proofs are kept. Returns the payment; null for a message without a file. */
export async function attachProof(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { payment: { id, order_id }, message, initiator = {} }: Attached,
): Promise<PaymentRow | null> {
  const now = new Date(context.clock.now())
  const proof = proofOf(message, now)
  if (proof === null) return null
  const { payment } = await lockForMove(context.payments.context, tx, orgId, { orderId: order_id, paymentId: id })
  if (payment.proofs.some(({ message_id }) => message_id === message.id)) return payment
  const proofs = [...payment.proofs, proof].slice(-PROOFS_MAX)
  await saveProofs(tx, orgId, { id, proofs, now })
  const after = { ...payment, proofs, updated_at: now }
  const data = presentPayment(context.payments.context, after)
  const previous = { proofs: payment.proofs }
  const event = { type: paymentEvents.proofReceived, subject: id, data, previous, ...initiator }
  await recordEvents(tx, orgId, [event], now.getTime())
  return after
}

function proofOf({ id, chat_id, content }: MessageRow, now: Date): PaymentProof | null {
  const { media } = content as { media?: { id?: string; mime_type?: string; filename?: string } }
  if (media?.id === undefined) return null
  const { mime_type = null, filename = null } = media
  return { message_id: id, chat_id, media_id: media.id, mime_type, filename, added_at: now.toISOString() }
}
