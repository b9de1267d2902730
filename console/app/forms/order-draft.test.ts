import { expect, test } from 'bun:test'
import type { Order } from '../api/orders.ts'
import { changesOf, draftOf, emptyDraft, type OrderDraft, orderOf, totalOf } from './order-draft.ts'

const aDraft = (fields: Partial<OrderDraft>): OrderDraft => ({ ...emptyDraft, method: 'qris', ...fields })
const coffee = { key: 0, name: ' Kopi ', quantity: 2, price: 28000 }

test('the total is items, shipping and tax less the discount, and never below nothing', () => {
  expect(totalOf(aDraft({ items: [coffee], shipping: 10000, discount: '5000', tax: 6160 }))).toBe(67160)
  expect(totalOf(aDraft({ items: [coffee], discount: 99000 }))).toBe(0)
  expect(totalOf(emptyDraft)).toBe(0)
})

test('only what was filled in is sent, without the spaces around it', () => {
  expect(orderOf(aDraft({ items: [coffee] }))).toEqual({
    billingType: 'qris',
    items: [{ name: 'Kopi', quantity: 2, unit_price: 28000 }],
    notify: true,
  })
  expect(
    orderOf(
      aDraft({
        items: [coffee],
        shipping: 9000,
        discount: 1000,
        tax: 500,
        phone: ' 0812 ',
        reference: ' A-1 ',
        note: ' ',
      }),
    ),
  ).toEqual({
    billingType: 'qris',
    items: [{ name: 'Kopi', quantity: 2, unit_price: 28000 }],
    shipping: 9000,
    discount: 1000,
    tax: 500,
    customer: { phone: '0812' },
    notify: true,
    reference: 'A-1',
  })
})

test('an amount goes without items, and where the payer decides neither goes', () => {
  const items = [coffee]
  expect(orderOf(aDraft({ kind: 'amount', items, amount: '25000', shipping: 9000 }))).toEqual({
    billingType: 'qris',
    amount: 25000,
    notify: true,
  })
  expect(orderOf(aDraft({ kind: 'open', items, amount: 25000 }))).toEqual({ billingType: 'qris', notify: true })
})

test('a bank goes with the payment', () => {
  expect(orderOf(aDraft({ method: 'virtual_account', bank: 'bri', kind: 'amount', amount: 1 }))).toMatchObject({
    billingType: 'virtual_account',
    payment: { bank: 'bri' },
  })
  expect(orderOf(aDraft({ method: 'ewallet', bank: 'gopay', kind: 'amount', amount: 1 }))).toMatchObject({
    payment: { channel: 'gopay' },
  })
})

test('an edit sends only what was changed, and keeps the codes of the items', () => {
  const order = {
    items: [{ sku: 'K-1', name: 'Kopi', quantity: 2, unit_price: 28000, subtotal: 56000 }],
    total: 56000,
    discount: 0,
    shipping: 0,
    tax: 0,
    customer: { name: 'Sari', phone: '+6281311112222', contact_id: null },
    reference: null,
    note: 'Pagi',
    notify: true,
    due_at: null,
    delivery: null,
  } as unknown as Order
  const before = draftOf(order)
  expect(changesOf(before, before)).toEqual({})
  expect(changesOf({ ...before, note: ' ', name: 'Sari W' }, before)).toEqual({
    customer: { name: 'Sari W' },
    note: null,
  })
  expect(changesOf({ ...before, due: '2026-11-30' }, before)).toEqual({ due_at: '2026-11-30T16:59:59.000Z' })
  expect(changesOf({ ...before, shipping: 9000 }, before)).toEqual({
    items: [{ sku: 'K-1', name: 'Kopi', quantity: 2, unit_price: 28000 }],
    shipping: 9000,
    discount: 0,
    tax: 0,
  })
  expect(changesOf({ ...before, kind: 'amount', amount: 50000 }, before)).toEqual({ items: [], amount: 50000 })
})
