import { defineEvent } from '../events/events.ts'
import { Product, type ProductView, productExample } from './products.schemas.ts'

const productEvent = (name: string, description: string, difference: Partial<ProductView> = {}) =>
  defineEvent({ name, description, data: Product, example: { ...productExample, ...difference } })

export const productEvents = {
  created: productEvent('product.created', 'A product was created.'),
  updated: productEvent(
    'product.updated',
    'A product was edited; `previous` has the old values. Pieces that orders take from the stock are not reported by this event.',
    { price: 20000 },
  ),
  deleted: productEvent('product.deleted', 'A product was deleted.'),
  outOfStock: productEvent('product.out_of_stock', 'The last piece of a product was sold.', { stock: 0 }),
}
