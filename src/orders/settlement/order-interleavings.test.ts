import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { expectBooksEqualLedger } from '../../../test/support/books.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { getProfile } from '../../accounts/organizations/organizations.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { applyReportAlone } from '../../payments/attempts/attempts.ts'
import type { KnownAttempt, PaymentReport } from '../../payments/payment-connector.ts'
import { listMoney, listPayments, listRefunds } from '../../payments/payments.ts'
import { viewPayPage } from '../../surfaces/pay/pay-view.ts'
import { dueNotices } from '../notices/due-notices.ts'
import { type OrderRow, orderColumns } from '../orders/orders.sql.ts'
import { findPayPage } from '../pay-page/pay-page.sql.ts'
import { createPayPageSource, type PayPageSource } from '../pay-page/pay-page.ts'
import { createLinkPageSource, type LinkPageSource } from '../payment-links/payment-links.ts'
import { booksOf, isSettled, settle } from './settlement.ts'

/**
 * Random sequences as in money-conservation.test.ts, in PostgreSQL and with several concurrent changes of one order: reports of
 * providers, actions of staff, and time. The books are checked when all changes are done.
 */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
let page: PayPageSource
let links: LinkPageSource
beforeAll(() => {
  page = createPayPageSource(shop.orders.context)
  links = createLinkPageSource(shop.orders)
})

/** `NEXKIT_INTERLEAVINGS=10000` runs as many. */
const STORIES = Number(process.env.NEXKIT_INTERLEAVINGS ?? 150)
const AT_ONCE = 10

/** The steps of one seed, shown when it fails. Those of one round run at once, so a seed may fail only sometimes. */
type Story = { orgId: OrgId; seed: number; random: Random; link: Json | null; orders: string[]; steps: string[] }
type Target = Story & { order: Json }

async function step(story: Story, text: string, run: () => Promise<unknown>): Promise<void> {
  const at = story.steps.push(text) - 1
  const reply = (await run()) as { status?: number; json?: Json } | null
  const outcome = reply?.status === undefined ? (reply ?? 'done') : [reply.status, reply.json?.code]
  story.steps[at] = `${text} -> ${JSON.stringify(outcome)}`
  expect(reply?.status ?? 200).toBeLessThan(500)
}

/** Adds the steps to whatever fails. */
async function inStory<Result>(story: Story | undefined, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (story === undefined) throw error
    const { seed, orders, steps } = story
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`Seed ${seed} (${orders.join(', ')}):\n  ${steps.join('\n  ')}\n${message}`, { cause: error })
  }
}

const known = (payment: Json): KnownAttempt => ({
  id: payment.id,
  providerId: `scripted_${payment.id}`,
  method: payment.method,
  bank: payment.bank,
  amount: payment.amount,
})

const act = (target: Target, action: string, json?: unknown) =>
  step(target, `${target.order.number} ${action} ${JSON.stringify(json ?? {})}`, () =>
    shop.call(target.orgId, 'POST', `/orders/${target.order.id}/${action}`, json === undefined ? {} : { json }),
  )

const report = (target: Target, payment: Json, fields: Partial<PaymentReport>) =>
  step(target, `${payment.id} (${payment.method}, ${payment.amount}) reports ${JSON.stringify(fields)}`, () =>
    applyReportAlone(
      shop.payments.context,
      { org_id: target.orgId, id: payment.id as Id<'pay'>, order_id: target.order.id },
      { report: reportOf(known(payment), fields), source: 'notice' },
    ).then(() => null),
  )

const METHODS = ['qris', 'virtual_account', 'ewallet', 'card', 'retail', 'bank_transfer', 'cash', 'cod', 'invoice']
const WAYS = ['qris', 'virtual_account:bni', 'ewallet:gopay', 'ewallet:dana', 'card:credit_card', 'retail:indomaret']

/** Prices change under an open payment; most edits after a payment was received are refused. */
const edit = (target: Target) => {
  const json = { shipping: 500 * target.random.below(5) }
  return step(target, `${target.order.number} edit ${JSON.stringify(json)}`, () =>
    shop.call(target.orgId, 'PATCH', `/orders/${target.order.id}`, { json }),
  )
}

