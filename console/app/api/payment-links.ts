import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'
import type { Closed } from './generated.ts'

export type PaymentLink = Closed<Sdk.PaymentLink>
export type { NewPaymentLink, PaymentLinkChange } from '../../../sdk/src/generated/types.ts'

export const paymentLinkQuery = (id: string) =>
  queryOptions({
    queryKey: ['payment-link', id],
    queryFn: ({ signal }) => call('GET /api/proxy/payment-links/{id}', { params: { id }, signal }),
  })

export const createPaymentLink = (body: Sdk.NewPaymentLink, idempotencyKey: string) =>
  call('POST /api/proxy/payment-links', { body, idempotencyKey })
export const updatePaymentLink = (id: string, body: Sdk.PaymentLinkChange) =>
  call('PATCH /api/proxy/payment-links/{id}', { params: { id }, body })
