/** What a key may do. Write does not imply read; an existing key never gains a new scope. */
export const allScopes = [
  'chats:read',
  'chats:write',
  'messages:send',
  'orders:read',
  'orders:write',
  'products:read',
  'products:write',
  'events:read',
  'events:erase',
  'webhooks:read',
  'webhooks:write',
  'approvals:read',
  'approvals:decide',
  'settings:read',
  'settings:write',
  'keys:read',
  'keys:write',
  'agents:read',
  'agents:write',
  'people:read',
  'people:write',
  'contacts:erase',
] as const

export type Scope = (typeof allScopes)[number]

/** What an agent may be given: nothing that decides over agents, manages the organization, leads events elsewhere, or erases. */
export const agentScopes = [
  'chats:read',
  'chats:write',
  'messages:send',
  'orders:read',
  'orders:write',
  'products:read',
  'events:read',
  'webhooks:read',
] as const satisfies readonly Scope[]

const scopeNames: ReadonlySet<string> = new Set(allScopes)

export const isScope = (value: string): value is Scope => scopeNames.has(value)
