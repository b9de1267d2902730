import { type Initiator, recordEvents } from '../events/events.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { productNotFound, productRetailerIdTaken, productSkuTaken } from './products.errors.ts'
import { productEvents } from './products.events.ts'
import type { NewProductInput, ProductChangeInput, ProductView } from './products.schemas.ts'
import {
  deleteProduct as deleteRow,
  findProduct,
  insertProducts,
  listByRetailerId,
  listBySku,
  lockCatalogue,
  lockProduct,
  type ProductRow,
  saveProducts,
} from './products.sql.ts'
import type { ProductsContext } from './products-context.ts'

/** Creates, edits and deletes products. Orders keep the names and prices with which they were created. */
const HUNDREDTHS = 100

export const presentProduct = (row: ProductRow): ProductView => ({
  object: 'product',
  id: row.id,
  sku: row.sku,
  name: row.name,
  price: row.price,
  currency: 'IDR',
  tax_rate: row.tax_rate_bps === null ? null : row.tax_rate_bps / HUNDREDTHS,
  tax_included: row.tax_included,
  image_url: row.image_url,
  active: row.active,
  stock: row.stock,
  retailer_id: row.retailer_id,
  metadata: row.metadata,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export async function getProduct(queries: Queries, orgId: OrgId, id: string): Promise<ProductRow> {
  const row = await findProduct(queries, orgId, id)
  if (row === null) throw productNotFound({ params: { id } })
  return row
}

/** The lock that an edit takes first. An order takes only the row. */
export async function lockForEdit(tx: Tx, orgId: OrgId, id: string): Promise<ProductRow | null> {
  await lockCatalogue(tx, orgId)
  return lockProduct(tx, orgId, id)
}

export function newProductRow(orgId: OrgId, input: NewProductInput, nowMs: number): ProductRow {
  const now = new Date(nowMs)
  return {
    org_id: orgId,
    id: newId('prd', nowMs),
    sku: input.sku,
    retailer_id: input.retailer_id ?? input.sku,
    name: input.name,
    price: input.price,
    tax_rate_bps: bpsOf(input.tax_rate ?? null),
    tax_included: input.tax_included ?? true,
    image_url: input.image_url ?? null,
    active: input.active ?? true,
    stock: input.stock ?? null,
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  }
}

const bpsOf = (percent: number | null): number | null => (percent === null ? null : Math.round(percent * HUNDREDTHS))

/** A retailer id that is the sku follows a new sku. */
export function changedRow(row: ProductRow, change: ProductChangeInput, nowMs: number): ProductRow {
  const sku = change.sku ?? row.sku
  const next: ProductRow = {
    ...row,
    sku,
    retailer_id: change.retailer_id ?? (row.retailer_id === row.sku ? sku : row.retailer_id),
    name: change.name ?? row.name,
    price: change.price ?? row.price,
    tax_rate_bps: change.tax_rate === undefined ? row.tax_rate_bps : bpsOf(change.tax_rate),
    tax_included: change.tax_included ?? row.tax_included,
    image_url: change.image_url === undefined ? row.image_url : change.image_url,
    active: change.active ?? row.active,
    stock: change.stock === undefined ? row.stock : change.stock,
    metadata: change.metadata ?? row.metadata,
  }
  return changedFields(row, next).length === 0 ? row : { ...next, updated_at: new Date(nowMs) }
}

const changedFields = (before: ProductRow, after: ProductRow): (keyof ProductView)[] => {
  const [one, other] = [presentProduct(before), presentProduct(after)]
  return (Object.keys(one) as (keyof ProductView)[]).filter(
    (name) => name !== 'updated_at' && JSON.stringify(one[name]) !== JSON.stringify(other[name]),
  )
}

type Made<Input> = { input: Input; initiator: Initiator }

export async function createProduct(
  { clock }: ProductsContext,
  tx: Tx,
  orgId: OrgId,
  { input, initiator }: Made<NewProductInput>,
): Promise<ProductRow> {
  await lockCatalogue(tx, orgId)
  const row = newProductRow(orgId, input, clock.now())
  await refuseTaken(tx, orgId, row)
  await insertProducts(tx, orgId, [row])
  await recordEvents(tx, orgId, [createdEvent(row, initiator)], clock.now())
  return row
}

export async function updateProduct(
  { clock }: ProductsContext,
  tx: Tx,
  orgId: OrgId,
  { id, input, initiator }: Made<ProductChangeInput> & { id: string },
): Promise<ProductRow> {
  const before = await lockForEdit(tx, orgId, id)
  if (before === null) throw productNotFound({ params: { id } })
  const after = changedRow(before, input, clock.now())
  if (after === before) return before
  await refuseTaken(tx, orgId, after)
  await saveProducts(tx, orgId, [after])
  await recordEvents(tx, orgId, [updatedEvent(before, after, initiator)], clock.now())
  return after
}

export async function deleteProduct(
  { clock }: ProductsContext,
  tx: Tx,
  orgId: OrgId,
  { id, initiator }: { id: string; initiator: Initiator },
): Promise<void> {
  const row = await lockForEdit(tx, orgId, id)
  if (row === null) throw productNotFound({ params: { id } })
  await deleteRow(tx, orgId, id)
  const data = presentProduct(row)
  await recordEvents(tx, orgId, [{ type: productEvents.deleted, subject: id, data, ...initiator }], clock.now())
}

/** Requires the lock of the catalogue. */
async function refuseTaken(tx: Tx, orgId: OrgId, { id, sku, retailer_id }: ProductRow): Promise<void> {
  const [ofSku, ofRetailerId] = await Promise.all([
    listBySku(tx, orgId, [sku]),
    listByRetailerId(tx, orgId, [retailer_id]),
  ])
  const [bySku] = ofSku.filter((other) => other.id !== id)
  if (bySku !== undefined) throw productSkuTaken({ params: { product_id: bySku.id, sku } })
  const [byRetailerId] = ofRetailerId.filter((other) => other.id !== id)
  if (byRetailerId !== undefined) throw productRetailerIdTaken({ params: { product_id: byRetailerId.id, retailer_id } })
}

export const createdEvent = (row: ProductRow, initiator: Initiator) => ({
  type: productEvents.created,
  subject: row.id,
  data: presentProduct(row),
  ...initiator,
})

export const updatedEvent = (before: ProductRow, after: ProductRow, initiator: Initiator) => ({
  type: productEvents.updated,
  subject: after.id,
  data: presentProduct(after),
  previous: Object.fromEntries(changedFields(before, after).map((name) => [name, presentProduct(before)[name]])),
  ...initiator,
})
