import { z } from 'zod'
import type { OrganizationProfile, OrganizationProfiles } from '../../accounts/organizations/organizations.ts'
import { areInvoicesSent, areReceiptsSent } from '../../accounts/shop-details/shop-details.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ProblemError } from '../../kernel/errors.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { numberNotConnected } from '../../messaging/messaging.errors.ts'
import type { Messaging, QueuedMessage } from '../../messaging/messaging.ts'
import { payUrlOf } from '../../payments/attempts/attempts.ts'
import { listPayments, listRefunds, type Payments } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import { qrisPng } from '../../payments/qris/qris.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { defineJob, type Job } from '../../platform/outbox/job.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { findOpenOrder, findOrder, linkOrderToChat, lockOrder } from '../orders/orders.ts'
import type { Order } from '../orders-context.ts'
import { languageOf } from './customer-language.ts'
import { dueNotices, type Notice, type NoticeFacts, remindAt } from './due-notices.ts'
import { type NoticeWords, noticeTemplate, noticeText } from './notice-texts.ts'
import { insertSentNotice, listSentNotices } from './notices.sql.ts'

export {
  formatRupiah,
  formatWib,
  isLanguage,
  type Language,
  languageOf,
  languages,
  methodNames,
  nameOfBank,
  orderedInstructions,
  PLAIN_CARD,
} from './customer-language.ts'

/**
 * Sends customers notices about their orders, in the chat.
 *
 *   an order changes ──▶ an outbox entry in the same transaction ──▶ orders.tell: which notices are due and not sent yet?
 *                                                                      └▶ one transaction: message, its record, chat
 *
 * The transaction of the change does not queue the messages, because queueing locks the chat and then the event counter. A
 * group commit of many orders would lock a customer's chat while holding the counter, and an inbound message of that
 * customer would hold the chat and wait for the counter. The entry is as durable and locks nothing. A second run sends
 * nothing twice: the transaction that queues a notice also records it.
 *
 * Locks are taken in one order: the order's row, the contact, the chat, the event counter.
 */
export type OrderNoticesOptions = {
  database: Database
  /** The clock of the outbox. */
  clock: Clock
  log: Log
  profiles: OrganizationProfiles
  payments: Pick<Payments, 'context'>
  messaging: Pick<Messaging, 'queueMessage' | 'showOpenOrder' | 'findChatByPhone' | 'ensureContact'>
  /** Stores a file for messages: the image of a QR code, a receipt or an invoice. */
  storePicture(orgId: OrgId, picture: Picture): Promise<{ id: string }>
  /** The receipt or the invoice of an order, as PDF. */
  renderDocument(orgId: OrgId, named: { orderId: string; kind: 'receipt' | 'invoice' }): Promise<Picture>
  /** Wakes the outbox for organizations with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
}

export type Picture = { bytes: Uint8Array; mimeType: string; filename: string }

export type OrderNotices = {
  /** For createOrders. */
  onOrderMoved(tx: Tx, order: Order, before: Order | null): Promise<void>
  jobs: Job[]
}

const NOTICE_JOB = 'orders.tell'

/** `leftChat` is the chat of the customer that the order belonged to before. */
type NoticePayload = { order: string; leftChat?: string | null | undefined }

const laneOf = (orgId: OrgId) => `${orgId}:notices`

/** Whether the organization sends notices; on by default. */
const areNoticesOn = ({ settings }: Pick<OrganizationProfile, 'settings'>): boolean => settings.order_notices !== false

/** Whether the organization reminds customers to pay; off by default, because every reminder is a message that may cost. */
const areRemindersOn = ({ settings }: Pick<OrganizationProfile, 'settings'>): boolean =>
  settings.order_reminders === true

const RETRY = { delaysMs: [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000], jitter: 0.2 }

export function createOrderNotices(options: OrderNoticesOptions): OrderNotices {
  const knownLanes = new Set<OrgId>()
  return {
    async onOrderMoved(tx, order, before) {
      const leftChat = before !== null && before.chat_id !== order.chat_id ? before.chat_id : null
      const isUnreachable = order.chat_id === null && order.customer_phone === null
      if (isUnreachable && leftChat === null) return
      const { org_id: orgId } = order
      if (!knownLanes.has(orgId)) await openLane(tx, orgId)
      const place = { laneId: laneOf(orgId), orgId, orderKey: order.id }
      tx.atEnd(enqueue, { id: newId('job'), ...place, job: NOTICE_JOB, payload: { order: order.id, leftChat } })
      tx.afterCommit(() => {
        knownLanes.add(orgId)
        options.wake([orgId])
      })
    },
    jobs: [
      defineJob<NoticePayload>({
        name: NOTICE_JOB,
        payload: z.object({ order: z.string(), leftChat: z.string().nullish() }),
        retry: RETRY,
        async run({ orgId, payload }) {
          await sendDueNotices(options, orgId, payload)
          return { kind: 'done', verdict: 'neutral' }
        },
      }),
    ],
  }
}

