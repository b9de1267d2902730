import { describe, expect, test } from 'bun:test'
import { useOrders } from '../../../test/support/orders.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { parseDay } from '../../platform/http/csv/csv-days.ts'

const shop = useOrders()

async function manualOrg() {
  const orgId = await shop.anOrg()
  await shop.anAccount(orgId, 'manual')
  return orgId
}

const transfer = (orgId: OrgId, fields: object) => shop.anOrder(orgId, { billingType: 'bank_transfer', ...fields })
const send = (orgId: OrgId, body: string) =>
  shop.call(orgId, 'POST', '/statements', { body, headers: { 'content-type': 'text/csv' } })
const list = async (orgId: OrgId, query = '') => (await shop.call(orgId, 'GET', `/statements${query}`)).json.data
const confirm = (orgId: OrgId, id: string, orderId: string, headers: Record<string, string> = {}) =>
  shop.call(orgId, 'POST', `/statements/${id}/confirm`, { json: { order_id: orderId }, headers })

describe('POST /statements', () => {
  test('stores money that arrived, once per line, and reports each line', async () => {
    const orgId = await manualOrg()
    const file = `Tanggal;Keterangan;Mutasi
14/11/2026;"TRSF E-BANKING CR BUDI";"65,000.00 CR"
14/11/2026;"TRSF E-BANKING CR BUDI";"65,000.00 CR"
14/11/2026;BIAYA ADM;"5,000.00 DB"
kemarin;X;1.000
15/11/2026;X;banyak
`
    const first = (await send(orgId, file)).json
    expect([first.added, first.duplicates, first.outgoing, first.failed]).toEqual([2, 0, 1, 2])
    expect(first.lines.slice(3).map(({ line, code }: Json) => [line, code])).toEqual([
      [5, 'date_invalid'],
      [6, 'amount_invalid'],
    ])
    const again = (await send(orgId, file)).json
    expect([again.added, again.duplicates]).toEqual([0, 2])
    expect(again.lines[0].statement_line_id).toBe(first.lines[0].statement_line_id)
    expect((await list(orgId)).map(({ date, amount }: Json) => [date, amount])).toEqual([
      ['2026-11-14', 65_000],
      ['2026-11-14', 65_000],
    ])
    expect(await list(await manualOrg())).toEqual([])
  })

  test('reads statements with a column for each direction', async () => {
    const orgId = await manualOrg()
    const { json } = await send(orgId, 'Date,Description,Debit,Credit\n2026-11-14,A,0,70000\n2026-11-14,B,5000,0\n')
    expect([json.added, json.outgoing]).toEqual([1, 1])
  })
})

describe('a statement line', () => {
  test('suggests the orders with its amount or number, the best first, and marks nothing as paid', async () => {
    const orgId = await manualOrg()
    const other = await transfer(orgId, { amount: 65_000, customer: { name: 'Sari' } })
    const meant = await transfer(orgId, { amount: 65_000, customer: { name: 'Budi Santoso' } })
    await transfer(orgId, { amount: 10_000 })
    await send(orgId, `date,description,amount\n2026-11-14,TRSF BUDI ${meant.number},65000\n`)
    const [line] = await list(orgId, '?status=open')
    expect(line.suggestions.map(({ order_id, matches }: Json) => [order_id, matches])).toEqual([
      [meant.id, ['amount', 'number', 'name']],
      [other.id, ['amount']],
    ])
    expect((await shop.getOrder(orgId, meant.id)).payment_status).toBe('pending')
  })

  test('pays one order when it is confirmed, through the ledger, also when two requests race', async () => {
    const orgId = await manualOrg()
    const orders = [await transfer(orgId, { amount: 65_000 }), await transfer(orgId, { amount: 65_000 })] as const
    await send(orgId, 'date,description,amount\n2026-11-14,TRSF,65000\n')
    const [line] = await list(orgId)
    const replies = await Promise.all(orders.map(({ id }) => confirm(orgId, line.id, id)))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(replies.find(({ status }) => status === 409)?.json.code).toBe('statement_line_confirmed')
    const paid = replies.find(({ status }) => status === 200)?.json
    expect(paid).toMatchObject({ payment_status: 'paid', amount_paid: 65_000 })
    expect(paid.ledger).toMatchObject([
      { amount: 65_000, source: 'staff', note: `Statement of 2026-11-14, line ${line.id}` },
    ])
    expect(await list(orgId)).toMatchObject([
      { status: 'confirmed', order_id: paid.id, payment_id: paid.payment.id, suggestions: [] },
    ])
    expect(await list(orgId, '?status=open')).toEqual([])
  })

  test('stays open when the order cannot take the money, and needs the scope to be confirmed', async () => {
    const orgId = await manualOrg()
    const order = await transfer(orgId, { amount: 65_000 })
    await send(orgId, 'date,description,amount\n2026-11-14,A,65000\n2026-11-15,B,65000\n')
    const [second, first] = await list(orgId)
    expect((await confirm(orgId, first.id, order.id)).status).toBe(200)
    expect((await confirm(orgId, second.id, order.id)).json.code).toBe('order_already_paid')
    expect((await list(orgId, '?status=open')).map(({ id }: Json) => id)).toEqual([second.id])
    const json = { order_id: order.id }
    const scopes = ['orders:read'] as const
    expect((await shop.call(orgId, 'POST', `/statements/${second.id}/confirm`, { json, scopes })).status).toBe(403)
    expect((await confirm(await manualOrg(), second.id, order.id)).json.code).toBe('statement_line_not_found')
    const ignored = await shop.call(orgId, 'POST', `/statements/${second.id}/ignore`)
    expect(ignored.json.status).toBe('ignored')
  })
})

test.each([
  ['2026-11-14', '2026-11-14'],
  ['14/11/2026 09:30', '2026-11-14'],
  ['14-11-26', '2026-11-14'],
  ['14 Nov 2026', '2026-11-14'],
  ['1 Agustus 2026', '2026-08-01'],
  ['31/02/2026', null],
  ['yesterday', null],
])('%p is the day %p', (text, day) => expect(parseDay(text)).toBe(day))
