import { expect, test } from 'bun:test'
import type { PaymentRow, RefundRow } from '../payments/payments-context.ts'
import { dueNotices, type NoticeFacts } from './due-notices.ts'
import type { Order } from './orders-context.ts'

const NOW = Date.parse('2026-11-15T06:00:00.000Z')

type Given = {
  order?: Partial<Order>
  payment?: Partial<PaymentRow>
  earlier?: Partial<PaymentRow>[]
  refunds?: Partial<RefundRow>[]
  money?: NoticeFacts['money']
  told?: NoticeFacts['told']
}

const UNPAID = { amount_paid: 0, amount_refunded: 0, amount_reversed: 0 }
const OWED = { standing: 0, reversed: 0, left: 25_000 }

/** An order that waits, with a code that can be paid, unless the case says otherwise. */
const due = ({ order = {}, payment = {}, earlier = [], refunds = [], money = OWED, told = [] }: Given): string[] =>
  dueNotices({
    order: {
      ...{ status: 'pending_payment', payment_status: 'pending', payment_id: 'pay_1', amount_paid: 0 },
      ...{ amount_returned: 0, review_reasons: [], ...order },
    } as unknown as Order,
    payments: [
      ...earlier,
      { id: 'pay_1', status: 'pending', method: 'qris', details: {}, expires_at: new Date(NOW + 1), ...payment },
    ] as PaymentRow[],
    money,
    refunds: refunds as RefundRow[],
    told,
    nowMs: NOW,
  }).map(({ kind, subject }) => `${kind}:${subject}`)

const TOLD = { kind: 'instructions', subject: 'pay_1', message_id: 'msg_1' } as const
const paid = { status: 'confirmed', payment_status: 'paid', amount_paid: 25_000 } as const

test('how to pay is told only while it can be paid', () => {
  expect(due({})).toEqual(['instructions:pay_1'])
  expect(due({ payment: { expires_at: null } })).toEqual(['instructions:pay_1'])
  expect(due({ payment: { expires_at: new Date(NOW) } })).toEqual([])
  for (const status of ['created', 'failed', 'expired', 'cancelled', 'paid'] as const)
    expect(due({ payment: { status } })).toEqual([])
  expect(due({ payment: { details: null } })).toEqual([])
  for (const status of ['draft', 'cancelled'] as const) expect(due({ order: { status } })).toEqual([])
  // Fulfilled on account, and now to be paid by a code.
  expect(due({ order: { status: 'completed' } })).toEqual(['instructions:pay_1'])
  expect(due({ order: paid })).toEqual(['paid:'])
  expect(due({ order: { payment_id: 'pay_2' } })).toEqual([])
  // Money came by an older code, so that this one, which is being ended, asks for more than is owed.
  const order = { payment_status: 'partially_paid', amount_paid: 10_000 } as const
  const money = { standing: 10_000, reversed: 0, left: 15_000 }
  const asks = (amount: number, is_manual = false) =>
    due({ order, money, payment: { ...UNPAID, amount, is_manual } }).filter((notice) => notice !== 'partly_paid:10000')
  expect([asks(15_000), asks(15_001), asks(25_000, true)]).toEqual([['instructions:pay_1'], [], ['instructions:pay_1']])
  for (const method of ['cash', 'cod', 'invoice'] as const) expect(due({ payment: { method } })).toEqual([])
})

test('what was told is not told again, also when it was passed over', () => {
  expect(due({ told: [TOLD] })).toEqual([])
  expect(due({ told: [{ ...TOLD, message_id: null }] })).toEqual([])
  expect(due({ told: [{ ...TOLD, subject: 'pay_0' }] })).toEqual(['instructions:pay_1'])
})

