import { describe, expect, test } from 'bun:test'
import { onOnePostgres } from '../../../test/support/cluster.ts'
import { useOrders } from '../../../test/support/orders.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { listOrders, type OrderFilter } from './order-list.sql.ts'

const shop = useOrders()

const post = (orgId: OrgId, json: unknown, headers: Record<string, string> = {}) =>
  shop.call(orgId, 'POST', '/orders', { json, headers })

const twoItems = [
  { sku: 'KOPI-1', name: 'Kopi susu', quantity: 2, unit_price: 18_000 },
  { name: 'Roti bakar', quantity: 1, unit_price: 24_000 },
]

describe('POST /orders', () => {
  test('answers the smallest bodies with a payable order', async () => {
    const orgId = await shop.anOrg()
    const qris = await post(orgId, { billingType: 'qris', payment: { method: 'qris' } })
    expect([qris.status, qris.json.payment.status, qris.json.total]).toEqual([201, 'pending', null])
    expect(qris.json.payment.qris.string).toMatch(/^000201.*6304[0-9A-F]{4}$/)
    const account = await post(orgId, {
      billingType: 'virtual_account',
      payment: { method: 'virtual_account', bank: 'bni' },
    })
    expect([account.status, account.json.payment.virtual_account.bank]).toEqual([201, 'bni'])
    expect(account.json.payment.virtual_account.number).toMatch(/^\d{10,18}$/)
    const bare = await post(orgId, { billingType: 'virtual_account' })
    expect([bare.status, bare.json.payment.virtual_account !== null]).toEqual([201, true])
  })

  test('adds up items, discount, shipping and tax, and parses the customer’s phone', async () => {
    const orgId = await shop.anOrg()
    const reply = await post(orgId, {
      billingType: 'qris',
      items: twoItems,
      discount: { percent: 10 },
      shipping: 5000,
      tax: { percent: 11 },
      customer: { name: 'Budi', phone: '0812-3456-7890' },
      metadata: { table: '4' },
    })
    expect(reply.status).toBe(201)
    expect(reply.json).toMatchObject({
      subtotal: 60_000,
      discount: 6000,
      shipping: 5000,
      tax: 5940,
      total: 64_940,
      status: 'pending_payment',
      payment_status: 'pending',
      customer: { name: 'Budi', phone: '+6281234567890', contact_id: null },
      metadata: { table: '4' },
      payment: { amount: 64_940, amount_paid: 0, status: 'pending' },
    })
    expect(reply.json.items[0].subtotal).toBe(36_000)
    expect(reply.headers.get('location')).toBe(`/api/public/v1/orders/${reply.json.id}`)
  })

  test('links to a pay page and an image with stable addresses that name the order and the payment', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    const again = await shop.getOrder(orgId, order.id)
    expect(again.payment.pay_url).toBe(order.payment.pay_url)
    const { tokens } = shop.payments
    const tokenIn = (url: string) => tokens.read(url.split('/pay/')[1]?.split('/')[0] as string)
    expect(tokenIn(order.payment.pay_url)).toEqual({ orgId, id: order.id })
    expect(tokenIn(order.payment.qris.image_url)).toEqual({ orgId, id: order.payment.id })
    expect(order.payment.qris.image_url).toEndWith('/qr.png')
  })

  test('awaits payment by transfer but not by cash or on delivery, and a free order is paid', async () => {
    const orgId = await shop.anOrg(['manual'])
    const statuses = []
    for (const billingType of ['cash', 'cod', 'invoice', 'bank_transfer']) {
      const order = await shop.anOrder(orgId, { billingType })
      statuses.push([billingType, order.status, order.payment_status])
    }
    expect(statuses).toEqual([
      ['cash', 'confirmed', 'pending'],
      ['cod', 'confirmed', 'pending'],
      ['invoice', 'confirmed', 'pending'],
      ['bank_transfer', 'pending_payment', 'pending'],
    ])
    const free = await post(orgId, { billingType: 'free' })
    expect(free.json).toMatchObject({ status: 'confirmed', payment_status: 'paid', total: 0, payment: null })
  })

  test('records order.created with the order as the API shows it, in the same transaction', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    expect(await shop.eventTypes(orgId)).toEqual(['order.created', 'payment.pending'])
    const { body } = await shop.database.one<{ body: string }>`
      select body from events where org_id = ${orgId} and type = 'order.created'`
    expect(JSON.parse(body).data).toEqual(order)
    expect(JSON.parse(body).actor).toEqual({ type: 'key', id: 'key_test' })
  })

  test('shows the reason in the payment when the provider refuses the charge', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { amount: 90_001 })
    expect(order).toMatchObject({
      status: 'pending_payment',
      payment_status: 'unpaid',
      payment: { status: 'failed', error: { code: 'method_not_activated' }, qris: null },
    })
  })
})

