import { expect, test } from 'bun:test'
import type { PaymentRow, RefundRow } from '../../payments/payments-context.ts'
import type { Order } from '../orders-context.ts'
import { dueNotices, type NoticeFacts } from './due-notices.ts'

const NOW = Date.parse('2026-11-15T06:00:00.000Z')

type Given = {
  order?: Partial<Order>
  payment?: Partial<PaymentRow>
  earlier?: Partial<PaymentRow>[]
  refunds?: Partial<RefundRow>[]
  sent?: NoticeFacts['sent']
  hasReminders?: boolean
}

const UNPAID = { amount_paid: 0, amount_refunded: 0, amount_reversed: 0 }

/** Uses an order that awaits payment, with a payable code, unless the case overrides it. */
const due = ({
  order = {},
  payment = {},
  earlier = [],
  refunds = [],
  sent = [],
  hasReminders = true,
}: Given): string[] =>
  dueNotices({
    order: {
      ...{ status: 'pending_payment', payment_status: 'pending', payment_id: 'pay_1', amount_paid: 0 },
      ...{
        amount_returned: 0,
        amount_remaining: 25_000,
        accepted_at: null,
        review_reasons: [],
        delivery: null,
        overdue_at: null,
        ...order,
      },
    } as unknown as Order,
    payments: [
      ...earlier,
      {
        ...UNPAID,
        id: 'pay_1',
        status: 'pending',
        method: 'qris',
        details: {},
        created_at: new Date(NOW - 1000),
        expires_at: new Date(NOW + 1),
        ...payment,
      },
    ] as PaymentRow[],
    refunds: refunds as RefundRow[],
    sent,
    hasReminders,
    nowMs: NOW,
  }).map(({ kind, subject }) => `${kind}:${subject}`)

const SENT = { kind: 'instructions', subject: 'pay_1', message_id: 'msg_1' } as const
const paid = { status: 'confirmed', payment_status: 'paid', amount_paid: 25_000, amount_remaining: 0 } as const

test('the link of an order with a choice is due once, and not the payment that the payer chose', () => {
  const order = { billing_type: 'choice', choice_expires_at: new Date(NOW + 1), payment_id: null } as const
  expect(due({ order })).toEqual(['instructions:choice'])
  expect(due({ order: { ...order, payment_id: 'pay_1' } })).toEqual(['instructions:choice'])
  expect(due({ order, sent: [{ kind: 'instructions', subject: 'choice', message_id: 'msg_1' }] })).toEqual([])
  expect(due({ order: { ...order, choice_expires_at: new Date(NOW) } })).toEqual([])
  expect(due({ order: { ...order, ...paid } })).toEqual(['paid:'])
})

test('an order for cash, cash on delivery or an invoice is announced while nothing was paid', () => {
  const order = { status: 'confirmed', payment_status: 'pending' } as const
  for (const method of ['cash', 'cod', 'invoice'] as const) {
    expect(due({ order, payment: { method } })).toEqual(['announced:pay_1'])
    expect(due({ order: { ...order, ...paid }, payment: { method } })).toEqual(['paid:'])
    expect(due({ order: { ...order, status: 'cancelled' }, payment: { method } })).toEqual([])
  }
  expect(due({ order, payment: { method: 'free' as never } })).toEqual([])
})

test('a reminder is due once, a quarter of the time before the end, and only after instructions were sent', () => {
  const HOUR_MS = 3_600_000
  const living = (hours: number, left: number) => ({
    created_at: new Date(NOW - (hours - left) * HOUR_MS),
    expires_at: new Date(NOW + left * HOUR_MS),
  })
  expect(due({ payment: living(24, 3), sent: [SENT] })).toEqual(['reminder:pay_1'])
  expect(due({ payment: living(24, 3.1), sent: [SENT] })).toEqual([])
  expect(due({ payment: living(1, 0.25), sent: [SENT] })).toEqual(['reminder:pay_1'])
  expect(due({ payment: living(0.5, 0.1), sent: [SENT] })).toEqual([])
  expect(due({ payment: living(24, 3), sent: [SENT], hasReminders: false })).toEqual([])
  expect(due({ payment: living(24, 3), sent: [SENT, { ...SENT, kind: 'reminder' }] })).toEqual([])
  expect(due({ payment: living(24, 3), sent: [{ ...SENT, message_id: null }] })).toEqual([])
  expect(due({ payment: living(24, 3), sent: [SENT], order: paid })).toEqual(['paid:'])
})

