import { z } from 'zod'
import { MONEY_MAX } from '../kernel/money.ts'
import {
  idSchema,
  METADATA_VALUE_MAX,
  metadataSchema,
  textSchema,
  timeSchema,
  visibleText,
} from '../platform/http/schemas.ts'

/** Public shapes of products. Prices are whole rupiah. */
const STOCK_MAX = 1_000_000_000

const price = z.int().min(0).max(MONEY_MAX).meta({ description: 'The price of one piece, in whole rupiah.' })

const taxRate = z
  .number()
  .min(0)
  .max(100)
  .multipleOf(0.01)
  .nullable()
  .meta({ description: 'The tax in percent of the price before tax. Null if no tax is shown.', examples: [11] })

const taxIncluded = z
  .boolean()
  .meta({ description: 'Whether `price` contains the tax. Otherwise orders add it to the total.' })

const active = z.boolean().meta({ description: 'Whether orders can contain the product.' })

export const Product = z
  .object({
    object: z.literal('product'),
    id: idSchema('prd'),
    sku: textSchema(100),
    name: textSchema(200),
    price,
    currency: z.literal('IDR'),
    tax_rate: taxRate,
    tax_included: taxIncluded,
    image_url: z.string().max(2000).nullable().meta({ pattern: '^https?://' }),
    active,
    stock: z.int().min(-STOCK_MAX).max(STOCK_MAX).nullable().meta({
      description:
        'How many pieces can still be sold. Null if they are not counted. Negative after a late payment confirmed an order whose pieces were sold meanwhile.',
    }),
    retailer_id: textSchema(100).meta({ description: 'The id of the product in a WhatsApp catalogue.' }),
    metadata: z.record(z.string().max(40), textSchema(METADATA_VALUE_MAX)),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'Product', description: 'A product that orders can name by its `sku`.' })

export type ProductView = z.input<typeof Product>

const sku = visibleText(100).meta({ description: 'Your code of the product. Unique within the organization.' })

const imageUrl = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^https?:\/\/\S+$/, 'This must be an address that begins with https:// or http://.')
  .nullable()
  .meta({ description: 'The address of a picture. Nexkit does not fetch it.' })

const stock = z
  .int()
  .min(-STOCK_MAX)
  .max(STOCK_MAX)
  .nullable()
  .meta({ description: 'How many pieces can still be sold. Null, the default, if they are not counted.' })

const retailerId = visibleText(100).meta({
  description: 'The id of the product in a WhatsApp catalogue, unique within the organization. Default: the sku.',
})

export const NewProduct = z
  .strictObject({
    sku,
    name: visibleText(200),
    price,
    tax_rate: taxRate.optional(),
    tax_included: taxIncluded.optional(),
    image_url: imageUrl.optional(),
    active: active.optional(),
    stock: stock.optional(),
    retailer_id: retailerId.optional(),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'NewProduct', description: 'Only `sku`, `name` and `price` are required.' })

export type NewProductInput = z.output<typeof NewProduct>

export const ProductChange = z
  .strictObject({
    sku: sku.optional(),
    name: visibleText(200).optional(),
    price: price.optional(),
    tax_rate: taxRate.optional(),
    tax_included: taxIncluded.optional(),
    image_url: imageUrl.optional(),
    active: active.optional(),
    stock: stock.optional(),
    retailer_id: retailerId.optional(),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'ProductChange', description: 'The fields to change.' })

export type ProductChangeInput = z.output<typeof ProductChange>

export const IMPORT_LINES_MAX = 5_000

const count = z.int().min(0).max(IMPORT_LINES_MAX)

export const ProductImport = z
  .object({
    object: z.literal('product_import'),
    dry_run: z.boolean().meta({ description: 'Whether the file was only checked.' }),
    created: count,
    updated: count,
    unchanged: count,
    failed: count,
    ignored_columns: z
      .array(textSchema(1000))
      .max(100)
      .meta({ description: 'Columns that no field of a product has.' }),
    lines: z
      .array(
        z.object({
          line: z.int().min(1).meta({ description: 'The line in the file; the names of the columns are line 1.' }),
          sku: textSchema(1000).nullable(),
          result: z.enum(['created', 'updated', 'unchanged', 'failed']),
          product_id: idSchema('prd').nullable(),
          code: textSchema(60)
            .nullable()
            .meta({ description: 'What is wrong with the line; null if it was imported.' }),
          detail: textSchema(2000).nullable().meta({ description: 'What to correct.' }),
        }),
      )
      .max(IMPORT_LINES_MAX),
  })
  .meta({ id: 'ProductImport', description: 'The result of an import, line by line.' })

export type ProductImportView = z.input<typeof ProductImport>

export const productImportExample: ProductImportView = {
  object: 'product_import',
  dry_run: false,
  created: 1,
  updated: 0,
  unchanged: 0,
  failed: 1,
  ignored_columns: [],
  lines: [
    {
      line: 2,
      sku: 'KOPI-1',
      result: 'created',
      product_id: 'prd_01k9x3m5q8e0t9v7a2b4c6d8fg',
      code: null,
      detail: null,
    },
    {
      line: 3,
      sku: 'ROTI-1',
      result: 'failed',
      product_id: null,
      code: 'wrong_type',
      detail: 'price: This must be an integer.',
    },
  ],
}

export const newProductExample = {
  sku: 'KOPI-1',
  name: 'Kopi susu',
  price: 18000,
  tax_rate: 11,
  tax_included: true,
  stock: 40,
}

export const productExample = {
  object: 'product' as const,
  id: 'prd_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
  sku: 'KOPI-1',
  name: 'Kopi susu',
  price: 18000,
  currency: 'IDR' as const,
  tax_rate: 11,
  tax_included: true,
  image_url: null,
  active: true,
  stock: 40,
  retailer_id: 'KOPI-1',
  metadata: {},
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}