describe('numbers', () => {
  test('have no gaps or duplicates when a hundred orders are created at once, and refused orders take none', async () => {
    const orgId = await shop.anOrg()
    const other = await shop.anOrg()
    await shop.anOrder(orgId, { reference: 'taken' })
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        index % 5 === 0
          ? post(orgId, { billingType: 'qris', amount: 1000, reference: 'taken' })
          : post(index % 2 === 0 ? orgId : other, { billingType: 'qris', amount: 1000, items: [] }),
      ),
    )
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(20)
    for (const id of [orgId, other]) {
      const rows = await shop.database.many<{ number: number }>`
        select number from orders where org_id = ${id} order by number`
      expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => 1001 + index))
    }
  })
})

describe('refusals of POST /orders', () => {
  const problem = async (orgId: OrgId, json: unknown) => {
    const reply = await post(orgId, json)
    const [error] = reply.json.errors ?? []
    return [reply.status, error?.pointer, error?.code]
  }

  test('name every wrong field, with 422 when the schema excludes it and 409 otherwise', async () => {
    const orgId = await shop.anOrg(['simulator'])
    const amount = 25_000
    const item = { name: 'Kopi', quantity: 1, unit_price: 1000 }
    const LONG_NAME = 'k'.repeat(41)
    const wrong: [unknown, string, string, number?][] = [
      [{ billingType: 'bitcoin' }, '#/billingType', 'not_allowed'],
      [{ billingType: 'qris', payment: { method: 'virtual_account' } }, '#/payment/method', 'method_disagrees'],
      [{ billingType: 'qris', payment: { method: 'gold' } }, '#/payment/method', 'not_allowed'],
      [{ billingType: 'virtual_account', payment: { bank: 'jago' } }, '#/payment/bank', 'bank_not_available', 409],
      [{ billingType: 'qris', amount, payment: { bank: 'bni' } }, '#/payment/bank', 'bank_not_expected', 409],
      [{ billingType: 'qris', amount: 10_000_001 }, '#/amount', 'amount_too_high', 409],
      [{ billingType: 'virtual_account', amount: 9999, payment: { bank: 'bca' } }, '#/amount', 'amount_too_low', 409],
      [{ billingType: 'qris', items: [{ ...item, unit_price: 10_000_001 }] }, '#/items', 'amount_too_high', 409],
      [{ billingType: 'card' }, '#/amount', 'amount_required', 409],
      [{ billingType: 'qris', items: [item], amount: 999 }, '#/amount', 'total_mismatch', 409],
      [{ billingType: 'qris', amount: -1 }, '#/amount', 'too_small'],
      [{ billingType: 'qris', amount: 0.5 }, '#/amount', 'wrong_type'],
      [{ billingType: 'qris', items: [{ ...item, unit_price: 1000.5 }] }, '#/items/0/unit_price', 'wrong_type'],
      [{ billingType: 'qris', items: [{ ...item, quantity: 0 }] }, '#/items/0/quantity', 'too_small'],
      [{ billingType: 'qris', items: Array(101).fill(item) }, '#/items', 'too_many'],
      [{ billingType: 'qris', shipping: 1000 }, '#/shipping', 'total_unknown', 409],
      [{ billingType: 'qris', items: [item], discount: 1001 }, '#/discount', 'discount_too_large', 409],
      [{ billingType: 'qris', items: [item], tax: { percent: 101 } }, '#/tax/percent', 'too_large'],
      [
        { billingType: 'qris', amount, payment: { expires_in_seconds: 181 * 86_400 } },
        '#/payment/expires_in_seconds',
        'expiry_too_long',
        409,
      ],
      [{ billingType: 'qris', amount, customer: { phone: '12' } }, '#/customer/phone', 'wrong_format'],
      [{ billingType: 'qris', amount, customer: { phone: '+62812' } }, '#/customer/phone', 'phone_impossible'],
      [{ billingType: 'qris', items: [{ ...item, name: ' \u00a0\u200b' }] }, '#/items/0/name', 'blank'],
      [{ billingType: 'qris', amount, reference: '\u3000' }, '#/reference', 'blank'],
      [{ billingType: 'qris', amount, customer: { name: '  ' } }, '#/customer/name', 'blank'],
      [{ billingType: 'free', amount: 1 }, '#/billingType', 'total_not_zero', 409],
      [{ billingType: 'qris', amount, colour: 'red' }, '#/colour', 'field_unknown'],
      [{ billingType: 'qris', amount, metadata: [] }, '#/metadata', 'wrong_type'],
      [{ billingType: 'qris', amount, metadata: { '': 'x' } }, '#/metadata/', 'too_short'],
      [{ billingType: 'qris', amount, metadata: { [LONG_NAME]: 'x' } }, `#/metadata/${LONG_NAME}`, 'too_long'],
    ]
    for (const [json, pointer, code, status = 422] of wrong)
      expect([JSON.stringify(json).slice(0, 80), ...(await problem(orgId, json))]).toEqual([
        JSON.stringify(json).slice(0, 80),
        status,
        pointer,
        code,
      ])
    const { count } = await shop.database.one<{ count: number }>`
      select count(*)::int as count from orders where org_id = ${orgId}`
    expect(count).toBe(0)
  })

  test('name the enabled methods when the billingType is unknown', async () => {
    const orgId = await shop.anOrg(['manual'])
    const reply = await post(orgId, { billingType: 'bitcoin' })
    expect(reply.json.errors[0].params.enabled).toEqual(['bank_transfer', 'cash', 'cod', 'invoice', 'free'])
  })
})