/** The payer chooses on the page, or changes their mind. */
function choose(target: Target): Promise<void> {
  const [method = '', channel = null] = target.random.pick(WAYS).split(':')
  return step(target, `${target.order.number} payer chooses ${method} ${channel}`, () =>
    page.pay({ orgId: target.orgId, id: target.order.id }, { method, channel, phone: null }),
  )
}

/** A payer goes on from the page of the link. */
const goOn = (story: Story) =>
  step(story, 'payer opens the link', async () => {
    const outcome = await links.open(
      { orgId: story.orgId, id: story.link.id },
      { amount: LINK_AMOUNT, name: null, phone: null },
    )
    if ('orderId' in outcome) story.orders.push(outcome.orderId)
    return outcome
  })

const BY_HAND = { manual: true, note: 'by hand' }
/** Below and above what remains. */
const PARTS = [1000, 3000, 6000, 12_000]
const LINK_AMOUNT = 9000

function something(target: Target, payments: Json[]): Promise<void> {
  const { random } = target
  const payment = random.pick(payments)
  const amount = payment.amount ?? 5000
  switch (random.below(20)) {
    case 0:
      return report(target, payment, { state: random.pick(['failed', 'expired', 'cancelled', 'pending'] as const) })
    case 1:
      return report(target, payment, { state: 'paid', amountPaid: amount + random.pick([-500, 500]) })
    case 2:
    case 3:
      return report(target, payment, { state: 'paid', amountPaid: 4000, captureId: `c${random.below(3)}` })
    case 4:
      return report(target, payment, { state: 'reversed', amountPaid: amount })
    case 5:
      return act(target, 'cancel')
    case 6:
      return act(target, 'refunds', random.pick([{ ...BY_HAND, amount: 1000 }, { amount: 2000 }, BY_HAND, BY_HAND]))
    case 7:
    case 8:
      return target.order.billingType === 'choice'
        ? choose(target)
        : act(target, 'payments', { method: random.pick(METHODS) })
    case 9:
      return report(target, payment, { state: 'reversed', amountPaid: amount, amountReversed: 1000 * random.below(6) })
    case 10:
      return report(target, payment, { state: 'paid', amountPaid: amount, paymentId: `p${random.below(2)}` })
    case 11:
      return act(target, 'review', { decision: random.pick(['accept', 'dismiss']) })
    case 12:
      return act(target, random.pick(['process', 'complete', 'ship', 'deliver']))
    case 13:
    case 14:
      return act(target, 'payments', { method: random.pick(METHODS), amount: random.pick(PARTS) })
    case 15:
      return act(
        target,
        'mark-paid',
        random.pick([{}, { amount: 3000 }, { amount: 2000, again: true, method: 'cash' }]),
      )
    case 16:
      return target.link === null ? act(target, 'payments', { method: 'qris', amount: 3000 }) : goOn(target)
    case 17:
    case 18:
      return edit(target)
    default:
      return report(target, payment, { state: 'paid' })
  }
}

const BILLING_TYPES = ['qris', 'virtual_account', 'ewallet', 'card', 'retail', 'choice', 'choice']

/** A third of the stories start at a payment link, with two payers at once. */
async function begin(story: Story): Promise<void> {
  const { orgId, random } = story
  const amount = 1000 * (10 + random.below(10))
  if (random.below(3) > 0) {
    const order = await shop.anOrder(orgId, { billingType: random.pick(BILLING_TYPES), amount })
    story.steps.push(`${order.number} created: ${order.billingType}, ${amount}`)
    story.orders.push(order.id)
    return
  }
  const terms = random.pick([{ amount }, { amount, single_use: true }, { amount_min: 5000 }])
  story.steps.push(`link ${JSON.stringify(terms)}`)
  story.link = (await shop.call(orgId, 'POST', '/payment-links', { json: { title: 'Kelas', ...terms } })).json
  await Promise.all([goOn(story), goOn(story)])
}

/** From the rows, because requests do not find a checkout. */
async function readOrder({ orgId }: Story, id: string): Promise<Json> {
  const row = await readRow(orgId, id)
  return { ...row, billingType: row.billing_type, payments: await listPayments(shop.database, orgId, id) }
}

const readRow = (orgId: OrgId, id: string) => shop.database.one<OrderRow>`
  select ${orderColumns(shop.database)} from orders where org_id = ${orgId} and id = ${id}`

