import { z } from 'zod'
import type { OrganizationProfile, OrganizationProfiles } from '../accounts/organization-profiles.ts'
import type { Clock } from '../kernel/clock.ts'
import { ProblemError } from '../kernel/errors.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { numberNotConnected } from '../messaging/messaging.errors.ts'
import type { Messaging, QueuedMessage } from '../messaging/messaging.ts'
import { payUrlOf } from '../payments/payment-view.ts'
import { listPayments, listRefunds, type Payments } from '../payments/payments.ts'
import type { PaymentRow } from '../payments/payments-context.ts'
import { qrisPng } from '../payments/qris/qris-image.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/outbox/entries.ts'
import { defineJob, type Job } from '../platform/outbox/job.ts'
import { ensureLane } from '../platform/outbox/lanes.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { languageOf } from './customer-language.ts'
import { dueNotices, type Notice, type NoticeFacts } from './due-notices.ts'
import { type NoticeWords, noticeTemplate, noticeText } from './notice-texts.ts'
import { findOpenOrder, insertToldNotice, linkOrderToChat, listToldNotices } from './order-notices.sql.ts'
import { findOrder, lockOrder } from './orders.sql.ts'
import type { Order } from './orders-context.ts'

/**
 * Telling customers about their orders, in the chat.
 *
 *   an order moves ──▶ an outbox entry in the same transaction ──▶ orders.tell: what is due, and was not told yet?
 *                                                                    └▶ one transaction: message, note of it, chat
 *
 * The messages themselves are not queued in the transaction of the move. Queueing locks the chat and then the counter of
 * events; a group commit of many orders would lock one customer's chat while holding the counter, and a message of that
 * customer, coming in at the same moment, would hold the chat and wait for the counter. The entry is as durable, and locks
 * nothing. That it may be run twice does no harm: what was told is noted in the transaction that queues it.
 *
 * Locks are taken in one order: the order's row, the person, the chat, the counter of events.
 */
export type OrderNoticesOptions = {
  database: Database
  /** The one that the outbox goes by. */
  clock: Clock
  log: Log
  profiles: OrganizationProfiles
  payments: Pick<Payments, 'context'>
  messaging: Pick<Messaging, 'queueMessage' | 'showOpenOrder' | 'findChatByPhone' | 'ensureContact'>
  /** Keeps the picture of a code where messages take their files from. */
  storePicture(orgId: OrgId, picture: Picture): Promise<{ id: string }>
  /** Tells the outbox of lanes with new work, after the commit. */
  wake: (orgIds: readonly string[]) => void
}

export type Picture = { bytes: Uint8Array; mimeType: string; filename: string }

export type OrderNotices = {
  /** For createOrders. */
  onOrderMoved(tx: Tx, order: Order, before: Order | null): Promise<void>
  jobs: Job[]
}

const TELL_JOB = 'orders.tell'

const laneOf = (orgId: OrgId) => `${orgId}:notices`

/** Whether the organization wants its customers told at all: unless it says no. */
const areNoticesOn = ({ settings }: Pick<OrganizationProfile, 'settings'>): boolean => settings.order_notices !== false

const RETRY = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000], jitter: 0.2 }

export function createOrderNotices(options: OrderNoticesOptions): OrderNotices {
  const knownLanes = new Set<OrgId>()
  return {
    async onOrderMoved(tx, order) {
      const isNobodyKnown = order.chat_id === null && order.customer_phone === null
      if (isNobodyKnown) return
      const { org_id: orgId } = order
      if (!knownLanes.has(orgId)) await openLane(tx, orgId)
      const place = { laneId: laneOf(orgId), orgId, orderKey: order.id }
      tx.atEnd(enqueue, { id: newId('job'), ...place, job: TELL_JOB, payload: { order: order.id } })
      tx.afterCommit(() => {
        knownLanes.add(orgId)
        options.wake([orgId])
      })
    },
    jobs: [
      defineJob<{ order: string }>({
        name: TELL_JOB,
        payload: z.object({ order: z.string() }),
        retry: RETRY,
        async run({ orgId, payload }) {
          await tellAboutOrder(options, orgId as OrgId, payload.order)
          return { kind: 'done', verdict: 'neutral' }
        },
      }),
    ],
  }
}

