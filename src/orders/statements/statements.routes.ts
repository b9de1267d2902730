import { z } from 'zod'
import { initiatorOf } from '../../events/events.ts'
import { movementExample, paidPaymentExample } from '../../payments/payments.schemas.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { csvInvalid, valueRefused } from '../../platform/http/http.errors.ts'
import { csvUpload, uploaded } from '../../platform/http/pipeline/upload.ts'
import { cursorParameter, idSchema, limitParameter } from '../../platform/http/schemas.ts'
import { OrderWithPayments, orderExample } from '../orders/orders.schemas.ts'
import { presentLocked } from '../orders/orders.ts'
import {
  orderAlreadyPaid,
  orderNotFound,
  orderNotManual,
  statementLineConfirmed,
  statementLineNotFound,
} from '../orders.errors.ts'
import type { OrdersContext } from '../orders-context.ts'
import { readStatement } from './statement-file.ts'
import { confirmLine, ignoreLine, importStatement, presentLines } from './statement-lines.ts'
import {
  StatementConfirmation,
  StatementImport,
  StatementLine,
  statementImportExample,
  statementLineExample,
  statementStatuses,
} from './statements.schemas.ts'
import { listLines } from './statements.sql.ts'

/** Bank statements, against which transfers to the shop's own account are checked. */
const TAG = 'Payments'
const paidOrderExample = {
  ...orderExample,
  status: 'confirmed' as const,
  payment_status: 'paid' as const,
  amount_paid: 65000,
  amount_remaining: 0,
  payment: paidPaymentExample,
  payments: [paidPaymentExample],
  ledger: [movementExample],
}
const params = z.object({ id: idSchema('stm') })

export const statementRoutes = (context: OrdersContext) => [
  defineRoute({
    id: 'importStatement',
    method: 'POST',
    path: '/statements',
    tag: TAG,
    summary: 'Import a bank statement',
    description:
      'Reads a bank statement as CSV: date, description and amount, with the usual names of columns of Indonesian banks. Stores money that arrived, each line once, however often a file is imported. Nothing is marked as paid: `GET /statements` suggests orders, and you confirm each line.',
    access: key('orders:write'),
    idempotency: 'transaction',
    upload: csvUpload('statement.csv'),
    reply: { status: 200, body: StatementImport },
    errors: [csvInvalid],
    example: { reply: statementImportExample },
    handle({ tx, caller, file }) {
      const nowMs = context.clock.now()
      const entries = readStatement(uploaded(file), nowMs)
      return importStatement(tx, caller.orgId, { entries, now: new Date(nowMs) })
    },
  }),
  defineList({
    id: 'listStatementLines',
    path: '/statements',
    tag: TAG,
    summary: 'List statement lines',
    description: 'Lines of imported bank statements, newest first, with the orders that each open line may pay.',
    access: key('orders:read'),
    query: z.strictObject({
      limit: limitParameter,
      cursor: cursorParameter,
      status: z.enum(statementStatuses).optional().meta({ description: 'Filter by status.' }),
    }),
    item: StatementLine,
    example: { query: { status: 'open' }, items: [statementLineExample] },
    list: 'statement_lines',
    sort: '-id',
    read: ({ caller, filters, limit, position, queries }) =>
      listLines(queries, caller.orgId, {
        status: filters.status ?? null,
        beforeId: position === null ? null : String(position[0]),
        limit,
      }),
    place: placeById,
    present: (rows, { caller, queries }) => presentLines(queries, caller.orgId, rows),
  }),
  defineRoute({
    id: 'confirmStatementLine',
    method: 'POST',
    path: '/statements/{id}/confirm',
    tag: TAG,
    summary: 'Confirm a statement line',
    description:
      'Records the line as a payment of the order, as `POST /orders/{id}/mark-paid` does with its amount, and returns the order. A line pays one order.',
    access: key('orders:write'),
    idempotency: 'transaction',
    params,
    body: StatementConfirmation,
    reply: { status: 200, body: OrderWithPayments },
    errors: [
      statementLineNotFound,
      statementLineConfirmed,
      orderNotFound,
      orderAlreadyPaid,
      orderNotManual,
      valueRefused,
    ],
    example: {
      params: { id: statementLineExample.id },
      body: { order_id: paidOrderExample.id },
      reply: paidOrderExample,
    },
    async handle({ tx, params: { id }, body, ...request }) {
      const confirmed = { id, orderId: body.order_id, initiator: initiatorOf(request) }
      return presentLocked(context, tx, await confirmLine(context, tx, request.caller.orgId, confirmed))
    },
  }),
  defineRoute({
    id: 'ignoreStatementLine',
    method: 'POST',
    path: '/statements/{id}/ignore',
    tag: TAG,
    summary: 'Ignore a statement line',
    description: 'Marks a line that pays no order, so that it is no longer listed as open.',
    access: key('orders:write'),
    idempotency: 'transaction',
    params,
    reply: { status: 200, body: StatementLine },
    errors: [statementLineNotFound, statementLineConfirmed],
    example: {
      params: { id: statementLineExample.id },
      reply: { ...statementLineExample, status: 'ignored', suggestions: [] },
    },
    async handle({ tx, caller, params: { id } }) {
      const [line] = await presentLines(tx, caller.orgId, [await ignoreLine(context, tx, caller.orgId, id)])
      if (line === undefined) throw statementLineNotFound({ params: { id } })
      return line
    },
  }),
]
