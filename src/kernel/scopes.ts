/** What a key may do. Write does not imply read; a new scope never joins an old key by itself. */
export const allScopes = [
  'chats:read',
  'chats:write',
  'messages:send',
  'orders:read',
  'orders:write',
  'events:read',
  'events:erase',
  'webhooks:read',
  'webhooks:write',
] as const

export type Scope = (typeof allScopes)[number]

export const isScope = (value: string): value is Scope => (allScopes as readonly string[]).includes(value)