test('money is told as it adds up, and money of an order that was given up as late', () => {
  const over = { status: 'paid' } as const
  const partly = (amount_paid: number) => ({ payment_status: 'partially_paid', amount_paid }) as const
  expect(due({ order: partly(10_000), payment: over })).toEqual(['partly_paid:10000'])
  const told = [{ kind: 'partly_paid', subject: '10000', message_id: 'msg_1' }] as const
  expect(due({ order: partly(15_000), payment: over, told })).toEqual(['partly_paid:15000'])
  expect(due({ order: { ...paid, payment_status: 'overpaid' }, payment: over })).toEqual(['paid:'])
  const late = { ...paid, status: 'expired', review_reasons: ['late_payment'] } as const
  expect(due({ order: { ...late, review_reasons: ['late_payment'] }, payment: over })).toEqual(['late:'])
  // By its own wish the shop gives late money back: there is news once that has worked, or has not.
  expect(due({ order: { ...late, review_reasons: [] }, payment: over })).toEqual([])
  expect(due({ order: { ...late, review_reasons: ['refund_failed'] }, payment: over })).toEqual(['late:'])
  const returned = { ...late, review_reasons: [], amount_returned: 25_000 }
  expect(due({ order: returned, payment: over })).toEqual([])
})

test('money that makes up for what a bank took back is told as well, and other money after it once', () => {
  const told = [{ kind: 'paid', subject: '', message_id: 'msg_1' }] as const
  const order = { ...paid, amount_paid: 50_000, amount_returned: 25_000 }
  const [taken, kept] = [
    { id: 'pay_0', status: 'reversed', amount_reversed: 25_000, paid_at: new Date(NOW - 10_000) } as const,
    { status: 'paid', created_at: new Date(NOW - 5_000) } as const,
  ]
  expect(due({ order, payment: kept, earlier: [taken], told })).toEqual(['paid:pay_1'])
  // Of the first a part had been given back on purpose, and what the bank took came again.
  const less = { ...order, payment_status: 'partially_refunded', amount_paid: 45_000 } as const
  const money = { standing: 20_000, reversed: 20_000, left: 0 }
  expect(due({ order: less, payment: kept, earlier: [taken], money, told })).toEqual(['paid:pay_1'])
  expect(due({ order: less, payment: kept, earlier: [taken], money: { ...money, left: 1 }, told })).toEqual([])
  // Given back on purpose: a payment that came twice.
  expect(due({ order, payment: kept, earlier: [{ ...taken, status: 'paid', amount_reversed: 0 }], told })).toEqual([])
  // The bank took the first of two that had both come.
  expect(due({ order, payment: { ...kept, created_at: new Date(NOW - 20_000) }, earlier: [taken], told })).toEqual([])
  // The bank took the second of two.
  const first = { ...taken, status: 'paid', amount_reversed: 0 } as const
  const second = { status: 'reversed', amount_reversed: 25_000 } as const
  expect(due({ order, payment: second, earlier: [first], told })).toEqual([])
})

test('the end is told to those who were asked to pay', () => {
  const over = { status: 'expired' } as const
  const order = { status: 'expired', payment_status: 'unpaid' } as const
  expect(due({ order, payment: over, told: [TOLD] })).toEqual(['expired:'])
  const cancelled = { order: { status: 'cancelled' }, payment: { status: 'cancelled' } } as const
  expect(due({ ...cancelled, told: [TOLD] })).toEqual(['cancelled:'])
  expect(due(cancelled)).toEqual([])
})

test('each refund is told when it has succeeded, after everything else', () => {
  const refunds: Partial<RefundRow>[] = [
    { id: 'rfd_1', status: 'succeeded', amount: 5_000 },
    { id: 'rfd_2', status: 'pending', amount: 7_000 },
    { id: 'rfd_3', status: 'failed', amount: 9_000 },
  ]
  const order = { ...paid, payment_status: 'partially_refunded', amount_returned: 5_000 } as const
  expect(due({ order, payment: { status: 'paid' }, refunds })).toEqual(['refunded:rfd_1'])
  expect(due({ order: paid, payment: { status: 'paid' }, refunds })).toEqual(['paid:', 'refunded:rfd_1'])
})
