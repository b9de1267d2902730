/**
 * The products capability: the catalogue of an organization, and its stock.
 *
 *   GET, POST, PATCH, DELETE /products ─▶ catalogue.ts
 *   an order is created, given up or confirmed ─▶ stock.ts, in the transaction of the order
 */
export { productRoutes } from './products.routes.ts'
export { listByRetailerId, listBySku, type ProductRow } from './products.sql.ts'
export {
  exchangePieces,
  findShortage,
  lockShelf,
  recordSoldOut,
  type Shelf,
  saveShelf,
  takePieces,
  type WantedPieces,
} from './stock.ts'
