import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { NewNumber, NewPaymentAccount, NumberChange, PaymentAccountChange, SettingsChange } from './generated.ts'

export type {
  BusinessNumber,
  ConnectorField,
  PaymentAccount,
  ProbeResult,
  SettingChoices,
  Settings,
} from './generated.ts'
export type FieldValues = Record<string, string | null>
/** Only what is to be another than before. */
export type ConnectionChange = { name?: string; is_default?: boolean; credentials: FieldValues; settings: FieldValues }

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call('GET /api/console/settings', { signal }),
})
export const settingChoicesQuery = queryOptions({
  queryKey: ['setting-choices'],
  queryFn: ({ signal }) => call('GET /api/console/settings/choices', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})
export const changeSettings = (body: SettingsChange) => call('PATCH /api/console/settings', { body })
export const logoQuery = (hash: string) =>
  queryOptions({
    queryKey: ['logo', hash],
    queryFn: ({ signal }) => call('GET /api/proxy/organization/logo', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
export const setLogo = (data: string) => call('PUT /api/proxy/organization/logo', { body: { data } })
export const deleteLogo = () => call('DELETE /api/proxy/organization/logo')
export const connectorsQuery = queryOptions({
  queryKey: ['connectors'],
  queryFn: ({ signal }) => call('GET /api/console/connectors', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const numbersQuery = queryOptions({
  queryKey: ['numbers'],
  queryFn: ({ signal }) => call('GET /api/console/numbers', { signal }),
})
export const createNumber = (body: NewNumber) => call('POST /api/console/numbers', { body })
export const changeNumber = (id: string, body: NumberChange) =>
  call('PATCH /api/console/numbers/{id}', { params: { id }, body })
export const pauseNumber = (id: string) => call('POST /api/console/numbers/{id}/pause', { params: { id } })
export const resumeNumber = (id: string) => call('POST /api/console/numbers/{id}/resume', { params: { id } })
export const deleteNumber = (id: string) => call('DELETE /api/console/numbers/{id}', { params: { id } })
export const probeNumber = (id: string) => call('POST /api/console/numbers/{id}/probe', { params: { id } })

export const paymentAccountsQuery = queryOptions({
  queryKey: ['payment-accounts'],
  queryFn: ({ signal }) => call('GET /api/console/payment-accounts', { signal }),
})
export const createPaymentAccount = (body: NewPaymentAccount) => call('POST /api/console/payment-accounts', { body })
export const changePaymentAccount = (id: string, body: PaymentAccountChange) =>
  call('PATCH /api/console/payment-accounts/{id}', { params: { id }, body })
export const probePaymentAccount = (id: string) =>
  call('POST /api/console/payment-accounts/{id}/probe', { params: { id } })