/** The job calls no other system, so the lane needs neither a breaker nor an adaptive rate. */
const openLane = (tx: Tx, orgId: OrgId): Promise<void> =>
  ensureLane(tx, { id: laneOf(orgId), orgId, kind: 'order notices', hasBreaker: false, isAdaptive: false })

type Moment = { profile: OrganizationProfile; nowMs: number }

async function readFacts(queries: Queries, order: Order, { profile, nowMs }: Moment): Promise<NoticeFacts> {
  const { org_id: orgId, id } = order
  const [payments, refunds, sent] = [
    await listPayments(queries, orgId, id),
    await listRefunds(queries, orgId, id),
    await listSentNotices(queries, orgId, id),
  ]
  return { order, payments, refunds, sent, hasReminders: areRemindersOn(profile), nowMs }
}

async function sendDueNotices(
  options: OrderNoticesOptions,
  orgId: OrgId,
  { order: orderId, leftChat = null }: NoticePayload,
): Promise<void> {
  const { database, clock } = options
  const profile = await options.profiles.read(orgId)
  const seen = await findOrder(database, orgId, orderId)
  if (seen === null) return
  const isEnabled = seen.notify && areNoticesOn(profile)
  const pictures = isEnabled
    ? await storePictures(options, await readFacts(database, seen, { profile, nowMs: clock.now() }), profile)
    : new Map()
  await database.transaction(async (tx) => {
    const order = await lockOrder(tx, orgId, orderId)
    if (order === null) return
    const run = { order, profile, pictures, isEnabled }
    const due = dueNotices(await readFacts(tx, order, { profile, nowMs: clock.now() })).filter((notice) =>
      isReady(notice, run),
    )
    const chatId = await sendNotices(options, tx, run, due)
    if (chatId !== null) await showOpenOrder(options, tx, orgId, chatId)
    if (leftChat !== null && leftChat !== chatId) await showOpenOrder(options, tx, orgId, leftChat)
  })
}

/** Stored files of notices, by kind and subject. */
type Pictures = ReadonlyMap<string, { id: string; filename: string }>

const nameOf = ({ kind, subject }: Notice): string => `${kind} ${subject}`

/** Stores the files before the transaction. One that is not used afterwards costs a few kilobytes. */
async function storePictures(
  options: OrderNoticesOptions,
  facts: NoticeFacts,
  profile: OrganizationProfile,
): Promise<Pictures> {
  const { org_id: orgId, id, number } = facts.order
  const pictures = new Map<string, { id: string; filename: string }>()
  for (const notice of dueNotices(facts)) {
    const text = notice.kind === 'instructions' ? scannedIn(notice.payment) : null
    const kind = documentWith(notice, facts.order, profile)
    const file =
      text !== null
        ? { bytes: qrisPng(text), mimeType: 'image/png', filename: `qris-${number}.png` }
        : kind === null
          ? null
          : await options.renderDocument(orgId, { orderId: id, kind })
    if (file === null) continue
    const stored = await options.storePicture(orgId, file)
    pictures.set(nameOf(notice), { id: stored.id, filename: file.filename })
  }
  return pictures
}

/** Which document goes with a notice. An order whose payer chooses the amount has no invoice. */
function documentWith(notice: Notice, { total }: Order, profile: OrganizationProfile): 'receipt' | 'invoice' | null {
  if (notice.kind === 'paid') return areReceiptsSent(profile) ? 'receipt' : null
  const isInvoiced = notice.kind === 'announced' && notice.payment.method === 'invoice' && total !== null
  return isInvoiced && areInvoicesSent(profile) ? 'invoice' : null
}

/** An attempt that became payable between the read and the lock has no image yet; the entry of that change sends its notice. */
const isReady = (notice: Notice, { pictures, isEnabled }: NoticeRun): boolean =>
  !isEnabled || notice.kind !== 'instructions' || scannedIn(notice.payment) === null || pictures.has(nameOf(notice))

/** The code of a wallet is for desks; a chat is on the phone that has the app. */
const scannedIn = (payment: PaymentRow | null): string | null =>
  payment?.method === 'qris' ? (payment.details?.qr_string ?? null) : null

type NoticeRun = { order: Order; profile: OrganizationProfile; pictures: Pictures; isEnabled: boolean }

