import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { fromHome, homeOrg } from '../platform/database/organization-filter.ts'
import { jsonList } from '../platform/database/plain-lists.ts'

export type ProductRow = {
  org_id: OrgId
  id: Id<'prd'>
  sku: string
  retailer_id: string
  name: string
  price: number
  /** Hundredths of a percent; null for no tax. */
  tax_rate_bps: number | null
  tax_included: boolean
  image_url: string | null
  active: boolean
  /** Null if the pieces are not counted. */
  stock: number | null
  metadata: Record<string, string>
  created_at: Date
  updated_at: Date
}

const productColumns = (queries: Pick<Queries, 'part'>) => queries.part`
  org_id, id, sku, retailer_id, name, price, tax_rate_bps, tax_included, image_url, active, stock, metadata, created_at,
  updated_at`

const LOCK_SPACE = 7_313

/** Waits for other edits of the catalogue, so that a sku that is free stays free. Orders do not wait for it. */
export const lockCatalogue = (tx: Tx, orgId: OrgId) =>
  tx.run`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${orgId}))`

export const findProduct = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<ProductRow>`
  select ${productColumns(queries)} from products where org_id = ${orgId} and id = ${id}`

export const lockProduct = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<ProductRow>`
  select ${productColumns(tx)} from products where org_id = ${orgId} and id = ${id} for update`

export const listProductsById = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<ProductRow>`
  select ${productColumns(queries)} from products where org_id = ${orgId} and id = any(${[...ids]}::text[])`

/** Locks in the order of the ids, as every transaction with several products does. */
export const lockProducts = (tx: Tx, orgId: OrgId, ids: readonly string[]) => tx.many<ProductRow>`
  select ${productColumns(tx)} from products where org_id = ${orgId} and id = any(${[...ids]}::text[])
  order by id for update`

export const listBySku = (queries: Queries, orgId: OrgId, skus: readonly string[]) => queries.many<ProductRow>`
  select ${productColumns(queries)} from products where org_id = ${orgId} and sku = any(${[...skus]}::text[])`

export const listByRetailerId = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<ProductRow>`
  select ${productColumns(queries)} from products where org_id = ${orgId} and retailer_id = any(${[...ids]}::text[])`

/** Inserts products in one statement. */
export const insertProducts = (tx: Tx, orgId: OrgId, rows: readonly ProductRow[]) => tx.run`
  insert into products (org_id, id, sku, retailer_id, name, price, tax_rate_bps, tax_included, image_url, active, stock,
    metadata, created_at, updated_at)
  select ${homeOrg(tx, orgId)}, id, sku, retailer_id, name, price, tax_rate_bps, tax_included, image_url, active, stock,
    metadata::jsonb, created_at, created_at
  from ${fromHome(tx, orgId)} unnest(
    ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.sku)}::text[],
    ${rows.map((row) => row.retailer_id)}::text[], ${rows.map((row) => row.name)}::text[],
    ${rows.map((row) => row.price)}::bigint[], ${rows.map((row) => row.tax_rate_bps)}::integer[],
    ${rows.map((row) => row.tax_included)}::boolean[], ${rows.map((row) => row.image_url)}::text[],
    ${rows.map((row) => row.active)}::boolean[], ${rows.map((row) => row.stock)}::bigint[],
    ${jsonList(tx, rows, (row) => row.metadata)}, ${rows.map((row) => row.created_at)}::timestamptz[]
  ) as fresh(id, sku, retailer_id, name, price, tax_rate_bps, tax_included, image_url, active, stock, metadata, created_at)`

/** Requires the locks of the rows. */
export const saveProducts = (tx: Tx, orgId: OrgId, rows: readonly ProductRow[]) => tx.run`
  update products set sku = changed.sku, retailer_id = changed.retailer_id, name = changed.name, price = changed.price,
    tax_rate_bps = changed.tax_rate_bps, tax_included = changed.tax_included, image_url = changed.image_url,
    active = changed.active, stock = changed.stock, metadata = changed.metadata::jsonb, updated_at = changed.updated_at
  from unnest(
    ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.sku)}::text[],
    ${rows.map((row) => row.retailer_id)}::text[], ${rows.map((row) => row.name)}::text[],
    ${rows.map((row) => row.price)}::bigint[], ${rows.map((row) => row.tax_rate_bps)}::integer[],
    ${rows.map((row) => row.tax_included)}::boolean[], ${rows.map((row) => row.image_url)}::text[],
    ${rows.map((row) => row.active)}::boolean[], ${rows.map((row) => row.stock)}::bigint[],
    ${jsonList(tx, rows, (row) => row.metadata)}, ${rows.map((row) => row.updated_at)}::timestamptz[]
  ) as changed(id, sku, retailer_id, name, price, tax_rate_bps, tax_included, image_url, active, stock, metadata, updated_at)
  where products.org_id = ${orgId} and products.id = changed.id`

export const deleteProduct = (tx: Tx, orgId: OrgId, id: string) => tx.run`
  delete from products where org_id = ${orgId} and id = ${id}`

export type ProductFilter = {
  /** Part of the name, or the start of the sku. */
  search: string | null
  sku: string | null
  active: boolean | null
  inStock: boolean | null
  beforeId: string | null
  limit: number
}

const escapePattern = (text: string) => text.toLowerCase().replaceAll(/[\\%_]/g, (character) => `\\${character}`)

/** Newest first. A search reads the products of the organization one after another, which a catalogue is small enough for. */
export function listProducts(queries: Queries, orgId: OrgId, filter: ProductFilter) {
  const { part } = queries
  const pattern = filter.search === null ? null : escapePattern(filter.search.trim())
  return queries.many<ProductRow>`
    select ${productColumns(queries)} from products
    where org_id = ${orgId}
      ${filter.beforeId === null ? part`` : part`and id < ${filter.beforeId}`}
      ${filter.sku === null ? part`` : part`and sku = ${filter.sku}`}
      ${filter.active === null ? part`` : part`and active = ${filter.active}`}
      ${filter.inStock === null ? part`` : part`and (stock is null or stock > 0) = ${filter.inStock}`}
      ${pattern === null ? part`` : part`and (lower(name) like ${`%${pattern}%`} or lower(sku) like ${`${pattern}%`})`}
    order by id desc limit ${filter.limit}`
}
