import type { FieldProblem } from '../../kernel/errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import { productInactive } from '../../products/products.errors.ts'
import { exchangePieces, findShortage, listBySku, type ProductRow, type WantedPieces } from '../../products/products.ts'
import type { OrdersContext } from '../orders-context.ts'
import { isGivenUp } from '../settlement/orders.states.ts'
import type { NewOrderInput } from './order-requests.schemas.ts'
import type { OrderRow } from './orders.sql.ts'
import type { ItemInput } from './totals.ts'

/**
 * Connects the items of an order to products, by their sku. A product fills in the name and the price that the request leaves
 * out, says how the price is taxed, and lends its pieces: from the moment the order is created until it expires or is cancelled.
 */
export type FilledItems = {
  items: ItemInput[] | undefined
  wanted: WantedPieces[]
  /** An unknown sku without a price, or an inactive product. */
  refusal: Error | null
}

type GivenItem = NonNullable<NewOrderInput['items']>[number]

/** An order whose items have no sku reads nothing. */
export async function fillItems(queries: Queries, orgId: OrgId, given: NewOrderInput['items']): Promise<FilledItems> {
  const products = await productsOf(queries, orgId, given ?? [])
  const problems: FieldProblem[] = []
  const items = given?.map((item, index) => {
    const product = products.get(item.sku ?? '')
    if (product === undefined && !isComplete(item)) problems.push(unknownSku(item, index))
    return fillItem(item, product)
  })
  const refusal = problems.length > 0 ? refuseValues(problems) : inactiveIn(products)
  return { items, wanted: wantedOf(given ?? [], products), refusal }
}

type Skus = readonly { sku?: string | null | undefined; quantity: number }[]

async function productsOf(queries: Queries, orgId: OrgId, items: Skus): Promise<Map<string, ProductRow>> {
  const skus = [...new Set(items.flatMap(({ sku }) => sku || []))]
  const rows = skus.length === 0 ? [] : await listBySku(queries, orgId, skus)
  return new Map(rows.map((row) => [row.sku, row]))
}

const isComplete = ({ name, unit_price }: GivenItem) => name !== undefined && unit_price !== undefined

const unknownSku = ({ sku }: GivenItem, index: number): FieldProblem => ({
  pointer: `#/items/${index}/sku`,
  code: 'product_unknown',
  detail: `There is no product "${sku}". Create it, or send "name" and "unit_price".`,
})

const fillItem = ({ sku, name, quantity, unit_price }: GivenItem, product: ProductRow | undefined): ItemInput => ({
  sku,
  name: name ?? product?.name ?? '',
  quantity,
  unit_price: unit_price ?? product?.price ?? 0,
  tax: taxOf(product),
})

export const taxOf = (product: ProductRow | undefined): ItemInput['tax'] =>
  product === undefined || product.tax_rate_bps === null
    ? null
    : { rateBps: product.tax_rate_bps, isIncluded: product.tax_included }

function inactiveIn(products: ReadonlyMap<string, ProductRow>): Error | null {
  const inactive = [...products.values()].find(({ active }) => !active)
  return inactive === undefined ? null : productInactive({ params: { product_id: inactive.id, sku: inactive.sku } })
}

/** The pieces of products whose stock is counted; several items of one product are one. */
function wantedOf(items: Skus, products: ReadonlyMap<string, ProductRow>): WantedPieces[] {
  const wanted = new Map<string, WantedPieces>()
  for (const { sku, quantity } of items) {
    const product = products.get(sku ?? '')
    if (product === undefined || product.stock === null) continue
    const before = wanted.get(product.id)?.quantity ?? 0
    wanted.set(product.id, { productId: product.id, sku: product.sku, quantity: before + quantity })
  }
  return [...wanted.values()]
}

/** A draft holds nothing: it is a cart that may never be ordered. */
const holdsPieces = ({ status }: OrderRow): boolean => status !== 'draft' && !isGivenUp(status)

/** Requires the lock of the order, but none of the products: others may buy them before the edit is written. */
export async function assertPiecesLeft(queries: Queries, order: OrderRow): Promise<void> {
  if (!holdsPieces(order)) return
  const { org_id: orgId, id: orderId, items } = order
  const wanted = wantedOf(items, await productsOf(queries, orgId, items))
  const shortage = await findShortage(queries, orgId, { orderId, wanted })
  if (shortage !== null) throw shortage
}

/**
 * Moves the pieces of an order that changes its status or its items. An order that is given up returns them. A draft that is
 * submitted takes them, or is refused. An expired order that late money confirms takes them even if others bought them
 * meanwhile, because the customer has paid: stock goes below 0, and the order needs review.
 */
export async function movePieces(
  { clock }: OrdersContext,
  tx: Tx,
  { before, after }: { before: OrderRow; after: OrderRow },
): Promise<OrderRow> {
  const [held, holds] = [holdsPieces(before), holdsPieces(after)]
  const isSame = held === holds && (!holds || before.items === after.items)
  if (isSame || ![...before.items, ...after.items].some(({ sku }) => sku)) return after
  const { org_id: orgId, id: orderId } = after
  const wanted = holds ? wantedOf(after.items, await productsOf(tx, orgId, after.items)) : []
  const isStrict = !isGivenUp(before.status)
  const isShort = await exchangePieces(tx, orgId, { orderId, wanted, isStrict, nowMs: clock.now() })
  if (!isShort || after.review_reasons.includes('out_of_stock')) return after
  return { ...after, review_reasons: [...after.review_reasons, 'out_of_stock'] }
}