/** Returns the chat of the order, or null when there is none. */
async function sendNotices(
  options: OrderNoticesOptions,
  tx: Tx,
  run: NoticeRun,
  due: readonly Notice[],
): Promise<string | null> {
  const { order, isEnabled } = run
  const contact = isEnabled && due.length > 0 ? await ensureCustomer(options, tx, order) : null
  let chatId: string | null = order.chat_id
  for (const notice of due) {
    const message = isEnabled ? await queueNotice(options, tx, run, { notice, chatId }) : null
    chatId ??= message?.chat_id ?? null
    if (message !== null) await planReminder(tx, order, notice)
    await insertSentNotice(tx, order.org_id, {
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

/** The job looks again when the reminder is due; whether it is sent is decided then. */
async function planReminder(tx: Tx, order: Order, notice: Notice): Promise<void> {
  const dueAt = notice.kind === 'instructions' && notice.payment !== null ? remindAt(notice.payment) : null
  if (dueAt === null) return
  // Without an order key: notices of the same order must not wait for this one.
  const place = { laneId: laneOf(order.org_id), orgId: order.org_id }
  await enqueue(tx, [{ id: newId('job'), ...place, job: NOTICE_JOB, dueAt, payload: { order: order.id } }])
}

/** Creates the contact with the name on the order, unless the network has reported a name. */
const ensureCustomer = async ({ messaging }: OrderNoticesOptions, tx: Tx, order: Order) =>
  order.chat_id !== null || order.customer_phone === null
    ? null
    : messaging.ensureContact(tx, order.org_id, { phone: order.customer_phone, name: order.customer_name })

/** Links the order to the customer's existing chat, even if no notice is sent. */
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

type AddressedNotice = { notice: Notice; chatId: string | null }

/** Returns null when the notice cannot be sent because no number is connected. */
async function queueNotice(options: OrderNoticesOptions, tx: Tx, run: NoticeRun, addressed: AddressedNotice) {
  const { order } = run
  const phone = order.customer_phone
  const words = wordsOf(options, run)
  const queue = (to: QueuedMessage['to']) =>
    options.messaging.queueMessage(tx, {
      orgId: order.org_id,
      to,
      content: contentOf(addressed.notice, words, run.pictures),
      outsideWindow: templateContent(addressed.notice, words),
      orderId: order.id,
      sender: { type: 'system', id: null },
      metadata: { notice: addressed.notice.kind },
    })
  try {
    if (addressed.chatId === null) return await queue({ phone: phone ?? '' })
    return await queue({ chatId: addressed.chatId }).catch((error) => {
      // The number of the chat was disconnected. A customer with a phone is reached from another number.
      if (phone !== null && isNumberGone(error)) return queue({ phone })
      throw error
    })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const fields = { org_id: order.org_id, order_id: order.id, notice: addressed.notice.kind, code: error.code }
    options.log.info(fields, 'order notice not sent')
    return null
  }
}

const isNumberGone = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === numberNotConnected.code

const wordsOf = ({ payments }: OrderNoticesOptions, { order, profile }: NoticeRun): NoticeWords => ({
  order,
  shop: profile.name,
  payUrl: payUrlOf(payments.context, { org_id: order.org_id, order_id: order.id }),
  language: languageOf(profile),
})

type Content = QueuedMessage['content']

function contentOf(notice: Notice, words: NoticeWords, pictures: Pictures): Content {
  const body = noticeText(notice, words)
  const document = notice.kind === 'instructions' ? undefined : pictures.get(nameOf(notice))
  if (document !== undefined) return { type: 'document', body, media: document }
  const media = notice.kind === 'instructions' ? pictureOf(notice, pictures) : null
  return media === null ? { type: 'text', body } : { type: 'image', body, media }
}

/** Names a stored image by its id, which is resolved when the message is sent, and a provider's image by its URL. */
function pictureOf(notice: Notice & { kind: 'instructions' }, pictures: Pictures) {
  const { payment } = notice
  if (payment?.method !== 'qris') return null
  const stored = pictures.get(nameOf(notice))
  if (stored !== undefined) return { id: stored.id }
  return payment.details?.qr_image_url == null ? null : { link: payment.details.qr_image_url }
}

/** Keeps the text as the body, so that the chat shows it in the console. */
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

/** Shows the customer's open order in the chat. */
const showOpenOrder = ({ messaging }: OrderNoticesOptions, tx: Tx, orgId: OrgId, chatId: string): Promise<void> =>
  messaging.showOpenOrder(tx, orgId, chatId, async (chatIds) => {
    const open = await findOpenOrder(tx, orgId, chatIds)
    return open && { ...open, number: String(open.number), expires_at: open.expires_at?.toISOString() ?? null }
  })