async function play(story: Story): Promise<void> {
  await begin(story)
  for (let round = 0; round < 3; round++) {
    const order = await readOrder(story, story.random.pick(story.orders))
    const target = Object.assign(story, { order })
    const remote = order.payments.filter((payment: Json) => payment.provider === 'simulator')
    story.steps.push(`round ${round + 1}, ${order.number} is ${order.status}, ${order.payment_status}`)
    // Nothing can be reported before the payer has chosen.
    if (remote.length === 0) await Promise.all([choose(target), choose(target)])
    else await Promise.all(Array.from({ length: 3 }, () => something(target, remote)))
  }
}

/** Notices that say nothing about the money of the order as it is now. */
const UNRELATED = ['instructions', 'announced', 'refunded', 'shipped', 'delivered']

/** The notice about money that the chat would send now, with no notice sent before. */
async function chatOf(order: OrderRow): Promise<string | null> {
  const [payments, refunds] = await Promise.all([
    listPayments(shop.database, order.org_id, order.id),
    listRefunds(shop.database, order.org_id, order.id),
  ])
  const due = dueNotices({ order, payments, refunds, sent: [], hasReminders: false, nowMs: shop.clock.now() })
  return due.map(({ kind }) => kind).find((kind) => !UNRELATED.includes(kind)) ?? null
}

async function pageOf({ org_id: orgId, id }: OrderRow): Promise<string> {
  const row = await findPayPage(shop.database, orgId, { orderId: id })
  if (row === null) throw new Error(`${id} has no pay page`)
  return viewPayPage({ row, ways: [], profile: await getProfile(shop.database, orgId) }, shop.clock.now()).state
}

const eventsOf = async ({ org_id, id }: OrderRow): Promise<Json[]> =>
  (
    await shop.database.many<{ body: string }>`
      select body from events where org_id = ${org_id} and subject = ${id} order by sequence`
  ).map(({ body }) => JSON.parse(body))

/** The states of the pay page that each notice allows. Null means that no notice about money is due. */
const PAGES: Record<string, readonly string[]> = {
  partly_paid: ['partly_paid'],
  paid: ['paid'],
  reversed: ['reversed'],
  late: ['late', 'cancelled'],
  expired: ['expired'],
  null: ['preparing', 'choosing', 'payable', 'failed', 'expired', 'refunded', 'reversed', 'cancelled', 'late'],
}

/** Chat, pay page, order and events never contradict each other. */
async function expectAgreement(order: OrderRow): Promise<string> {
  const [chat, page, events, { status, json: shown }] = await Promise.all([
    chatOf(order),
    pageOf(order),
    eventsOf(order),
    shop.call(order.org_id, 'GET', `/orders/${order.id}`),
  ])
  const names = events.map(({ type }) => type)
  const about = { number: order.number, status: order.status, payment_status: order.payment_status, chat, page, names }
  const isPaid = ['paid', 'overpaid', 'partially_paid', 'partially_refunded'].includes(order.payment_status)
  expect([about, PAGES[String(chat)]?.includes(page)]).toEqual([about, true])
  // Recorded once, before all other events of the order.
  expect([about, names.lastIndexOf('order.created')]).toEqual([about, order.is_checkout ? -1 : 0])
  if (order.is_checkout) {
    expect([about, names, order.amount_paid, status]).toEqual([about, [], 0, 404])
    return page
  }
  if (page === 'paid') expect([about, isPaid, names.includes('order.paid')]).toEqual([about, true, true])
  if (page === 'paid') expect(['confirmed', 'processing', 'completed']).toContain(order.status)
  if (page === 'partly_paid') expect([about, (order.amount_remaining ?? 0) > 0]).toEqual([about, true])
  // An order is confirmed when its payments reach the total, in any number of parts.
  if (order.status === 'pending_payment') expect([about, isSettled(order)]).toEqual([about, false])
  if (page === 'reversed') expect([about, order.payment_status]).toEqual([about, 'reversed'])
  expect([about, shown.payment_status]).toEqual([about, order.payment_status])
  if (page === 'paid') expect([about, shown.payment.amount_paid > 0]).toEqual([about, true])
  for (const { status, amount_paid, amount_refunded, amount_reversed } of shown.payments)
    if (amount_paid > amount_refunded + amount_reversed) expect([about, status]).not.toEqual([about, 'cancelled'])
  return page
}

