import { z } from 'zod'
import { initiatorOf } from '../events/events.ts'
import { defineList, placeById } from '../platform/http/define-list.ts'
import { defineChange, defineRoute, key } from '../platform/http/define-route.ts'
import { csvInvalid } from '../platform/http/http.errors.ts'
import { csvUpload, uploaded } from '../platform/http/pipeline/upload.ts'
import { cursorParameter, idSchema, limitParameter, textSchema } from '../platform/http/schemas.ts'
import { createProduct, deleteProduct, getProduct, lockForEdit, presentProduct, updateProduct } from './catalogue.ts'
import { importProducts, readProductLines } from './product-import.ts'
import { productNotFound, productRetailerIdTaken, productSkuTaken } from './products.errors.ts'
import {
  IMPORT_LINES_MAX,
  NewProduct,
  newProductExample,
  Product,
  ProductChange,
  ProductImport,
  productExample,
  productImportExample,
} from './products.schemas.ts'
import { listProducts } from './products.sql.ts'
import type { ProductsContext } from './products-context.ts'

const TAG = 'Products'

const productParams = z.object({ id: idSchema('prd') })
const productParamsExample = { id: productExample.id }

const productQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter,
  q: textSchema(100, 1).optional().meta({ description: 'Search by a part of the name, or the start of the sku.' }),
  sku: textSchema(100, 1).optional().meta({ description: 'Exact match.' }),
  active: z.boolean().optional().meta({ description: 'Only active products, or only the others.' }),
  in_stock: z.boolean().optional().meta({
    description: 'Only products with pieces left or without a counted stock, or only those that are sold out.',
  }),
})

export const productRoutes = (context: ProductsContext) => [
  defineRoute({
    id: 'createProduct',
    method: 'POST',
    path: '/products',
    tag: TAG,
    summary: 'Create a product',
    description: 'Adds a product to the catalogue. Orders can then name it by its `sku` alone.',
    access: key('products:write'),
    idempotency: 'transaction',
    body: NewProduct,
    reply: { status: 201, body: Product },
    location: ({ id }) => `/products/${id}`,
    errors: [productSkuTaken, productRetailerIdTaken],
    example: { body: newProductExample, reply: productExample },
    async handle({ tx, body, ...request }) {
      const { orgId } = request.caller
      return presentProduct(await createProduct(context, tx, orgId, { input: body, initiator: initiatorOf(request) }))
    },
  }),
  defineRoute({
    id: 'importProducts',
    method: 'POST',
    path: '/products/import',
    tag: TAG,
    summary: 'Import products',
    description: `Creates and changes products from CSV. The first line names the columns: \`sku\` and any of \`name, price, tax_rate, tax_included, image_url, active, stock, retailer_id, metadata\`. A line with a known \`sku\` changes that product, and an empty cell leaves its field as it is. A line that cannot be used is reported; the others are imported. At most ${IMPORT_LINES_MAX} lines.`,
    access: key('products:write'),
    idempotency: 'transaction',
    query: z.strictObject({
      dry_run: z.boolean().default(false).meta({ description: 'Check the file and change nothing.' }),
    }),
    upload: csvUpload('products.csv'),
    reply: { status: 200, body: ProductImport },
    errors: [csvInvalid],
    example: { reply: productImportExample },
    async handle({ tx, file, query, ...request }) {
      const lines = readProductLines(uploaded(file))
      const work = { file: lines, isDryRun: query.dry_run, initiator: initiatorOf(request) }
      return importProducts(context, tx, request.caller.orgId, work)
    },
  }),
  defineList({
    id: 'listProducts',
    path: '/products',
    tag: TAG,
    summary: 'List products',
    description: 'Products, newest first. All filters can be combined.',
    access: key('products:read'),
    agentTool: true,
    query: productQuery,
    item: Product,
    example: { query: { q: 'kopi' }, items: [productExample] },
    list: 'products',
    sort: '-id',
    read: ({ caller, filters, limit, position }) =>
      listProducts(context.database, caller.orgId, {
        search: filters.q ?? null,
        sku: filters.sku ?? null,
        active: filters.active ?? null,
        inStock: filters.in_stock ?? null,
        beforeId: position === null ? null : String(position[0]),
        limit,
      }),
    place: placeById,
    present: (rows) => rows.map(presentProduct),
  }),
  defineRoute({
    id: 'getProduct',
    method: 'GET',
    path: '/products/{id}',
    tag: TAG,
    summary: 'Get a product',
    description: 'Returns one product.',
    access: key('products:read'),
    agentTool: true,
    params: productParams,
    reply: { status: 200, body: Product },
    errors: [productNotFound],
    example: { params: productParamsExample, reply: productExample },
    handle: async ({ caller, params, queries }) => presentProduct(await getProduct(queries, caller.orgId, params.id)),
  }),
  defineChange({
    id: 'updateProduct',
    method: 'PATCH',
    path: '/products/{id}',
    tag: TAG,
    summary: 'Edit a product',
    description:
      'Changes the fields you send. Orders that exist keep their names and prices. To set `stock` while orders come in, send `If-Match`: a piece that was sold meanwhile then makes the request fail with 412.',
    access: key('products:write'),
    params: productParams,
    body: ProductChange,
    reply: { status: 200, body: Product },
    errors: [productNotFound, productSkuTaken, productRetailerIdTaken],
    example: { params: productParamsExample, body: { price: 20000 }, reply: { ...productExample, price: 20000 } },
    lock: (tx, { caller, params }) => lockForEdit(tx, caller.orgId, params.id),
    async handle({ tx, params, body, ...request }) {
      const { orgId } = request.caller
      const change = { id: params.id, input: body, initiator: initiatorOf(request) }
      return presentProduct(await updateProduct(context, tx, orgId, change))
    },
  }),
  defineChange({
    id: 'deleteProduct',
    method: 'DELETE',
    path: '/products/{id}',
    tag: TAG,
    summary: 'Delete a product',
    description: 'Removes the product from the catalogue. Orders that contain it stay as they are.',
    access: key('products:write'),
    params: productParams,
    reply: { status: 204, body: null },
    errors: [productNotFound],
    example: { params: productParamsExample, reply: null },
    lock: (tx, { caller, params }) => lockForEdit(tx, caller.orgId, params.id),
    async handle({ tx, params, ...request }) {
      const { orgId } = request.caller
      await deleteProduct(context, tx, orgId, { id: params.id, initiator: initiatorOf(request) })
      return undefined
    },
  }),
]
