import type { Initiator } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { markPaid } from '../orders/orders.ts'
import { statementLineConfirmed, statementLineNotFound } from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import type { StatementEntry } from './statement-file.ts'
import { type StatementImportView, type StatementLineView, SUGGESTIONS_MAX } from './statements.schemas.ts'
import {
  insertLines,
  listKnown,
  listPayables,
  lockLine,
  type NewStatementRow,
  type Payable,
  type StatementRow,
  saveLine,
} from './statements.sql.ts'

/** Imports statement lines, suggests orders for them, and records a line as a payment once a person or a key confirms it. */
type ReportLine = StatementImportView['lines'][number]

export async function importStatement(
  tx: Tx,
  orgId: OrgId,
  { entries, now }: { entries: readonly StatementEntry[]; now: Date },
): Promise<StatementImportView> {
  const rows = entries.flatMap((entry) => ('row' in entry ? [entry.row] : []))
  const known = await listKnown(
    tx,
    orgId,
    rows.map(({ fingerprint }) => fingerprint),
  )
  const knownIds = new Map(known.map(({ id, fingerprint }) => [fingerprint, id]))
  const fresh = rows.filter(({ fingerprint }) => !knownIds.has(fingerprint))
  const added = fresh.length === 0 ? [] : await insertLines(tx, orgId, fresh, now)
  const addedIds = new Set(added.map(({ id }) => id))
  const lines = entries.map((entry) =>
    reportOf(entry, (row) => (addedIds.has(row.id) ? null : (knownIds.get(row.fingerprint) ?? row.id))),
  )
  const count = (result: ReportLine['result']) => lines.filter((line) => line.result === result).length
  return {
    object: 'statement_import',
    added: count('added'),
    duplicates: count('duplicate'),
    outgoing: count('outgoing'),
    failed: count('failed'),
    lines,
  }
}

function reportOf(entry: StatementEntry, earlierId: (row: NewStatementRow) => StatementRow['id'] | null): ReportLine {
  const { line } = entry
  if ('code' in entry)
    return { line, result: 'failed', statement_line_id: null, code: entry.code, detail: entry.detail }
  if (!('row' in entry)) return { line, result: 'outgoing', statement_line_id: null, code: null, detail: null }
  const earlier = earlierId(entry.row)
  const result = earlier === null ? 'added' : 'duplicate'
  return { line, result, statement_line_id: earlier ?? entry.row.id, code: null, detail: null }
}

/** Words of a description without spaces and signs, so that `WEB-2291` is found in `TRF WEB2291`. */
const squeeze = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '')
const NUMBER = /(?<!\d)\d{4,9}(?!\d)/g
const NAME_LENGTH_MIN = 3

const numbersIn = (description: string): number[] => [...description.matchAll(NUMBER)].map(([text]) => Number(text))

type Suggestion = StatementLineView['suggestions'][number]

function suggestOrders(line: Pick<StatementRow, 'amount' | 'description'>, payables: readonly Payable[]): Suggestion[] {
  const squeezed = squeeze(line.description)
  const words = new Set(line.description.toLowerCase().split(/[^\p{L}]+/u))
  const numbers = numbersIn(line.description)
  const suggestions = payables.flatMap((payable): Suggestion[] => {
    const names = (payable.customer_name ?? '').toLowerCase().split(/[^\p{L}]+/u)
    const matches: Suggestion['matches'] = [
      ...(payable.remaining === line.amount ? (['amount'] as const) : []),
      ...(payable.remaining === line.amount && payable.is_unique ? (['unique_amount'] as const) : []),
      ...(numbers.includes(payable.number) ? (['number'] as const) : []),
      ...(payable.reference !== null &&
      squeeze(payable.reference).length > NAME_LENGTH_MIN &&
      squeezed.includes(squeeze(payable.reference))
        ? (['reference'] as const)
        : []),
      ...(names.some((name) => name.length >= NAME_LENGTH_MIN && words.has(name)) ? (['name'] as const) : []),
    ]
    if (!matches.includes('amount') && !matches.includes('number')) return []
    return [
      {
        order_id: payable.order_id,
        order_number: String(payable.number),
        customer_name: payable.customer_name,
        amount_remaining: payable.remaining,
        matches,
      },
    ]
  })
  return suggestions.toSorted((one, other) => weightOf(other) - weightOf(one)).slice(0, SUGGESTIONS_MAX)
}

/** A unique amount decides, whatever else a line has in common with other orders. */
const weightOf = ({ matches }: Suggestion): number => matches.length + (matches.includes('unique_amount') ? 10 : 0)

export async function presentLines(
  queries: Queries,
  orgId: OrgId,
  rows: readonly StatementRow[],
): Promise<StatementLineView[]> {
  const open = rows.filter(({ status }) => status === 'open')
  const amounts = [...new Set(open.map(({ amount }) => amount))]
  const numbers = [...new Set(open.flatMap(({ description }) => numbersIn(description)))]
  const payables = open.length === 0 ? [] : await listPayables(queries, orgId, { amounts, numbers })
  return rows.map((row) => ({
    object: 'statement_line',
    id: row.id,
    date: row.day,
    amount: row.amount,
    currency: 'IDR',
    description: row.description,
    status: row.status,
    order_id: row.order_id,
    payment_id: row.payment_id,
    suggestions: row.status === 'open' ? suggestOrders(row, payables) : [],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }))
}

async function lockOpenLine(tx: Tx, orgId: OrgId, id: string): Promise<StatementRow> {
  const line = await lockLine(tx, orgId, id)
  if (line === null) throw statementLineNotFound({ params: { id } })
  if (line.status === 'confirmed') throw statementLineConfirmed({ params: { order_id: line.order_id } })
  return line
}

/** Records the line as money that staff received for the order. The line is locked first, so that it pays one order only. */
export async function confirmLine(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  { id, orderId, initiator }: { id: string; orderId: string; initiator: Initiator },
): Promise<LockedOrder> {
  const line = await lockOpenLine(tx, orgId, id)
  const note = `Statement of ${line.day}, line ${line.id}`
  const money = { amount: line.amount, isAgain: false, onTop: null, note }
  const order = await markPaid(context, tx, orgId, { id: orderId, initiator, ...money })
  const updated_at = new Date(context.clock.now())
  await saveLine(tx, orgId, {
    id: line.id,
    status: 'confirmed',
    order_id: order.row.id,
    payment_id: order.row.payment_id,
    updated_at,
  })
  return order
}

/** An ignored line can still be confirmed. */
export async function ignoreLine({ clock }: OrdersContext, tx: Tx, orgId: OrgId, id: string): Promise<StatementRow> {
  const line = await lockOpenLine(tx, orgId, id)
  const ignored = { ...line, status: 'ignored' as const, updated_at: new Date(clock.now()) }
  await saveLine(tx, orgId, ignored)
  return ignored
}
