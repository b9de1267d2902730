import { beforeEach, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onOnePostgres } from '../../../test/support/cluster.ts'
import { casesOf, known, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { type OrderRow, orderColumns } from '../orders/orders.sql.ts'

/** Orders of the previous version, read by this one after the migration. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg } = casesOf(shop)

const MIGRATION = join(import.meta.dirname, '../../../migrations/earlier/0034_order_settlement.sql')

/** The rows as the previous version wrote them: a reversal counted as a refund, and the newest attempt was shown. */
const DOWNGRADE = `
  alter table orders drop constraint orders_remaining_sane, drop column amount_remaining;
  alter table orders drop column accepted_at;
  update orders set payment_status = case when amount_paid = amount_returned then 'refunded' else 'partially_refunded' end
    where payment_status = 'reversed';
  update orders set payment_id = (select max(id) from payments where payments.org_id = orders.org_id
    and order_id = orders.id)`

const refund = (orgId: OrgId, order: Json, amount: number) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount, manual: true, note: 'by hand' } })

const take = (orgId: OrgId, order: Json, amountReversed: number) =>
  shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed', amountReversed }))

const STORIES: ((orgId: OrgId, order: Json) => Promise<unknown>)[] = [
  async () => {},
  (orgId, order) => shop.sendNotice(orgId, paid(order.payment, { amountPaid: 20_000 })),
  (orgId, order) => shop.sendNotice(orgId, paid(order.payment)),
  (orgId, order) => shop.sendNotice(orgId, paid(order.payment, { amountPaid: 26_000 })),
  async (orgId, order) => {
    await shop.sendNotice(orgId, paid(order.payment))
    await refund(orgId, order, 25_000)
  },
  async (orgId, order) => {
    await shop.sendNotice(orgId, paid(order.payment))
    await refund(orgId, order, 5_000)
    await take(orgId, order, 20_000)
  },
  async (orgId, order) => {
    await shop.sendNotice(orgId, paid(order.payment))
    await take(orgId, order, 8_000)
  },
  // An old code is paid after another attempt was opened.
  async (orgId, order) => {
    await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'virtual_account' } })
    await shop.sendNotice(orgId, paid(order.payment))
    await shop.settle()
  },
  async (orgId, order) => {
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 20_000 }))
    await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
  },
]

onOnePostgres('an upgrade precedes the distribution')(
  'the migration settles existing orders as the server does when they are read after an upgrade',
  async () => {
    const orgId = await remoteOrg()
    for (const story of STORIES) await story(orgId, await shop.anOrder(orgId))
    const open = await shop.anOrder(orgId, { amount: undefined })
    await shop.sendNotice(orgId, paid(open.payment, { amountPaid: 6_000 }))
    await take(orgId, open, 6_000)
    const read = () => shop.database.many<OrderRow>`
    select ${orderColumns(shop.database)} from orders where org_id = ${orgId} order by number`
    const before = await read()
    expect(before.map(({ payment_status }) => payment_status)).toEqual([
      'pending',
      'partially_paid',
      'paid',
      'overpaid',
      'refunded',
      'reversed',
      'reversed',
      'paid',
      'partially_paid',
      'reversed',
    ])
    await shop.database.script(DOWNGRADE)
    await shop.database.script(readFileSync(MIGRATION, 'utf8'))
    // The older version stored no time of the acceptance; the time of its event differs by a moment.
    const settled = (rows: OrderRow[]) => rows.map((row) => ({ ...row, accepted_at: row.accepted_at !== null }))
    expect(settled(await read())).toEqual(settled(before))
  },
)
