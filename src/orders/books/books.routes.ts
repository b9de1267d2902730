import { z } from 'zod'
import { presentPayment } from '../../payments/attempts/attempts.ts'
import { paymentMethods } from '../../payments/payment-connector.ts'
import { paymentNotFound, refundNotFound } from '../../payments/payments.errors.ts'
import { Payment, paidPaymentExample, Refund, refundExample } from '../../payments/payments.schemas.ts'
import { paymentStates, refundStates } from '../../payments/payments.states.ts'
import { getRefundById, listPaymentPage, listRefundPage, sumLedger } from '../../payments/payments.ts'
import { presentRefund } from '../../payments/refunds/refunds.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineRoute, key, type RequestContext } from '../../platform/http/define-route.ts'
import { csvRows } from '../../platform/http/pipeline/csv-answer.ts'
import { idSchema } from '../../platform/http/schemas.ts'
import { findPaymentOfOrder, isOfOrder } from '../orders/orders.ts'
import type { OrdersContext } from '../orders-context.ts'
import { daySchema, SalesReport, SalesReportRow, salesReportExample } from './books.schemas.ts'
import { commonQuery, idsOf } from './books-query.ts'
import { reportSales } from './sales-report.ts'

/** The books of all orders: payments, refunds, and their sums per day. */
const TAG = 'Payments'

const oneOrMore = <const Value extends string>(values: readonly Value[]) =>
  z.array(z.enum(values)).min(1).max(values.length).optional().meta({ description: 'One or more, joined with commas.' })

const paymentQuery = z.strictObject({
  ...commonQuery,
  status: oneOrMore(paymentStates.all),
  method: oneOrMore(paymentMethods),
})

const refundQuery = z.strictObject({ ...commonQuery, status: oneOrMore(refundStates.all) })

const reportQuery = z.strictObject({
  from: daySchema.meta({ description: 'The first day.' }),
  to: daySchema.meta({ description: 'The last day.' }),
  by: z.enum(['day', 'month']).default('day').meta({ description: 'One sum per day or per month.' }),
})

type ReportQuery = z.output<typeof reportQuery>

async function readReport(
  context: OrdersContext,
  { caller, query, queries }: Pick<RequestContext, 'caller' | 'queries'> & { query: ReportQuery },
) {
  const { timezone } = await context.profiles.read(caller.orgId)
  const span = { ...query, timezone }
  return reportSales(span, await sumLedger(queries, caller.orgId, span))
}

export const bookRoutes = (context: OrdersContext) => [
  defineList({
    id: 'listPayments',
    path: '/payments',
    tag: TAG,
    summary: 'List payments',
    description: 'Payments of all orders, newest first. All filters can be combined.',
    access: key('orders:read'),
    query: paymentQuery,
    item: Payment,
    example: { query: { status: 'paid' }, items: [paidPaymentExample] },
    list: 'payments',
    sort: '-id',
    read: ({ caller, filters, limit, position, queries }) =>
      listPaymentPage(queries, caller.orgId, {
        orderId: filters.order_id ?? null,
        statuses: filters.status ?? null,
        methods: filters.method ?? null,
        ...idsOf('pay', filters, position),
        limit,
        shown: isOfOrder(queries, caller.orgId),
      }),
    place: placeById,
    present: (rows) => rows.map((row) => presentPayment(context.payments.context, row)),
  }),
  defineRoute({
    id: 'getPayment',
    method: 'GET',
    path: '/payments/{id}',
    tag: TAG,
    summary: 'Get a payment',
    description: 'Returns one payment.',
    access: key('orders:read'),
    params: z.object({ id: idSchema('pay') }),
    reply: { status: 200, body: Payment },
    errors: [paymentNotFound],
    example: { params: { id: paidPaymentExample.id }, reply: paidPaymentExample },
    async handle({ caller, params, queries }) {
      const row = await findPaymentOfOrder(queries, caller.orgId, params.id)
      if (row === null) throw paymentNotFound({ params: { id: params.id } })
      return presentPayment(context.payments.context, row)
    },
  }),
  defineList({
    id: 'listRefunds',
    path: '/refunds',
    tag: TAG,
    summary: 'List refunds',
    description: 'Refunds of all orders, newest first. All filters can be combined.',
    access: key('orders:read'),
    query: refundQuery,
    item: Refund,
    example: { query: { status: 'requested' }, items: [refundExample] },
    list: 'refunds',
    sort: '-id',
    read: ({ caller, filters, limit, position, queries }) =>
      listRefundPage(queries, caller.orgId, {
        orderId: filters.order_id ?? null,
        statuses: filters.status ?? null,
        ...idsOf('rfd', filters, position),
        limit,
      }),
    place: placeById,
    present: (rows) => rows.map(presentRefund),
  }),
  defineRoute({
    id: 'getRefund',
    method: 'GET',
    path: '/refunds/{id}',
    tag: TAG,
    summary: 'Get a refund',
    description: 'Returns one refund.',
    access: key('orders:read'),
    params: z.object({ id: idSchema('rfd') }),
    reply: { status: 200, body: Refund },
    errors: [refundNotFound],
    example: { params: { id: refundExample.id }, reply: refundExample },
    async handle({ caller, params, queries }) {
      const row = await getRefundById(queries, caller.orgId, params.id)
      if (row === null) throw refundNotFound({ params: { id: params.id } })
      return presentRefund(row)
    },
  }),
  defineRoute({
    id: 'getSalesReport',
    method: 'GET',
    path: '/reports/sales',
    tag: TAG,
    summary: 'Get the sales of a period',
    description:
      'Sums what was received and returned per day or month, by payment method. A payment counts on the day on which the provider received it, in the time zone of the organization.',
    access: key('orders:read'),
    query: reportQuery,
    reply: { status: 200, body: SalesReport },
    example: { query: { from: '2026-11-01', to: '2026-11-30' }, reply: salesReportExample },
    csv: csvRows(SalesReportRow, async (input: RequestContext & { query: ReportQuery }) => {
      const { currency, periods } = await readReport(context, input)
      return periods.flatMap(({ period, methods }) => methods.map((sums) => ({ period, currency, ...sums })))
    }),
    handle: (input) => readReport(context, input),
  }),
]
