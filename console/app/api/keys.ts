import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

export type ApiKey = {
  id: string
  name: string
  key_prefix: string
  state: 'active' | 'retiring' | 'expired' | 'revoked'
  scopes: string[]
  allowed_ips: string[]
  rate_limit: number | null
  created_at: string
  created_by: string
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
  rotated_to: string | null
}
export type CreatedKey = { key: ApiKey; token: string }
export type NewKey = {
  name: string
  scopes: string[]
  expires_at?: string | null
  allowed_ips?: string[]
  rate_limit?: number | null
}

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => consoleApi.get<{ data: ApiKey[] }>('/keys', {}, signal),
})
export const createKey = (input: NewKey) => consoleApi.post<CreatedKey>('/keys', input)
export const rotateKey = (id: string, overlapSeconds: number) =>
  consoleApi.post<CreatedKey>(`/keys/${id}/rotate`, { overlap_seconds: overlapSeconds })
export const revokeKey = (id: string) => consoleApi.post<ApiKey>(`/keys/${id}/revoke`)

export const scopeNames = [
  'chats:read',
  'chats:write',
  'messages:send',
  'orders:read',
  'orders:write',
  'events:read',
  'events:erase',
  'webhooks:read',
  'webhooks:write',
  'approvals:read',
  'approvals:decide',
] as const
export type ScopeName = (typeof scopeNames)[number]

export const presets = {
  read: scopeNames.filter((scope) => scope.endsWith(':read')),
  messaging: ['chats:read', 'chats:write', 'messages:send', 'events:read'],
  ordering: ['orders:read', 'orders:write', 'chats:read', 'messages:send', 'events:read'],
  everything: [...scopeNames],
} as const
export type Preset = keyof typeof presets
