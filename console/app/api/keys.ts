import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { type NewKey, scopeNames } from './generated.ts'

export type { CreatedKey, KeyView as ApiKey } from './generated.ts'
export { scopeNames }
export type ScopeName = (typeof scopeNames)[number]

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => call('GET /api/console/keys', { signal }),
})
export const createKey = (body: NewKey) => call('POST /api/console/keys', { body })
export const updateKey = (id: string, change: { name?: string; scopes?: ScopeName[] }) =>
  call('PATCH /api/proxy/api-keys/{id}', { params: { id }, body: change })
export const rotateKey = (id: string, overlapSeconds: number) =>
  call('POST /api/console/keys/{id}/rotate', { params: { id }, body: { overlap_seconds: overlapSeconds } })
export const revokeKey = (id: string) => call('POST /api/console/keys/{id}/revoke', { params: { id } })

/** Who belongs to the organization, and how it is set up, is not what a program that reads its traffic needs. */
const MANAGEMENT = /^(?:settings|keys|agents|people):/

export const presets = {
  read: scopeNames.filter((scope) => scope.endsWith(':read') && !MANAGEMENT.test(scope)),
  messaging: ['chats:read', 'chats:write', 'messages:send', 'events:read'],
  ordering: [
    'orders:read',
    'orders:write',
    'products:read',
    'products:write',
    'chats:read',
    'messages:send',
    'events:read',
  ],
  everything: [...scopeNames],
} as const
export type Preset = keyof typeof presets
