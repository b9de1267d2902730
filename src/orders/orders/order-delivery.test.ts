import { describe, expect, test } from 'bun:test'
import { useOrders } from '../../../test/support/orders.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

const shop = useOrders()

const act = (orgId: OrgId, order: Json, action: string, json?: unknown) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, json === undefined ? {} : { json })

const PARCEL = { courier: 'jne', service: 'REG', tracking_number: 'JX1234567890' }
const dayFrom = (days: number) => new Date(shop.clock.now() + days * 86_400_000).toISOString()

describe('delivery', () => {
  test('goes from an address to shipped and delivered, each with one event, and the status stays', async () => {
    const orgId = await shop.anOrg()
    const address = { name: 'Sari', line: 'Jl. Melati 5', district: 'Menteng', postal_code: '10330' }
    const order = await shop.anOrder(orgId, { billingType: 'cod', delivery: { address } })
    expect(order.delivery).toMatchObject({ status: 'pending', address: { ...address, city: null }, courier: null })
    const shipped = await act(orgId, order, 'ship', PARCEL)
    expect([shipped.status, shipped.json.status]).toEqual([200, 'confirmed'])
    expect(shipped.json.delivery).toMatchObject({ status: 'shipped', ...PARCEL, address, delivered_at: null })
    expect(shipped.json.delivery.shipped_at).not.toBeNull()
    expect((await act(orgId, order, 'ship', PARCEL)).json.updated_at).toBe(shipped.json.updated_at)
    const delivered = (await act(orgId, order, 'deliver')).json.delivery
    expect([delivered.status, delivered.shipped_at]).toEqual(['delivered', shipped.json.delivery.shipped_at])
    expect(await shop.previousOf(orgId, 'order.shipped')).toMatchObject({ delivery: { status: 'pending' } })
    const types = await shop.eventTypes(orgId)
    expect(types.filter((type) => /shipped|delivered/.test(type))).toEqual(['order.shipped', 'order.delivered'])
  })

  test('is refused before the order is confirmed, twice, and after it was delivered', async () => {
    const orgId = await shop.anOrg()
    const [open, order] = [await shop.anOrder(orgId), await shop.anOrder(orgId, { billingType: 'cash' })]
    for (const action of ['ship', 'deliver']) {
      const { status, json } = await act(orgId, open, action)
      expect([status, json.code, json.params.status]).toEqual([409, 'order_not_shippable', 'pending_payment'])
    }
    await act(orgId, order, 'ship', PARCEL)
    expect((await act(orgId, order, 'ship', { tracking_number: 'JX2' })).json.code).toBe('order_not_shippable')
    await act(orgId, order, 'deliver')
    expect((await act(orgId, order, 'ship')).json.code).toBe('order_not_shippable')
    expect((await act(orgId, order, 'ship', { tracking_url: 'javascript:alert(1)' })).status).toBe(422)
  })

  test('is corrected by an edit, which keeps what it leaves out', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { billingType: 'cash' })
    await act(orgId, order, 'ship', PARCEL)
    const edit = (json: unknown) => shop.call(orgId, 'PATCH', `/orders/${order.id}`, { json })
    const { json } = await edit({ delivery: { tracking_number: 'JX2' } })
    expect(json.delivery).toMatchObject({ ...PARCEL, tracking_number: 'JX2', status: 'shipped' })
    expect(await shop.previousOf(orgId, 'order.updated')).toMatchObject({
      delivery: { tracking_number: 'JX1234567890' },
    })
    expect((await edit({ delivery: null })).json.delivery).toMatchObject({ status: 'shipped', courier: null })
  })

  test('needs no courier for goods that were collected', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { billingType: 'cash' })
    expect((await act(orgId, order, 'deliver')).json.delivery).toMatchObject({ status: 'delivered', shipped_at: null })
  })
})

describe('the due date', () => {
  test('makes an unpaid order overdue once, until it is paid', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { billingType: 'invoice', due_at: dayFrom(1) })
    expect([order.due_at, order.overdue]).toEqual([order.due_at, false])
    await shop.advance(86_400 + 1)
    expect((await shop.getOrder(orgId, order.id)).overdue).toBe(true)
    await shop.advance(86_400)
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.overdue')).toHaveLength(1)
    await act(orgId, order, 'mark-paid', {})
    expect(await shop.getOrder(orgId, order.id)).toMatchObject({ overdue: false, payment_status: 'paid' })
  })

  test('has no event when the order is paid or cancelled before, or the date was moved', async () => {
    const orgId = await shop.anOrg()
    const fields = { billingType: 'invoice', due_at: dayFrom(1) }
    const [paid, cancelled, moved] = [
      await shop.anOrder(orgId, fields),
      await shop.anOrder(orgId, fields),
      await shop.anOrder(orgId, fields),
    ]
    await act(orgId, paid, 'mark-paid', {})
    await shop.call(orgId, 'POST', `/orders/${cancelled.id}/cancel`)
    await shop.call(orgId, 'PATCH', `/orders/${moved.id}`, { json: { due_at: dayFrom(2) } })
    await shop.advance(86_400 + 1)
    expect(await shop.eventTypes(orgId)).not.toContain('order.overdue')
    await shop.advance(86_400)
    expect((await shop.getOrder(orgId, moved.id)).overdue).toBe(true)
    await shop.call(orgId, 'PATCH', `/orders/${moved.id}`, { json: { due_at: dayFrom(1) } })
    expect((await shop.getOrder(orgId, moved.id)).overdue).toBe(false)
  })

  test('is refused in the past', async () => {
    const orgId = await shop.anOrg()
    const json = { billingType: 'invoice', amount: 1000, due_at: dayFrom(-1) }
    const reply = await shop.call(orgId, 'POST', '/orders', { json })
    expect([reply.status, reply.json.errors[0].pointer]).toEqual([409, '#/due_at'])
  })
})
