import { type NewEvent, recordEvents } from '../events/events.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { presentProduct } from './catalogue.ts'
import { outOfStock } from './products.errors.ts'
import { productEvents } from './products.events.ts'
import { listProductsById, lockProducts, type ProductRow } from './products.sql.ts'
import { deleteReservations, insertReservations, listReservations, type Reservation, saveStocks } from './stock.sql.ts'

/**
 * Takes pieces for orders and returns them, in the transaction of the order:
 *
 *   lock the products (by id, so that two orders never wait for each other) ─▶ take or return ─▶ save stock and reservations
 *
 * Products without a counted stock are never locked: their orders do not wait for each other.
 */
export type WantedPieces = { productId: Id<'prd'>; sku: string; quantity: number }

export type Shelf = {
  products: ReadonlyMap<string, ProductRow>
  /** The stock as it will be saved. */
  left: Map<string, number>
  reservations: Reservation[]
}

export async function lockShelf(tx: Tx, orgId: OrgId, productIds: Iterable<string>): Promise<Shelf> {
  const ids = [...new Set(productIds)]
  return shelfOf(ids.length === 0 ? [] : await lockProducts(tx, orgId, ids))
}

const shelfOf = (rows: readonly ProductRow[]): Shelf => ({
  products: new Map(rows.map((row) => [row.id, row])),
  left: new Map(),
  reservations: [],
})

const leftOf = ({ products, left }: Shelf, id: string): number | null => left.get(id) ?? products.get(id)?.stock ?? null

/** Takes the pieces of one order, or nothing: the refusal says what is left. */
export function takePieces(shelf: Shelf, orderId: string, wanted: readonly WantedPieces[]): Error | null {
  const short = wanted.flatMap(({ productId, sku, quantity }) => {
    const left = leftOf(shelf, productId)
    return left === null || left >= quantity ? [] : [{ product_id: productId, sku, quantity, left: Math.max(0, left) }]
  })
  if (short.length > 0) return outOfStock({ params: { items: short } })
  oversell(shelf, orderId, wanted)
  return null
}

/** Takes the pieces even if there are not enough. Returns whether that left a product below 0. */
function oversell(shelf: Shelf, orderId: string, wanted: readonly WantedPieces[]): boolean {
  const counted = wanted.filter(({ productId }) => leftOf(shelf, productId) !== null)
  for (const { productId, quantity } of counted) {
    shelf.left.set(productId, (leftOf(shelf, productId) ?? 0) - quantity)
    shelf.reservations.push({ order_id: orderId, product_id: productId, quantity })
  }
  return counted.some(({ productId }) => (leftOf(shelf, productId) ?? 0) < 0)
}

/** Records `product.out_of_stock` for products whose last piece was taken. */
export const recordSoldOut = (tx: Tx, orgId: OrgId, shelf: Shelf, nowMs: number) =>
  recordEvents(tx, orgId, soldOutEvents(shelf, nowMs), nowMs)

const soldOutEvents = ({ products, left }: Shelf, nowMs: number): NewEvent[] =>
  [...left].flatMap(([id, stock]) => {
    const row = products.get(id)
    if (row === undefined || stock > 0 || (row.stock ?? 0) <= 0) return []
    const data = presentProduct({ ...row, stock, updated_at: new Date(nowMs) })
    return [{ type: productEvents.outOfStock, subject: id, data, previous: { stock: row.stock } }]
  })

/** The statements that write what was taken; none if nothing was. */
export const saveShelf = (tx: Tx, orgId: OrgId, { products, left, reservations }: Shelf, nowMs: number) => {
  const changed = [...left].flatMap(([id, stock]) => (products.get(id)?.stock === stock ? [] : [{ id, stock }]))
  return [
    ...(changed.length === 0 ? [] : [saveStocks(tx, orgId, changed, new Date(nowMs))]),
    ...(reservations.length === 0 ? [] : [insertReservations(tx, orgId, reservations)]),
  ]
}

type Exchange = {
  orderId: string
  /** Everything that the order holds from now on. */
  wanted: readonly WantedPieces[]
  /** Whether too few pieces refuse the change. */
  isStrict: boolean
  nowMs: number
}

function returnPieces(shelf: Shelf, returned: readonly Reservation[]): void {
  for (const { product_id: id, quantity } of returned) {
    const left = leftOf(shelf, id)
    if (left !== null) shelf.left.set(id, left + quantity)
  }
}

/** The refusal of what an order wants now, if it returned what it holds. Locks and writes nothing. */
export async function findShortage(
  queries: Queries,
  orgId: OrgId,
  { orderId, wanted }: Pick<Exchange, 'orderId' | 'wanted'>,
): Promise<Error | null> {
  if (wanted.length === 0) return null
  const ids = wanted.map(({ productId }) => productId)
  const [held, rows] = await Promise.all([
    listReservations(queries, orgId, orderId),
    listProductsById(queries, orgId, ids),
  ])
  const shelf = shelfOf(rows)
  returnPieces(shelf, held)
  return takePieces(shelf, orderId, wanted)
}

/** Returns the pieces of an order and takes what it wants now. Requires the order's lock. Returns whether a product is below 0. */
export async function exchangePieces(
  tx: Tx,
  orgId: OrgId,
  { orderId, wanted, isStrict, nowMs }: Exchange,
): Promise<boolean> {
  const returned = await deleteReservations(tx, orgId, orderId)
  if (returned.length + wanted.length === 0) return false
  const ids = [...returned.map(({ product_id }) => product_id), ...wanted.map(({ productId }) => productId)]
  const shelf = await lockShelf(tx, orgId, ids)
  returnPieces(shelf, returned)
  const refusal = isStrict ? takePieces(shelf, orderId, wanted) : null
  if (refusal !== null) throw refusal
  const isShort = isStrict ? false : oversell(shelf, orderId, wanted)
  await Promise.all([recordSoldOut(tx, orgId, shelf, nowMs), ...saveShelf(tx, orgId, shelf, nowMs)])
  return isShort
}
