import { type Initiator, recordEvents } from '../events/events.ts'
import type { OrgId } from '../kernel/ids.ts'
import { parseRupiah } from '../kernel/rupiah-text.ts'
import type { Tx } from '../platform/database/database.ts'
import { type CsvRecord, type CsvRecords, readRecords } from '../platform/http/pipeline/csv-records.ts'
import type { UploadedFile } from '../platform/http/pipeline/upload.ts'
import { fieldProblems, inBody } from '../platform/http/pipeline/validation.ts'
import { changedRow, createdEvent, newProductRow, updatedEvent } from './catalogue.ts'
import { IMPORT_LINES_MAX, NewProduct, ProductChange, type ProductImportView } from './products.schemas.ts'
import {
  insertProducts,
  listByRetailerId,
  listBySku,
  lockCatalogue,
  lockProducts,
  type ProductRow,
  saveProducts,
} from './products.sql.ts'
import type { ProductsContext } from './products-context.ts'

/**
 * Imports products from CSV. A line with a known sku changes that product, any other line creates one, so the same file again
 * changes nothing. An empty cell leaves its field as it is. A line that cannot be used is reported, and the others are imported.
 */
const ALIASES = {
  sku: ['kode', 'kode_produk', 'product_code'],
  name: ['nama', 'nama_produk', 'product_name'],
  price: ['harga', 'unit_price'],
  tax_rate: ['pajak', 'tarif_pajak'],
  tax_included: ['termasuk_pajak'],
  image_url: ['gambar', 'image'],
  active: ['aktif'],
  stock: ['stok', 'quantity'],
}

const readers: Record<string, (text: string) => unknown> = {
  sku: (text) => text,
  name: (text) => text,
  price: (text) => parseRupiah(text) ?? text,
  tax_rate: (text) => numberIn(text.replace(/\s*%$/, '').replace(',', '.')),
  tax_included: booleanIn,
  image_url: (text) => text,
  active: booleanIn,
  stock: (text) => parseRupiah(text) ?? text,
  retailer_id: (text) => text,
  metadata: jsonIn,
}

/** Columns of an export that an import cannot set. */
const READ_ONLY = ['id', 'currency', 'created_at', 'updated_at']

