import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'
import type { Closed } from './generated.ts'

export type Product = Closed<Sdk.Product>
export type { NewProduct } from '../../../sdk/src/generated/types.ts'

/** Those that an order can contain, as they are typed. */
export const productsFoundQuery = (q: string) =>
  queryOptions({
    queryKey: ['products-found', q],
    queryFn: ({ signal }) => call('GET /api/proxy/products', { query: { q, active: true, limit: 8 }, signal }),
    staleTime: 30_000,
  })

export const createProduct = (body: Sdk.NewProduct, idempotencyKey: string) =>
  call('POST /api/proxy/products', { body, idempotencyKey })
export const updateProduct = (id: string, body: Sdk.ProductChange) =>
  call('PATCH /api/proxy/products/{id}', { params: { id }, body })
export const deleteProduct = (id: string) => call('DELETE /api/proxy/products/{id}', { params: { id } })