describe('409 of POST /orders', () => {
  test('names the configured methods when the method has no account', async () => {
    const orgId = await shop.anOrg(['manual'])
    const reply = await post(orgId, { billingType: 'qris' })
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_method_not_configured'])
    expect(reply.json.params.enabled).toEqual(['bank_transfer', 'cash', 'cod', 'invoice', 'free'])
  })

  test('names the order that has the reference, also among concurrent requests', async () => {
    const orgId = await shop.anOrg()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => post(orgId, { billingType: 'qris', amount: 5000, reference: 'WEB-1' })),
    )
    const created = replies.filter(({ status }) => status === 201)
    expect(created).toHaveLength(1)
    const refused = replies.filter(({ status }) => status === 409)
    expect(refused.map(({ json }) => [json.code, json.params.order_id])).toEqual(
      refused.map(() => ['order_reference_taken', created[0]?.json.id]),
    )
  })
})

describe('Idempotency-Key', () => {
  test('answers a repeated request with the same order and creates no second one', async () => {
    const orgId = await shop.anOrg()
    const body = { billingType: 'qris', items: twoItems }
    const headers = { 'idempotency-key': 'key-1' }
    const first = await post(orgId, body, headers)
    const second = await post(orgId, body, headers)
    expect([second.status, second.json]).toEqual([201, first.json])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect((await post(orgId, { ...body, amount: 1 }, headers)).status).toBe(422)
  })

  test('creates one order for ten concurrent requests and answers all with it', async () => {
    const orgId = await shop.anOrg()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        post(orgId, { billingType: 'qris', amount: 7000 }, { 'idempotency-key': 'key-2' }),
      ),
    )
    expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1)
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
  })

  test('answers a repeat with the payment details of a remote provider', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const headers = { 'idempotency-key': 'key-3' }
    const first = await post(orgId, { billingType: 'virtual_account', amount: 9000 }, headers)
    expect(first.json.payment).toMatchObject({ status: 'pending', virtual_account: { number: '8808123456789012' } })
    const second = await post(orgId, { billingType: 'virtual_account', amount: 9000 }, headers)
    expect(second.json).toEqual(first.json)
  })
})