test('an overdue order is due for one notice per due date, unless it was paid', () => {
  const order = { overdue_at: new Date(NOW), due_at: new Date(NOW) }
  expect(due({ order, sent: [SENT] })).toEqual(['overdue:2026-11-15T06:00:00.000Z'])
  expect(due({ order, sent: [SENT], hasReminders: false })).toEqual([])
  expect(due({ order: { ...order, ...paid }, sent: [SENT] })).toEqual(['paid:'])
})

test('a delivery is reported by its current state', () => {
  const delivery = (status: string) => ({ ...paid, delivery: { status } }) as unknown as Partial<Order>
  expect(due({ order: delivery('pending') })).toEqual(['paid:'])
  expect(due({ order: delivery('shipped') })).toEqual(['paid:', 'shipped:'])
  expect(due({ order: delivery('delivered') })).toEqual(['paid:', 'delivered:'])
  expect(due({ order: { ...delivery('shipped'), status: 'cancelled' } })).not.toContain('shipped:')
})

test('payment instructions are due only while the attempt can be paid', () => {
  expect(due({})).toEqual(['instructions:pay_1'])
  expect(due({ payment: { expires_at: null } })).toEqual(['instructions:pay_1'])
  expect(due({ payment: { expires_at: new Date(NOW) } })).toEqual([])
  for (const status of ['created', 'failed', 'expired', 'cancelled', 'paid'] as const)
    expect(due({ payment: { status } })).toEqual([])
  expect(due({ payment: { details: null } })).toEqual([])
  for (const status of ['draft', 'cancelled'] as const) expect(due({ order: { status } })).toEqual([])
  // The order was fulfilled on account and is now paid by a code.
  expect(due({ order: { status: 'completed' } })).toEqual(['instructions:pay_1'])
  expect(due({ order: paid })).toEqual(['paid:'])
  expect(due({ order: { payment_id: 'pay_2' } })).toEqual([])
  // Money was received by an older code, so this one, which is being ended, asks for more than the remaining amount.
  const order = { payment_status: 'partially_paid', amount_paid: 10_000, amount_remaining: 15_000 } as const
  const asks = (amount: number, is_manual = false) =>
    due({ order, payment: { ...UNPAID, amount, is_manual } }).filter((notice) => notice !== 'partly_paid:10000')
  expect([asks(15_000), asks(15_001), asks(25_000, true)]).toEqual([['instructions:pay_1'], [], ['instructions:pay_1']])
  for (const method of ['cash', 'cod', 'invoice'] as const) expect(due({ payment: { method } })).toEqual([])
})

test('a notice is not due again when it was recorded, even without a message', () => {
  expect(due({ sent: [SENT] })).toEqual([])
  expect(due({ sent: [{ ...SENT, message_id: null }] })).toEqual([])
  expect(due({ sent: [{ ...SENT, subject: 'pay_0' }] })).toEqual(['instructions:pay_1'])
})