function numberIn(text: string): unknown {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

function booleanIn(text: string): unknown {
  const word = text.toLowerCase()
  if (['true', '1', 'yes', 'ya', 'y'].includes(word)) return true
  return ['false', '0', 'no', 'tidak', 'n'].includes(word) ? false : text
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function readProductLines(file: UploadedFile): CsvRecords {
  return readRecords(file, { aliases: ALIASES, required: ['sku'], linesMax: IMPORT_LINES_MAX })
}

type Line = ProductImportView['lines'][number]
type Plan = { inserts: ProductRow[]; updates: { before: ProductRow; after: ProductRow }[]; lines: Line[] }

const failed = (line: number, sku: string | null, code: string, detail: string): Line => ({
  line,
  sku,
  result: 'failed',
  product_id: null,
  code,
  detail,
})

const fieldsOf = ({ cells }: CsvRecord): Record<string, unknown> =>
  Object.fromEntries(
    [...cells].flatMap(([name, text]) => {
      const read = readers[name]
      return read === undefined ? [] : [[name, read(text)]]
    }),
  )

function planLine(
  known: { bySku: Map<string, ProductRow>; byRetailerId: Map<string, string> },
  record: CsvRecord,
  { orgId, nowMs, seen }: { orgId: OrgId; nowMs: number; seen: Map<string, number> },
): Line | { before: ProductRow | null; after: ProductRow } {
  const fields = fieldsOf(record)
  const sku = record.cells.get('sku') ?? null
  const existing = sku === null ? undefined : known.bySku.get(sku)
  const schema = existing === undefined ? NewProduct : ProductChange
  const parsed = schema.safeParse(fields)
  if (!parsed.success) {
    const [problem] = fieldProblems(schema, fields, parsed.error, inBody)
    const column = decodeURIComponent(problem?.pointer?.slice(2) ?? '')
    return failed(record.line, sku, problem?.code ?? 'invalid', `${column}: ${problem?.detail ?? ''}`)
  }
  const earlier = sku === null ? undefined : seen.get(sku)
  if (earlier !== undefined)
    return failed(record.line, sku, 'sku_repeated', `Line ${earlier} has this sku too. Keep one of the lines.`)
  if (sku !== null) seen.set(sku, record.line)
  const after =
    existing === undefined
      ? newProductRow(orgId, NewProduct.parse(fields), nowMs)
      : changedRow(existing, ProductChange.parse(fields), nowMs)
  const holder = known.byRetailerId.get(after.retailer_id)
  if (holder !== undefined && holder !== after.id)
    return failed(record.line, sku, 'retailer_id_taken', `The product ${holder} has this retailer_id.`)
  known.byRetailerId.set(after.retailer_id, after.id)
  return { before: existing ?? null, after }
}

async function planImport(
  { clock }: ProductsContext,
  tx: Tx,
  orgId: OrgId,
  records: readonly CsvRecord[],
): Promise<Plan> {
  const skus = records.flatMap(({ cells }) => cells.get('sku') ?? [])
  const retailerIds = records.flatMap(({ cells }) => cells.get('retailer_id') ?? cells.get('sku') ?? [])
  await lockCatalogue(tx, orgId)
  const found = await listBySku(tx, orgId, skus)
  const locked = await lockProducts(
    tx,
    orgId,
    found.map(({ id }) => id),
  )
  const holders = await listByRetailerId(tx, orgId, retailerIds)
  const known = {
    bySku: new Map(locked.map((row) => [row.sku, row])),
    byRetailerId: new Map(holders.map((row) => [row.retailer_id, row.id])),
  }
  const plan: Plan = { inserts: [], updates: [], lines: [] }
  const around = { orgId, nowMs: clock.now(), seen: new Map<string, number>() }
  for (const record of records) {
    const planned = planLine(known, record, around)
    if ('result' in planned) {
      plan.lines.push(planned)
      continue
    }
    const { before, after } = planned
    const result = before === null ? 'created' : before === after ? 'unchanged' : 'updated'
    plan.lines.push({ line: record.line, sku: after.sku, result, product_id: after.id, code: null, detail: null })
    if (before === null) plan.inserts.push(after)
    else if (before !== after) plan.updates.push({ before, after })
  }
  return plan
}

type Import = { file: CsvRecords; isDryRun: boolean; initiator: Initiator }

export async function importProducts(
  context: ProductsContext,
  tx: Tx,
  orgId: OrgId,
  { file, isDryRun, initiator }: Import,
): Promise<ProductImportView> {
  const { inserts, updates, lines } = await planImport(context, tx, orgId, file.records)
  if (!isDryRun) {
    if (inserts.length > 0) await insertProducts(tx, orgId, inserts)
    if (updates.length > 0)
      await saveProducts(
        tx,
        orgId,
        updates.map(({ after }) => after),
      )
    const events = [
      ...inserts.map((row) => createdEvent(row, initiator)),
      ...updates.map(({ before, after }) => updatedEvent(before, after, initiator)),
    ]
    if (events.length > 0) await recordEvents(tx, orgId, events, context.clock.now())
  }
  const count = (result: Line['result']) => lines.filter((line) => line.result === result).length
  return {
    object: 'product_import',
    dry_run: isDryRun,
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    failed: count('failed'),
    ignored_columns: file.columns
      .filter((name) => readers[name] === undefined && !READ_ONLY.includes(name))
      .slice(0, 100),
    // A product that a dry run would create has no id.
    lines: isDryRun ? lines.map((line) => (line.result === 'created' ? { ...line, product_id: null } : line)) : lines,
  }
}