/** Returns the numbers of the orders found and the number of index entries read under this plan mode. */
const reading = (
  orgId: OrgId,
  mode: 'force_generic_plan' | 'force_custom_plan',
  filter: Partial<OrderFilter>,
): Promise<{ found: number[]; read: number }> =>
  shop.database.transaction(async (tx) => {
    // From the sixth search of a connection on, PostgreSQL chooses the plan that it estimates to be cheaper.
    await tx.script(`set local plan_cache_mode to ${mode}`)
    const before = await entriesRead(tx)
    const rows = await listOrders(tx, orgId, { ...NO_FILTER, ...filter })
    return { found: rows.map(({ number }) => Number(number)), read: (await entriesRead(tx)) - before }
  })

const entriesRead = async (tx: Queries) =>
  (
    await tx.one<{ count: number }>`
      select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as count
      from pg_index where indrelid = 'orders'::regclass`
  ).count

const NO_FILTER: OrderFilter = {
  statuses: null,
  paymentStatuses: null,
  phone: null,
  chatIds: null,
  reference: null,
  paymentLinkId: null,
  search: null,
  needsReview: null,
  fromId: null,
  beforeId: null,
  updatedFrom: null,
  updatedBefore: null,
  limit: 10,
}

describe('GET /orders', () => {
  const numbers = async (orgId: OrgId, query: string) =>
    (await shop.call(orgId, 'GET', `/orders?${query}`)).json.data.map((order: { number: string }) => order.number)

  test('lists the matching orders for every filter', async () => {
    const orgId = await shop.anOrg()
    const start = new Date(shop.clock.now()).toISOString()
    await shop.anOrder(orgId, { customer: { name: 'Siti Aminah', phone: '+6281200000001' }, reference: 'A-1' })
    await shop.anOrder(orgId, { billingType: 'cash', customer: { name: 'budi', phone: '081200000002' } })
    const third = await shop.anOrder(orgId, { customer: { name: 'Budiman' } })
    await shop.call(orgId, 'POST', `/orders/${third.id}/cancel`)
    const found: Record<string, string[]> = {
      '': ['1003', '1002', '1001'],
      'status=confirmed': ['1002'],
      'status=confirmed,cancelled': ['1003', '1002'],
      'payment_status=pending': ['1002', '1001'],
      'status=pending_payment&payment_status=pending': ['1001'],
      'status=completed': [],
      'phone=0812-0000-0001': ['1001'],
      'phone=62812-0000-0002&status=confirmed': ['1002'],
      'phone=99999': [],
      'reference=A-1': ['1001'],
      'q=budi': ['1003', '1002'],
      'q=BUDIM': ['1003'],
      'q=1002': ['1002'],
      'q=A-1': ['1001'],
      'q=081200000001': ['1001'],
      'q=zz': [],
      'needs_review=true': [],
      'needs_review=false&status=confirmed': ['1002'],
      [`created_after=${start}`]: ['1003', '1002', '1001'],
      [`created_before=${start}`]: [],
      [`created_after=${third.created_at}`]: ['1003'],
      [`updated_after=${third.created_at}&status=cancelled`]: ['1003'],
      [`updated_before=${start}`]: [],
    }
    for (const [query, expected] of Object.entries(found))
      expect([query, await numbers(orgId, query)]).toEqual([query, expected])
  })

  test('lists orders once when a state is named twice', async () => {
    const orgId = await shop.anOrg()
    await shop.anOrder(orgId)
    expect(await numbers(orgId, 'status=pending_payment,pending_payment&payment_status=pending,pending')).toEqual([
      '1001',
    ])
  })

  test('accepts times before and after all orders as filters', async () => {
    const orgId = await shop.anOrg()
    await shop.anOrder(orgId)
    const early = [
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00Z',
      '0001-01-01T00:00:00%2B05:00',
      '1969-12-31T23:59:59Z',
    ]
    const late = ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59-05:00']
    for (const field of ['created', 'updated']) {
      for (const [times, bound] of [
        [early, 'after'],
        [late, 'before'],
      ] as const)
        for (const time of times) expect(await numbers(orgId, `${field}_${bound}=${time}`)).toEqual(['1001'])
      for (const [times, bound] of [
        [early, 'before'],
        [late, 'after'],
      ] as const)
        for (const time of times) expect(await numbers(orgId, `${field}_${bound}=${time}`)).toEqual([])
    }
  })

  onOnePostgres('it reads a plan of one node')(
    'searches a frequent name only among the orders in the requested state',
    async () => {
      const orgId = await shop.anOrg()
      const { id } = await shop.anOrder(orgId, { customer: { name: 'Sari' } })
      await shop.database.run`
      insert into orders (org_id, id, number, status, billing_type, customer_name, payment_status, created_at, updated_at)
      select org_id, 'ord_' || lpad(nth::text, 26, '0'), 10000 + nth, status, billing_type, customer_name,
        case nth when 1 then 'refunded' else payment_status end, created_at, updated_at
      from orders, generate_series(1, 5000) as nth where org_id = ${orgId} and id = ${id}`
      await shop.database.script('analyze orders')
      for (const mode of ['force_generic_plan', 'force_custom_plan'] as const) {
        const search = { number: null, text: 'sari', phone: null }
        const { found, read } = await reading(orgId, mode, { paymentStatuses: ['refunded'], search })
        expect(found).toEqual([10_001])
        expect(read).toBeLessThan(5000)
      }
      expect(await numbers(orgId, 'q=sari&payment_status=refunded')).toEqual(['10001'])
      expect(await numbers(orgId, 'q=sari&limit=2')).toEqual(['1001', '15000'])
    },
  )

  onOnePostgres('it reads a plan of one node')(
    'reads the orders of a chat without those of other chats, in any state and on any page',
    async () => {
      const orgId = await shop.anOrg()
      const { id } = await shop.anOrder(orgId)
      await shop.database.run`
      insert into orders (org_id, id, number, status, billing_type, chat_id, payment_status, created_at, updated_at)
      select org_id, 'ord_' || lpad(nth::text, 26, '0'), 10000 + nth, case when nth % 40 = 0 then 'completed' else status end,
        billing_type, 'chat_' || nth % 20, payment_status, created_at, updated_at
      from orders, generate_series(1, 5000) as nth where org_id = ${orgId} and id = ${id}`
      await shop.database.script('analyze orders')
      for (const mode of ['force_generic_plan', 'force_custom_plan'] as const) {
        const asked = (filter: Partial<OrderFilter>) =>
          reading(orgId, mode, { chatIds: ['chat_0', 'chat_7'], ...filter })
        const first = await asked({ limit: 4 })
        expect(first.found).toEqual([15_000, 14_987, 14_980, 14_967])
        const old = await asked({ beforeId: `ord_${'40'.padStart(26, '0')}` })
        expect(old.found).toEqual([10_027, 10_020, 10_007])
        const completed = await asked({ statuses: ['completed'], limit: 2 })
        expect(completed.found).toEqual([15_000, 14_960])
        for (const { read } of [first, old, completed]) expect(read).toBeLessThan(100)
      }
    },
  )

  test('shows refunds wherever an order is shown: when it is created, in lists and in events', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { billingType: 'cash', amount: 20_000 })
    expect(order.refunds).toEqual([])
    await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: {} })
    const request = { json: { amount: 5_000, manual: true, note: 'one was missing' } }
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, request)
    const [refund] = json.parts
    await shop.anOrder(orgId)
    const { json: page } = await shop.call(orgId, 'GET', '/orders')
    expect(page.data.map(({ refunds }: { refunds: unknown[] }) => refunds)).toEqual([[], [refund]])
    const { body } = await shop.database.one<{ body: string }>`
      select body from events where org_id = ${orgId} and type = 'order.refunded'`
    expect(JSON.parse(body).data.refunds).toEqual([refund])
  })

  test('pages through every order once, with and without filters, and refuses a cursor with other filters', async () => {
    const orgId = await shop.anOrg()
    for (let count = 0; count < 7; count++)
      await shop.anOrder(orgId, { billingType: count % 2 === 0 ? 'qris' : 'cash', amount: 1000 + count })
    for (const filter of ['', 'status=pending_payment,confirmed&']) {
      const seen: string[] = []
      let cursor = ''
      for (let page = 0; page < 5; page++) {
        const { json } = await shop.call(orgId, 'GET', `/orders?${filter}limit=3${cursor}`)
        seen.push(...json.data.map((order: { number: string }) => order.number))
        if (!json.has_more) break
        cursor = `&cursor=${json.next_cursor}`
      }
      expect(seen).toEqual(['1007', '1006', '1005', '1004', '1003', '1002', '1001'])
    }
    const { json } = await shop.call(orgId, 'GET', '/orders?limit=3')
    expect((await shop.call(orgId, 'GET', `/orders?status=draft&cursor=${json.next_cursor}`)).json.code).toBe(
      'cursor_invalid',
    )
    expect((await shop.call(orgId, 'GET', '/orders?stauts=draft')).status).toBe(400)
  })
})