test('received money is notified as it adds up, and as late when the order expired', () => {
  const over = { status: 'paid' } as const
  const partly = (amount_paid: number) => ({ payment_status: 'partially_paid', amount_paid }) as const
  expect(due({ order: partly(10_000), payment: over })).toEqual(['partly_paid:10000'])
  const sent = [{ kind: 'partly_paid', subject: '10000', message_id: 'msg_1' }] as const
  expect(due({ order: partly(15_000), payment: over, sent })).toEqual(['partly_paid:15000'])
  expect(due({ order: { ...paid, payment_status: 'overpaid' }, payment: over })).toEqual(['paid:'])
  const late = { ...paid, status: 'expired', review_reasons: ['late_payment'] } as const
  expect(due({ order: { ...late, review_reasons: ['late_payment'] }, payment: over })).toEqual(['late:'])
  // The shop refunds late money automatically: a notice is due once the refund succeeded or failed.
  expect(due({ order: { ...late, review_reasons: [] }, payment: over })).toEqual([])
  expect(due({ order: { ...late, review_reasons: ['refund_failed'] }, payment: over })).toEqual(['late:'])
  const refunded = { ...late, payment_status: 'refunded' } as const
  const returned = { ...refunded, review_reasons: [], amount_returned: 25_000 }
  expect(due({ order: returned, payment: over })).toEqual([])
})

test('a reversal is notified with each change of the debt, and the payment after it once more', () => {
  const sent = [{ kind: 'paid', subject: '', message_id: 'msg_1' }] as const
  const taken = { status: 'reversed', amount_paid: 25_000, amount_reversed: 25_000 } as const
  const order = { ...paid, payment_status: 'reversed', amount_returned: 25_000, amount_remaining: 25_000 } as const
  expect(due({ order, payment: taken, sent })).toEqual(['reversed:25000:25000'])
  const reversal = { kind: 'reversed', subject: '25000:25000', message_id: 'msg_2' } as const
  expect(due({ order, payment: taken, sent: [...sent, reversal] })).toEqual([])
  const part = { ...order, amount_paid: 35_000, amount_remaining: 15_000 }
  const earlier = [{ ...taken, id: 'pay_0' as const }]
  expect(due({ order: part, payment: { status: 'paid' }, earlier, sent: [...sent, reversal] })).toEqual([
    'reversed:25000:35000',
  ])
  const again = { ...paid, amount_paid: 50_000, amount_returned: 25_000 }
  expect(due({ order: again, payment: { status: 'paid' }, earlier, sent: [...sent, reversal] })).toEqual([
    'paid:again:1',
  ])
})

test('a reversal is not notified when it left no debt, or when the shop accepted the loss', () => {
  const sent = [{ kind: 'paid', subject: '', message_id: 'msg_1' }] as const
  const earlier = [{ id: 'pay_0' as const, status: 'reversed', amount_reversed: 25_000 } as const]
  const surplus = { ...paid, amount_paid: 50_000, amount_returned: 25_000 }
  expect(due({ order: surplus, payment: { status: 'paid' }, earlier, sent })).toEqual([])
  const loss = { ...paid, payment_status: 'reversed', amount_returned: 25_000, accepted_at: new Date(NOW) } as const
  expect(due({ order: loss, payment: { status: 'reversed' }, sent })).toEqual([])
})

test('the end of an order is notified when the customer received payment instructions', () => {
  const over = { status: 'expired' } as const
  const order = { status: 'expired', payment_status: 'unpaid' } as const
  expect(due({ order, payment: over, sent: [SENT] })).toEqual(['expired:'])
  const cancelled = { order: { status: 'cancelled' }, payment: { status: 'cancelled' } } as const
  expect(due({ ...cancelled, sent: [SENT] })).toEqual(['cancelled:'])
  expect(due(cancelled)).toEqual([])
})

test('each refund is notified after all other notices when it succeeded', () => {
  const refunds: Partial<RefundRow>[] = [
    { id: 'rfd_1', status: 'succeeded', amount: 5_000 },
    { id: 'rfd_2', status: 'pending', amount: 7_000 },
    { id: 'rfd_3', status: 'failed', amount: 9_000 },
  ]
  const order = { ...paid, payment_status: 'partially_refunded', amount_returned: 5_000 } as const
  expect(due({ order, payment: { status: 'paid' }, refunds })).toEqual(['paid:', 'refunded:rfd_1'])
  expect(due({ order: paid, payment: { status: 'paid' }, refunds })).toEqual(['paid:', 'refunded:rfd_1'])
})