/** Nobody else is at the other end, so nothing there can break or slow down. */
const openLane = (tx: Tx, orgId: OrgId): Promise<void> =>
  ensureLane(tx, { id: laneOf(orgId), orgId, kind: 'order notices', hasBreaker: false, isAdaptive: false })

async function readFacts(queries: Queries, order: Order, nowMs: number): Promise<NoticeFacts> {
  const { org_id: orgId, id } = order
  const [payments, refunds, told] = [
    await listPayments(queries, orgId, id),
    await listRefunds(queries, orgId, id),
    await listToldNotices(queries, orgId, id),
  ]
  return { order, payments, refunds, told, nowMs }
}

async function tellAboutOrder(options: OrderNoticesOptions, orgId: OrgId, orderId: string): Promise<void> {
  const { database, clock } = options
  const profile = await options.profiles.read(orgId)
  const seen = await findOrder(database, orgId, orderId)
  if (seen === null) return
  const isTold = seen.notify && areNoticesOn(profile)
  const pictures = isTold ? await storePictures(options, await readFacts(database, seen, clock.now())) : new Map()
  await database.transaction(async (tx) => {
    const order = await lockOrder(tx, orgId, orderId)
    if (order === null) return
    const telling = { order, profile, pictures, isTold }
    const due = dueNotices(await readFacts(tx, order, clock.now())).filter((notice) => isReady(notice, telling))
    const chatId = await tellAll(options, tx, telling, due)
    if (chatId !== null) await showOpenOrder(options, tx, orgId, chatId)
  })
}

type Pictures = ReadonlyMap<string, string>

/** Before the transaction: files are stored outside of it. One that is not used after all is a kilobyte lost. */
async function storePictures({ storePicture }: OrderNoticesOptions, facts: NoticeFacts): Promise<Pictures> {
  const pictures = new Map<string, string>()
  for (const notice of dueNotices(facts)) {
    const text = notice.kind === 'instructions' ? (notice.payment.details?.qr_string ?? null) : null
    if (text === null) continue
    const filename = `qris-${facts.order.number}.png`
    const file = { bytes: qrisPng(text), mimeType: 'image/png', filename }
    pictures.set(notice.subject, (await storePicture(facts.order.org_id, file)).id)
  }
  return pictures
}

/** What became payable between the look and the lock is left to the entry that its own move has brought. */
const isReady = (notice: Notice, { pictures, isTold }: Telling): boolean =>
  !isTold || notice.kind !== 'instructions' || notice.payment.details?.qr_string == null || pictures.has(notice.subject)

type Telling = { order: Order; profile: OrganizationProfile; pictures: Pictures; isTold: boolean }

/** Answers with the chat that the order belongs to, where there is one. */
async function tellAll(
  options: OrderNoticesOptions,
  tx: Tx,
  telling: Telling,
  due: readonly Notice[],
): Promise<string | null> {
  const { order, isTold } = telling
  const contact = isTold && due.length > 0 ? await knowCustomer(options, tx, order) : null
  let chatId: string | null = order.chat_id
  for (const notice of due) {
    const message = isTold ? await queueNotice(options, tx, telling, { notice, chatId }) : null
    chatId ??= message?.chat_id ?? null
    await insertToldNotice(tx, order.org_id, {
      order_id: order.id,
      kind: notice.kind,
      subject: notice.subject,
      message_id: message?.id ?? null,
      told_at: new Date(options.clock.now()),
    })
  }
  if (order.chat_id !== null) return order.chat_id
  return linkToChat(options, tx, { order, chatId, contactId: contact?.id ?? null })
}

