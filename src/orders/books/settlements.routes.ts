import { z } from 'zod'
import {
  importSettlements,
  listSettlements,
  readSettlementLines,
  type SettlementRow,
} from '../../payments/settlements/settlements.ts'
import { defineList } from '../../platform/http/define-list.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { csvInvalid } from '../../platform/http/http.errors.ts'
import { csvUpload, uploaded } from '../../platform/http/pipeline/upload.ts'
import { textSchema } from '../../platform/http/schemas.ts'
import type { OrdersContext } from '../orders-context.ts'
import { commonQuery, idsOf } from './books-query.ts'
import {
  Settlement,
  SettlementImport,
  type SettlementView,
  settlementExample,
  settlementImportExample,
} from './settlements.schemas.ts'

const TAG = 'Payments'

const settlementQuery = z.strictObject({
  ...commonQuery,
  status: z.enum(['reported', 'unreported']).optional().meta({ description: 'Whether the fee is known.' }),
  provider: textSchema(40, 1).optional().meta({ description: 'Filter by provider.' }),
})

/** A settlement belongs to one payment, so its id is that of the payment with another prefix. */
const presentSettlement = (row: SettlementRow): SettlementView => ({
  object: 'settlement',
  id: `stl_${row.id.slice('pay_'.length)}`,
  payment_id: row.id,
  order_id: row.order_id,
  provider: row.provider,
  method: row.method,
  channel: row.bank,
  status: row.fee === null ? 'unreported' : 'reported',
  amount: row.amount_paid,
  fee: row.fee,
  net: row.fee === null ? null : row.amount_paid - row.fee,
  difference: row.reported_amount === null ? null : row.reported_amount - row.amount_paid,
  currency: 'IDR',
  settled_on: row.settled_on,
  reference: row.reference,
  paid_at: row.paid_at?.toISOString() ?? null,
})

export const settlementRoutes = (context: OrdersContext) => [
  defineList({
    id: 'listSettlements',
    path: '/settlements',
    tag: TAG,
    summary: 'List settlements',
    description:
      'Payments received through providers, newest first, with the fee and the net amount where the provider has reported them. The amounts are those of the ledger.',
    access: key('orders:read'),
    query: settlementQuery,
    item: Settlement,
    example: { query: { status: 'reported' }, items: [settlementExample] },
    list: 'settlements',
    sort: '-id',
    async read({ caller, filters, limit, position, queries }) {
      const { timezone } = await context.profiles.read(caller.orgId)
      return listSettlements(queries, caller.orgId, {
        isReported: filters.status === undefined ? null : filters.status === 'reported',
        provider: filters.provider ?? null,
        orderId: filters.order_id ?? null,
        ...idsOf('pay', filters, position),
        limit,
        timezone,
      })
    },
    place: ({ id }) => [id],
    present: (rows) => rows.map(presentSettlement),
  }),
  defineRoute({
    id: 'importSettlements',
    method: 'POST',
    path: '/settlements/import',
    tag: TAG,
    summary: 'Import a settlement report',
    description:
      'Reads the settlement report of a provider as CSV and records the fee of each payment. A line names the payment by its id (`payment_id`, `order id`, `reference`) or the id of the provider (`transaction id`), and has two of gross amount, fee and net amount. Usual names of columns are recognised. The ledger does not change; a report that disagrees with it is recorded with `amount_differs`.',
    access: key('orders:write'),
    idempotency: 'transaction',
    query: z.strictObject({
      dry_run: z.boolean().default(false).meta({ description: 'Check the file and record nothing.' }),
    }),
    upload: csvUpload('settlements.csv'),
    reply: { status: 200, body: SettlementImport },
    errors: [csvInvalid],
    example: { reply: settlementImportExample },
    async handle({ tx, caller, file, query }) {
      const now = new Date(context.clock.now())
      const records = readSettlementLines(uploaded(file))
      const lines = await importSettlements(tx, caller.orgId, { records, isDryRun: query.dry_run, now })
      const count = (result: string) => lines.filter((line) => line.result === result).length
      return {
        object: 'settlement_import' as const,
        dry_run: query.dry_run,
        recorded: count('recorded'),
        unchanged: count('unchanged'),
        failed: count('failed'),
        lines,
      }
    },
  }),
]
