import { defineError } from '../kernel/errors.ts'

const exampleId = 'prd_01k9x3m5q8e0t9v7a2b4c6d8fg'

export const productNotFound = defineError({
  code: 'product_not_found',
  status: 404,
  title: 'Product not found',
  says: 'There is no product with this id. Check the id, or find the product with `GET /products`.',
  cause:
    'No product of the organization has this id. Product ids begin with `prd_`. The product may have been deleted.',
  fix: 'Find the product by its `sku` with `GET /products?sku=`.',
  example: { params: { id: exampleId } },
})

export const productSkuTaken = defineError({
  code: 'product_sku_taken',
  status: 409,
  title: 'SKU already used',
  says: 'Another product already has this sku; `params.product_id` is that product. Edit it, or choose another sku.',
  cause: 'A `sku` is unique within the organization, because orders name products by it.',
  fix: 'Edit the product in `params.product_id`, or choose another sku.',
  example: { params: { product_id: exampleId, sku: 'KOPI-1' } },
})

export const productRetailerIdTaken = defineError({
  code: 'product_retailer_id_taken',
  status: 409,
  title: 'Retailer id already used',
  says: 'Another product already has this retailer_id; `params.product_id` is that product. Choose another one.',
  cause: 'Carts from a WhatsApp catalogue name products by `retailer_id`, so it is unique. By default it is the sku.',
  fix: 'Choose another `retailer_id`, or change that of the product in `params.product_id`.',
  example: { params: { product_id: exampleId, retailer_id: 'KOPI-1' } },
})

export const productInactive = defineError({
  code: 'product_inactive',
  status: 409,
  title: 'Product not for sale',
  says: 'A product of this order is not active; `params.sku` names it. Leave the item out, or activate the product.',
  cause: 'Orders can contain only products whose `active` is true.',
  fix: 'Leave the item out, or activate the product with `PATCH /products/{id}`.',
  example: { params: { product_id: exampleId, sku: 'KOPI-1' } },
})

export const outOfStock = defineError({
  code: 'out_of_stock',
  status: 409,
  title: 'Not enough in stock',
  says: 'There are not enough pieces of a product; `params.items` says how many are left. Order fewer, or raise the stock.',
  cause: 'The stock of a product is counted, and the order asks for more than is left. Nothing was written.',
  fix: 'Order at most `left` pieces of each item in `params.items`, or raise `stock` with `PATCH /products/{id}`.',
  example: { params: { items: [{ product_id: exampleId, sku: 'KOPI-1', quantity: 3, left: 1 }] } },
})