/** Under the name that the order gives, unless the network knows better. */
const knowCustomer = async ({ messaging }: OrderNoticesOptions, tx: Tx, order: Order) =>
  order.chat_id !== null || order.customer_phone === null
    ? null
    : messaging.ensureContact(tx, order.org_id, { phone: order.customer_phone, name: order.customer_name })

/** An order of somebody who has a chat belongs to it, also when nothing is said. */
async function linkToChat(
  { messaging, clock }: OrderNoticesOptions,
  tx: Tx,
  { order, chatId, contactId }: { order: Order; chatId: string | null; contactId: string | null },
): Promise<string | null> {
  const { org_id: orgId, id, customer_phone: phone } = order
  const chat = chatId === null && phone !== null ? await messaging.findChatByPhone(tx, orgId, phone) : null
  const found = chatId ?? chat?.id ?? null
  if (found === null) return null
  const person = contactId ?? chat?.contact.id ?? null
  await linkOrderToChat(tx, orgId, { id, chatId: found, contactId: person, now: new Date(clock.now()) })
  return found
}

type Wish = { notice: Notice; chatId: string | null }

/** Null where it cannot be said: no number is connected. */
async function queueNotice(options: OrderNoticesOptions, tx: Tx, telling: Telling, wish: Wish) {
  const { order } = telling
  const phone = order.customer_phone
  const words = wordsOf(options, telling)
  const queue = (to: QueuedMessage['to']) =>
    options.messaging.queueMessage(tx, {
      orgId: order.org_id,
      to,
      content: contentOf(wish.notice, words, telling.pictures),
      outsideWindow: templateContent(wish.notice, words),
      orderId: order.id,
      sender: { type: 'system', id: null },
      metadata: { notice: wish.notice.kind },
    })
  try {
    if (wish.chatId === null) return await queue({ phone: phone ?? '' })
    return await queue({ chatId: wish.chatId }).catch((error) => {
      // The number of the chat is gone. Who has a phone is reached from another.
      if (phone !== null && isNumberGone(error)) return queue({ phone })
      throw error
    })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const fields = { org_id: order.org_id, order_id: order.id, notice: wish.notice.kind, code: error.code }
    options.log.info(fields, 'customer not told about an order')
    return null
  }
}

const isNumberGone = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === numberNotConnected.code

const wordsOf = ({ payments }: OrderNoticesOptions, { order, profile }: Telling): NoticeWords => ({
  order,
  shop: profile.name,
  payUrl: payUrlOf(payments.context, { org_id: order.org_id, order_id: order.id }),
  language: languageOf(profile),
})

type Content = QueuedMessage['content']

function contentOf(notice: Notice, words: NoticeWords, pictures: Pictures): Content {
  const body = noticeText(notice, words)
  const media = notice.kind === 'instructions' ? pictureOf(notice.payment, pictures) : null
  return media === null ? { type: 'text', body } : { type: 'image', body, media }
}

/** Ours by its id, which is handed to the network when the message leaves; a provider's by its address. */
function pictureOf({ id, details }: PaymentRow, pictures: Pictures) {
  const stored = pictures.get(id)
  if (stored !== undefined) return { id: stored }
  return details?.qr_image_url == null ? null : { link: details.qr_image_url }
}

/** With the text as its body, for those who read the chat here. */
function templateContent(notice: Notice, words: NoticeWords): Content {
  const template = noticeTemplate(notice, words)
  const parameters = template.parameters.map((text) => ({ type: 'text', text }))
  const language = { code: words.language }
  return {
    type: 'template',
    body: noticeText(notice, words),
    template: { name: template.name, language, components: [{ type: 'body', parameters }] },
  }
}

/** The order of this customer that waits, as the chat shows it. */
const showOpenOrder = ({ messaging }: OrderNoticesOptions, tx: Tx, orgId: OrgId, chatId: string): Promise<void> =>
  messaging.showOpenOrder(tx, orgId, chatId, async (chatIds) => {
    const open = await findOpenOrder(tx, orgId, chatIds)
    return open && { ...open, number: String(open.number), expires_at: open.expires_at?.toISOString() ?? null }
  })