/** A single-use link has one order that was not given up, and every link counts the money of its orders. */
async function expectLink({ orgId, link, orders }: Story): Promise<void> {
  const shown = (await shop.call(orgId, 'GET', `/payment-links/${link.id}`)).json
  const rows = await shop.database.many<OrderRow>`
    select ${orderColumns(shop.database)} from orders where org_id = ${orgId} and payment_link_id = ${link.id}`
  expect(rows.map(({ id }) => id).toSorted()).toEqual([...new Set(orders)].toSorted() as (typeof rows)[number]['id'][])
  const holding = rows.filter(({ amount_paid, amount_returned }) => amount_paid > amount_returned)
  const received = holding.reduce((sum, row) => sum + row.amount_paid - row.amount_returned, 0)
  expect([shown.paid_count, shown.amount_received]).toEqual([holding.length, received])
  const open = rows.filter(({ status }) => status !== 'cancelled' && status !== 'expired')
  if (link.single_use) expect(open.length).toBeLessThanOrEqual(1)
  expect(shown.status).toBe(link.single_use && holding.length > 0 ? 'paid' : 'active')
}

async function expectBooks(row: OrderRow): Promise<void> {
  const { org_id: orgId, id } = row
  const payments = await listPayments(shop.database, orgId, id)
  const refunds = await listRefunds(shop.database, orgId, id)
  const books = booksOf({ row, payments, ledger: await listMoney(shop.database, orgId, id) })
  expect(row).toMatchObject(settle(books, row.accepted_at !== null))
  const given = refunds.filter(({ status }) => status === 'succeeded').reduce((sum, { amount }) => sum + amount, 0)
  expect(given).toBeLessThanOrEqual(row.amount_paid)
  if (row.amount_paid > 0) expect(row.status).not.toBe('draft')
}

test(
  'chat, pay page, order, events and reports agree with the ledger when orders of every method are changed concurrently',
  async () => {
    const policies = ['accept', 'review', 'refund']
    const orgs = await Promise.all(
      policies.map(async (late_payment, index) => {
        const orgId = await shop.anOrg(['simulator'], { late_payment })
        await shop.anAccount(orgId, 'manual', { transfer_unique_amount: index === 0 ? 'on' : 'off' })
        return orgId
      }),
    )
    const stories = Array.from({ length: STORIES }, (_, index): Story => {
      const seed = index + 1
      const orgId = orgs[seed % 3] as OrgId
      return { orgId, seed, random: createRandom(seed), link: null, orders: [], steps: [] }
    })
    for (let first = 0; first < STORIES; first += AT_ONCE)
      await Promise.all(stories.slice(first, first + AT_ONCE).map((story) => inStory(story, () => play(story))))
    await shop.settle()
    for (const story of stories) if (story.link !== null) await inStory(story, () => expectLink(story))
    const pages = new Set<string>()
    for (const orgId of orgs) {
      const rows = await shop.database.many<OrderRow>`
      select ${orderColumns(shop.database)} from orders where org_id = ${orgId} order by number`
      for (const { id } of rows) {
        const story = stories.find(({ orders }) => orders.includes(id))
        await inStory(story, async () => {
          // Read again: in a run of over an hour, orders of links expire while the orders before them are checked.
          const row = await readRow(orgId, id)
          await expectBooks(row)
          pages.add(await expectAgreement(row))
        })
      }
      await shop.checkBooks(orgId).catch((error: Error) => {
        const isNamed = (id: string) => error.message.includes(id)
        return inStory(
          stories.find(({ orders }) => orders.some(isNamed)),
          () => Promise.reject(error),
        )
      })
      await expectBooksEqualLedger(shop, orgId)
      expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => 1001 + index))
      expect(rows.some(({ payment_status }) => payment_status === 'paid')).toBe(true)
    }
    // Enough sequences confirm or pay an order.
    for (const page of ['paid', 'partly_paid', 'reversed', 'refunded']) expect([...pages]).toContain(page)
  },
  60_000 + STORIES * 400,
)