describe('an order named by its number', () => {
  test('is found with and without the #, and is unknown when no order has the number', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    for (const name of [order.number, `%23${order.number}`, order.id]) {
      const { status, json } = await shop.call(orgId, 'GET', `/orders/${name}`)
      expect([name, status, json.id]).toEqual([name, 200, order.id])
    }
    for (const name of ['999999999999999', '0', `${order.number}0`])
      expect([name, (await shop.call(orgId, 'GET', `/orders/${name}`)).json.code]).toEqual([name, 'order_not_found'])
    const theirs = await shop.call(await shop.anOrg(), 'GET', `/orders/${order.number}`)
    expect(theirs.status).toBe(404)
  })

  test('is changed by every action', async () => {
    const orgId = await shop.anOrg(['manual'])
    const act = async (number: string, action: string, json?: object) => {
      const reply = await shop.call(orgId, 'POST', `/orders/${number}/${action}`, json === undefined ? {} : { json })
      return [action, reply.status]
    }
    const { number } = await shop.anOrder(orgId, { billingType: 'bank_transfer' })
    expect(await act(number, 'payments', { method: 'cash' })).toEqual(['payments', 201])
    expect(await act(`%23${number}`, 'mark-paid', {})).toEqual(['mark-paid', 200])
    expect(await act(number, 'process')).toEqual(['process', 200])
    expect(await act(number, 'complete')).toEqual(['complete', 200])
    expect(await act(number, 'refunds', { manual: true, note: 'by transfer' })).toEqual(['refunds', 201])
    expect(await act(number, 'review', { decision: 'dismiss' })).toEqual(['review', 409])
    const other = await shop.anOrder(orgId, { billingType: 'bank_transfer' })
    expect(await act(other.number, 'cancel')).toEqual(['cancel', 200])
    expect((await shop.getOrder(orgId, other.id)).status).toBe('cancelled')
  })
})

