import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

export type Settings = {
  id: string
  slug: string
  name: string
  default_country: string
  timezone: string
  currency: string
  language: 'id' | 'en'
  order_notices: boolean
  late_payment: 'accept' | 'review' | 'refund'
  order_grace_seconds: number
}
export type ConnectorField = {
  name: string
  label: string
  help: string
  is_secret: boolean
  is_required: boolean
  is_generated: boolean
  placeholder: string | null
  choices: string[] | null
}
export type Connectors = {
  channels: { kind: string; name: string; fields: ConnectorField[] }[]
  payments: { provider: string; name: string; has_notices: boolean; fields: ConnectorField[] }[]
}
export type BusinessNumber = {
  id: string
  connector: string
  phone_number_id: string
  display_phone: string
  name: string
  base_url: string | null
  is_default: boolean
  state: 'connected' | 'paused' | 'disconnected'
  state_reason: string | null
  credentials: Record<string, string>
  settings: Record<string, unknown>
  webhook_url: string
  health: {
    last_event_at: string | null
    last_error: { code: string; detail: string; at: string } | null
    queued: number
  }
}
export type PaymentAccount = {
  id: string
  provider: string
  name: string
  state: 'active' | 'paused' | 'disabled'
  base_url: string | null
  credentials: Record<string, string>
  settings: Record<string, string>
  methods: { method: string; banks: string[]; is_default: boolean; is_manual: boolean; is_refundable: boolean }[]
  webhook_url: string | null
  last_notice_at: string | null
  last_error: { at: string; detail: string } | null
}
export type ProbeResult = { ok: boolean; failure: { code: string; detail: string } | null; took_ms: number }
export type FieldValues = Record<string, string | null>
/** Only what is to be another than before. */
export type ConnectionChange = { name?: string; is_default?: boolean; credentials: FieldValues; settings: FieldValues }

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => consoleApi.get<Settings>('/settings', {}, signal),
})
export type SettingChoices = { countries: { code: string; calling_code: string }[]; timezones: string[] }
export const settingChoicesQuery = queryOptions({
  queryKey: ['setting-choices'],
  queryFn: ({ signal }) => consoleApi.get<SettingChoices>('/settings/choices', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})
export const changeSettings = (change: Partial<Settings>) => consoleApi.patch<Settings>('/settings', change)
export const connectorsQuery = queryOptions({
  queryKey: ['connectors'],
  queryFn: ({ signal }) => consoleApi.get<Connectors>('/connectors', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})
export const numbersQuery = queryOptions({
  queryKey: ['numbers'],
  queryFn: ({ signal }) => consoleApi.get<{ data: BusinessNumber[] }>('/numbers', {}, signal),
})
export type NewNumber = {
  connector: string
  phone_number_id: string
  display_phone: string
  name?: string
  base_url?: string
  credentials: FieldValues
  settings: FieldValues
}
export const createNumber = (input: NewNumber) =>
  consoleApi.post<{ number: BusinessNumber; generated: Record<string, string> }>('/numbers', input)
export const changeNumber = (id: string, change: ConnectionChange) =>
  consoleApi.patch<BusinessNumber>(`/numbers/${id}`, change)
export const pauseNumber = (id: string) => consoleApi.post<BusinessNumber>(`/numbers/${id}/pause`, {})
export const resumeNumber = (id: string) => consoleApi.post<BusinessNumber>(`/numbers/${id}/resume`)
export const deleteNumber = (id: string) => consoleApi.remove<BusinessNumber>(`/numbers/${id}`)
export const probeNumber = (id: string) => consoleApi.post<ProbeResult>(`/numbers/${id}/probe`)

export const paymentAccountsQuery = queryOptions({
  queryKey: ['payment-accounts'],
  queryFn: ({ signal }) => consoleApi.get<{ data: PaymentAccount[] }>('/payment-accounts', {}, signal),
})
export type NewPaymentAccount = {
  provider: string
  name?: string
  base_url?: string
  credentials: FieldValues
  settings: FieldValues
}
export const createPaymentAccount = (input: NewPaymentAccount) =>
  consoleApi.post<PaymentAccount>('/payment-accounts', input)
export const changePaymentAccount = (
  id: string,
  change: { state?: PaymentAccount['state'] } & Partial<ConnectionChange>,
) => consoleApi.patch<PaymentAccount>(`/payment-accounts/${id}`, change)
export const probePaymentAccount = (id: string) => consoleApi.post<ProbeResult>(`/payment-accounts/${id}/probe`)
