import { afterAll, beforeAll, expect, test } from 'bun:test'
import { keyCommands } from '../../src/cli/key.commands.ts'
import { orgCommands } from '../../src/cli/org.commands.ts'
import { paymentAccountCommands } from '../../src/cli/payment-account.commands.ts'
import { leftAfter, settle as settleBooks } from '../../src/orders/settlement/settlement.ts'
import { signatureOf } from '../../src/payments/connectors/midtrans/midtrans.notice.ts'
import { type Database, openDatabase } from '../../src/platform/database/database.ts'
import { findRunningPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { type MidtransServer, startMidtransServer } from '../support/midtrans-server.ts'
import { createRandom, type Random } from '../support/random.ts'
import { runCommand } from '../support/run-command.ts'
import { anInstallation, type Installation, type Running, startServer, untilReady } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { Json } from '../support/webhooks.ts'
import { startXenditServer, type XenditServer } from '../support/xendit-server.ts'

/**
 * Payers, banks, providers and staff change an order at the same moment, and their notifications arrive once, twice, late,
 * out of order or forged. Two processes handle them in the providers' own formats, and in the end our books match the
 * providers' books.
 */
type Shop = { slug: string; orgId: string; token: string; hook: string; provider: 'midtrans' | 'xendit' }
type Attempt = { id: string; provider: string; provider_id: string | null; amount: number | null }
type Story = { shop: Shop; orderId: string; random: Random; xenditPayments: Json[]; isAccepted: boolean }

let [installation, server, database] = [] as unknown as [Installation, Running, Database]
let [midtrans, xendit] = [] as unknown as [MidtransServer, XenditServer]
let shops: Shop[] = []

beforeAll(async () => {
  midtrans = startMidtransServer()
  midtrans.expiryTime = '2099-01-31 09:15:00'
  xendit = startXenditServer()
  installation = await anInstallation({ NEXKIT_DEMO: '0', NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32' })
  server = startServer(installation, ['--processes', '2'])
  await untilReady(installation, server)
  const postgres = await findRunningPostgres(installation.dataDir)
  database = openDatabase({ url: postgres?.url as string, connectionsMax: 4 })
  shops = await withEnvironment(installation.environment, async () => [
    await aShop('midtrans', ['--server-key', midtrans.serverKey, '--base-url', midtrans.url]),
    await aShop('xendit', [
      ...['--secret-key', xendit.secretKey, '--callback-token', xendit.callbackToken],
      ...['--base-url', xendit.url],
    ]),
  ])
})

afterAll(async () => {
  await database.close()
  await server.stop()
  await Promise.all([midtrans.stop(), xendit.stop(), installation.remove()])
})

const commands = [...orgCommands, ...paymentAccountCommands, ...keyCommands]

/** Commands run in this process, because a process for each would take longer than the whole test. */
async function withEnvironment<Result>(values: Record<string, string>, work: () => Promise<Result>): Promise<Result> {
  const before = process.env
  process.env = { ...values }
  return work().finally(() => {
    process.env = before
  })
}

async function aShop(provider: Shop['provider'], account: string[]): Promise<Shop> {
  const run = async (...words: string[]) => JSON.parse((await runCommand(commands, [...words, '--json'])).out)
  const { id: orgId } = await run('org', 'create', '--name', provider, '--slug', provider)
  const { id } = await run('payment-account', 'create', '--org', provider, '--provider', provider, ...account)
  await run('payment-account', 'create', '--org', provider, '--provider', 'manual')
  const rate = ['--rate-limit', 'none']
  const { token } = await run('key', 'create', '--org', provider, '--name', 'Till', '--scopes', 'all', ...rate)
  return { slug: provider, orgId, token, hook: `${installation.url}/hooks/${provider}/${id}`, provider }
}

/** A new connection each time, so that the kernel spreads them over the processes. */
async function api(
  { token }: Shop,
  method: string,
  path: string,
  json?: unknown,
): Promise<{ status: number; json: Json }> {
  const response = await fetch(`${installation.url}/public/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  const body = (await response.json()) as Json
  if (response.status >= 500 && body.code !== 'payment_provider_unavailable') throw new Error(JSON.stringify(body))
  return { status: response.status, json: body }
}

const act = ({ shop, orderId }: Story, action: string, json: unknown = {}) =>
  api(shop, 'POST', `/orders/${orderId}/${action}`, json)

const post = async (hook: string, body: unknown, headers: Record<string, string> = {}): Promise<number> => {
  const more = { 'content-type': 'application/json', connection: 'close', ...headers }
  return (await fetch(hook, { method: 'POST', headers: more, body: JSON.stringify(body) })).status
}

function signed(fields: Json): Json {
  const { order_id: orderId, status_code: statusCode, gross_amount: grossAmount } = fields
  return { ...fields, signature_key: signatureOf(midtrans.serverKey, { orderId, statusCode, grossAmount }) }
}

const fromXendit = (shop: Shop, event: string, data: Json) =>
  post(
    shop.hook,
    { event, business_id: 'b', created: '2026-01-31T02:05:00.000Z', data },
    { 'x-callback-token': xendit.callbackToken },
  )

const listAttempts = ({ shop, orderId }: Story) => database.many<Attempt>`
  select id, provider, provider_id, amount from payments
  where org_id = ${shop.orgId} and order_id = ${orderId} and provider <> 'manual' and provider_id is not null order by id`

const rowsOf = (id: string) => (midtrans.notices(id).refunds ?? []) as Json[]
const PAID = ['settlement', 'partial_refund', 'partial_chargeback']

/** Changes the state at Midtrans; a notification about it may follow. */
async function atMidtrans({ random }: Story, { id, amount }: Attempt): Promise<unknown> {
  const { transaction_status: status } = midtrans.notices(id) as { transaction_status: string }
  const unpaid = ['pending', 'expire', 'cancel']
  if (unpaid.includes(status)) {
    // An expired code is paid now and then.
    if (status === 'pending' ? random.isLucky(0.7) : random.isLucky(0.3)) return midtrans.move(id, 'settlement')
    return status === 'pending' ? midtrans.move(id, 'expire') : null
  }
  if (random.isLucky(0.5)) return midtrans.confirmRefunds(id)
  const gone = rowsOf(id).reduce((sum, row) => sum + Number(row.refund_amount), 0)
  const left = Number(amount) - gone
  if (left <= 0 || !PAID.includes(status)) return null
  const taken = random.isLucky(0.3) ? left : Math.min(left, 1000 * (1 + random.below(9)))
  const row = { refund_chargeback_id: 900 + rowsOf(id).length, refund_amount: `${taken}.00`, bank_confirmed_at: 'now' }
  return midtrans.move(id, taken === left ? 'chargeback' : 'partial_chargeback', {
    refunds: [...rowsOf(id), row],
    refund_amount: `${gone + taken}.00`,
  })
}

async function atXendit(story: Story, { provider_id: requestId }: Attempt): Promise<unknown> {
  const { random, xenditPayments } = story
  const own = xenditPayments.filter((payment) => payment.payment_request_id === requestId)
  if (own.length === 0 || random.isLucky(0.2)) {
    const isOld = own.length > 0 || random.isLucky(0.3)
    const payment = xendit.pay(requestId as string, {
      isLate: isOld,
      isUnlisted: own.length > 0 && random.isLucky(0.5),
    })
    return xenditPayments.push(payment)
  }
  if (random.isLucky(0.5)) return xendit.settleRefunds('SUCCEEDED')
  const { payment_id: paymentId, captures } = random.pick(own)
  const gone = refundsAtXendit(requestId).filter((refund) => refund.payment_id === paymentId)
  const left = gone.reduce((sum, refund) => sum - Number(refund.amount), Number(captures[0].capture_amount))
  const amount = Math.min(left, 1000 * (1 + random.below(5)))
  return amount > 0 ? xendit.refundPayment(paymentId, amount) : null
}

const refundsAtXendit = (requestId: string | null): Json[] =>
  xendit.listRefunds().filter((row) => row.payment_request_id === requestId)

/** Sends a notification of the provider: a true or a forged one. */
async function sendNotice(story: Story, attempt: Attempt): Promise<void> {
  const { shop, random, xenditPayments } = story
  const times = 1 + random.below(3)
  const isForged = random.isLucky(0.2)
  if (shop.provider === 'midtrans') {
    const fields = midtrans.notices(attempt.id)
    if (isForged) expect(await post(shop.hook, { ...signed(fields), signature_key: 'f'.repeat(128) })).toBe(401)
    const claimed = { ...fields, status_code: '200', transaction_status: random.pick(['settlement', 'chargeback']) }
    const notice = random.isLucky(0.15) ? claimed : fields
    await Promise.all(Array.from({ length: times }, () => post(shop.hook, signed(notice))))
    return
  }
  if (isForged)
    expect(await post(shop.hook, { event: 'payment.capture', data: {} }, { 'x-callback-token': 'no' })).toBe(401)
  const payments = xenditPayments.filter((payment) => payment.payment_request_id === attempt.provider_id)
  const notices = [
    ...payments.map((data) => ({ event: 'payment.capture', data })),
    ...refundsAtXendit(attempt.provider_id).map((data) => ({
      event: data.status === 'SUCCEEDED' ? 'refund.succeeded' : 'refund.failed',
      data,
    })),
  ]
  if (notices.length === 0) return
  const { event, data } = random.pick(notices)
  await Promise.all(Array.from({ length: times }, () => fromXendit(shop, event, data)))
}

async function something(story: Story): Promise<unknown> {
  const { shop, random } = story
  const attempts = await listAttempts(story)
  const attempt = attempts.length === 0 ? null : random.pick(attempts)
  const choice = random.below(20)
  if (choice < 6 && attempt !== null)
    return shop.provider === 'midtrans' ? atMidtrans(story, attempt) : atXendit(story, attempt)
  if (choice < 13 && attempt !== null) return sendNotice(story, attempt)
  if (choice < 15) return act(story, 'payments', { method: random.pick(['qris', 'qris', 'cash', 'virtual_account']) })
  if (choice < 17)
    return act(story, 'refunds', random.pick([{ amount: 2000 }, {}, { amount: 1000, manual: true, note: 'x' }]))
  if (choice === 17)
    return act(story, 'mark-paid', random.pick([{}, { amount: 3000 }, { amount: 2000, again: true, method: 'cash' }]))
  if (choice === 18) return random.isLucky(0.4) ? act(story, 'cancel') : act(story, 'process')
  const decision = random.pick(['accept', 'dismiss'])
  if (decision === 'accept') story.isAccepted = true
  return act(story, 'review', { decision })
}

async function settle(): Promise<void> {
  await until(async () => {
    const { due } = await database.one<{ due: number }>`
      select count(*)::int as due from outbox_entries where due_at <= now()`
    return due === 0
  })
}

/** Finally all notifications are sent twice, and our books match the providers' books. */
async function tellAll(story: Story): Promise<void> {
  for (const attempt of await listAttempts(story)) {
    if (story.shop.provider === 'midtrans') {
      const fields = signed(midtrans.confirmRefunds(attempt.id))
      await Promise.all([post(story.shop.hook, fields), post(story.shop.hook, fields)])
      continue
    }
    for (const data of story.xenditPayments.filter((one) => one.payment_request_id === attempt.provider_id))
      await fromXendit(story.shop, 'payment.capture', data)
    await settle()
    for (const data of refundsAtXendit(attempt.provider_id)) await fromXendit(story.shop, 'refund.succeeded', data)
  }
}

function truthOf({ shop, xenditPayments }: Story, { id, provider_id, amount }: Attempt) {
  if (shop.provider === 'xendit') {
    const own = xenditPayments.filter((payment) => payment.payment_request_id === provider_id)
    const paid = own.reduce((sum, payment) => sum + Number(payment.captures[0].capture_amount), 0)
    return {
      paid,
      refunded: refundsAtXendit(provider_id).reduce((sum, row) => sum + Number(row.amount), 0),
      reversed: 0,
    }
  }
  const { transaction_status: status } = midtrans.notices(id) as { transaction_status: string }
  if (['pending', 'expire', 'cancel'].includes(status)) return { paid: 0, refunded: 0, reversed: 0 }
  const sum = (rows: Json[]) => rows.reduce((total, row) => total + Number(row.refund_amount), 0)
  const [byKey, byBank] = [rowsOf(id).filter((row) => row.refund_key), rowsOf(id).filter((row) => !row.refund_key)]
  return { paid: Number(amount), refunded: sum(byKey), reversed: sum(byBank) }
}

async function check(story: Story): Promise<Json> {
  const { shop, orderId } = story
  const { json: order } = await api(shop, 'GET', `/orders/${orderId}`)
  const manualRefunds = order.refunds.filter((refund: Json) => refund.manual && refund.status === 'succeeded')
  for (const attempt of await listAttempts(story)) {
    const payment = order.payments.find(({ id }: Json) => id === attempt.id)
    const byHand = manualRefunds
      .filter((refund: Json) => refund.payment_id === attempt.id)
      .reduce((sum: number, refund: Json) => sum + refund.amount, 0)
    const { paid, refunded, reversed } = truthOf(story, attempt)
    const booked = [payment.amount_paid, payment.amount_refunded, payment.amount_reversed]
    // What staff refunded by other means cannot be reversed once more.
    if (byHand === 0) expect([attempt.id, ...booked]).toEqual([attempt.id, paid, refunded, reversed])
    else expect(payment.amount_paid).toBe(paid)
  }
  const ledger = order.ledger.reduce((sum: number, line: Json) => sum + line.amount, 0)
  expect(order.amount_paid - order.amount_returned).toBe(ledger)
  // A person may have accepted less than the total: then nothing remains, and the order counts as paid.
  const isAccepted = story.isAccepted && order.amount_remaining === 0
  expect(order).toMatchObject(settlementOf(order, isAccepted))
  const open = order.payments.find((payment: Json) => payment.status === 'pending' && payment.provider !== 'manual')
  // A code takes its exact amount, so no open code exceeds the remaining amount.
  if (open !== undefined && order.amount_returned === 0)
    expect(open.amount - open.amount_paid).toBeLessThanOrEqual(Math.max(0, order.total - order.amount_paid))
  await checkEvents(story, order)
  await checkPage(order)
  return order
}

const sumOf = (payments: Json[], name: string): number => payments.reduce((sum, payment) => sum + payment[name], 0)

function settlementOf({ status, total, payments, ledger }: Json, isAccepted: boolean) {
  const books = {
    total,
    paid: sumOf(payments, 'amount_paid'),
    refunded: sumOf(payments, 'amount_refunded'),
    reversed: sumOf(payments, 'amount_reversed'),
    standing: 0,
    left: leftAfter(total, ledger),
    hasLiveAttempt: payments.some((payment: Json) => ['created', 'pending'].includes(payment.status)),
  }
  const isOver = status === 'cancelled' || status === 'expired'
  return { ...settleBooks(books, isAccepted), ...(isOver && { amount_remaining: 0 }) }
}

/** What the pay page may say of an order that goes on, by its `payment_status`. */
const PAGES: Record<string, string[]> = {
  unpaid: ['preparing', 'expired', 'failed'],
  pending: ['preparing', 'payable', 'expired'],
  partially_paid: ['partly_paid', 'paid'],
  paid: ['paid'],
  overpaid: ['paid'],
  partially_refunded: ['paid', 'partly_paid'],
  refunded: ['refunded', 'payable', 'preparing'],
  reversed: ['reversed'],
}

async function checkPage({ id, status, payment_status, amount_remaining, payment }: Json): Promise<void> {
  const response = await fetch(`${installation.url}${new URL(payment.pay_url).pathname}/status`)
  const { state } = (await response.json()) as Json
  if (status === 'cancelled') expect([id, state]).toEqual([id, 'cancelled'])
  else if (status === 'expired') expect(['expired', 'late', 'refunded']).toContain(state)
  else expect([id, payment_status, PAGES[payment_status]?.includes(state)]).toEqual([id, payment_status, true])
  if (state === 'paid') expect([id, amount_remaining, status === 'pending_payment']).toEqual([id, 0, false])
  if (state === 'partly_paid') expect(amount_remaining).toBeGreaterThan(0)
}

/** The amounts in each event add up, and no event is older than the one before. */
async function checkEvents({ shop, orderId }: Story, order: Json): Promise<void> {
  const rows = await database.many<{ body: string }>`
    select body from events where org_id = ${shop.orgId} and subject = ${orderId} order by sequence`
  const events = rows.map(({ body }) => JSON.parse(body) as Json)
  let before: Json = { amount_paid: 0, amount_returned: 0 }
  for (const { type, data } of events) {
    expect(data.amount_paid).toBeGreaterThanOrEqual(before.amount_paid)
    expect(data.amount_returned).toBeGreaterThanOrEqual(before.amount_returned)
    const kept = data.amount_paid - data.amount_returned
    if (data.payment_status === 'paid') expect([kept, data.amount_remaining]).toEqual([data.total, 0])
    expect(data.amount_overpaid).toBe(Math.max(0, kept - data.total))
    const isUnpaid = ['unpaid', 'pending', 'refunded', 'reversed'].includes(data.payment_status)
    if (type === 'order.paid') expect([data.amount_remaining, isUnpaid]).toEqual([0, false])
    before = data
  }
  expect([before.amount_paid <= order.amount_paid, before.number]).toEqual([true, order.number])
}

async function play(seed: number): Promise<Story> {
  const random = createRandom(seed)
  const shop = random.pick(shops)
  const { json, status } = await api(shop, 'POST', '/orders', {
    billingType: 'qris',
    amount: 1000 * (10 + random.below(20)),
  })
  expect([seed, status]).toEqual([seed, 201])
  const story: Story = { shop, orderId: json.id, random, xenditPayments: [], isAccepted: false }
  for (let round = 0; round < 5; round++) await Promise.all([1, 2, 3].map(() => something(story)))
  return story
}

const STORIES = 16
const AT_ONCE = 8

test('orders end with the books of their providers when many changes arrive at once', async () => {
  const stories: Story[] = []
  for (let first = 1; first <= STORIES; first += AT_ONCE)
    stories.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => play(first + index)))))
  await settle()
  xendit.settleRefunds('SUCCEEDED')
  for (const story of stories) await tellAll(story)
  await settle()
  const [orders, failures]: [Json[], string[]] = [[], []]
  for (const [index, story] of stories.entries())
    await check(story).then(
      (order) => orders.push(order),
      (error) => failures.push(`story ${1 + index} (${story.orderId}): ${error.message}`),
    )
  expect(failures).toEqual([])
  // The stories are not all about nothing.
  for (const member of ['amount_refunded', 'amount_reversed'])
    expect(orders.some(({ payments }) => payments.some((payment: Json) => payment[member] > 0))).toBe(true)
  for (const { orgId } of shops) {
    const numbers = await database.many<{ number: number }>`
      select number from orders where org_id = ${orgId} order by number`
    expect(numbers.map(({ number }) => number)).toEqual(numbers.map((_, index) => 1001 + index))
    const sequences = await database.many<{ sequence: number }>`
      select sequence::int from events where org_id = ${orgId} order by sequence`
    expect(sequences.map(({ sequence }) => sequence)).toEqual(sequences.map((_, index) => 1 + index))
  }
})