describe('another organization', () => {
  test('can neither read nor change an order on any route', async () => {
    const [mine, theirs] = [await shop.anOrg(), await shop.anOrg()]
    const order = await shop.anOrder(mine, { reference: 'R-1', customer: { phone: '+6281200000009' } })
    const same = await shop.anOrder(theirs, { reference: 'R-1', customer: { phone: '+6281200000009' } })
    expect(same.number).toBe(order.number)
    const tries: [string, string, unknown?][] = [
      ['GET', ''],
      ['POST', '/cancel'],
      ['POST', '/process'],
      ['POST', '/complete'],
      ['POST', '/payments', { method: 'qris' }],
      ['POST', '/mark-paid', {}],
      ['POST', '/refunds', {}],
      ['POST', '/review', { decision: 'accept' }],
    ]
    for (const [method, path, json] of tries) {
      const options = json === undefined ? {} : { json }
      const reply = await shop.call(theirs, method, `/orders/${order.id}${path}`, options)
      expect([path, reply.status, reply.json.code]).toEqual([path, 404, 'order_not_found'])
    }
    for (const query of ['', 'phone=%2B6281200000009', 'reference=R-1', 'q=R-1', 'q=1001', 'status=pending_payment']) {
      const { json } = await shop.call(theirs, 'GET', `/orders?${query}`)
      expect([query, json.data.map((one: { id: string }) => one.id)]).toEqual([query, [same.id]])
    }
    const { next_cursor: cursor } = (await shop.call(mine, 'GET', '/orders?limit=1')).json
    expect(cursor).toBeNull()
    expect((await shop.getOrder(mine, order.id)).status).toBe('pending_payment')
  })
})

test('order routes require orders:read for reading and orders:write for writing', async () => {
  const orgId = await shop.anOrg()
  const readOnly = { scopes: ['orders:read'] as const }
  expect((await shop.call(orgId, 'GET', '/orders', { scopes: ['orders:write'] })).status).toBe(403)
  expect((await shop.call(orgId, 'POST', '/orders', { ...readOnly, json: { billingType: 'qris' } })).status).toBe(403)
  expect((await shop.call(orgId, 'GET', '/orders', readOnly)).status).toBe(200)
})
