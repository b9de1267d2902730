import { parseRupiah } from '../../kernel/rupiah-text.ts'
import { csvInvalid } from '../../platform/http/http.errors.ts'
import { type CsvRecord, readRecords } from '../../platform/http/pipeline/csv-records.ts'
import type { UploadedFile } from '../../platform/http/pipeline/upload.ts'

/**
 * Reads the settlement report of a provider. The names of columns that Xendit documents were read in November 2026: those of its
 * transactions report (`Reference`, `Product ID`, `Type`, `Amount`, `Total Fee`, `Total VAT`, `Net Amount`), its balance report
 * (`Line Type`) and its billing report (`transaction_amount`, `fees_paid_amount`, `vat_paid_amount`). Midtrans documents no columns of
 * its files; the names of its API are read. Others are customary.
 */
export const SETTLEMENT_LINES_MAX = 20_000

const ALIASES = {
  payment_id: [
    ...['order id', 'reference', 'reference id', 'external id', 'merchant reference', 'merchant order id'],
    ...['partner reference no', 'partnerReferenceNo'],
  ],
  product_id: ['payment request id', 'invoice id'],
  provider_id: ['transaction id', 'referenceNo'],
  type: ['transaction type'],
  status: ['transaction status'],
  amount: ['gross amount', 'gross', 'transaction amount', 'payment amount', 'jumlah', 'nominal'],
  fee: [
    ...['total fee', 'fee amount', 'fees paid amount', 'xendit fee', 'xendit fee amount', 'transaction fee'],
    ...['mdr', 'mdr amount', 'biaya', 'admin fee'],
  ],
  tax: [
    ...['vat', 'ppn', 'total vat', 'fee vat', 'vat amount', 'vat paid amount', 'xendit vat amount', 'xendit vat'],
    ...['value added tax', 'tax'],
  ],
  net: ['net amount', 'settlement amount', 'settled amount', 'nett', 'bersih'],
  settled_on: [
    ...['settled at', 'settlement date', 'settlement time', 'settled date', 'payout date', 'tanggal settlement'],
  ],
  settlement_reference: ['settlement id', 'payout id', 'batch id', 'withdrawal id'],
}

const ID_COLUMNS = ['payment_id', 'product_id', 'provider_id']
const AMOUNT_COLUMNS = ['fee', 'net', 'line_type']

/** A file without the columns that are needed is refused as a whole: otherwise each of its lines would fail. */
export function readSettlementLines(file: UploadedFile): CsvRecord[] {
  const { records, columns } = readRecords(file, { aliases: ALIASES, required: [], linesMax: SETTLEMENT_LINES_MAX })
  const has = (names: readonly string[]) => names.some((name) => columns.includes(name))
  const missing = [...(has(ID_COLUMNS) ? [] : ['order id']), ...(has(AMOUNT_COLUMNS) ? [] : ['fee'])]
  if (missing.length > 0)
    throw csvInvalid({
      says: `The first line must name the columns. Missing: ${missing.join(', ')}.`,
      params: { line: 1, missing },
    })
  return columns.includes('line_type') ? joinLines(records) : records
}

/** The ids by which a line may name its payment. */
export const namesOf = (cells: Map<string, string>): string[] => ID_COLUMNS.flatMap((column) => cells.get(column) ?? [])

const OTHER_TYPES = new Set([
  ...['REFUND', 'DISBURSEMENT', 'BATCH_DISBURSEMENT', 'REMITTANCE_PAYOUT', 'WITHDRAWAL', 'TRANSFER', 'TOPUP', 'TOP_UP'],
  ...['PLATFORM_FEE', 'CHARGEBACK'],
])
const FAILED = new Set(['FAILED', 'VOIDED', 'EXPIRE', 'EXPIRED', 'DENY', 'CANCEL', 'CANCELLED'])

const codeOf = (text: string | undefined): string =>
  (text ?? '')
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_')

/** Lists of all transactions have lines about other movements of money, which may name a payment of ours, too. */
export const isOtherMovement = (cells: Map<string, string>): boolean =>
  OTHER_TYPES.has(codeOf(cells.get('type'))) || FAILED.has(codeOf(cells.get('status')))

/** The column of a line of a balance report, by its line type. Reversals belong to refunds. */
const LINE_COLUMNS: Record<string, string> = { TRANSACTION: 'amount', FEE: 'fee', VAT: 'tax' }

/** Two amounts of a column; one that is no amount stays, for its line to be refused. */
function addTexts(before: string | undefined, text: string): string {
  if (before === undefined) return text
  const [one, other] = [parseRupiah(before), parseRupiah(text)]
  if (one === null) return before
  return other === null ? text : String(one + other)
}

/** A balance report has lines for the payment, its fees and their tax: they become one, at the place of the first. */
function joinLines(records: readonly CsvRecord[]): CsvRecord[] {
  const joined = new Map<string, CsvRecord>()
  for (const { line, cells } of records) {
    const column = LINE_COLUMNS[codeOf(cells.get('line_type'))]
    if (column === undefined || isOtherMovement(cells)) continue
    const { amount, ...others } = Object.fromEntries(cells)
    const name = namesOf(cells)[0] ?? String(line)
    const before = joined.get(name) ?? { line, cells: new Map(Object.entries(others)) }
    if (amount !== undefined) before.cells.set(column, addTexts(before.cells.get(column), amount))
    joined.set(name, before)
  }
  return [...joined.values()]
}
